"""Session files that only grew: what was added is read, and not all that was there before.

A session file is appended to for hours, so that reading it whole for each event would cost ever
more. Of a file that was read whole, the catalog keeps how it began and where its last record ended.
If it still begins so, and the records before that end are those that were there, then what
follows is all that is new. Only the last ``WINDOW_BYTES`` are compared: an edit further up, in place
and of the same length, is not seen by it. Such a file counts as unproven until it is read whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...journal.files import open_regular
from ...journal.reading import JournalFile, Stored, read_records
from ..catalog.extent import Extent, Placed, digest_of

WINDOW_BYTES: Final = 256 * 1024  # compared in a millisecond; most sessions are smaller
MAX_HEAD_BYTES: Final = 64 * 1024
_RECORD_END: Final = (b"\n\n", b"\n\r\n")


def extent_of(root: Path, file: JournalFile, entries: Sequence[Stored]) -> Extent | None:
    """How far *file* was read, of which *entries* are all; None if it does not end with a record.

    Only the first and the last of *entries* are looked at.

    Raises:
        OSError: the file cannot be read.
    """
    if file.kind != "session" or not entries:
        return None
    first, last = entries[0], entries[-1]
    ends_whole = last.entry.kind == "event" and last.raw.endswith(_RECORD_END)
    if first.entry.kind != "event" or not ends_whole or first.offset > MAX_HEAD_BYTES:
        return None
    with open_regular(root / file.path) as stream:
        head = stream.read(first.offset)
    end = last.offset + last.length
    return Extent(head_end=first.offset, head=digest_of(head), end=end)


def read_growth(
    root: Path, file: JournalFile, extent: Extent, before: Sequence[Placed]
) -> tuple[list[Stored], Extent] | None:
    """What was added to *file* beyond *extent*, and how far it has been read now; None if something
    else happened to it. *before* are its entries in the last ``WINDOW_BYTES`` before the end.

    Raises:
        OSError: the file cannot be read.
    """
    if file.size_bytes < extent.end or not _is_as_it_was(root, file, extent, before):
        return None
    added = read_records(root, file.path, extent.end)
    if added is None:
        return None
    if added and not added[-1].raw.endswith(_RECORD_END):
        return None
    end = added[-1].offset + added[-1].length if added else extent.end
    is_proven = extent.is_proven and _cover(before, extent.head_end, extent.end)
    return added, replace(extent, end=end, is_proven=is_proven)


def _is_as_it_was(root: Path, file: JournalFile, extent: Extent, before: Sequence[Placed]) -> bool:
    if not before or before[-1].offset + before[-1].length != extent.end:
        return False
    start = before[0].offset
    with open_regular(root / file.path) as stream:
        if digest_of(stream.read(extent.head_end)) != extent.head:
            return False
        stream.seek(start)
        window = stream.read(extent.end - start)
    return all(
        digest_of(window[one.offset - start : one.offset - start + one.length]) == one.digest
        for one in before
    )


def _cover(placed: Sequence[Placed], start: int, end: int) -> bool:
    """Whether *placed* fill all of the file from *start* to *end*."""
    for one in placed:
        if one.offset != start:
            return False
        start += one.length
    return start == end
