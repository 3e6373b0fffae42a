"""JSON lines as programs that crash write them: read in constant memory, never refused as a whole.

A line may be torn, hold two objects, hold none, be no UTF-8 or be far too long. Each such case is
reported as a `Broken` with its reason, beside the objects that could be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Longer lines are skipped. The longest seen in 560 real sessions had 400 KB."""

_CHUNK_BYTES: Final = 1024 * 1024
_DECODER: Final = json.JSONDecoder()
_BLANK = re.compile(r"[\s\x00\ufeff]*")  # NUL: a file system may fill a lost block with them

TOO_LONG: Final = "line too long"
TORN: Final = "torn last line"
NOT_JSON: Final = "not JSON"


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its line end."""

    offset: int  # of its first byte in the file
    raw: bytes  # empty when the line is too long
    is_whole: bool  # False: the file ends before the line does
    is_too_long: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """Bytes that could not be read as a value, and why."""

    reason: str


def read_lines(file: BinaryIO, *, max_bytes: int = MAX_LINE_BYTES) -> Iterator[Line]:
    """The lines of *file* that hold anything; never more than *max_bytes* in memory."""
    offset = 0
    while raw := file.readline(max_bytes + 1):
        start, offset = offset, offset + len(raw)
        if len(raw) > max_bytes and not raw.endswith(b"\n"):
            raw = b""
            while rest := file.readline(_CHUNK_BYTES):
                offset += len(rest)
                if rest.endswith(b"\n"):
                    break
            yield Line(start, b"", is_whole=True, is_too_long=True)
        elif stripped := raw.strip():
            yield Line(start, stripped, is_whole=raw.endswith(b"\n"))


def decode(line: Line, *, object_start: str) -> Iterator[tuple[object, bytes] | Broken]:
    """The values on a line, each with the bytes it was read from, and what could not be read.

    Bytes that are no UTF-8 become U+FFFD. After damage, reading goes on at the next *object_start*,
    with which the assistant's records begin: a session that was killed and resumed leaves such lines.
    """
    if line.is_too_long:
        yield Broken(TOO_LONG)
        return
    text = line.raw.decode("utf-8", errors="replace")
    at = _skip_blank(text, 0)
    while at < len(text):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):  # also a number with too many digits
            again = text.find(object_start, at + 1)
            yield Broken(NOT_JSON if line.is_whole or again >= 0 else TORN)
            if again < 0:
                return
            at = again
            continue
        whole = at == 0 and end == len(text)
        yield value, line.raw if whole else text[at:end].encode("utf-8", errors="replace")
        at = _skip_blank(text, end)


def _skip_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
