"""The files of one segment: its numbers, its dictionary of terms, its postings; opened together.

A segment never changes, and what is open of it may be shared by as many snapshots and threads as
like. Numbers and dictionary are checked whole when they are opened, postings by their length
then, and by their checksums when they are read. Only the numbers stay in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import IndexDamagedError
from .file_pieces import FilePieces
from .posting_blocks import Block, Blocks, DamagedBlockError, decode, decode_many
from .term_batch import Rows
from .term_dictionary import TermDictionary

Ints = NDArray[np.int64]

POSTINGS: Final = ".pst"
TERMS: Final = ".trm"


def column_file(name: str) -> str:
    """How the name of a column's file ends; Whoosh's."""
    return f".{name}.col"


class OpenSegment:
    """One segment's files, open; its deletions are not part of it, and so it never changes.

    Usable from several threads. Its files are given back with the last snapshot that knows it.
    """

    def __init__(self, folder: Path, name: str, *, checks: Mapping[str, int]) -> None:
        """Open the files *name* in *folder*, which had these *checks* when they were written.

        Raises:
            IndexDamagedError: they are not as they were written.
            OSError: they cannot be read.
        """
        self.name = name
        self._folder, self._checks = folder, checks
        columns = {column: self._column(column) for column in Rows.__slots__}
        self.rows = Rows(**columns)  # ascending in docnos
        terms = FilePieces(folder / f"{name}{TERMS}")
        self.terms = TermDictionary(self._checked(TERMS, terms), terms.read)
        self._postings = FilePieces(folder / f"{name}{POSTINGS}")
        if self._postings.size_bytes != checks[POSTINGS]:
            raise IndexDamagedError("keyword", "postings are missing")

    def __len__(self) -> int:
        return len(self.rows.docnos)

    def _column(self, name: str) -> NDArray[np.uint32]:
        end = column_file(name)
        numbers = self._checked(end, FilePieces(self._folder / f"{self.name}{end}"))
        return np.frombuffer(numbers, ">u4").astype(np.uint32)

    def _checked(self, end: str, file: FilePieces) -> bytes:
        data = file.read(0, file.size_bytes)
        if crc32(data) != self._checks[end]:
            raise IndexDamagedError("keyword", f"a file {end} is not as it was written")
        return data

    def block(self, term: str) -> Block | None:
        """Where *term* occurs; None if it does not.

        Raises:
            IndexDamagedError: the postings are not as they were written.
        """
        place = self.terms.place_of(term.encode("utf-8"))
        if place is None:
            return None
        try:
            block = decode(self._postings.read(*self._bounds(place, place + 1).tolist()), 0)
        except DamagedBlockError as error:
            raise IndexDamagedError("keyword", str(error)) from error
        if len(block.documents) != self.terms.counts(place, place + 1)[0]:
            raise IndexDamagedError("keyword", "postings are missing")
        return block

    def blocks(self, first: int, last: int) -> Blocks:
        """The postings of the terms from *first* up to *last*.

        Raises:
            IndexDamagedError: they are not as they were written.
        """
        bounds = self._bounds(first, last)
        try:
            data = self._postings.read(int(bounds[0]), int(bounds[-1]))
            return decode_many(data, bounds[:-1] - bounds[0])
        except DamagedBlockError as error:
            raise IndexDamagedError("keyword", str(error)) from error

    def _bounds(self, first: int, last: int) -> Ints:
        """Where the postings of the terms from *first* up to *last* begin, and where they end."""
        bounds = self.terms.offsets(first, min(last + 1, len(self.terms)))
        if last == len(self.terms):
            return np.append(bounds, self._postings.size_bytes)
        return bounds
