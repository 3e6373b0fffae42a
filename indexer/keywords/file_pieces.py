"""A file of a segment, read piece by piece.

Not mapped: what reads a mapped file that somebody has cut short is killed, and what was read of it
counts as the process's own memory for as long as it lives.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from pathlib import Path

from ..errors import IndexDamagedError

_BINARY = getattr(os, "O_BINARY", 0)


class FilePieces:
    """The file at *path*, open until nobody knows this object any more. Usable from several threads."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | _BINARY)
        weakref.finalize(self, os.close, self._fd)
        self._end = path.suffix
        self._going_there = threading.Lock()
        self.size_bytes = os.fstat(self._fd).st_size

    def read(self, start: int, end: int) -> bytes:
        """The bytes from *start* up to *end*.

        Raises:
            IndexDamagedError: they are not all there.
        """
        if not 0 <= start <= end:
            raise IndexDamagedError("keyword", f"a file {self._end} leads to nowhere")
        data = self._read(end - start, start)
        while len(data) < end - start:  # one call may give less than there is
            more = self._read(end - start - len(data), start + len(data))
            if not more:
                raise IndexDamagedError("keyword", f"a file {self._end} has lost its end")
            data += more
        return data

    def _read(self, n_bytes: int, start: int) -> bytes:
        if sys.platform != "win32":
            return os.pread(self._fd, n_bytes, start)
        with self._going_there:
            os.lseek(self._fd, start, os.SEEK_SET)
            return os.read(self._fd, n_bytes)
