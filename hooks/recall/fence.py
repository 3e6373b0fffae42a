"""The fence around what is told, and its removal: from what is told, and from what is written down.

The invariant: nothing inside of a block opens or closes it, whatever a memory says and however it is spelt: the
names of the fences do not stand in it at all. And what an assistant
repeats of a block is not remembered as if somebody had said it.
"""

from __future__ import annotations

import re
from typing import Final

from .spellings import tags_in, without_names
from .wording import WORDINGS, Language

TAG: Final = "memory-context"
_MAX_ROUNDS: Final = 20
"""A tag that only stands there when others are taken out of it is found in a further round; what still
hides one was made to get through, and loses every bracket."""

_LT: Final = r"(?:[<\uff1c\ufe64]|&lt;|&#0*60;|&#x0*3c;)"
_GT: Final = r"(?:[>\uff1e\ufe65]|&gt;|&#0*62;|&#x0*3e;)"
_UNSEEN: Final = "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]*"
_GAP: Final = rf"[\s{_UNSEEN[1:-2]}]*"
_HYPHEN: Final = "[-_ \u2010-\u2015\u2212\ufe58\ufe63\uff0d\uff3f]"


def _spelt(word: str) -> str:
    """A pattern of *word*, whatever stands unseen between its letters."""
    return _UNSEEN.join(_HYPHEN if letter == "-" else letter for letter in word)


_IS_TAG: Final = re.compile(
    rf"{_LT}{_GAP}(?:(?P<close>/){_GAP})?{_spelt(TAG)}{_UNSEEN}(?:(?![\w-])[^<>\uff1c\uff1e]*?)?(?:/{_GAP})?{_GT}",
    re.IGNORECASE,
)
_IS_FOREIGN: Final = re.compile(
    rf"{_LT}{_GAP}(?:/{_GAP})?{_spelt('system-reminder')}{_UNSEEN}(?:(?![\w-])[^<>\uff1c\uff1e]*?)?{_GT}",
    re.IGNORECASE,
)
"""What assistants fence their own reminders with: a block stands inside of one."""
_BRACKETS: Final = re.compile(rf"{_LT}|{_GT}|[\[\]\u2501]", re.IGNORECASE)
_RULE: Final = "\u2501" * 12  # heavy lines, in nobody's prose


def _as_pattern(words: str) -> str:
    return r"\s+".join(map(re.escape, words.split()))


_NOTES: Final = "|".join(_as_pattern(wording.note) for wording in WORDINGS.values())
_IS_NOTE: Final = re.compile(
    rf"(?:^[ \t>]*)?\[{_GAP}(?:{_NOTES}){_GAP}\][ \t]*\n?", re.IGNORECASE | re.MULTILINE
)
_IS_PLAIN: Final = re.compile(
    rf"^[ \t]*{_RULE}[ \t]*\n[ \t]*\[{_GAP}(?:{_NOTES}){_GAP}\].*?^[ \t]*{_RULE}[ \t]*$\n?",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_IS_RULE: Final = re.compile("\u2501{6,}")


def fenced(text: str, language: Language = "en") -> str:
    """*text* as a block that says what it is; "" where there is nothing to tell."""
    inner = _made_harmless(text)
    return f"<{TAG}>\n[{WORDINGS[language].note}]\n\n{inner}\n</{TAG}>" if inner else ""


def as_plain(block: str) -> str:
    """A block of ``fenced`` between heavy lines, for an assistant that is shown ``<`` as ``&lt;``.

    Any other text stays what it is.
    """
    opening, closing = f"<{TAG}>\n", f"\n</{TAG}>"
    if not (block.startswith(opening) and block.endswith(closing)):
        return block
    return f"{_RULE}\n{block[len(opening) : -len(closing)]}\n{_RULE}"


def _made_harmless(text: str) -> str:
    text = strip_fences(text)
    for _ in range(_MAX_ROUNDS):
        rest = strip_fences(_IS_RULE.sub("", _IS_FOREIGN.sub("", text)))
        if rest == text:
            break
        text = rest
    else:
        text = strip_fences(_BRACKETS.sub("", text))
    return without_names(text).strip()


def strip_fences(text: str) -> str:
    """*text* without blocks, their notes, and tags that stray in it; doing it again changes nothing.

    A block goes with all that is in it. Of a tag that has no other, only the tag goes.
    """
    for _ in range(_MAX_ROUNDS):
        rest = _stripped_once(text)
        if rest == text:
            return text
        text = rest
    return _BRACKETS.sub("", text)


def _stripped_once(text: str) -> str:
    if "\u2501" in text:
        text = _IS_PLAIN.sub("", text)
    text = _without_tags(text)
    return _IS_NOTE.sub("", text) if "[" in text else text


def _without_tags(text: str) -> str:
    """*text* without the blocks between a tag and the one that closes it, and without single tags."""
    plain = [(*tag.span(), tag["close"] is not None) for tag in _IS_TAG.finditer(text)]
    gone: list[tuple[int, int]] = []
    opened: list[int] = []
    for start, end, closes in plain or tags_in(text):
        gone.append((start, end))
        if not closes:
            opened.append(start)
        elif opened:
            gone.append((opened.pop(), end))
    if not gone:
        return text
    kept: list[str] = []
    at = 0
    for start, end in sorted(gone):
        if start > at:
            kept.append(text[at:start])
        at = max(at, end)
    return "".join((*kept, text[at:]))
