"""The one module that touches FAISS: rows of bytes in memory, all of them compared with a query.

Rows stand in blocks that never move, each an FAISS index whose codes are written through a view: a
row that is removed leaves a place, zeroed and masked, that the next one takes. So an edit costs its
own rows and the masks of their blocks, however many rows there are beside. From an entry to its rows
leads a chain, its head found by the entry's number: the catalog counts numbers up from 1, and so they
may index an array.

Not safe for threads: ``VectorIndex`` sees to that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import VectorsUnavailableError
from .codes import Codes, EncodedQuery

try:
    import faiss
except ImportError as _error:  # an installation without FAISS searches by keyword, and says so
    raise VectorsUnavailableError(
        "the package faiss-cpu is not installed", mend="pip install faiss-cpu"
    ) from _error

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

BLOCK_BYTES: Final = 16 << 20
"""More cost more time at each query, fewer when the last one grows, and threads share them unevenly."""
_STEP_BYTES: Final = 4 << 20
"""By which a block grows at most. FAISS fills with zeros what it reserves, so that all of it is
resident, whether a row stands there or not."""
PARALLEL_ROWS: Final = 200_000
"""From here on threads share the blocks. FAISS itself gives a query one thread, however many it has; one
compares some 27,000 rows a millisecond, as memory gives them (docs/performance.md)."""
_MAX_THREADS: Final = 4
_SIGN: Final = np.uint8(0x80)  # FAISS keeps a byte as what it is above -128
_FIRST_ROWS: Final = 256
_FEW: Final = 500  # entries; so few are looked up, not scanned for
_FEW_ROWS: Final = 5000
_SPARE: Final = 32  # asked for beyond what is wanted, so that a second scan is rarely needed
_ROWS_AT_ONCE: Final = 256  # that are compared exactly: what the cache of a core holds

Int = NDArray[np.int64]
Place = NDArray[np.uint32]
Float = NDArray[np.float32]
Mask = NDArray[np.bool_]


class _Block:
    """Rows that are scanned by one call."""

    def __init__(self, dimension: int, capacity: int, *, reserved: int) -> None:
        """For up to *capacity* rows, with memory for *reserved* at first."""
        self._index: Any = faiss.IndexScalarQuantizer(
            dimension, faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
        )
        self._dimension, self._capacity = dimension, capacity
        self._step = max(1, _STEP_BYTES // dimension)
        self.n_used = 0
        self._reserve(reserved)
        self._living: Any = None  # what to look at, where some places are empty

    def take(self, n_rows: int) -> None:
        """Let the first *n_rows* places be in use."""
        n_reserved = self.n_reserved
        if n_rows > n_reserved:
            more = min(n_reserved, self._step)
            self._reserve(min(self._capacity, max(n_rows, n_reserved + more)))
        self._index.ntotal = self.n_used = n_rows

    def _reserve(self, n_rows: int) -> None:
        n_bytes = n_rows * self._dimension
        self._index.codes.resize(n_bytes)
        data = faiss.rev_swig_ptr(self._index.codes.data(), n_bytes)
        self._bytes: NDArray[np.uint8] = data.reshape(n_rows, self._dimension)

    @property
    def n_reserved(self) -> int:
        """For how many rows there is memory."""
        return len(self._bytes)

    def put(self, places: Int, codes: Codes) -> None:
        """Write *codes* at *places*."""
        self._bytes[places] = codes.view(np.uint8) ^ _SIGN

    def at(self, places: Int) -> Codes:
        """The rows at *places*."""
        return (self._bytes[places] ^ _SIGN).view(np.int8)

    def note_living(self, living: Mask) -> None:
        """*living* says which of the places in use hold a row."""
        self._living = None if living.all() else _parameters(living)

    def search(self, coarse: Float, n_asked: int, chosen: Mask | None) -> tuple[Float, Int]:
        """Scores and places of the *n_asked* best, best first, or of all where there are fewer."""
        parameters = self._living if chosen is None else _parameters(chosen)
        n_asked = min(n_asked, self.n_used)
        scores, places = self._index.search(coarse[None], n_asked, params=parameters)
        found = places[0] >= 0
        return scores[0][found], places[0][found]


def _parameters(chosen: Mask) -> Any:
    bits = np.packbits(chosen, bitorder="little")
    selector = faiss.IDSelectorBitmap(bits)  # type: ignore[call-arg, arg-type]  # SWIG
    return faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]  # SWIG


class VectorRows:
    """The vectors of all passages; a passage is an entry's number and its place in the entry."""

    def __init__(self, dimension: int, *, block_bytes: int = BLOCK_BYTES) -> None:
        self.dimension = dimension
        self._per_block = max(8, block_bytes // dimension)
        self._blocks: list[_Block] = []
        self._n_expected = 0
        self._n_used = 0  # positions, empty ones among them
        self._docnos: Int = np.zeros(0, np.int64)  # by position; -1 where it is empty
        self._places: Place = np.zeros(0, np.uint32)
        self._next: NDArray[np.int32] = np.zeros(0, np.int32)  # the chain: another, or -1
        self._heads: NDArray[np.int32] = np.zeros(0, np.int32)  # by entry: a position, or -1
        self._free: list[int] = []
        self._pool: ThreadPoolExecutor | None = None

    def __len__(self) -> int:
        return self._n_used - len(self._free)

    @property
    def are_many(self) -> bool:
        """Whether to compare all takes long enough for threads to be worth it."""
        return self._n_used >= PARALLEL_ROWS

    # --- changing ---------------------------------------------------------------------------

    def expect(self, n_rows: int) -> None:
        """Reserve, when it comes to that, memory for *n_rows* in all: then none is moved to grow."""
        self._n_expected = n_rows

    def remove(self, docnos: Int) -> None:
        """Take the entries numbered *docnos* out; nothing is left of their rows."""
        docnos = np.unique(docnos)
        positions = self.positions_of(docnos)
        if not len(positions):
            return
        self._heads[docnos[docnos < len(self._heads)]] = -1
        self._docnos[positions] = -1
        for number, at, _ in self._by_block(positions):
            self._blocks[number].put(at, np.zeros((len(at), self.dimension), np.int8))
        self._free += positions.tolist()
        self._note_living(positions)

    def put(self, docnos: Int, places: Place, codes: Codes) -> None:
        """Add a row for each of *docnos*, the passage that stands at its place in the entry.

        Raises:
            ValueError: a number is negative.
        """
        if not len(docnos):
            return
        if docnos.min() < 0:
            raise ValueError("entries are numbered from 0")
        order = np.argsort(docnos, kind="stable")
        docnos = docnos[order]
        positions = self._take_positions(len(docnos))
        self._docnos[positions], self._places[positions] = docnos, places[order]
        for number, at, chosen in self._by_block(positions):
            self._blocks[number].put(at, codes[order[chosen]])
        self._link(docnos, positions)
        self._note_living(positions)

    def _take_positions(self, n_rows: int) -> Int:
        """Empty places first, then new ones."""
        n_reused = min(n_rows, len(self._free))
        reused = self._free[len(self._free) - n_reused :]
        del self._free[len(self._free) - n_reused :]
        start, end = self._n_used, self._n_used + n_rows - n_reused
        self._reserve(end)
        self._n_used = end
        return np.concatenate([np.asarray(reused, np.int64), np.arange(start, end)])

    def _reserve(self, n_rows: int) -> None:
        if n_rows > len(self._docnos):
            size = max(n_rows, self._n_expected, len(self._docnos) * 5 // 4, _FIRST_ROWS)
            self._docnos = _grown(self._docnos, size, -1)
            self._places = _grown(self._places, size, 0)
            self._next = _grown(self._next, size, -1)
        while len(self._blocks) * self._per_block < n_rows:
            n_expected = self._n_expected - len(self._blocks) * self._per_block
            reserved = min(self._per_block, max(_FIRST_ROWS, n_expected))
            self._blocks.append(_Block(self.dimension, self._per_block, reserved=reserved))
        for number in range(self._n_used // self._per_block, len(self._blocks)):
            self._blocks[number].take(min(self._per_block, n_rows - number * self._per_block))

    def _link(self, docnos: Int, positions: Int) -> None:
        """Put new rows before the others of their entries; those of one entry stand together."""
        if docnos[-1] >= len(self._heads):
            size = max(int(docnos[-1]) + 1, len(self._heads) * 5 // 4, _FIRST_ROWS)
            self._heads = _grown(self._heads, size, -1)
        following = self._heads[docnos]
        following[1:] = np.where(docnos[1:] == docnos[:-1], positions[:-1], following[1:])
        self._next[positions] = following
        self._heads[docnos] = positions  # the last of each stays

    def _note_living(self, positions: Int) -> None:
        for number in np.unique(positions // self._per_block).tolist():
            block = self._blocks[number]
            start = number * self._per_block
            block.note_living(self._docnos[start : start + block.n_used] >= 0)

    def _by_block(self, positions: Int) -> Iterator[tuple[int, Int, Int]]:
        """For each block that holds some of *positions*: its number, where in it, and which ones."""
        numbers = positions // self._per_block
        for number in np.unique(numbers).tolist():
            chosen = np.flatnonzero(numbers == number)
            yield number, positions[chosen] - number * self._per_block, chosen

    # --- looking up -------------------------------------------------------------------------

    def positions_of(self, docnos: Int) -> Int:
        """Where the rows of *docnos* stand, in no order; entries without rows are left out."""
        at: Int = self._heads[docnos[(docnos >= 0) & (docnos < len(self._heads))]].astype(np.int64)
        found = []
        while len(at := at[at >= 0]):
            found.append(at)
            at = self._next[at].astype(np.int64)
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def all_positions(self) -> Int:
        """Where all rows stand, ordered by entry and place."""
        living = np.flatnonzero(self._docnos[: self._n_used] >= 0)
        return living[np.lexsort((self._places[living], self._docnos[living]))]

    def passages(self, positions: Int) -> tuple[Int, Place]:
        """The entries that the rows at *positions* belong to, and their places in them."""
        return self._docnos[positions], self._places[positions]

    def take(self, positions: Int) -> Codes:
        """The rows at *positions*, in that order."""
        rows = np.empty((len(positions), self.dimension), np.int8)
        for number, at, chosen in self._by_block(positions):
            rows[chosen] = self._blocks[number].at(at)
        return rows

    def cosines(self, query: EncodedQuery, positions: Int) -> NDArray[np.float64]:
        """The cosines of the rows at *positions* to *query*.

        Sums of whole numbers below 2^53, so that the same rows give the same answers in any order. They
        may be a little above 1, as a row's bytes are not of length 1 exactly.
        """
        products = np.empty(len(positions))
        for number, at, chosen in self._by_block(positions):
            for start in range(0, len(at), _ROWS_AT_ONCE):
                some = slice(start, start + _ROWS_AT_ONCE)
                rows = self._blocks[number].at(at[some]).astype(np.float64)
                products[chosen[some]] = rows @ query.fine
        return products * query.scale

    # --- searching --------------------------------------------------------------------------

    def near(self, query: EncodedQuery, *, limit: int, allowed: Int | None) -> Int:
        """Where the *limit* nearest rows stand, and all that may be as near, or more; in no order.

        "May be", as the scan is a coarse one, by bytes alone (``EncodedQuery.error_bound``).
        """
        if limit > 0 and allowed is not None and len(allowed) <= _FEW:
            all_allowed = self.positions_of(np.unique(allowed))
            if len(all_allowed) <= _FEW_ROWS:
                return all_allowed
        chosen = None if allowed is None else self._chosen(allowed)
        limit = min(limit, len(self) if chosen is None else int(np.count_nonzero(chosen)))
        if limit <= 0:
            return np.zeros(0, np.int64)
        found: dict[int, tuple[Float, Int]] = {}
        numbers: Sequence[int] = range(len(self._blocks))
        n_asked = _SPARE + limit + 2 * limit // len(self._blocks)
        while True:
            found.update(
                zip(numbers, self._scan(query.coarse, numbers, n_asked, chosen), strict=True)
            )
            scores = np.concatenate([values for values, _ in found.values()])
            worst = (
                np.partition(scores, len(scores) - limit)[len(scores) - limit] - query.error_bound
            )
            numbers = [n for n in numbers if self._may_have_more(n, found[n][0], n_asked, worst)]
            if not numbers:
                break
            n_asked *= 4
        return np.concatenate(
            [places[values >= worst] + n * self._per_block for n, (values, places) in found.items()]
        )

    def _chosen(self, allowed: Int) -> Mask:
        """Which positions belong to the entries in *allowed*."""
        wanted = np.zeros(len(self._heads) + 1, np.bool_)  # its end is what -1, empty, looks at
        wanted[allowed[(allowed >= 0) & (allowed < len(self._heads))]] = True
        return wanted[self._docnos[: self._n_used]]

    def _may_have_more(self, number: int, scores: Float, n_asked: int, worst: float) -> bool:
        n_left = self._blocks[number].n_used - n_asked
        return n_left > 0 and len(scores) == n_asked and bool(scores[-1] >= worst)

    def _scan(
        self, coarse: Float, numbers: Sequence[int], n_asked: int, chosen: Mask | None
    ) -> list[tuple[Float, Int]]:
        def scan(number: int) -> tuple[Float, Int]:
            block, start = self._blocks[number], number * self._per_block
            part = None if chosen is None else chosen[start : start + block.n_used]
            return block.search(coarse, n_asked, part)

        if len(numbers) > 1 and self.are_many:
            if self._pool is None:
                from concurrent.futures import ThreadPoolExecutor  # seldom: only many rows need it

                n_threads = min(_MAX_THREADS, os.cpu_count() or 1)
                self._pool = ThreadPoolExecutor(n_threads, initializer=_use_one_thread)
            return list(self._pool.map(scan, numbers))
        n_before = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)
        try:
            return [scan(number) for number in numbers]
        finally:
            faiss.omp_set_num_threads(n_before)


def _use_one_thread() -> None:
    """FAISS would start as many as there are cores for each call; OpenMP keeps this by thread."""
    faiss.omp_set_num_threads(1)


def _grown(array: NDArray[Any], size: int, filling: int) -> NDArray[Any]:
    grown = np.full(size, filling, array.dtype)
    grown[: len(array)] = array
    return grown
