"""The terms of a segment as one piece of bytes: looked up by halving, read a little at a time.

How many terms there are, then for each where its postings begin, where its text begins and how many
postings it has, then the texts, in the order of their bytes. Whoosh's own dictionary takes 84 bytes a
term, and 4 us to write each; of 10,000 memories, which have 140,000 different terms, it was half of
the time of a merge.

100,000 entries have most of a million terms, and 25 MB of this; in memory is one term of so many, and
the others are where the system keeps what was read of files.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_HEAD: Final = 8  # bytes of the number of terms
_STRIDE: Final = 128  # terms of which one is in memory


class TermDictionary(Sequence[bytes]):
    """Terms, ascending, over the bytes of a file. Usable from several threads, if *read* is."""

    def __init__(self, data: bytes, read: Callable[[int, int], bytes]) -> None:
        """*data* are the bytes as ``pack_dictionary`` made them, which are not kept; *read* gives those
        from one place up to another, whenever it is asked."""
        self._read = read
        self._n_terms = n_terms = int(np.frombuffer(data, "<u8", 1)[0])
        self._starts_at = _HEAD + 8 * n_terms
        self._counts_at = self._starts_at + 8 * (n_terms + 1)
        self._base = base = self._counts_at + 4 * n_terms
        starts = np.frombuffer(data, "<i8", n_terms + 1, self._starts_at) + base
        begins, ends = starts[:-1:_STRIDE].tolist(), starts[1::_STRIDE].tolist()
        self._guides = [data[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def __len__(self) -> int:
        return self._n_terms

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._texts(place, place + 1)[0]

    def all_terms(self) -> list[bytes]:
        """The terms as a list; much quicker than one by one."""
        return self._texts(0, len(self))

    def place_of(self, term: bytes) -> int | None:
        """Where *term* stands; None if it does not."""
        first, last = self._stretch_around(term)
        starts = self._starts(first, last)
        texts = self._between(starts)
        if term not in texts:  # seen at once, and so are most of those that stand nowhere
            return None
        at, found = _first_in(texts, (starts - starts[0]).tolist(), term)
        return first + at if found == term else None

    def beginning_with(self, prefix: bytes, sizes: range) -> Iterator[bytes]:
        """The terms that begin with *prefix* and are as long as one of *sizes*, in bytes."""
        places = self.places_from(prefix)
        starts = self._starts(places.start, places.stop)
        texts = self._between(starts)
        starts -= starts[0]
        lengths = np.diff(starts)
        fits = np.flatnonzero((lengths >= sizes.start) & (lengths < sizes.stop))
        for start, end in zip(starts[fits].tolist(), starts[fits + 1].tolist(), strict=True):
            yield texts[start:end]

    def places_from(self, prefix: bytes) -> range:
        """Where the terms that begin with *prefix* stand."""
        last = prefix.rstrip(b"\xff")  # nothing that begins so comes after all that do
        first = self._first_from(prefix)
        if not last:
            return range(first, len(self))
        return range(first, self._first_from(last[:-1] + bytes([last[-1] + 1])))

    def offsets(self, first: int, last: int) -> Ints:
        """Where the postings of the terms from *first* up to *last* begin."""
        return np.frombuffer(self._read(_HEAD + 8 * first, _HEAD + 8 * last), "<i8")

    def counts(self, first: int, last: int) -> NDArray[np.uint32]:
        """How many postings the terms from *first* up to *last* have."""
        at = self._counts_at
        return np.frombuffer(self._read(at + 4 * first, at + 4 * last), "<u4")

    def _first_from(self, term: bytes) -> int:
        """The first place whose term is *term* or comes after it."""
        first, last = self._stretch_around(term)
        starts = self._starts(first, last)
        return first + _first_in(self._between(starts), (starts - starts[0]).tolist(), term)[0]

    def _stretch_around(self, term: bytes) -> tuple[int, int]:
        """Between which places *term* stands, if anywhere, and the first that comes after it, or ends."""
        first = max(0, bisect_right(self._guides, term) - 1) * _STRIDE
        return first, min(first + _STRIDE, len(self))

    def _starts(self, first: int, last: int) -> Ints:
        """Where the texts of the terms from *first* up to *last* begin, and where the last one ends."""
        at = self._starts_at
        raw = self._read(at + 8 * first, at + 8 * (last + 1))
        return np.frombuffer(raw, "<i8").astype(np.int64)

    def _between(self, starts: Ints) -> bytes:
        """The texts that begin at *starts*, one after the other."""
        return self._read(self._base + int(starts[0]), self._base + int(starts[-1]))

    def _texts(self, first: int, last: int) -> list[bytes]:
        starts = self._starts(first, last)
        texts = self._between(starts)
        return [texts[start:end] for start, end in pairwise((starts - starts[0]).tolist())]


def _first_in(texts: bytes, bounds: list[int], term: bytes) -> tuple[int, bytes | None]:
    """Which of the terms between *bounds* in *texts* is the first that is not before *term*, and it."""
    n_terms = len(bounds) - 1
    at = bisect_left(range(n_terms), term, key=lambda at: texts[bounds[at] : bounds[at + 1]])
    return at, texts[bounds[at] : bounds[at + 1]] if at < n_terms else None


def pack_dictionary(terms: Sequence[bytes], offsets: Ints, counts: Ints) -> bytes:
    """The bytes of the dictionary of *terms*, ascending, each with *counts* postings at *offsets*."""
    lengths = np.fromiter(map(len, terms), np.int64, len(terms))
    starts = np.concatenate([[0], np.cumsum(lengths)])
    head = np.asarray([len(terms)], "<u8").tobytes()
    arrays = (offsets.astype("<i8"), starts.astype("<i8"), counts.astype("<u4"))
    return head + b"".join(array.tobytes() for array in arrays) + b"".join(terms)
