"""Words found as they were asked: a pasted error line, an identifier, a "quoted phrase".

An entry that contains the whole question stands above one that is merely about it. Compared are
words in order, not characters: what differs between two prints of one message (time stamps, numbers,
addresses, colours, spaces) is one sign for all, and punctuation is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from .log_lines import message_of
from .ranking import Floats, Relevance

MIN_WORDS: Final = 3  # fewer words stand together by chance; an identifier is enough by itself
MAX_CHARS: Final = 1_000_000  # of an entry; further down a phrase is not looked for
LIFT: Final = 0.5
"""Of the way from the best relevance to 1: far enough that no bonus of ``ordering`` reaches across."""
QUOTED_WORTH: Final = 0.9  # of an entry with every phrase, beside one with the whole question
MESSAGE_WORTH: Final = 0.85  # of one with the message of a log line; the line itself is above it
SHARE_FROM: Final = 0.6  # of the query's idf: what contains a question has about all of its terms
ECHO_FACTOR: Final = 2  # a question up to so much longer than this one only asks the same again
N_READ: Final = 12  # entries that are read in search of it at most
N_READ_FOR_MESSAGE: Final = 30
MAX_CODE_CHARS: Final = 500  # of an identifier or a path

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_PAINTED: Final = re.compile(r"\x1b\[[\d;]*m(?=\s)")  # a word in colour, which nobody types, ends
_VARYING: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b0x[0-9a-f]{9,}\b"
    r"|\b(?=[0-9a-f]*\d)[0-9a-f]{12,64}\b|(?<![\w.-])\d+(?:\.\d+)?(?=(?:ms|s|kb|mb|gb|b|%)?\b)(?![.-]\w)"
)
_VARYING_AS_TYPED: Final = re.compile(_VARYING.pattern, re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+(?:_+[^\W_]+)*|#")
_QUOTED: Final = re.compile(r'"([^"\n]{2,200})"|“([^”\n]{2,200})”|「([^」\n]{2,200})」')
_CODE: Final = re.compile(r"\w*(?:\d|_|[a-z][A-Z]|\w[.:/-]\w)\w*")
_EDGE: Final = re.compile(r"[a-z0-9]")
_COMPOUND: Final = re.compile("[가-힣]{4,20}")
_NAME: Final = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")
_NAME_PART: Final = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class Sought:
    """What of a question an entry may contain word for word."""

    whole: str  # the question; "" where it is too short to mean anything by its order
    is_sentence: bool  # more than an identifier, which its own term ranks well enough
    quoted: tuple[tuple[str, str], ...]  # phrases as typed, and as they are compared
    message: str = ""  # of a question that is a log line, without what is printed around it
    text: str = ""  # what is asked: the message as typed, or else the question
    is_log_line: bool = False
    joined: re.Pattern[str] | None = None  # of a single word: as it may be joined or spaced

    def __bool__(self) -> bool:
        return bool(self.whole or self.quoted or self.joined)

    @property
    def n_read(self) -> int:
        """How many of the first entries are read, even if they have little of the question.

        A phrase may be a small part of its question, and more words are around a message.
        """
        if self.message:
            return N_READ_FOR_MESSAGE
        return N_READ if self.quoted or self.joined else 0


@dataclass(frozen=True, slots=True)
class Containing:
    """What one entry contains of it."""

    whole: bool
    quoted: frozenset[str]  # as typed
    message: bool = False

    def worth(self, sought: Sought) -> float:
        """How far the entry is lifted, 0-1: most by the whole, else by the part of the phrases."""
        if self.whole and sought.is_sentence:
            return 1.0
        quoted = len(self.quoted) / len(sought.quoted) if sought.quoted else 0.0
        return max(QUOTED_WORTH * quoted, MESSAGE_WORTH * self.message)


def phrases_of(text: str) -> Sought:
    """What to look for of the question *text*."""
    quoted = [next(filter(None, found.groups())) for found in _QUOTED.finditer(text)]
    pairs = ((phrase, comparable(phrase)) for phrase in quoted)
    whole = comparable(text).strip("# ")
    said = message_of(_ANSI.sub("", _PAINTED.sub(" ", text)))
    message = comparable(said).strip("# ")
    is_log_line = _n_words(message) >= MIN_WORDS
    n_words = _n_words(whole)
    is_short = len(whole) > 3 and len(text) <= MAX_CODE_CHARS
    is_code = is_short and _CODE.fullmatch(text.strip()) is not None
    return Sought(
        whole=whole if n_words >= MIN_WORDS or is_code else "",
        is_sentence=n_words >= MIN_WORDS,
        quoted=tuple(pair for pair in pairs if pair[1]),
        message=message if is_log_line and message != whole else "",
        text=said if is_log_line else text,
        is_log_line=is_log_line,
        joined=_joined(text.strip()) if is_short else None,
    )


def _joined(word: str) -> re.Pattern[str] | None:
    """What finds *word* however its parts are joined: ``reserveStock`` as ``reserve_stock``, a Korean
    compound with spaces in it; None where there is only one way."""
    word = unicodedata.normalize("NFKC", word)
    if _COMPOUND.fullmatch(word):
        return re.compile(" ?".join(word))
    parts = _NAME_PART.findall(word) if _NAME.fullmatch(word) else ()
    if len(parts) < 2:
        return None
    return re.compile(rf"(?<![^\W_]){'[ _-]?'.join(part.lower() for part in parts)}(?![^\W_])")


def _n_words(phrase: str) -> int:
    return sum(word != "#" for word in phrase.split())


def comparable(text: str) -> str:
    """The words of *text* in the form that phrases are compared in, a space between them."""
    text = _ANSI.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(_WORD.findall(_VARYING.sub(" # ", text.lower())))


def without_varying(text: str) -> str:
    """*text* without what differs between two prints of one message: time stamps, numbers, addresses."""
    return _VARYING_AS_TYPED.sub(" ", _ANSI.sub("", text))


def find_phrases(sought: Sought, text: str, *, is_question: bool = False) -> Containing:
    """What of *sought* the entry *text* contains.

    A question that was asked before contains itself; that it *is_question* makes it no answer, unless
    more was said with it.
    """
    text = text[:MAX_CHARS] if text.isascii() else unicodedata.normalize("NFKC", text[:MAX_CHARS])
    lowered = text.lower()
    if sought.joined and sought.joined.search(lowered):
        is_echo = is_question and len(lowered) < ECHO_FACTOR * len(sought.text)
        return Containing(whole=not is_echo, quoted=frozenset())
    forms = [sought.whole, sought.message, *(form for _, form in sought.quoted)]
    if not any(form and _has_words(lowered, form) for form in forms):
        return Containing(whole=False, quoted=frozenset())
    words = comparable(text)
    is_echo = is_question and len(words) < ECHO_FACTOR * len(sought.whole)
    return Containing(
        whole=bool(sought.whole) and not is_echo and _contains(words, sought.whole),
        quoted=frozenset(phrase for phrase, form in sought.quoted if _contains(words, form)),
        message=bool(sought.message) and not is_echo and _contains(words, sought.message),
    )


def _has_words(lowered: str, phrase: str) -> bool:
    """Whether all words of *phrase* are somewhere in a text, which is soon seen."""
    return all(word in lowered for word in phrase.split() if word != "#")


def _contains(words: str, phrase: str) -> bool:
    """Whether *phrase* stands in *words*, and does not begin or end within a Latin word."""
    at = words.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        cut_before = at > 0 and _EDGE.match(phrase) and _EDGE.match(words[at - 1])
        cut_after = end < len(words) and _EDGE.match(phrase[-1]) and _EDGE.match(words[end])
        if not cut_before and not cut_after:
            return True
        at = words.find(phrase, at + 1)
    return False


def lift(relevance: Relevance, worth: Sequence[float]) -> Relevance:
    """*relevance* with the first documents lifted above all others by their *worth*, 0-1 each."""
    values: Floats = np.zeros(len(relevance.documents))
    values[: len(worth)] = worth
    if not values.any():
        return relevance
    best = float(relevance.relevance.max())
    lifted = best + (1 - best) * LIFT * values * (0.9 + 0.1 * relevance.relevance)
    scores = np.where(values > 0, lifted, relevance.relevance)
    order = np.lexsort((np.arange(len(scores)), -scores))
    return replace(relevance, relevance=scores).take(order)
