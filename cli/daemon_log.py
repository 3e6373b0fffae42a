"""Where a daemon without a terminal writes: a file beside its socket, each line redacted and dated.

Not in the journal's index, which would come back by it when the journal is moved away.
"""

from __future__ import annotations

import contextlib
import io
import sys
from datetime import UTC, datetime
from pathlib import Path

from .log import append_record, redacted


class DaemonLog(io.TextIOBase):
    """A text stream whose lines go to the file at *path*; failing to write is no reason to fail."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._begun = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        if lines:
            stamp = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S%z}"
            record = "".join(f"{stamp} {line}\n" for line in redacted("\n".join(lines)).split("\n"))
            with contextlib.suppress(OSError):
                append_record(self._path, record)
        return len(text)


def write_to(log: DaemonLog) -> None:
    """Let everything that this process prints go to *log*."""
    sys.stdout = log
    sys.stderr = log
