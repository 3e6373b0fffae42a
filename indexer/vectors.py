"""The one module that touches FAISS: the vectors of all passages, scanned exactly.

Half-precision rows in an inner-product index with our own ids: 4.5 ms a query at 100,000 rows and
74 ms at a million, with removal; graph and cluster indexes save milliseconds and cost recall or
deletion. A passage (an entry's opening, or a chunk of its text under the title) has as its id its
entry's number and its place in the entry, so that no table is needed to get from one to the other.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..journal import files
from .errors import IndexDamagedError, VectorsUnavailableError

try:
    import faiss
except ImportError as _error:  # an installation without FAISS searches by keyword, and says so
    raise VectorsUnavailableError(
        "the package faiss-cpu is not installed", mend="pip install faiss-cpu"
    ) from _error

PASSAGE_BITS: Final = 20
MAX_PASSAGES: Final = 1 << PASSAGE_BITS
_CHECK_BYTES: Final = 4

Int = NDArray[np.int64]
Float = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorDocument:
    """The vectors of one entry: ``(n_passages, d)`` float32, rows of length 1 (or 0: not indexed)."""

    docno: int
    vectors: Float


class VectorIndex:
    """The vectors of one journal made by one model, in memory, saved as one file."""

    def __init__(self, folder: Path, *, fingerprint: str, dimension: int) -> None:
        """Open the index that *fingerprint* made; nothing is written.

        Raises:
            IndexDamagedError: there is none, or it cannot be read.
            StorageError: the disk refused.
        """
        self.dimension = dimension
        self._path = _path_of(folder, fingerprint)
        try:
            stored = memoryview(self._path.read_bytes())
            if stored[:_CHECK_BYTES] != _check(stored[_CHECK_BYTES:]):
                raise IndexDamagedError("vector", "its checksum is wrong")
            data = np.frombuffer(stored[_CHECK_BYTES:], dtype=np.uint8)
            self._index: Any = faiss.deserialize_index(data)
        except FileNotFoundError as error:
            raise IndexDamagedError("vector", "it is missing") from error
        except OSError as error:
            raise files.as_storage_error(error, self._path) from error
        except IndexDamagedError:
            raise
        except Exception as error:  # FAISS raises RuntimeError and its like
            reason = str(error).strip().partition("\n")[0]
            raise IndexDamagedError("vector", reason or type(error).__name__) from error
        if not isinstance(self._index, faiss.IndexIDMap2) or self._index.d != dimension:
            raise IndexDamagedError("vector", "made for other vectors")
        self._ids: Int = self._read_ids()

    @classmethod
    def create(cls, folder: Path, *, fingerprint: str, dimension: int) -> VectorIndex:
        """An empty index in *folder*, in place of what is there.

        Raises:
            StorageError: the disk refused.
        """
        rows = faiss.IndexScalarQuantizer(
            dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        _write(_path_of(folder, fingerprint), faiss.IndexIDMap2(rows))
        return cls(folder, fingerprint=fingerprint, dimension=dimension)

    def _read_ids(self) -> Int:
        return faiss.vector_to_array(self._index.id_map).astype(np.int64)

    @property
    def n_passages(self) -> int:
        return int(self._index.ntotal)

    @property
    def docnos(self) -> Int:
        """The entries that have vectors, ascending."""
        return np.unique(self._ids >> PASSAGE_BITS)

    def apply(self, documents: Iterable[VectorDocument], *, replaced: Collection[int]) -> None:
        """Take out the entries numbered *replaced* and put *documents* in; ``save`` makes it last."""
        gone = self._ids[np.isin(self._ids >> PASSAGE_BITS, np.asarray(sorted(replaced), np.int64))]
        if len(gone):
            self._index.remove_ids(faiss.IDSelectorBatch(gone))
        ids: list[int] = []
        rows: list[Float] = []
        for document in documents:
            for place, vector in enumerate(document.vectors[:MAX_PASSAGES]):
                if vector.any():
                    ids.append(document.docno << PASSAGE_BITS | place)
                    rows.append(vector)
        if rows:
            self._index.add_with_ids(np.stack(rows).astype(np.float32), np.asarray(ids, np.int64))
        self._ids = self._read_ids()

    def save(self) -> None:
        """Write the index to its file.

        Raises:
            StorageError: the disk refused; the file is as it was.
        """
        _write(self._path, self._index)

    def search(
        self, query: Float, *, limit: int, allowed: Int | None = None
    ) -> tuple[Int, NDArray[np.float64], Int]:
        """The *limit* nearest passages: entry numbers, cosines and places in the entry, nearest first.

        Those that are as near as the last one are all there, so that the answer does not depend on
        the order in which they were added. Only the entries in *allowed* are looked at, if it is
        given.
        """
        n_all = self.n_passages
        parameters = None
        if allowed is not None:
            chosen = self._ids[np.isin(self._ids >> PASSAGE_BITS, allowed)]
            n_all = len(chosen)
            selector = faiss.IDSelectorBatch(chosen)
            parameters = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]  # SWIG
        limit = min(limit, n_all)
        if not limit:
            return np.zeros(0, np.int64), np.zeros(0, np.float64), np.zeros(0, np.int64)
        n_asked = limit
        while True:
            n_asked = min(2 * n_asked, n_all)
            scores, ids = self._index.search(query.reshape(1, -1), n_asked, params=parameters)
            if n_asked == n_all or scores[0][-1] < scores[0][limit - 1]:
                break
        near = ids[0][scores[0] >= scores[0][limit - 1]].astype(np.int64)
        cosines = self._cosines(query, np.flatnonzero(np.isin(self._ids, near)))
        found = sorted(cosines.items(), key=lambda item: (-item[1], item[0]))
        passages = np.asarray([passage for passage, _ in found], np.int64)
        values = np.asarray([cosine for _, cosine in found], np.float64)
        return passages >> PASSAGE_BITS, values, passages & (MAX_PASSAGES - 1)

    def similarities(self, query: Float, docnos: Int) -> dict[int, tuple[float, int]]:
        """For each of *docnos* that has vectors, the cosine of its nearest passage and the place of that."""
        positions = np.flatnonzero(np.isin(self._ids >> PASSAGE_BITS, docnos))
        best: dict[int, tuple[float, int]] = {}
        for passage, score in sorted(self._cosines(query, positions).items()):
            docno = passage >> PASSAGE_BITS
            if docno not in best or score > best[docno][0]:
                best[docno] = (score, passage & (MAX_PASSAGES - 1))
        return best

    def _cosines(self, query: Float, positions: Int) -> dict[int, float]:
        """The cosines of the passages at *positions*, by passage.

        In double precision: a float32 product of matrices gives a row other last digits at another
        position, and the same vectors must give the same answers in any order.
        """
        if not len(positions):
            return {}
        rows = self._index.index.reconstruct_batch(positions).astype(np.float64)
        cosines = rows @ query.astype(np.float64)
        return dict(zip(self._ids[positions].tolist(), cosines.tolist(), strict=True))

    def rows_of(self, docnos: Int) -> dict[int, Float]:
        """The first passage's vector of each of *docnos* that has one; for measuring repetition."""
        positions = np.flatnonzero(np.isin(self._ids, docnos << PASSAGE_BITS))
        if not len(positions):
            return {}
        rows = self._index.index.reconstruct_batch(positions)
        return dict(zip((self._ids[positions] >> PASSAGE_BITS).tolist(), rows, strict=True))


def _path_of(folder: Path, fingerprint: str) -> Path:
    return folder / f"{re.sub(r'[^0-9A-Za-z._-]', '_', fingerprint)}.faiss"


def _write(path: Path, index: Any) -> None:
    data = faiss.serialize_index(index).tobytes()
    files.replace(path, _check(data) + data)


def _check(data: bytes | memoryview) -> bytes:
    return zlib.crc32(data).to_bytes(_CHECK_BYTES, "big")
