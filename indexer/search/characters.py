"""Where the characters of a text begin and end for a reader: one may be several code points."""

from __future__ import annotations

import unicodedata
from typing import Final

from ..text.letters import IS_HANGUL, IS_LEAD, IS_VOWEL_OR_FINAL

_GOES_ON: Final = frozenset("\u200d\uff9e\uff9f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Joiners, half-width voice marks and skin tones: part of a character, though not marks to Unicode."""
_TAGS: Final = ("\U000e0020", "\U000e007f")  # what spells the region of a flag, and its end
_INDICATORS: Final = ("\U0001f1e6", "\U0001f1ff")  # two of them are a flag


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
    if char.isascii() or at == 0:
        return False
    if "\uac00" <= char <= "\ud7a3":  # the most usual one first
        return IS_LEAD.match(text[at - 1]) is not None
    if char in _GOES_ON or text[at - 1] == "\u200d" or unicodedata.category(char)[0] == "M":
        return True
    if _INDICATORS[0] <= char <= _INDICATORS[1]:
        return _n_indicators_before(text, at) % 2 == 1
    if _TAGS[0] <= char <= _TAGS[1]:
        return True
    if IS_LEAD.match(char):
        return IS_LEAD.match(text[at - 1]) is not None
    return IS_VOWEL_OR_FINAL.match(char) is not None and IS_HANGUL.match(text[at - 1]) is not None


def _n_indicators_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _INDICATORS[0] <= text[start - 1] <= _INDICATORS[1]:
        start -= 1
    return at - start
