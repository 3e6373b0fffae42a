"""The entry: one memory, the unit that is written, cited, indexed and recalled.

One model serves all layers (DESIGN: raw event, fact, summary, rule, and the two structures task
and entity), so that search, citations and export never need to ask where an entry came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, Literal, NewType, get_args

from .values import dataclass, field

EntryId = NewType("EntryId", str)

Kind = Literal["event", "fact", "summary", "rule", "task", "entity"]
EventType = Literal[
    "user_prompt", "assistant_response", "tool_output", "session_marker", "imported_turn"
]
Privacy = Literal["public", "internal", "private", "masked"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PRIVACIES: Final[tuple[Privacy, ...]] = get_args(Privacy)
EVENT_TYPES: Final[tuple[EventType, ...]] = get_args(EventType)
FAILED_OUTCOMES: Final = ("error", "interrupted")
"""How a tool call ends that did not succeed; all outcomes are `event.Outcome`."""

TYPES: Final[Mapping[Kind, tuple[str, ...]]] = {
    "event": EVENT_TYPES,
    "fact": (
        "decision",
        "constraint",
        "task_state",
        "tool_observation",
        "preference",
        "code_context",
        "summary_fact",
        "spec",
        "skill",
        "lesson",
        "plan",
        "issue",
        "note",
    ),
    "summary": ("turn", "session", "project", "continuity", "timeline_digest", "consolidated"),
    "rule": ("preference", "workflow", "convention", "constraint"),
    "task": ("pending", "in_progress", "blocked", "done", "cancelled"),
    "entity": ("task", "condition", "artifact", "person", "file", "symbol"),
}
"""The closed sets of types; for a task the type is its status."""


_FIRST_YEAR: Final = 2
_LAST_YEAR: Final = 9998
_KIND_BY_NAME: Final[Mapping[str, Kind]] = {kind: kind for kind in KINDS}
_PRIVACY_BY_NAME: Final[Mapping[str, Privacy]] = {privacy: privacy for privacy in PRIVACIES}


def as_kind(text: str) -> Kind | None:
    """The kind that *text* names, or None."""
    return _KIND_BY_NAME.get(text)


def as_privacy(text: str) -> Privacy | None:
    """The privacy level that *text* names, or None."""
    return _PRIVACY_BY_NAME.get(text)


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed relation from one entry to another, written ``rel: mem:ID`` in frontmatter."""

    relation: str
    target: str  # as written: mem:ID, or a path


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory. Compared by value, so that a trip through Markdown can be asserted with ``==``.

    Raises:
        ValueError: a time has no offset, or a score lies outside 0-1.
    """

    id: EntryId
    kind: Kind
    type: str
    title: str
    body: str
    created: datetime  # always with an offset: files travel between time zones
    updated: datetime | None = None
    project: str = ""
    session: str = ""
    turn: int | None = None  # counted from 1 in the order of the session's prompts
    agent: str = ""
    tool: str = ""  # the tool's name, for a tool_output
    tags: tuple[str, ...] = ()
    source: tuple[str, ...] = ()  # mem:ID, or file references
    confidence: float = 1.0  # 0-1
    importance: float = 0.5  # 0-1
    privacy: Privacy = "internal"
    edges: tuple[Edge, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)  # keys we do not know, in file order

    def __post_init__(self) -> None:
        for name, moment in (("created", self.created), ("updated", self.updated)):
            if moment is not None and moment.tzinfo is None:
                raise ValueError(f"{name} has no UTC offset: {moment.isoformat()}")
        for name, score in (("confidence", self.confidence), ("importance", self.importance)):
            if not 0.0 <= score <= 1.0:
                raise ValueError(f"{name} is not between 0 and 1: {score}")

    @property
    def citation(self) -> str:
        """``[mem:ID]``, as it is pasted anywhere."""
        return f"[mem:{self.id}]"

    @property
    def failed(self) -> bool:
        """Whether this records a tool call that did not succeed."""
        return self.extra.get("outcome") in FAILED_OUTCOMES


def parse_time(text: str) -> datetime | None:
    """Read an RFC 3339 time, or a date; None when *text* is neither.

    A time without an offset is taken as UTC: the same file must mean the same moment everywhere.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:  # another time zone could leave the calendar
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def format_time(moment: datetime) -> str:
    """RFC 3339 with the offset as given and no more of the fraction than there is."""
    precision = "milliseconds" if moment.microsecond % 1000 == 0 else "microseconds"
    return moment.isoformat(timespec=precision if moment.microsecond else "seconds")
