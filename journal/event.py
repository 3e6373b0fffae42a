"""What an adapter saw in an assistant's session, before it has an id and a place in a file.

An event is identified by its *keys*, the assistant's own identifiers of the records it was made
from; by them a retried hook or a second import is recognised, never by the clock or the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from .entry import EventType
from .values import dataclass, field

Outcome = Literal["", "ok", "error", "interrupted", "unknown"]
"""How a tool call ended; ``unknown`` when its result is not in the transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeader:
    """The frontmatter of a session file: what holds for every event in it."""

    session: str  # the assistant's own session id
    project: str
    agent: str  # claude-code, codex, …
    started: datetime  # with an offset; its date and offset decide folder and headings


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that was said or done.

    Raises:
        ValueError: there is no key, or the time has no offset.
    """

    keys: tuple[str, ...]  # native ids without blanks; the first one decides the entry's id
    type: EventType
    at: datetime
    text: str  # the body, Markdown as it was said; any text
    turn: int = 0  # 0 before the first prompt
    tool: str = ""  # tool_output: the tool; session_marker: title, compaction, …
    outcome: Outcome = ""
    exit_code: int | None = None
    files: tuple[str, ...] = ()
    branch: str = ""  # "" on the live branch, "abandoned" after a rewind
    extra: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("an event needs at least one key")
        if self.at.tzinfo is None:
            raise ValueError(f"the event's time has no UTC offset: {self.at.isoformat()}")
