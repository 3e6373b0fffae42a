"""Where the terms of a query stand in a text, and the window that has most of them.

Cutting a text into terms takes longer than finding it. So the text is folded as its terms are, one
character for one, and searched for the terms as strings; only the words in which one of them seems
to stand are cut. A long text is looked at in blocks: what seems to stand in two neighbours is the
most that a window beginning in the first can be worth, so that the rest need not be cut at all.

The invariant: what ``spans`` finds in the text as a whole is found here, and the best window is the
best of all. Two bounds keep a text of megabytes from being cut for seconds: a word longer than
``_REACH`` is cut near the place alone, and after ``_MAX_LOOKS`` blocks the best so far is taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import fsum
from typing import Final, NamedTuple

from ..text.analysis import Part, folded_character, korean_readings, spans
from ..text.letters import SYLLABLE, VOWEL_OR_FINAL
from .characters import whole_end, whole_start

_REACH: Final = 200  # more than two identifiers: a longer word is data
_MAX_LOOKS: Final = 1_000  # blocks, of those in which most seems to stand; a usual text has ten
_USUAL_WORD: Final = 40  # characters
_REMEMBERED: Final = 4096  # words with what was sought in them: a few MB
_SAME: Final = 1e-9  # sums of the same weights in another order
_ENDS: Final = " "  # in a folded text: what ends a word, ...
_SIGN: Final = "-"  # ... what joins the parts of an identifier, ...
_SEVERAL: Final = "\0"  # ... and what is folded into several or together with its neighbours
_NOT_AS_IT_IS: Final = re.compile(
    f"[^A-Za-z0-9 \u1100-\u11ff\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff{SYLLABLE}]+"
)
_WORD: Final = re.compile("[^ ]+")
_SIGN_WITHIN: Final = re.compile("-+[^ -]")
_UNCLEAR: Final = re.compile(_SEVERAL)  # what has to be folded again, with its neighbours ...
_UNCLEAR_IN_KOREAN: Final = re.compile(  # ... and when Hangul is sought: parts of syllables, Hanja
    f"[{_SEVERAL}{VOWEL_OR_FINAL}\u4e00-\u9fff]"
)
_IS_HAN: Final = re.compile("[\u4e00-\u9fff]")  # as it is in folded texts and terms
_IS_SYLLABLE: Final = re.compile(f"[{SYLLABLE}]")


class Match(NamedTuple):
    start: int
    end: int
    term: str


class Window(NamedTuple):
    """From the first of some matches to the end of the last, and what their terms are worth."""

    start: int
    end: int
    worth: float


class _Folded(dict[int, str]):
    """What stands for a code point in a folded text; filled as texts are met."""

    def __missing__(self, code: int) -> str:
        char = folded_character(chr(code)) or _SEVERAL
        self[code] = _SIGN if char in "-_./\\+" else char
        return self[code]


_FOLDED: Final = _Folded()


class Matches:
    """The terms of one text, worked out block by block as they are asked for."""

    def __init__(self, text: str, weights: Mapping[str, float], *, n_chars: int) -> None:
        self._text = text
        self._folded = _folded(text)
        self._weights = weights
        self._n_chars = n_chars  # of a window, and of a block
        self._needles = [(needle, term) for term in weights for needle in _needles_of(term)]
        unclear = _UNCLEAR_IN_KOREAN if any(map(_IS_SYLLABLE.search, weights)) else _UNCLEAR
        self._unclear = unclear if not text.isascii() and unclear.search(self._folded) else None
        if self._unclear is None:  # else what a part becomes depends on where it is cut
            forms = self._forms(0, len(text))
            self._needles = [one for one in self._needles if one[0] in forms]
        self._seen = [self._terms_seen(start) for start in range(0, len(text), n_chars)]
        self._known: dict[int, list[Match]] = {}

    def best_window(self) -> Window | None:
        """The first window whose terms are worth most, each counted once; None without any."""
        worths = list(self._worths())
        order = sorted(range(len(worths)), key=lambda block: -worths[block])
        best, best_block = Window(0, 0, _SAME), -1
        for block in order[:_MAX_LOOKS]:
            if worths[block] < best.worth - _SAME:
                break
            if worths[block] < best.worth + _SAME and block > best_block:
                continue  # as good at best, and further down
            found = [*self._in_block(block), *self._in_block(block + 1)]
            window = _best_of(found, self._weights, self._n_chars)
            gain = window.worth - best.worth
            if gain > _SAME or (gain > -_SAME and window.end < best.end):
                best, best_block = window, block
        return best if best_block >= 0 else None

    def between(self, start: int, end: int) -> list[Match]:
        """All that lie in ``text[start:end]``."""
        blocks = range(start // self._n_chars, (end - 1) // self._n_chars + 1)
        found = (match for block in blocks for match in self._in_block(block))
        return [match for match in found if match.start >= start and match.end <= end]

    def _worths(self) -> Iterator[float]:
        """The most that a window can be worth whose first match begins in each block.

        Equal where the terms are, in whatever order a set gives them: hence ``fsum``.
        """
        for terms, following in pairwise((*self._seen, frozenset[str]())):
            yield fsum(self._weights[term] for term in terms | following) if terms else 0.0

    def _terms_seen(self, start: int) -> frozenset[str]:
        """The terms that may begin in a block; one too many costs time, one too few a match."""
        forms = self._forms(start, self._end_of_word(start + self._n_chars))
        return frozenset(term for needle, term in self._needles if needle in forms)

    def _forms(self, start: int, end: int) -> str:
        """``text[start:end]`` in each form in which its terms may have to be looked for."""
        forms = self._folded[start:end]
        if self._unclear and self._unclear.search(forms):
            forms = f"{forms}{_ENDS}{_folded_together(self._text[start:end])}"
        if _SIGN_WITHIN.search(forms):
            forms = f"{forms}{_ENDS}{forms.replace(_SIGN, '')}"
        return forms

    def _in_block(self, block: int) -> list[Match]:
        """The matches whose terms begin in it, in no order."""
        if block not in self._known:
            seen = self._seen[block] if block < len(self._seen) else frozenset[str]()
            self._known[block] = self._cut(block * self._n_chars, seen) if seen else []
        return self._known[block]

    def _cut(self, start: int, seen: frozenset[str]) -> list[Match]:
        """The matches that begin in the block at *start*, in which *seen* are the terms."""
        end = start + self._n_chars
        needles = [needle for needle, term in self._needles if term in seen]
        first, last = self._start_of_word(start), self._end_of_word(end)
        found: list[Match] = []
        for begin, stop in self._words(first, last, needles):
            for part in _spans_of(self._text[begin:stop], seen):
                at = begin + part.start  # before it there may be more of the same character
                if start <= at < end:
                    stop_seen = whole_end(self._text, begin + part.end)
                    found.append(Match(whole_start(self._text, at), stop_seen, part.term))
        return found

    def _words(self, start: int, end: int, needles: Sequence[str]) -> set[tuple[int, int]]:
        """Where in ``text[start:end]`` a word begins and ends that seems to have a needle."""
        words: set[tuple[int, int]] = set()
        for needle in needles:
            at = self._folded.find(needle, start, end)
            while at >= 0:
                word = self._word_at(at, start, end)
                words.add(word)
                at = self._folded.find(needle, word[1], end)
        for place in filter(None, (_SIGN_WITHIN, self._unclear)):
            found = place.search(self._folded, start, end)
            while found:
                word = self._word_at(found.start(), start, end)
                if word not in words and _has_any(self._forms(*word), needles):
                    words.add(word)
                found = place.search(self._folded, word[1], end)
        return words

    def _word_at(self, at: int, start: int, end: int) -> tuple[int, int]:
        """The beginning and the end of the word, within *start* and *end*, that *at* is in."""
        begin = self._folded.rfind(_ENDS, start, at) + 1
        stop = self._folded.find(_ENDS, at, end)
        return begin or start, end if stop < 0 else stop

    def _start_of_word(self, at: int) -> int:
        earliest = max(0, at - _REACH)
        return self._folded.rfind(_ENDS, earliest, at) + 1 or earliest

    def _end_of_word(self, at: int) -> int:
        stop = self._folded.find(_ENDS, at - 1, at + _REACH)
        return min(len(self._folded), at + _REACH) if stop < 0 else stop


def _spans_of(word: str, seen: frozenset[str]) -> Iterable[Part]:
    """``spans``, of the words of a question once: they stand in most of what it finds."""
    return _known_spans(word, seen) if len(word) <= _USUAL_WORD else spans(word, seen)


@lru_cache(_REMEMBERED)
def _known_spans(word: str, seen: frozenset[str]) -> tuple[Part, ...]:
    return tuple(spans(word, seen))


def _folded(text: str) -> str:
    """*text* as its terms are made from it, as long as before."""
    if text.isascii():
        return text.translate(_FOLDED)
    return _NOT_AS_IT_IS.sub(_fold_found, text).lower()


def _fold_found(found: re.Match[str]) -> str:
    return found[0].translate(_FOLDED)


def _folded_together(text: str) -> str:
    """*text* folded as a whole, in which characters are joined and taken apart."""
    normal = unicodedata.normalize("NFKC", text).casefold()
    folded = _folded(normal)
    for word in _WORD.finditer(folded) if _SEVERAL in folded else ():
        if _SEVERAL not in word[0]:
            continue
        apart = unicodedata.normalize("NFKD", normal[word.start() : word.end()])
        folded += _ENDS + _folded(apart).replace(_SEVERAL, "")  # without its accents
    if _IS_HAN.search(folded):
        folded += _ENDS + korean_readings(normal)
    return folded


def _needles_of(term: str) -> Iterator[str]:
    """What a folded text must contain if it has *term*: a stem's last ``i`` may be a ``y`` there."""
    folded = _folded(term)
    yield folded
    if term.endswith("i"):
        yield folded[:-1] + "y"


def _has_any(text: str, needles: Iterable[str]) -> bool:
    return any(needle in text for needle in needles)


def _best_of(found: Sequence[Match], weights: Mapping[str, float], n_chars: int) -> Window:
    """The window of *n_chars* that has most of *found*, and of these the one that ends first."""
    by_start = sorted(
        match if match.end - match.start <= n_chars else match._replace(end=match.start + n_chars)
        for match in found
    )
    counts = dict.fromkeys(weights, 0)
    best = Window(0, 0, 0.0)
    worth, left = 0.0, 0
    for _, end, term in sorted(by_start, key=lambda match: match.end):
        worth += weights[term] if not counts[term] else 0.0
        counts[term] += 1
        while by_start[left].start < end - n_chars:
            gone = by_start[left].term
            counts[gone] -= 1
            worth -= weights[gone] if not counts[gone] else 0.0
            left += 1
        if worth > best.worth + _SAME:
            best = Window(by_start[left].start, end, worth)
    return best
