"""Whether a file that may only grow has done nothing else, and if not, what was done to which line.

Compared are records, not bytes: a forgotten record leaves its keys, a torn one is put aside, and a merge
puts what is new on the other side in between. All else is for a person to look at.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from ..event import SessionHeader
from ..merging.conflicts import find_conflicts
from ..session_file import parse_event, record_id, scan

MAX_BACKWARDS: Final = timedelta(minutes=75)
"""How much earlier than what stands before it an event may be: a clock that is set back for summer time
by hand, and hooks that finish in another order, are no tampering."""
MAX_AHEAD: Final = timedelta(hours=36)
"""How much later than its commit: clocks of two machines, and a zone that was set wrong."""
_NO_HEADER: Final = SessionHeader(
    session="", project="", agent="", started=datetime.fromisoformat("1970-01-01T00:00:00+00:00")
)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What may be done to records beside adding them."""

    forgotten: AbstractSet[str] = frozenset()  # ids that were ever announced as forgotten
    restored: AbstractSet[str] = frozenset()
    may_insert: bool = False  # in a merge, what the other side has stands in between


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that was done to a file beside adding to it."""

    what: str
    line: int  # of the newer file where it is there, else of the older; from 1
    entry_id: str = ""


@dataclass(slots=True)
class _Unit:
    """A record, a stretch between records, or a line of a ledger."""

    key: str
    raw: bytes
    kind: str
    line: int


@dataclass(slots=True)
class _File:
    units: dict[str, _Unit] = field(default_factory=dict)


def suspicions(path: str, old: bytes, new: bytes, allowed: Allowed) -> Iterator[Suspicion]:
    """What was done to the file at *path*, from *old* to *new*, beside adding to it."""
    if new.startswith(old) and (not old or old.endswith(b"\n") or path.startswith("ledger/")):
        return
    before, after = _units(path, old), _units(path, new)
    noun = "line" if path.startswith("ledger/") else "event"
    for key, unit in before.units.items():
        now = after.units.get(key)
        found = _change(unit, now, allowed, noun)
        if found:
            yield Suspicion(found, (now or unit).line, _id_of(unit))
    yield from _order(before, after, allowed, noun)


def _units(path: str, data: bytes) -> _File:
    return _lines(data) if path.startswith("ledger/") else _records(data)


def _lines(data: bytes) -> _File:
    file = _File()
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw:
            key = raw.decode("utf-8", "surrogateescape")
            file.units.setdefault(key, _Unit(key, raw, "line", number))
    return file


def _records(data: bytes) -> _File:
    file = _File()
    line = 1
    last = ""
    for part in scan(io.BytesIO(data)):
        raw = part.raw.rstrip(b"\r\n\0")
        if part.kind in ("event", "forgotten"):
            key = last = record_id(part.raw)
        elif part.kind == "head":
            key = "head"
        else:
            key = f"{part.kind}\0{last}\0{raw.decode('utf-8', 'surrogateescape').strip()}"
        if raw.strip():
            file.units.setdefault(key, _Unit(key, raw, part.kind, line))
        line += part.raw.count(b"\n")
    return file


def _id_of(unit: _Unit) -> str:
    return unit.key if unit.kind in ("event", "forgotten") else ""


def _change(unit: _Unit, now: _Unit | None, allowed: Allowed, noun: str) -> str:
    """What was done to one unit; "" if nothing that may not be."""
    if now is None:
        if unit.kind == "torn" or (unit.kind == "line" and not unit.raw.endswith(b"}")):
            return ""
        return (
            "removed words between events" if unit.kind == "loose" else f"removed {_article(noun)}"
        )
    if now.raw == unit.raw:
        return ""
    match unit.kind, now.kind:
        case "event", "forgotten":
            is_told = unit.key in allowed.forgotten
            return "" if is_told else "forgot an event without announcing it"
        case "forgotten", "event":
            is_told = unit.key in allowed.restored or allowed.may_insert
            return "" if is_told else "put something in place of a forgotten event"
        case "head", "head":
            return "" if now.raw.startswith(unit.raw) else "changed the header"
    if allowed.may_insert and find_conflicts(now.raw):
        return ""  # both versions stand there; each was named where it was made
    return "changed an event"


def _order(before: _File, after: _File, allowed: Allowed, noun: str) -> Iterator[Suspicion]:
    """Whether what was there still stands in its order, and what is new behind it."""
    known = [key for key in after.units if key in before.units]
    kept = [key for key in before.units if key in after.units]
    for was, now in zip(kept, known, strict=True):
        if was != now:
            yield Suspicion(f"reordered {noun}s", after.units[now].line, _id_of(after.units[now]))
            return
    if allowed.may_insert or not kept:
        return
    order = list(after.units)
    last = order.index(kept[-1])
    for key in order[:last]:
        unit = after.units[key]
        if key not in before.units and unit.kind not in ("loose", "head"):
            yield Suspicion(f"inserted {_article(noun)} before others", unit.line, _id_of(unit))


def _article(noun: str) -> str:
    return f"an {noun}" if noun == "event" else f"a {noun}"


def unknown_in_merge(path: str, new: bytes, olds: Sequence[bytes]) -> Iterator[Suspicion]:
    """What a merge has that none of the sides had."""
    known: set[str] = set()
    for old in olds:
        known.update(_units(path, old).units)
    for key, unit in _units(path, new).units.items():
        if key not in known and unit.kind in ("event", "line"):
            yield Suspicion("a merge brought something new", unit.line, _id_of(unit))


def misdated(
    old: bytes, new: bytes, committed: datetime, *, newest: datetime | None
) -> Iterator[Suspicion]:
    """Events that were added to a session and are dated before *newest*, which stood there, or long
    after their commit."""
    line = 1 + old.count(b"\n")
    for part in scan(io.BytesIO(new[len(old) :])):
        if part.kind == "event":
            at = parse_event(part.raw, _NO_HEADER).created
            if newest is not None and at < newest - MAX_BACKWARDS:
                what = "backdated: it is dated before what stood there"
                yield Suspicion(what, line, record_id(part.raw))
            elif at > committed + MAX_AHEAD:
                yield Suspicion("dated after its commit", line, record_id(part.raw))
            newest = max(newest or at, at)
        line += part.raw.count(b"\n")


def newest_event(data: bytes) -> datetime | None:
    """When the last of the events in *data* was; None where there is none."""
    events = (part for part in scan(io.BytesIO(data)) if part.kind == "event")
    return max((parse_event(part.raw, _NO_HEADER).created for part in events), default=None)
