"""Lines over a socket: bounded in length and in time, whoever sends them.

A line is one JSON object in UTF-8, ended by a line feed. Nothing is read past a limit, so that neither
a client that sends for ever nor one that never goes on costs more than its own connection.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from typing import Final

from ...journal.errors import FormatError

MAX_LINE_BYTES: Final = 32 << 20  # of an answer; a thousand hits are 2 MB
MAX_REQUEST_BYTES: Final = 4 << 20  # of a request: what a client that never ends one can hold
_CHUNK_BYTES: Final = 65_536


class LineSocket:
    """One connection, and what was read of it but not asked for yet."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._read = bytearray()

    def receive(
        self, *, timeout_s: float, idle_s: float | None = None, max_bytes: int = MAX_LINE_BYTES
    ) -> bytes | None:
        """The next line without its end; None when there is no more.

        It must be whole within *timeout_s*; with *idle_s* that time starts with its first byte, which
        is waited for so long.

        Raises:
            FormatError: it is longer than is allowed, or ended in its middle.
            OSError: the connection broke; TimeoutError: it took too long.
        """
        if idle_s is not None and not self._read and not self._fill(time.monotonic() + idle_s):
            return None
        deadline = time.monotonic() + timeout_s
        searched = 0
        while (end := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if searched > max_bytes:
                raise FormatError(f"a line of more than {max_bytes:,} bytes")
            if not self._fill(deadline):
                if self._read:
                    raise FormatError("a line without an end")
                return None
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line

    def _fill(self, deadline: float) -> bool:
        """Read what there is; whether there was anything."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("nothing came in time")
        self._socket.settimeout(left)
        chunk = self._socket.recv(_CHUNK_BYTES)
        self._read += chunk
        return bool(chunk)

    def send(self, message: Mapping[str, object], *, timeout_s: float) -> None:
        """Send one message as a line.

        Raises:
            OSError: the connection broke; TimeoutError: it took too long.
        """
        self.send_line(json.dumps(message, separators=(",", ":")).encode("ascii"), timeout_s)

    def send_line(self, line: bytes, timeout_s: float) -> None:
        """Send one line as it is.

        Raises:
            OSError: the connection broke; TimeoutError: it took too long.
        """
        self._socket.settimeout(timeout_s)
        self._socket.sendall(line + b"\n")

    def close(self) -> None:
        self._socket.close()


def parse_message(line: bytes) -> dict[str, object]:
    """The JSON object that *line* is.

    Raises:
        FormatError: it is none.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a line of JSON: {str(error)[:80]}") from error
    if not isinstance(message, dict):
        raise FormatError("not a JSON object")
    return message
