"""The union of two sequences that only grow: everything once, in the order in which it was written.

Neither side's order is given up for the clock's, for clocks go back. What only one side has stands
between what both have, and there by time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
Moment = tuple[datetime, str]
"""When something was written, and what tells it from others of that moment."""


def union(
    base: Sequence[K], one: Sequence[K], other: Sequence[K], *, moment: Mapping[K, Moment]
) -> list[K]:
    """Everything that *one* and *other* have, each once; the same, whichever is named first."""
    common = _in_common(base, one, other, moment)
    places = {key: place for place, key in enumerate(common)}
    if not _keeps(one, places) or not _keeps(other, places):
        return _by_time([*common], [key for key in (*one, *other) if key not in places], moment)
    merged: list[K] = []
    gaps_one, gaps_other = _gaps(one, places), _gaps(other, places)
    for place in range(len(common) + 1):
        merged += _merge(gaps_one[place], gaps_other[place], moment)
        if place < len(common):
            merged.append(common[place])
    return merged


def _in_common(
    base: Sequence[K], one: Sequence[K], other: Sequence[K], moment: Mapping[K, Moment]
) -> list[K]:
    """What both have, in the order of both; where they contradict each other, of the base, then by time."""
    in_other = set(other)
    from_one = [key for key in dict.fromkeys(one) if key in in_other]
    in_one = set(one)
    from_other = [key for key in dict.fromkeys(other) if key in in_one]
    if from_one == from_other:
        return from_one
    known = set(from_one)
    in_base = [key for key in dict.fromkeys(base) if key in known]
    return _by_time(in_base, [key for key in from_one if key not in set(in_base)], moment)


def _by_time(ordered: list[K], others: Sequence[K], moment: Mapping[K, Moment]) -> list[K]:
    """*ordered* as it is, with *others* in it by time."""
    return _merge(ordered, sorted(dict.fromkeys(others), key=moment.__getitem__), moment)


def _keeps(sequence: Sequence[K], places: Mapping[K, int]) -> bool:
    found = [places[key] for key in dict.fromkeys(sequence) if key in places]
    return found == sorted(found)


def _gaps(sequence: Sequence[K], places: Mapping[K, int]) -> list[list[K]]:
    """What stands in *sequence* before each of what is common, and after the last."""
    gaps: list[list[K]] = [[] for _ in range(len(places) + 1)]
    place = 0
    for key in dict.fromkeys(sequence):
        if key in places:
            place = places[key] + 1
        else:
            gaps[place].append(key)
    return gaps


def _merge(one: Sequence[K], other: Sequence[K], moment: Mapping[K, Moment]) -> list[K]:
    """Both in one, each in its own order, and otherwise what is older first."""
    merged: list[K] = []
    first, second = 0, 0
    while first < len(one) and second < len(other):
        if moment[one[first]] <= moment[other[second]]:
            merged.append(one[first])
            first += 1
        else:
            merged.append(other[second])
            second += 1
    return [*merged, *one[first:], *other[second:]]
