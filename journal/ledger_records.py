"""The lines of the ledger as values: what was told to an assistant, and what of it was of use.

No word of a prompt, an answer or a memory ever stands in one: ids, names and numbers alone. A line of
a kind that is not known here, and keys that are not, come from a newer version and are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final, Literal

from .ids import is_id

TellingEvent = Literal["prompt", "brief"]
How = Literal["cited", "overlap"]

_MAX_REASON_CHARS: Final = 40  # a reason is a word or two, and never a text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    at: datetime  # always with an offset
    session: str  # as the journal has it

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError(f"at has no UTC offset: {self.at.isoformat()}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(_Record):
    """Memories that were put into an assistant's context, for a prompt or in a session's brief."""

    project: str
    agent: str
    event: TellingEvent
    ids: tuple[str, ...]

    def __post_init__(self) -> None:
        _Record.__post_init__(self)
        for one in self.ids:
            _check_id(one)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTold(_Record):
    """A prompt for which nothing was told, and why."""

    project: str
    agent: str
    reason: str  # such as ``no match``

    def __post_init__(self) -> None:
        _Record.__post_init__(self)
        if len(self.reason) > _MAX_REASON_CHARS or not self.reason.isprintable():
            raise ValueError("reason is no short word")


@dataclass(frozen=True, slots=True, kw_only=True)
class Used(_Record):
    """A memory that was told, and of use to the answer."""

    id: str
    how: How
    overlap: float  # 0-1: the share of what it told that the answer says

    def __post_init__(self) -> None:
        _Record.__post_init__(self)
        _check_id(self.id)
        _check_share(self.overlap)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused(_Record):
    """A memory that was told, and of no use to the answer that was seen."""

    id: str
    overlap: float

    def __post_init__(self) -> None:
        _Record.__post_init__(self)
        _check_id(self.id)
        _check_share(self.overlap)


Record = Told | NotTold | Used | Unused


def _check_id(text: str) -> None:
    if not is_id(text):
        raise ValueError("what stands for a memory is no id")


def _check_share(value: float) -> None:
    if not 0.0 <= value <= 1.0:  # nor a number that is none
        raise ValueError(f"overlap is not between 0 and 1: {value}")


_KINDS: Final[Mapping[type[Record], str]] = {
    Told: "told",
    NotTold: "not_told",
    Used: "used",
    Unused: "unused",
}
_KNOWN: Final = frozenset(_KINDS.values())
_EVENTS: Final[Mapping[str, TellingEvent]] = {"prompt": "prompt", "brief": "brief"}
_HOWS: Final[Mapping[str, How]] = {"cited": "cited", "overlap": "overlap"}


def render_record(record: Record) -> bytes:
    """*record* as a line, its end included."""
    values: dict[str, object] = {"kind": _KINDS[type(record)]}
    for one in fields(record):
        value = getattr(record, one.name)
        values[one.name] = value.isoformat() if isinstance(value, datetime) else value
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"  # half a character: an escape of JSON


def parse_record(line: bytes) -> Record | None:
    """The value of a line; None if a newer version wrote it, or nothing stands there.

    Raises:
        ValueError: it is no line of a ledger.
    """
    if not line.strip():
        return None
    try:
        values = json.loads(line.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    match values:
        case {"kind": str(kind)} if kind not in _KNOWN:
            return None
        case {"kind": str(kind), "at": str(at), "session": str(session)}:
            return _parse_kind(kind, datetime.fromisoformat(at), session, values)
    raise ValueError("kind, at or session is missing or no text")


def _parse_kind(
    kind: str, at: datetime, session: str, values: Mapping[str, object]
) -> Record | None:
    match kind, values:
        case "told", {"event": str(event)}:
            if (told_by := _EVENTS.get(event)) is None:
                return None  # in a way that is not known here
            return Told(
                at=at,
                session=session,
                project=_text(values, "project"),
                agent=_text(values, "agent"),
                event=told_by,
                ids=_texts(values.get("ids")),
            )
        case "not_told", _:
            return NotTold(
                at=at,
                session=session,
                project=_text(values, "project"),
                agent=_text(values, "agent"),
                reason=_text(values, "reason"),
            )
        case "used", {"how": str(name)}:
            if (how := _HOWS.get(name)) is None:
                return None
            overlap = _number(values.get("overlap"))
            return Used(at=at, session=session, id=_text(values, "id"), how=how, overlap=overlap)
        case "unused", _:
            overlap = _number(values.get("overlap"))
            return Unused(at=at, session=session, id=_text(values, "id"), overlap=overlap)
    raise ValueError("event or how is missing or no text")


def _text(values: Mapping[str, object], name: str) -> str:
    match values.get(name):
        case str(text):
            return text
    raise ValueError(f"{name} is missing or no text")


def _texts(value: object) -> tuple[str, ...]:
    match value:
        case list() if all(isinstance(one, str) for one in value):
            return tuple(value)
    raise ValueError("ids are missing or no texts")


def _number(value: object) -> float:
    match value:
        case bool():
            pass
        case float():
            return value
        case int() if value in (0, 1):
            return float(value)
    raise ValueError("a share is missing, or no number between 0 and 1")
