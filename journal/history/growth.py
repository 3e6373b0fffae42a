"""Whether a file that may only grow has done nothing else, and if not, what was done to which line.

Compared are records, not bytes: a forgotten record leaves its keys, and a torn one is put aside. All
else is for a person to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ..merging.conflicts import Keep, find_conflicts, resolve
from ..session_file import is_torn_header, record_keys
from .past import Past
from .units import Unit, Units, take_apart

_KEPT: tuple[Keep, ...] = ("first", "second", "both")
_CHANGED = {
    "event": "changed an event",
    "head": "changed the header",
    "forgotten": "changed the keys of a forgotten event",
}
_REMOVED = {
    "event": "removed an event",
    "line": "removed a line",
    "head": "removed the header",
    "forgotten": "removed what is left of a forgotten event",
    "loose": "removed words between events",
}
_REORDERED = {"line": "reordered lines"}
_INSERTED = {"line": "inserted a line before others"}


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that was done to a file beside adding to it."""

    what: str
    line: int  # of the newer file where it is there, else of the older; from 1
    entry_id: str = ""


def is_extension(path: str, old: bytes, new: bytes) -> bool:
    """Whether *new* is *old* and more, so that no record of it can have become another."""
    return new.startswith(old) and (not old or old.endswith(b"\n") or path.startswith("ledger/"))


def suspicions(path: str, old: bytes, new: bytes, past: Past) -> Iterator[Suspicion]:
    """What was done to the file at *path*, from *old* to *new*, beside adding to it."""
    if is_extension(path, old, new):
        return
    before, after = take_apart(path, old), take_apart(path, new)
    for key, unit in before.by_key.items():
        now = after.by_key.get(key)
        if now is None or now.raw != unit.raw:
            if what := change(unit, now, after, past):
                yield suspect(what, now or unit)
            past.remember(unit)
    yield from reordered(before, after)
    yield from _inserted(before, after, past)


def holds(path: str, content: bytes, old: bytes, past: Past) -> bool:
    """Whether every record of *old* stands in *content*, a file that may have had others before."""
    if content == old:
        return True
    if old.rstrip().rpartition(b"\n")[2] not in content:
        return False  # the usual case, told without taking anything apart
    before, after = take_apart(path, old), take_apart(path, content)
    changed = (
        (unit, after.by_key.get(key))
        for key, unit in before.by_key.items()
        if unit.kind != "head" and unit.raw not in after.raws
    )
    if any(change(unit, now, after, past) for unit, now in changed):
        return False
    return not list(reordered(before, after))


def suspect(what: str, unit: Unit) -> Suspicion:
    """What was done to that unit."""
    return Suspicion(what, unit.line, unit.id)


def change(unit: Unit, now: Unit | None, after: Units, past: Past) -> str:
    """What was done to a unit that is not as it was; "" if nothing that may not be."""
    if now is None:
        return "" if may_go(unit, after, past) else _REMOVED[unit.kind]
    match unit.kind, now.kind:
        case "event", "forgotten":
            if unit.id not in past.forgotten:
                return "forgot an event without announcing it"
            is_same = record_keys(unit.raw) == record_keys(now.raw)
            return "" if is_same else _CHANGED["forgotten"]
        case "forgotten", "event":
            return "" if _is_restored(now, past) else "put something in place of a forgotten event"
        case "head", "head":
            return "" if is_torn_header(unit.raw) else _CHANGED["head"]
    if past.has_said(now) or _is_settled(unit, now):
        return ""
    return _CHANGED[unit.kind]


def may_go(unit: Unit, after: Units, past: Past) -> bool:
    """Whether a unit may be missing: it was no whole one, was told to be forgotten, or stands there once more."""
    match unit.kind:
        case "torn":
            return True
        case "line":
            return unit.raw in after.raws or not unit.raw.endswith(b"}")
        case "head":
            return is_torn_header(unit.raw)
        case "loose":
            return unit.raw in after.raws or unit.id in past.forgotten or past.was_joined(unit.raw)
    return unit.raw in after.raws


def _is_restored(now: Unit, past: Past) -> bool:
    """Whether a record may stand again where it was forgotten: announced, unless its forgetting was not."""
    if past.knows(now.id) and not past.has_said(now):
        return False
    return now.id in past.restored or now.id not in past.forgotten


def _is_settled(unit: Unit, now: Unit) -> bool:
    """Whether of two texts that stood in a record, one or both were kept."""
    if not find_conflicts(unit.raw):
        return False
    return any(resolve(unit.raw, keep=keep) == now.raw for keep in _KEPT)


def reordered(
    before: Units, after: Units, *, contradicted: AbstractSet[str] = frozenset()
) -> Iterator[Suspicion]:
    """Whether what was there still stands in its order, but for what is *contradicted* elsewhere."""
    kept = [key for key in before.by_key if _has_place(key, after, contradicted)]
    known = [key for key in after.by_key if _has_place(key, before, contradicted)]
    for was, now in zip(kept, known, strict=True):
        if was != now:
            unit = after.by_key[now]
            yield suspect(_REORDERED.get(unit.kind, "reordered events"), unit)
            return


def _has_place(key: str, other: Units, contradicted: AbstractSet[str]) -> bool:
    """Words stand where a person puts them."""
    return key in other.by_key and other.by_key[key].kind != "loose" and key not in contradicted


def _inserted(before: Units, after: Units, past: Past) -> Iterator[Suspicion]:
    """What is new, and does not stand behind all that was there."""
    torn = {unit.id for unit in before.by_key.values() if unit.kind == "torn"}
    fresh: list[Unit] = []
    for key, unit in after.by_key.items():
        if key not in before.by_key:
            is_left_of_torn = unit.kind == "forgotten" and unit.id in torn & past.forgotten
            if unit.kind not in ("loose", "head") and not is_left_of_torn:
                fresh.append(unit)
        elif unit.kind not in ("loose", "head"):
            for one in fresh:
                if not past.has_said(one):
                    what = _INSERTED.get(one.kind, "inserted an event before others")
                    yield suspect(what, one)
            fresh = []
