"""The vectors of all passages of one journal, made by one model: in memory, saved as base and log.

A passage is an entry's opening, or a chunk of its text under the title. One object may be shared by
the threads of a process: any number search while one applies; whoever applies, saves or compacts has
the right to write the index (``JournalIndex.locked``). What is applied is found at once, and lasts
once it is saved; what other processes saved is found after ``refresh``. The answers are those of an
index that was made in one go, whatever happened before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ..errors import IndexDamagedError
from .codes import Float, Half, RowCodec
from .files import SLICE_ROWS, Record, Rows, VectorFiles
from .rows import VectorRows
from .shared_lock import SharedLock

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Int = NDArray[np.int64]
Neighbours = tuple[Int, NDArray[np.float64], Int]

MAX_PASSAGES: Final = 1 << 20  # of one entry
_MAX_BESIDE: Final = (
    4  # searches that go on beside what asked for them: one for each thread that asks
)
_TRIES: Final = 5  # to read a base that is replaced again and again meanwhile


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorDocument:
    """The vectors of one entry: ``(n_passages, d)``, rows of length 1 (or 0: not indexed)."""

    docno: int
    vectors: Float | Half


class VectorIndex:
    """The vectors of one journal made by one model."""

    def __init__(self, folder: Path, *, fingerprint: str, dimension: int) -> None:
        """Open the index that *fingerprint* made; nothing is written.

        Raises:
            IndexDamagedError: there is none, or it cannot be read.
            StorageError: the disk refused.
        """
        self.dimension = dimension
        self._files = VectorFiles(folder, fingerprint=fingerprint, dimension=dimension)
        self._codec = RowCodec(dimension)
        self._rows = VectorRows(dimension)
        self._unsaved: set[int] = set()  # entries that changed
        self._changing = threading.Lock()  # held by who changes rows or files, first of the two
        self._looking = SharedLock()
        self._starting = threading.Lock()
        self._beside: ThreadPoolExecutor | None = None
        with self._changing, self._looking.exclusive():
            self._load()

    @classmethod
    def create(cls, folder: Path, *, fingerprint: str, dimension: int) -> VectorIndex:
        """An empty index in *folder*, in place of what is there.

        Raises:
            StorageError: the disk refused.
        """
        VectorFiles(folder, fingerprint=fingerprint, dimension=dimension).write_base([], 0)
        return cls(folder, fingerprint=fingerprint, dimension=dimension)

    @property
    def mark(self) -> str:
        """How much was saved or read, for ``mark.reaches``."""
        return self._files.mark

    @property
    def docnos(self) -> Int:
        """The entries that have vectors, ascending."""
        with self._looking.shared():
            return np.unique(self._rows.passages(self._rows.all_positions())[0])

    # --- following the files ----------------------------------------------------------------

    def refresh(self) -> bool:
        """Take in what other processes saved since; whether there was anything.

        With nothing new it costs two looks at the folder. While another thread changes this object
        it returns at once: that thread has taken in what there was.

        Raises:
            IndexDamagedError: the index is gone, or what is new cannot be read.
            StorageError: the disk refused.
        """
        if not self._changing.acquire(blocking=False):
            return False
        try:
            return self._catch_up()
        finally:
            self._changing.release()

    def _catch_up(self) -> bool:
        if self._files.has_new_base():
            with self._looking.exclusive():
                self._load()
            return True
        return self._files.has_grown() and self._read_log()

    def _load(self) -> None:
        """Read base and log, in place of what is in memory: there is no room for two."""
        for n_left in reversed(range(_TRIES)):
            self._rows = VectorRows(self.dimension)
            self._unsaved.clear()
            for rows in self._files.open_base(self._rows.expect):
                self._rows.put(rows.docnos, rows.places, rows.codes)
            try:
                for record in self._files.read_log():
                    self._take_in(record)
            except IndexDamagedError:
                if n_left and self._files.has_new_base():
                    continue  # the log went with its base
                raise
            return

    def _read_log(self) -> bool:
        is_new = False
        for record in self._files.read_log():
            with self._looking.exclusive():
                self._take_in(record)
            is_new = True
        return is_new

    def _take_in(self, record: Record) -> None:
        self._rows.remove(record.removed)
        self._rows.put(record.rows.docnos, record.rows.places, record.rows.codes)
        self._unsaved.difference_update(record.removed.tolist())

    # --- changing ---------------------------------------------------------------------------

    def apply(self, documents: Iterable[VectorDocument], *, replaced: Collection[int]) -> None:
        """Take out the entries numbered *replaced* and put *documents* in; ``save`` makes it last.

        The caller has the right to write.

        Raises:
            IndexDamagedError, StorageError: what others saved meanwhile cannot be read.
        """
        kept = [(document.docno, *_kept(document)) for document in documents]
        changed = np.asarray([*replaced, *(docno for docno, _, _ in kept)], np.int64)
        n_rows = [len(places) for _, places, _ in kept]
        docnos = np.repeat(np.asarray([docno for docno, _, _ in kept], np.int64), n_rows)
        places = np.concatenate([np.zeros(0, np.uint32), *(places for _, places, _ in kept)])
        nothing = np.zeros((0, self.dimension), np.float32)
        given = [nothing, *(vectors for _, _, vectors in kept)]
        codes = self._codec.encode(np.concatenate(given, dtype=np.float32))
        with self._changing:
            self._catch_up()
            with self._looking.exclusive():
                self._rows.remove(changed)
                self._rows.put(docnos, places, codes)
            self._unsaved.update(changed.tolist())

    def save(self) -> None:
        """Make last what was applied; writes no more than that, most times.

        Raises:
            IndexDamagedError: the files are gone.
            StorageError: the disk refused; the files are as they were.
        """
        with self._changing:
            if not self._unsaved:
                return
            changed = np.asarray(sorted(self._unsaved), np.int64)
            positions = self._rows.positions_of(changed)
            if self._files.has_room(n_removed=len(changed), n_rows=len(positions)):
                self._files.append(Record(changed, self._rows_at(positions)))
            else:
                self._write_base()
            self._unsaved.clear()

    def compact(self) -> None:
        """Write everything anew, so that nothing is left of what was taken out.

        Raises:
            IndexDamagedError: what others saved meanwhile cannot be read.
            StorageError: the disk refused; the files are as they were.
        """
        with self._changing:
            self._catch_up()
            self._write_base()
            self._unsaved.clear()

    def _write_base(self) -> None:
        positions = self._rows.all_positions()
        self._files.write_base(self._slices(positions), len(positions))

    def _slices(self, positions: Int) -> Iterator[Rows]:
        for start in range(0, len(positions), SLICE_ROWS):
            yield self._rows_at(positions[start : start + SLICE_ROWS])

    def _rows_at(self, positions: Int) -> Rows:
        return Rows(*self._rows.passages(positions), self._rows.take(positions))

    # --- searching --------------------------------------------------------------------------

    def begin_search(
        self, query: Float, *, limit: int, allowed: Int | None = None
    ) -> Callable[[], Neighbours]:
        """What gives the result of ``search``, which goes on meanwhile if it takes long."""
        if self._rows.are_many:
            begun = self._threads().submit(self.search, query, limit=limit, allowed=allowed)
            return begun.result
        return partial(self.search, query, limit=limit, allowed=allowed)

    def _threads(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # seldom: only many rows need it

        with self._starting:
            if self._beside is None:
                self._beside = ThreadPoolExecutor(_MAX_BESIDE, thread_name_prefix="near")
            return self._beside

    def search(self, query: Float, *, limit: int, allowed: Int | None = None) -> Neighbours:
        """The *limit* nearest passages: entry numbers, cosines and places in the entry, nearest first.

        Those that are as near as the last one are all there, so that the answer does not depend on
        the order in which they were added. Only the entries in *allowed* are looked at, if it is
        given.
        """
        encoded = self._codec.encode_query(query)
        with self._looking.shared():
            positions = self._rows.near(encoded, limit=limit, allowed=allowed)
            cosines = self._rows.cosines(encoded, positions)
            docnos, places = self._rows.passages(positions)
        order = np.lexsort((places, docnos, -cosines))
        if len(order) > limit:
            order = order[cosines[order] >= cosines[order[limit - 1]]]
        return docnos[order], _limited(cosines[order]), places[order].astype(np.int64)

    def similarities(self, query: Float, docnos: Int) -> dict[int, tuple[float, int]]:
        """For each of *docnos* that has vectors, the cosine of its nearest passage and the place of that."""
        encoded = self._codec.encode_query(query)
        with self._looking.shared():
            positions = self._rows.positions_of(docnos)
            cosines = self._rows.cosines(encoded, positions)
            found, places = self._rows.passages(positions)
        order = np.lexsort((places, -cosines, found))
        docnos, first = np.unique(found[order], return_index=True)
        best = order[first]
        pairs = zip(_limited(cosines[best]).tolist(), places[best].tolist(), strict=True)
        return dict(zip(docnos.tolist(), pairs, strict=True))

    def rows_of(self, docnos: Int) -> dict[int, Float]:
        """The first passage's vector of each of *docnos* that has one; for measuring repetition.

        Rotated (``RowCodec.decode``): their products are cosines of each other, not of a query.
        """
        with self._looking.shared():
            positions = self._rows.positions_of(docnos)
            found, places = self._rows.passages(positions)
            rows = self._codec.decode(self._rows.take(positions[places == 0]))
        return dict(zip(found[places == 0].tolist(), rows, strict=True))


def _limited(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(cosines, -1.0, 1.0)


def _kept(document: VectorDocument) -> tuple[NDArray[np.uint32], Float | Half]:
    """The places and rows of the passages that have a vector."""
    rows = document.vectors[:MAX_PASSAGES]
    places = np.flatnonzero(rows.any(axis=1)).astype(np.uint32)
    return places, rows[places]
