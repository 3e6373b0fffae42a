"""Two lists of files in the order of their paths, side by side: what differs between them.

Nearly always nothing does. Whole stretches are therefore compared at once, and of either list little more
than a stretch is in memory, however long they are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

from ...journal.file_walk import FoundFile

Difference = tuple[FoundFile | None, FoundFile | None]
"""A file as it is there, and as it is known; None where it is not."""

_STRETCH: Final = 2_000  # as the catalog gives them; to compare more at once gains nothing
_PATH: Final = itemgetter(0)


def differences(
    found: Iterable[Sequence[FoundFile]], known: Iterable[Sequence[FoundFile]]
) -> Iterator[Difference]:
    """What is not the same in *found* as in *known*; both come in parts, and none stands in one twice.

    By the paths, except that what is only known may come a stretch late.
    """
    parts = iter(known)
    ahead: list[FoundFile] = []  # what is known of the stretch, and some that follows
    for stretch in _stretches(found):
        last = stretch[-1][0]
        while not ahead or ahead[-1][0] < last:
            part = next(parts, None)
            if part is None:
                break
            ahead += part
            gone_before = bisect_left(ahead, stretch[0][0], key=_PATH)
            yield from ((None, gone) for gone in ahead[:gone_before])
            del ahead[:gone_before]
        end = len(stretch)
        if ahead[:end] != stretch:
            end = bisect_right(ahead, last, key=_PATH)
            yield from _compared(stretch, ahead[:end])
        del ahead[:end]
    yield from ((None, gone) for gone in chain(ahead, chain.from_iterable(parts)))


def _stretches(found: Iterable[Sequence[FoundFile]]) -> Iterator[list[FoundFile]]:
    for part in found:
        for start in range(0, len(part), _STRETCH):
            yield list(part[start : start + _STRETCH])


def _compared(stretch: list[FoundFile], known: list[FoundFile]) -> Iterator[Difference]:
    left = dict(zip(map(_PATH, known), known, strict=True))
    for file in stretch:
        before = left.pop(file[0], None)
        if before != file:
            yield file, before
    yield from ((None, gone) for gone in left.values())
