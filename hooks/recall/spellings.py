"""A text as a forgiving reader takes it, and where in it a name stands that only the fence may bear.

Readers differ in what they forgive: capitals, full width, accents, letters of another alphabet that look the
same, what is not seen, and letters that are written as HTML entities or as escapes of JSON. The invariant: what
any of these would read as a name is found, and its place in the text as it is written.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from typing import Final

_MAX_ROUNDS: Final = (
    8  # entities in entities; what is wrapped more often loses the signs that wrap it
)

_LOOKS_LIKE: Final = str.maketrans(
    "\u043c\u0435\u043e\u0433\u0443\u0441\u043f\u0442\u0445\u0455\u0456\u0501\u03bc\u03b5\u03bf\u03b3\u03c5"
    "\u03c7\u03c4\u03bd\u03b9\u0578\u0585\u1d0d\u1d07\u1d0f\u0280\u028f\u1d04\u0274\u1d1b\ua731\u026a\u1d05"
    "\u0131\u03f2\u0421",
    "meorycntxsidmeoyyxtninomeorycntsidicc",
)
"""The letters of both names, in Cyrillic, Greek, Armenian, small capitals (Unicode's confusables)."""
_DASHES: Final = dict.fromkeys("_\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00b7\u30fc", "-")
_ANGLES: Final = {
    **dict.fromkeys("\u2039\u2329\u3008\u300a\u27e8\u00ab\u226a\u276c\u276e\u2770\u02c2", "<"),
    **dict.fromkeys("\u203a\u232a\u3009\u300b\u27e9\u00bb\u226b\u276d\u276f\u2771\u02c3", ">"),
    **dict.fromkeys("\u2044\u2215\u29f8", "/"),
}
_BLANKS: Final = "\u2800\u3164\uffa0\u115f\u1160"
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Co", "Cn", "Mn", "Me")

_ESCAPED: Final = re.compile(
    r"&(?:amp;)*[#\w]{1,32};?|\\+(?:u(?:\{[0-9a-f]{1,6}\}|[0-9a-f]{4})|x[0-9a-f]{2})", re.IGNORECASE
)
_IN_WORD: Final = r"[*`~\\]*"
_DIGITS: Final = {"o": "[o0]", "i": "[il1|]"}  # what stands for a letter
_BETWEEN: Final = r"[\s*`~\[\]()\\!\"']*"  # blanks and marks of Markdown


def _name(first: str, second: str) -> str:
    one, other = (
        _IN_WORD.join(_DIGITS.get(char, char) for char in word) for word in (first, second)
    )
    in_tag = rf"(?<=[</])\s*/?\s*{one}[-\s]*{other}"
    return rf"{one}{_BETWEEN}-[-\s*`~\[\]()\\!]*{other}|{in_tag}"


_NAMES: Final = re.compile(f"{_name('memory', 'context')}|{_name('system', 'reminder')}")
_TAG: Final = re.compile(
    r"<\s*(?P<close>/\s*)?memory[-\s]+context(?![\w-])(?:[^<>]*(?:<\s*)?>|[^\S\n]*(?=\n|\Z))"
)


class _Folds(dict[int, str]):
    """What each character is read as; for `str.translate`, which asks for each character once."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(char: str) -> str:
    if char in "\n\t\r\v\f" or char in _BLANKS:
        return "\n" if char == "\n" else " "
    if (plain := _DASHES.get(char) or _ANGLES.get(char)) is not None:
        return plain
    parts = unicodedata.normalize("NFKD", char).casefold().translate(_LOOKS_LIKE)
    seen = (part for part in parts if unicodedata.category(part) not in _UNSEEN)
    return "".join(_DASHES.get(part) or _ANGLES.get(part) or part for part in seen)


_FOLDS: Final = _Folds()


def _unescaped(escape: str) -> str:
    if escape.startswith("&"):
        while (plain := unescape(escape)) != escape:
            escape = plain
        return escape
    code = int(escape.lstrip("\\")[1:].strip("{}"), 16)
    return chr(code) if code <= 0x10FFFF else ""


def _read(text: str) -> str:
    """*text* as it is read."""
    for _ in range(_MAX_ROUNDS):
        text = text.translate(_FOLDS)
        if "&" not in text and "\\" not in text:
            return text
        rest = _ESCAPED.sub(lambda found: _unescaped(found.group()), text)
        if rest == text:
            return text
        text = rest
    return re.sub(r"[&\\]", "", text.translate(_FOLDS))


def _read_with_places(text: str) -> tuple[str, list[tuple[int, int]]]:
    """*text* as it is read, and for each character of that where it is written."""
    places = [(at, at + 1) for at in range(len(text))]
    for _ in range(_MAX_ROUNDS):
        folds = [_FOLDS[ord(char)] for char in text]
        places = [
            place for fold, place in zip(folds, places, strict=True) for _ in range(len(fold))
        ]
        text = "".join(folds)
        pieces: list[str] = []
        moved: list[tuple[int, int]] = []
        at = 0
        for found in _ESCAPED.finditer(text):
            start, end = found.span()
            plain = _unescaped(found.group())
            pieces += (text[at:start], plain)
            moved += places[at:start]
            moved += [(places[start][0], places[end - 1][1])] * len(plain)
            at = end
        rest = "".join((*pieces, text[at:]))
        if rest == text:
            return text, places
        text, places = rest, [*moved, *places[at:]]
    return text, places


def without_names(text: str) -> str:
    """*text* in which neither ``memory-context`` nor ``system-reminder`` can be read; ``…`` stands for them."""
    if not _may_name(text):
        return text
    read, places = _read_with_places(text)
    kept: list[str] = []
    at = 0
    for found in _NAMES.finditer(read):
        start, end = places[found.start()][0], places[found.end() - 1][1]
        if start >= at:
            kept += (text[at:start], "…")
        at = max(at, end)
    text = "".join((*kept, text[at:]))
    if _may_name(text):  # made to get through: nothing of it can be trusted
        text = re.sub(r"[&\\]", "", text)
        text = "" if _may_name(text) else text
    return text


def _may_name(text: str) -> bool:
    return _NAMES.search(_read(text)) is not None


def tags_in(text: str) -> list[tuple[int, int, bool]]:
    """Where tags of the fence stand in *text*, in whichever spelling, and whether they close."""
    if _TAG.search(_read(text)) is None:
        return []
    read, places = _read_with_places(text)
    return [
        (places[found.start()][0], places[found.end() - 1][1], found["close"] is not None)
        for found in _TAG.finditer(read)
    ]
