"""Whether a merge holds what its sides hold, and nothing that none of them had.

What one side did, is judged in its own commits. So a record may be in a merge as one side has it if the
others left it as it was where they parted; else the merge itself has chosen, and takes something away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from ..merging.conflicts import find_conflicts, resolve
from .growth import Suspicion, change, reordered, suspect
from .past import Past
from .units import Unit, Units, take_apart

_EMPTY: Final = Units()


@dataclass(frozen=True, slots=True)
class Sides:
    """One file of a merge: of each parent, of what they come from, and what vanished in the same merge."""

    path: str
    parents: Sequence[bytes | None]  # None: it is not there
    bases: Callable[[], Sequence[bytes]]  # asked for only where sides differ
    elsewhere: Sequence[bytes] = ()
    at_last: Callable[[], bytes | None] = lambda: None
    """What the file is at last, where a merge by plain git may have been mended since."""


def merge_suspicions(sides: Sides, new: bytes, past: Past) -> Iterator[Suspicion]:
    """What the merge did to the file that none of its sides had done."""
    merge = _Merge(sides, new, past)
    for number, before in enumerate(merge.parents):
        if before is not None and sides.parents[number] != new:
            yield from merge.lost(before, [*merge.parents[:number], *merge.parents[number + 1 :]])
            yield from reordered(before, merge.after, contradicted=merge.contradicted)
    if new not in sides.parents:
        yield from merge.brought()


class _Merge:
    """One file of a merge, taken apart."""

    def __init__(self, sides: Sides, new: bytes, past: Past) -> None:
        path = sides.path
        self.past, self.after = past, take_apart(path, new)
        self.parents = [_units(path, data) for data in sides.parents]
        self._elsewhere = [take_apart(path, data) for data in sides.elsewhere]
        self._sides = sides
        self._bases: list[Units] | None = None
        self._at_last: Units | None = None
        self.contradicted = _contradicted([one for one in self.parents if one is not None])

    def lost(self, before: Units, others: Sequence[Units | None]) -> Iterator[Suspicion]:
        """What one side has and the merge has not, or otherwise."""
        for key, unit in before.by_key.items():
            now = self.after.by_key.get(key)
            if now is not None and now.raw == unit.raw:
                continue
            if not self._is_of_another(key, unit, now, others):
                what = change(unit, now, self.after, self.past)
                if what and not self._is_there_at_last(unit):
                    yield suspect(what, now or unit)
            self.past.remember(unit)

    def _is_of_another(
        self, key: str, unit: Unit, now: Unit | None, others: Sequence[Units | None]
    ) -> bool:
        """Whether it is as another side has it, and rightly so."""
        there = [other.by_key.get(key) for other in others if other is not None]
        if now is None:
            is_theirs = None in there
        else:
            is_theirs = any(one is not None and one.raw == now.raw for one in there)
        if is_theirs and (unit.kind == "head" or self._is_as_it_was(key, unit)):
            return True
        if now is None:
            return False
        if is_theirs and unit.kind == now.kind and _body(unit.raw) == _body(now.raw):
            return True  # what tells of it differs: both cannot stand there
        bodies = {_body(one.raw) for one in there if one is not None} | {_body(unit.raw)}
        return _holds(now.raw, bodies)

    def _is_as_it_was(self, key: str, unit: Unit) -> bool:
        """Whether a side has left it as it was where the sides parted."""
        if self._bases is None:
            self._bases = [take_apart(self._sides.path, data) for data in self._sides.bases()]
        found = (base.by_key.get(key) for base in self._bases)
        return any(one is not None and one.raw == unit.raw for one in found)

    def _is_there_at_last(self, unit: Unit) -> bool:
        """Whether it was mended since."""
        if self._at_last is None:
            data = self._sides.at_last()
            self._at_last = _EMPTY if data is None else take_apart(self._sides.path, data)
        return unit.raw in self._at_last.raws

    def brought(self) -> Iterator[Suspicion]:
        """What none of the sides had."""
        known = [*(one for one in self.parents if one is not None), *self._elsewhere]
        for key, unit in self.after.by_key.items():
            if any(unit.raw in one.raws for one in known):
                continue
            if unit.kind in ("torn", "loose"):
                self.past.note_joined(unit.raw)
            elif not any(key in one.by_key for one in known) and not self._may_be_new(unit):
                yield suspect("a merge brought something new", unit)

    def _may_be_new(self, unit: Unit) -> bool:
        is_told = unit.kind == "forgotten" and unit.id in self.past.forgotten
        return unit.kind == "head" or is_told or self.past.has_said(unit)


def _units(path: str, data: bytes | None) -> Units | None:
    return None if data is None else take_apart(path, data)


def _body(raw: bytes) -> bytes:
    """A record without its heading and its closing comment."""
    return raw.partition(b"\n")[2].rpartition(b"\n")[0]


def _holds(raw: bytes, bodies: AbstractSet[bytes]) -> bool:
    """Whether a record holds two texts, marked, and each is of a side."""
    if not find_conflicts(raw):
        return False
    return {_body(resolve(raw, keep=keep)) for keep in ("first", "second")} <= bodies


def _contradicted(sides: Sequence[Units]) -> frozenset[str]:
    """What stands in one order here and in another there: a merge can keep but one."""
    found: set[str] = set()
    for number, one in enumerate(sides):
        for other in sides[number + 1 :]:
            places = {key: place for place, key in enumerate(other.by_key)}
            common = [key for key in one.by_key if key in places]
            order = [places[key] for key in common]
            before = [-1, *accumulate(order, max)]
            behind = [*accumulate(reversed(order), min)][::-1] + [len(places)]
            found.update(
                key
                for n, key in enumerate(common)
                if order[n] < before[n] or order[n] > behind[n + 1]
            )
    return frozenset(found)
