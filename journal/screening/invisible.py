"""Characters that nobody sees and a language model reads.

They carry hidden text (tags, runs of variation selectors, runs of fillers), break words apart so
that no filter knows them, or show a text in another order than it is read in. Where writing needs
them they are left alone: joiners in emoji and in the scripts of India, Persia and their neighbours,
a byte order mark at the beginning, one variation selector behind a sign.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_ALWAYS: Final = (
    *"\u200b\u2060\u2061\u2062\u2063\u2064",  # blanks of no width, operators of no shape
    *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",  # embeddings, overrides, isolates
    *"\u206a\u206b\u206c\u206d\u206e\u206f",  # their forerunners, out of use
)
_JOINERS: Final = "\u200c\u200d"
_BYTE_ORDER_MARK: Final = "\ufeff"
_MARKS: Final = "\u00ad\u034f\u180e\u200e\u200f"  # soft hyphen, direction marks: seen every day
_SELECTORS: Final = "".join(map(chr, range(0xFE00, 0xFE10)))
_BLANKS: Final = (
    "\u2800\u3164\uffa0"  # Braille's and Hangul's: they show nothing and are no blanks to Unicode
)
_FILLERS: Final = "\u115f\u1160\u3164\uffa0"
_PLANE_14: Final = b"\xf3\xa0"  # how tags and rare selectors begin in UTF-8, and nothing else

_TAGS: Final = "[\U000e0000-\U000e007f]+"
_FLAG_BEHIND_POLE: Final = "[\U000e0030-\U000e0039\U000e0061-\U000e007a]{4,6}\U000e007f"
_POLE: Final = "\U0001f3f4"
_STRAY_SELECTORS: Final = (  # two in a row, or behind a letter; rare ones anywhere but behind Han
    "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}|[A-Za-z][\ufe00-\ufe0f]"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
_ROW_OF_FILLERS: Final = f"[{_FILLERS}]{{4}}"  # one holds the place of a letter, four are a code
_JOINING_SCRIPTS: Final = (  # first and last character of blocks that Unicode 16, 23.2 speaks of
    ("\u0600", "\u08ff"),  # Arabic, Syriac, Thaana, N'Ko, Mandaic
    ("\u0900", "\u0dff"),  # Devanagari to Sinhala
    ("\u0f00", "\u109f"),  # Tibetan, Myanmar
    ("\u1700", "\u1aff"),  # Philippine scripts, Khmer, Mongolian, Tai Tham
    ("\u1b00", "\u1cff"),  # Balinese to Vedic signs
    ("\ua800", "\uabff"),  # Syloti Nagri to Meetei Mayek
    ("\ufb50", "\ufdff"),  # Arabic presentation forms
    ("\ufe70", "\ufefc"),
    ("\U00010a00", "\U00010fff"),
    ("\U00011000", "\U00011fff"),
)

_ID_OF: Final = {
    sign: f"invisible_unicode_U+{ord(sign):04X}"
    for sign in sorted((*_ALWAYS, *_JOINERS, _BYTE_ORDER_MARK))
}
_TAG_ID: Final = "invisible_unicode_tags"
_SELECTOR_ID: Final = "invisible_unicode_variation_selectors"
_FILLER_ID: Final = "invisible_unicode_fillers"
INVISIBLE_IDS: Final = (*_ID_OF.values(), _TAG_ID, _SELECTOR_ID, _FILLER_ID)


def find_invisible(text: str) -> Iterator[str]:
    """The ids of the invisible characters in *text* that stand where no writing needs them."""
    for sign in _ALWAYS:
        if sign in text:
            yield _ID_OF[sign]
    if text.find(_BYTE_ORDER_MARK, 1) > 0:
        yield _ID_OF[_BYTE_ORDER_MARK]
    for sign in _JOINERS:
        if sign in text and any(_is_stray_joiner(text, at) for at in _places(text, sign)):
            yield _ID_OF[sign]
    has_plane_14 = _PLANE_14 in text.encode("utf-8", "surrogatepass")
    if has_plane_14 and any(_is_stray_tag(found) for found in re.finditer(_TAGS, text)):
        yield _TAG_ID
    has_selectors = has_plane_14 or any(sign in text for sign in _SELECTORS)
    if has_selectors and re.search(_STRAY_SELECTORS, text):
        yield _SELECTOR_ID
    if any(sign in text for sign in _FILLERS) and re.search(_ROW_OF_FILLERS, text):
        yield _FILLER_ID


def without_invisible(text: str) -> str:
    """*text* without the characters that would break its words apart unseen, and with plain blanks."""
    for sign in (*_ALWAYS, *_JOINERS, _BYTE_ORDER_MARK, *_MARKS, *_SELECTORS):
        if sign in text:
            text = text.replace(sign, "")
    for sign in _BLANKS:
        if sign in text:
            text = text.replace(sign, " ")
    return text


def _places(text: str, sign: str) -> Iterator[int]:
    at = text.find(sign)
    while at >= 0:
        yield at
        at = text.find(sign, at + 1)


def _is_stray_joiner(text: str, at: int) -> bool:
    """Whether the joiner at *at* joins neither two signs of an emoji nor letters that need it."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if text[at] == "\u200d" and _is_pictured(before) and _is_pictured(after):
        return False
    is_alone = not (_is_unseen(before) or _is_unseen(after))
    return not (is_alone and (_is_in_joining_script(before) or _is_in_joining_script(after)))


def _is_pictured(sign: str) -> bool:
    """Whether *sign* is a picture, a colour of skin, or says that the sign before is a picture."""
    return sign == "\ufe0f" or (sign != "" and unicodedata.category(sign) in ("So", "Sk"))


def _is_unseen(sign: str) -> bool:
    return sign != "" and unicodedata.category(sign) == "Cf"


def _is_in_joining_script(sign: str) -> bool:
    return any(first <= sign <= last for first, last in _JOINING_SCRIPTS)


def _is_stray_tag(tags: re.Match[str]) -> bool:
    """Whether these tags are not the name of a country's part behind a flag pole."""
    is_flag = re.fullmatch(_FLAG_BEHIND_POLE, tags.group())
    return not (is_flag and tags.string[tags.start() - 1 : tags.start()] == _POLE)
