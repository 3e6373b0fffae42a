"""Where the characters of a text begin and end for a reader: one may be several code points."""

from __future__ import annotations

import unicodedata
from typing import Final

_GOES_ON: Final = frozenset("\u200d\uff9e\uff9f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Joiners, half-width voice marks and skin tones: part of a character, though not marks to Unicode."""


def whole_end(text: str, at: int) -> int:
    """*at*, or where the character ends that it is in the middle of."""
    while at < len(text) and _goes_on(text, at):
        at += 1
    return at


def whole_start(text: str, at: int) -> int:
    """*at*, or where the character begins that it is in the middle of."""
    while 0 < at < len(text) and _goes_on(text, at):
        at -= 1
    return at


def _goes_on(text: str, at: int) -> bool:
    """Whether the character that a reader sees at *at* began before it."""
    char = text[at]
    if char.isascii() or "\uac00" <= char <= "\ud7a3" or at == 0:
        return False
    if char in _GOES_ON or text[at - 1] == "\u200d" or unicodedata.category(char)[0] == "M":
        return True
    return "\u1160" <= char <= "\u11ff" and "\u1100" <= text[at - 1] <= "\u11ff"
