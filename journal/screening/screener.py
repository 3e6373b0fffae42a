"""All that is threatening in a text, by ids.

Invisible characters are looked for in the text as it is, all else in a form in which look-alikes
are the same: without invisible characters, compatibility forms composed (NFKC), small letters. What marks
of Markdown, ellipses and underscores hold apart is looked for once more without them.

A hook screens one short text and ends, so that what a text does not need is not even loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from . import english

if TYPE_CHECKING:
    from .rule import Rule

FLAGGED: Final = "flagged"
"""The field of an entry that names what was found in it, when it was written."""

_PIECE: Final = 1024  # characters; composing takes the square of a run of combining marks
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_MARKS: Final = re.compile(
    r"<[^<>\n]{0,80}>|[*~`\\()[\]{}]"
)  # of Markdown and HTML: within a word too
_PAUSES: Final = re.compile(r"&nbsp;|-\n|[→,–—]")  # between words, or a word at the end of a line
_ELLIPSES: Final = re.compile(r"\.{2,}")
_JOINED: Final = re.compile(
    r"(?<![^\W_])[^\W_]++(?:[_-][^\W_]++){3,}+"
)  # a sentence; names of three words are code
_LOOK_ALIKES: Final = str.maketrans("асеорхуіјѕԁһԛԝкмт", "aceopxyijsdhqwkmt")
"""Small Cyrillic letters that look like Latin ones (Unicode's confusables)."""
_PHRASES: Final = "\ufdfa\ufdfb"  # one character each that would become eighteen, and eight


def screen(text: str) -> tuple[str, ...]:
    """The ids of what is threatening in *text*, in the order of ``known_ids``; () for nearly all.

    Takes time in proportion to the text. Any text will do, halves of characters too.
    """
    found: set[str] = set()
    rules: tuple[Rule, ...] = english.RULES
    if not text.isascii():
        from . import korean
        from .invisible import find_invisible, without_invisible

        found.update(find_invisible(text))
        text = _composed(without_invisible(text))
        rules += korean.RULES
    text = _CONTROLS.sub("", text).casefold()
    found.update(_find(rules, text))
    if (bare := _bare(text)) != text:
        found.update(_find((rule for rule in rules if rule.id not in found), bare))
    if not found:
        return ()
    from . import orders

    if not orders.ORDINARY.isdisjoint(found):
        found.update(_find(orders.RULES, text))
    return tuple(one for one in known_ids() if one in found)


def _find(rules: Iterable[Rule], text: str) -> Iterator[str]:
    return (rule.id for rule in rules if rule.is_possible(text) and rule.is_in(text))


def _bare(text: str) -> str:
    """*text* without what stands in and between the words of a sentence and is not read; look-alikes are Latin."""
    text = text if text.isascii() else text.translate(_LOOK_ALIKES)
    text = _MARKS.sub("", text) if _MARKS.search(text) else text
    text = _PAUSES.sub(lambda found: "" if found.group() == "-\n" else " ", text)
    text = _ELLIPSES.sub(" ", text) if ".." in text else text
    if "_" in text or "-" in text:
        text = _JOINED.sub(lambda found: re.sub("[_-]", " ", found.group()), text)
    return text


def known_ids() -> tuple[str, ...]:
    """Every id that ``screen`` gives, in its order."""
    from . import orders
    from .invisible import INVISIBLE_IDS

    return (
        *dict.fromkeys(rule.id for rule in english.RULES),
        *dict.fromkeys(rule.id for rule in orders.RULES),
        *INVISIBLE_IDS,
    )


def is_threatening(ids: Iterable[str]) -> bool:
    """Whether a text in which *ids* were found is kept from the assistant.

    What may be ordinary work is not enough by itself; an id that is not known here is.
    """
    from .orders import ORDINARY

    return not ORDINARY.issuperset(ids)


def _composed(text: str) -> str:
    """*text* in form NFKC, made of pieces that end between words."""
    import unicodedata

    for phrase in _PHRASES:
        text = text.replace(phrase, " ")
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = start + _PIECE
        blank = text.rfind(" ", start + 1, end) if end < len(text) else -1
        end = blank if blank > 0 else end
        pieces.append(unicodedata.normalize("NFKC", text[start:end]))
        start = end
    return "".join(pieces)
