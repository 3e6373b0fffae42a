"""The postings of a segment, read piece by piece.

Not mapped: what reads a mapped file that somebody has cut short is killed, and what was read of it
counts as the process's own memory for as long as it lives.
"""

from __future__ import annotations

import os
import threading
import weakref
from pathlib import Path

from ..errors import IndexDamagedError

_BINARY = getattr(os, "O_BINARY", 0)


class PostingsFile:
    """The file at *path*, open until nobody knows this object any more. Usable from several threads."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | _BINARY)
        weakref.finalize(self, os.close, self._fd)
        self._reading = threading.Lock()  # not every system reads at a place without going there
        self.size_bytes = os.fstat(self._fd).st_size

    def read(self, start: int, end: int) -> bytes:
        """The bytes from *start* up to *end*.

        Raises:
            IndexDamagedError: they are not all there.
        """
        parts: list[bytes] = []
        left = end - start
        with self._reading:
            os.lseek(self._fd, start, os.SEEK_SET)
            while left > 0 and (part := os.read(self._fd, left)):
                parts.append(part)
                left -= len(part)
        if left:
            raise IndexDamagedError("keyword", "postings are missing")
        return b"".join(parts)
