"""Where an entry stands in its file, as the catalog noted it, and reading it there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...journal.files import as_storage_error
from ...journal.reading import Stored, is_missing, read_at
from .extent import digest_of
from .row import Row


class Place(NamedTuple):
    """Where an entry stands, and what tells that it is still the one."""

    docno: int
    path: str
    offset: int
    length: int
    digest: bytes
    created_us: int

    @classmethod
    def of(cls, row: Row) -> Place:
        """The place of *row*."""
        return cls(row.docno, row.path, row.offset, row.length, row.digest, row.created_us)


def read_place(root: Path, place: Place) -> Stored | None:
    """The entry at *place*; None if other bytes or none stand there now.

    Raises:
        StorageError: the file cannot be read.
    """
    created_ns = place.created_us * 1000
    try:
        stored = read_at(root, place.path, place.offset, place.length, created_ns)
    except OSError as error:
        if is_missing(error):
            return None
        raise as_storage_error(error, root / place.path) from error
    return stored if stored and digest_of(stored.raw) == place.digest else None
