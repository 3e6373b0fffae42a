"""Our codec for Whoosh: what a segment is, for the list that Whoosh keeps.

Whoosh's own codec costs 2.3 ms for a document of 160 terms, for it makes, sorts and pickles an object
for each posting; ours has arrays (``segment_writing``, ``segment_files``). Names of segments, columns
of numbers, deletions and the table of contents are as Whoosh has them; terms it never asks for.

Whoosh checks nothing that it reads. Here the list of segments has a checksum, and holds one of each
of their files.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import IndexDamagedError
from .segment_files import OpenSegment
from .segment_writing import Written
from .term_batch import Rows
from .whoosh_imports import W3Codec, W3Segment, columns, fields, formats

Ints = NDArray[np.int64]

FIELD: Final = "text"  # title and body in one, for they are always asked together


class Terms(fields.FieldType):
    """The one field of terms; the analysis is ours."""

    indexed = True
    stored = False
    scorable = True
    vector = None
    column_type = None
    multitoken_query = "default"
    analyzer = None
    spelling = False
    unique = False

    def __init__(self) -> None:
        self.format = formats.Existence()  # nothing beside the weight, which is the count


def schema() -> Any:
    """What Whoosh is told of our documents."""
    numbers = {name: fields.COLUMN(columns.NumericColumn("I")) for name in Rows.__slots__}
    return fields.Schema(**{FIELD: Terms(), **numbers})


class ArrayCodec(W3Codec):
    """Whoosh's codec, as far as its writer asks one: terms are neither written nor read by it."""

    length_stats = False


class ArraySegment(W3Segment):
    """Whoosh's segment, with checksums, and with its deletions as an array."""

    def __init__(self, indexname: str) -> None:
        super().__init__(ArrayCodec(), indexname)
        self._fieldlengths: dict[str, int] = {}
        self._checks: dict[str, int] = {}
        self.deleted: Ints = np.zeros(0, np.int64)  # ascending

    def holds(self, written: Written) -> ArraySegment:
        """This, now that its files are written."""
        self._doccount, self._checks = written.n_documents, written.checks
        return self

    def open_in(self, folder: Path) -> OpenSegment:
        """Its files in *folder*.

        Raises:
            IndexDamagedError: they are not as they were written.
            OSError: they cannot be read.
        """
        return OpenSegment(folder, self.segment_id(), checks=self._checks)

    def take_out(self, positions: Ints) -> None:
        """Mark the documents at *positions* as deleted."""
        self.deleted = np.union1d(self.deleted, positions)

    def deleted_count(self) -> int:
        return len(self.deleted)

    def deleted_docs(self) -> Iterator[int]:
        return iter(self.deleted.tolist())

    def is_deleted(self, docnum: int) -> bool:
        return bool(np.isin(docnum, self.deleted))


class Segments(list[ArraySegment]):
    """The segments of an index; what Whoosh pickles of it has a checksum."""

    def __reduce__(self) -> tuple[Any, ...]:
        pickled = pickle.dumps(list(self))
        return _unpickled, (pickled, crc32(pickled))


def _unpickled(pickled: bytes, check: int) -> Segments:
    if crc32(pickled) != check:
        raise IndexDamagedError("keyword", "its list of segments is not as it was written")
    return Segments(pickle.loads(pickled))
