"""All detectors together."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import Final

from .commands import find_in_commands
from .headers import find_in_headers
from .key_blocks import find_key_blocks
from .key_values import find_key_values
from .lazy import Pattern
from .numbers import find_numbers
from .shapes import find_by_shape
from .spans import Span
from .urls import find_in_urls

_HANGUL_ESCAPE: Final = Pattern(r"\\u(?:[ab][0-9a-f]|c[0-9a-f]|d[0-7])", re.IGNORECASE)
_ESCAPE: Final = Pattern(r"\\{1,7}u((?!d[89a-f]|00[01])[0-9a-fA-F]{4})", re.IGNORECASE)


def find_secrets(text: str) -> Iterator[Span]:
    """Everything in *text* that must not be written. Spans may overlap, in any order."""
    lowered = lower(text)
    yield from find_by_shape(text)
    yield from find_key_blocks(text)
    yield from find_in_urls(text)
    yield from find_in_headers(text, lowered)
    yield from find_in_commands(text, lowered)
    yield from find_key_values(text, lowered)
    yield from _behind_escapes(text)
    yield from find_numbers(text)


def lower(text: str) -> str:
    """*text* in small letters, every character where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def _behind_escapes(text: str) -> Iterator[Span]:
    """What stands after a Korean word for a secret in JSON that was written with ASCII only."""
    if "\\u" not in text or not _HANGUL_ESCAPE.search(text):
        return
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []  # from this place in the plain text on, add so much
    at = length = 0
    for match in _ESCAPE.finditer(text):
        parts += (text[at : match.start()], chr(int(match[1], 16)))
        length += match.start() - at + 1
        at = match.end()
        shifts.append((length, at - length))
    parts.append(text[at:])
    plain = "".join(parts)
    for start, end, kind in find_key_values(plain, lower(plain)):
        yield Span(_unshift(shifts, start), _unshift(shifts, end), kind)


def _unshift(shifts: list[tuple[int, int]], at: int) -> int:
    before = bisect.bisect_right(shifts, at, key=lambda shift: shift[0]) - 1
    return at + shifts[before][1] if before >= 0 else at
