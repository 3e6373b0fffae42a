"""The one module that touches FAISS: the vectors of all chunks, scanned exactly.

Half-precision rows in an inner-product index with our own ids: 4.5 ms a query at 100,000 rows and
74 ms at a million, with removal; graph and cluster indexes save milliseconds and cost recall or
deletion. A chunk's id is its entry's number and its place in the entry, so that no table is needed
to get from one to the other.
"""

from __future__ import annotations

import re
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

CHUNK_BITS: Final = 20
MAX_CHUNKS: Final = 1 << CHUNK_BITS

Int = NDArray[np.int64]
Float = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorDocument:
    """The vectors of one entry: ``(n_chunks, d)`` float32, rows of length 1 (or 0: not indexed)."""

    docno: int
    vectors: Float


class VectorIndex:
    """The vectors of one journal made by one model, in memory, saved as one file."""

    def __init__(self, folder: Path, *, fingerprint: str, dimension: int) -> None:
        """Open the index that *fingerprint* made, empty if there is none.

        Raises:
            IndexDamagedError: the file is there and cannot be read.
        """
        self.dimension = dimension
        self._path = folder / f"{re.sub(r'[^0-9A-Za-z._-]', '_', fingerprint)}.faiss"
        self._index: Any = None
        if self._path.exists():
            try:
                data = np.frombuffer(self._path.read_bytes(), dtype=np.uint8)
                self._index = faiss.deserialize_index(data)
            except OSError:
                raise
            except Exception as error:  # FAISS raises RuntimeError and its like
                raise IndexDamagedError("vector", str(error).splitlines()[0]) from error
            if self._index.d != dimension:
                raise IndexDamagedError("vector", "made for another dimension")
        else:
            rows = faiss.IndexScalarQuantizer(
                dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
            )
            self._index = faiss.IndexIDMap2(rows)
        self._ids: Int = self._read_ids()

    def _read_ids(self) -> Int:
        return faiss.vector_to_array(self._index.id_map).astype(np.int64)

    @property
    def n_chunks(self) -> int:
        return int(self._index.ntotal)

    @property
    def docnos(self) -> Int:
        """The entries that have vectors, ascending."""
        return np.unique(self._ids >> CHUNK_BITS)

    def apply(self, documents: Iterable[VectorDocument], *, replaced: Collection[int]) -> None:
        """Take out the entries numbered *replaced* and put *documents* in; ``save`` makes it last."""
        gone = self._ids[np.isin(self._ids >> CHUNK_BITS, np.asarray(sorted(replaced), np.int64))]
        if len(gone):
            self._index.remove_ids(faiss.IDSelectorBatch(gone))
        ids: list[int] = []
        rows: list[Float] = []
        for document in documents:
            for place, vector in enumerate(document.vectors[:MAX_CHUNKS]):
                if vector.any():
                    ids.append(document.docno << CHUNK_BITS | place)
                    rows.append(vector)
        if rows:
            self._index.add_with_ids(np.stack(rows).astype(np.float32), np.asarray(ids, np.int64))
        self._ids = self._read_ids()

    def save(self) -> None:
        """Write the index to its file.

        Raises:
            StorageError: the disk refused; the file is as it was.
        """
        files.replace(self._path, faiss.serialize_index(self._index).tobytes())

    def search(
        self, query: Float, *, limit: int, allowed: Int | None = None
    ) -> tuple[Int, Float, Int]:
        """The *limit* nearest chunks: entry numbers, cosines and places in the entry, nearest first.

        Only the entries in *allowed* are looked at, if it is given.
        """
        if not self.n_chunks or (allowed is not None and not len(allowed)):
            return np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.int64)
        parameters = None
        if allowed is not None:
            chosen = self._ids[np.isin(self._ids >> CHUNK_BITS, allowed)]
            parameters = faiss.SearchParameters(sel=faiss.IDSelectorBatch(chosen))
        scores, ids = self._index.search(
            query.reshape(1, -1), min(limit, self.n_chunks), params=parameters
        )
        found = ids[0] >= 0
        ids, scores = ids[0][found].astype(np.int64), scores[0][found]
        return ids >> CHUNK_BITS, scores, ids & (MAX_CHUNKS - 1)

    def similarities(self, query: Float, docnos: Int) -> dict[int, tuple[float, int]]:
        """For each of *docnos* that has vectors, the cosine of its nearest chunk and that chunk's place."""
        positions = np.flatnonzero(np.isin(self._ids >> CHUNK_BITS, docnos))
        if not len(positions):
            return {}
        rows = self._index.index.reconstruct_batch(positions)
        best: dict[int, tuple[float, int]] = {}
        for chunk, score in zip(
            self._ids[positions].tolist(), (rows @ query).tolist(), strict=True
        ):
            docno = chunk >> CHUNK_BITS
            if docno not in best or score > best[docno][0]:
                best[docno] = (score, chunk & (MAX_CHUNKS - 1))
        return best

    def rows_of(self, docnos: Int) -> dict[int, Float]:
        """The first chunk's vector of each of *docnos* that has one; for measuring repetition."""
        positions = np.flatnonzero(np.isin(self._ids, docnos << CHUNK_BITS))
        if not len(positions):
            return {}
        rows = self._index.index.reconstruct_batch(positions)
        return dict(zip((self._ids[positions] >> CHUNK_BITS).tolist(), rows, strict=True))
