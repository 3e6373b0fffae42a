"""How many tokens a model makes of a text, estimated by what its characters weigh.

The invariant: what is cut fits, and ends where a character ends for a reader. The weights of letters are those
that an assistant's own memory counts by (OpenClaw 2026.9.6, `src/utils/cjk-chars.ts`): four make a token. It
weighs pictures and signs like letters of Latin, several times too low; here they weigh what a byte-level
tokenizer makes of them at the worst: a sign of its own, and for a picture its UTF-8 bytes, of which the first two,
which all pictures share, are one. The estimate is meant to be too high rather than too low.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from ...indexer.search.characters import whole_start

_PER_TOKEN: Final = 4
_RANGES: Final = {
    4: "\u00b7\u200d\u2010-\u25ff\ufe00-\ufe0f\u3000-\u319f\u4e00-\u9fa5\uac00-\ud7af\uff01-\uff60",
    8: "\u2600-\u27bf\u2b00-\u2bff\u02c7\u02ca\u02cb\u02d9\u02ea\u02eb\ufe10-\ufe4f\uff61-\uffdc\uffe0-\uffe6",
    12: (
        "\u1100-\u11ff\u2e80-\u2fff\u31a0-\u4dff\u9fa6-\u9fff\ua000-\ua4ff\ua700-\ua707"
        "\ua960-\ua97f\ud7b0-\ud7ff\uf900-\ufaff"
    ),
    16: ("\U00017000-\U00018dff\U0001f100-\U0001f1ff\U00020000-\U0002fa1f\U00030000-\U0010ffff"),
}
"""What a character weighs; all others weigh 1, or 12 beyond the first 65,536, as emoji are."""
_OF_PICTURE: Final = 12
_OF_ODD_SIGN: Final = 4
_ODD_SIGN: Final = re.compile(r"([!-/:-@\[-`{-~])(?=[!-/:-@\[-`{-~])(?!\1)")
"""A sign of ASCII, behind which another one stands: only the usual pairs and rows of one sign become one token."""
_WEIGHING: Final = {weight: re.compile(f"[{ranges}]") for weight, ranges in _RANGES.items()}
_BEYOND: Final = re.compile("[\U00010000-\U0010ffff]")


def count_tokens(text: str) -> int:
    """About how many tokens *text* takes; decomposed syllables count as the whole ones they spell."""
    text = unicodedata.normalize("NFC", text)
    weight = len(text) + (_OF_ODD_SIGN - 1) * len(_ODD_SIGN.findall(text))
    if text.isascii():
        return -(-weight // _PER_TOKEN)
    for of_one, pattern in _WEIGHING.items():
        weight += (of_one - 1) * len(pattern.findall(text))
    of_pictures = [char for char in _BEYOND.findall(text) if _weight_of(char) == _OF_PICTURE]
    weight += (_OF_PICTURE - 1) * len(of_pictures)
    return -(-weight // _PER_TOKEN)


def cut_to_tokens(text: str, max_tokens: int) -> str:
    """As much of *text* from its beginning as takes at most *max_tokens*, in composed form (NFC)."""
    text = unicodedata.normalize("NFC", text)
    left = _PER_TOKEN * max_tokens
    odd = {found.end() for found in _ODD_SIGN.finditer(text)}  # the later of two signs
    if text.isascii() and not odd:
        return text[: max(left, 0)]
    for at, char in enumerate(text):
        left -= _OF_ODD_SIGN if at in odd else _weight_of(char)
        if left < 0:
            return text[: whole_start(text, at)]
    return text


@cache
def _weight_of(char: str) -> int:
    for weight, pattern in _WEIGHING.items():
        if pattern.match(char):
            return weight
    return _OF_PICTURE if char > "\uffff" else 1
