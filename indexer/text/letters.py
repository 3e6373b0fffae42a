"""Letters: which script each is of, how much of a text is in which, and the form they are compared in.

The invariant: a text that is normalised piece by piece, so that each piece is known again in the text
as it was given, becomes what it becomes as a whole.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

LEAD: Final = "\u1100-\u115f\ua960-\ua97f"  # consonants before the vowel of a syllable, ...
VOWEL_OR_FINAL: Final = "\u1160-\u11ff\ud7b0-\ud7ff"  # ... and what follows them
SYLLABLE: Final = "\uac00-\ud7a3"
HANGUL: Final = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # all three
HAN: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA: Final = "\u3041-\u309f\u30a0-\u30ff"
UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0eff\u1000-\u1049\u1780-\u17d3"  # Thai to Khmer
)
MARKS: Final = (  # what stands on letters and is none: to ``re`` it would end the word
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
    "\u0981-\u0983\u09bc-\u09d7\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03"
    "\u0b3c-\u0b57\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6"
    "\u0d00-\u0d03\u0d3b-\u0d57\u200d"
)
_IS_LETTER: Final = re.compile("[A-Za-z]")
IS_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
IS_IN_PAIRS: Final = re.compile(f"[{HANGUL}{HAN}{KANA}{UNSPACED}]")
IS_IN_RUN: Final = re.compile(f"[\\w{MARKS}{HANGUL}{HAN}{KANA}{UNSPACED}]")
IS_HANGUL: Final = re.compile(f"[{HANGUL}]")
IS_HAN: Final = re.compile(f"[{HAN}]")
IS_KANA: Final = re.compile(f"[{KANA}]")
IS_LEAD: Final = re.compile(f"[{LEAD}]")
IS_VOWEL_OR_FINAL: Final = re.compile(f"[{VOWEL_OR_FINAL}]")


class Scripts(NamedTuple):
    """How much of a text is written in each script; the four add up to 1, or are all 0."""

    hangul: float
    han: float
    kana: float
    latin: float  # and every other script that is written in words

    def agreement(self, other: Scripts) -> float:
        """How likely a word of one text and a word of the other are in the same script, 0-1."""
        return sum(mine * theirs for mine, theirs in zip(self, other, strict=True))


def scripts(text: str) -> Scripts:
    """How much of *text* is in which script, counted in about the same unit: words."""
    text = normalised(text)
    if text.isascii():
        return Scripts(0.0, 0.0, 0.0, 1.0 if _IS_LETTER.search(text) else 0.0)
    hangul = len(IS_HANGUL.findall(text)) / 3
    han = len(IS_HAN.findall(text)) / 2
    kana = len(IS_KANA.findall(text)) / 3
    latin = max(0.0, sum(map(str.isalpha, text)) - 3 * hangul - 2 * han - 3 * kana) / 9
    total = hangul + han + kana + latin
    return Scripts(*(n / total if total else 0.0 for n in (hangul, han, kana, latin)))


def normalised(text: str) -> str:
    """*text* in the form whose words are compared: NFKC."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def is_normalised(text: str) -> bool:
    """Whether *text* is in that form already."""
    return text.isascii() or unicodedata.is_normalized("NFKC", text)


def normalise_with_offsets(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """*text* in NFKC, and for each of its characters where it comes from; None if unchanged."""
    if is_normalised(text):
        return text, None
    starts = [i for i in range(len(text)) if i == 0 or not composes(text[i - 1], text[i])]
    normal: list[str] = []
    offsets: list[tuple[int, int]] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = unicodedata.normalize("NFKC", text[start:end])
        normal.append(piece)
        offsets += [(start, end)] * len(piece)
    return "".join(normal), offsets


def composes(before: str, char: str) -> bool:
    """Whether *char* may become one with the character *before* it when both are normalised."""
    if unicodedata.combining(char) or char in "\uff9e\uff9f":  # half-width kana voice marks
        return True
    if not IS_VOWEL_OR_FINAL.match(unicodedata.normalize("NFKD", char)):
        return False
    return IS_HANGUL.match(unicodedata.normalize("NFKD", before)) is not None
