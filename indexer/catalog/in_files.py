"""What the catalog's rows stand for, read where they stand in their files.

Other bytes than were indexed are never taken for an entry. Of most entries the text is a stretch of
their bytes, which the catalog noted, so that for it nothing needs to be parsed.
"""

from __future__ import annotations

from pathlib import Path

from ...journal.files import as_storage_error
from ...journal.reading import Stored, is_missing, read_at, read_raw
from .extent import digest_of
from .row import Row


def read_entry(root: Path, row: Row) -> Stored | None:
    """The entry of *row*; None if other bytes or none stand there now.

    Raises:
        StorageError: the file cannot be read.
    """
    created_ns = row.created_us * 1000
    try:
        stored = read_at(root, row.path, row.offset, row.length, created_ns)
    except OSError as error:
        if is_missing(error):
            return None
        raise as_storage_error(error, root / row.path) from error
    return stored if stored and digest_of(stored.raw) == row.digest else None


def read_body(root: Path, row: Row) -> str | None:
    """The text of the entry of *row*; None if other bytes or none stand there now.

    Raises:
        StorageError: the file cannot be read.
    """
    if row.body_start is None:
        stored = read_entry(root, row)
        return stored.entry.body if stored is not None else None
    try:
        raw = read_raw(root, row.path, row.offset, row.length)
    except OSError as error:
        if is_missing(error):
            return None
        raise as_storage_error(error, root / row.path) from error
    if digest_of(raw) != row.digest:
        return None
    return raw[row.body_start : row.body_start + row.body_length].decode("utf-8")
