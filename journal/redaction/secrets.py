"""All detectors together."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator
from typing import Final

from .answers import find_in_answers
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
_UNSEEN: Final = Pattern(
    "(?<=[!-~])[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e01ef\ud800-\udfff]+(?=[!-~])"
)
"""Between two characters of ASCII, of which tokens are made; emoji have theirs elsewhere."""


def find_secrets(text: str) -> Iterator[Span]:
    """Everything in *text* that must not be written. Spans may overlap, in any order."""
    yield from _find_in(text)
    if not text.isascii() and _UNSEEN.search(text):
        yield from _behind_unseen(text)


def _find_in(text: str) -> Iterator[Span]:
    lowered = lower(text)
    yield from find_by_shape(text)
    yield from find_key_blocks(text)
    yield from find_in_urls(text)
    yield from find_in_headers(text, lowered)
    yield from find_in_commands(text, lowered)
    yield from find_key_values(text, lowered)
    yield from find_in_answers(text)
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
    plain, shifts = _replaced(text, _ESCAPE, lambda match: chr(int(match[1], 16)))
    for start, end, kind in find_key_values(plain, lower(plain)):
        yield Span(_unshift(shifts, start), _unshift(shifts, end), kind)


def _behind_unseen(text: str) -> Iterator[Span]:
    """What is a secret without the characters in it that nobody sees."""
    plain, shifts = _replaced(text, _UNSEEN, lambda _: "")
    for start, end, kind in _find_in(plain):
        yield Span(_unshift(shifts, start), _unshift(shifts, end - 1) + 1, kind)


def _replaced(
    text: str, pattern: Pattern, stands_for: Callable[[re.Match[str]], str]
) -> tuple[str, list[tuple[int, int]]]:
    """*text* with what is found replaced, and for places in it what is to be added from there on."""
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    at = length = 0
    for match in pattern.finditer(text):
        new = stands_for(match)
        parts += (text[at : match.start()], new)
        length += match.start() - at + len(new)
        at = match.end()
        shifts.append((length, at - length))
    parts.append(text[at:])
    return "".join(parts), shifts


def _unshift(shifts: list[tuple[int, int]], at: int) -> int:
    before = bisect.bisect_right(shifts, at, key=lambda shift: shift[0]) - 1
    return at + shifts[before][1] if before >= 0 else at
