"""The few words of an entry that are shown in a list of results, chosen by the terms that ranked it.

Cutting a long text into terms takes longer than finding it, so that only blocks in which a term of
the query may stand are cut. The invariant: where the text as a whole has a term, it is looked at
there, and what is marked are whole characters as a reader sees them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ..text.analysis import korean_readings, spans, terms_among
from .answer import Snippet

MAX_SCANNED: Final = 1_000_000  # characters; further down only a very long entry goes on ...
_FAR_WINDOW: Final = 20_000  # ... and is looked at where a term of the query seems to stand
_MAX_BLOCK: Final = (
    60  # characters that a block may be longer or lie deeper for the sake of a space
)
_MAX_LOOKS: Final = 16  # stretches whose terms are compared with what seemed to be there
_MAX_TRIES: Final = 3  # stretches in which a window is sought
_FALLS_APART: Final = 1.5  # a stretch is twice a window: what it has may not fit into one
_LINE_BREAKS: Final = re.compile(r"\s*\n\s*")
_SPACE: Final = re.compile(r"\s")
_GOES_ON: Final = frozenset("\u200d\uff9e\uff9f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Joiners, half-width voice marks and skin tones: part of a character, though not marks to Unicode."""
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_SIGNS: Final = ("-", "_", ".", "+", "/", "\\")  # what joins the parts of identifiers
_MAY_HAVE_MARKS: Final = re.compile("[\u00c0-\u1fff]")  # letters whose accents are folded away


class _Match(NamedTuple):
    start: int
    end: int
    term: str


@dataclass(frozen=True, slots=True)
class _Needle:
    """What a text must contain, folded, if it contains a term."""

    term: str
    text: str
    joined: str  # the same without the signs between the parts of an identifier; "" if it has none


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Two neighbouring blocks, and the most that a window within them can be worth."""

    start: int
    end: int
    worth: float


def make_snippet(
    text: str, weights: Mapping[str, float], *, n_chars: int = 240, start_hint: int | None = None
) -> Snippet:
    """The *n_chars* of *text* that say most about the query whose terms have these *weights*.

    Each term counts once in a window, so that a place with several terms beats one that repeats a
    single one. Without any match it is the beginning, or what stands at *start_hint*.
    """
    needles = _needles_in(text, weights)
    stretches = _stretches(text, 0, min(len(text), MAX_SCANNED), needles, weights, n_chars)
    found = _best_of(text, stretches, weights, n_chars)
    if not found and len(text) > MAX_SCANNED:
        far = max(0, _seems_to_stand(text, needles) - n_chars)
        end = min(len(text), far + _FAR_WINDOW)
        stretches = _stretches(text, far, end, needles, weights, n_chars)
        found = _best_of(text, stretches, weights, n_chars)
    if not found:
        start = start_hint if start_hint is not None and start_hint < len(text) else 0
        return _cut(text, start, min(len(text), start + n_chars), [])
    start, end, _ = _best_window(found, weights, n_chars)
    room = n_chars - (end - start)
    start = max(0, start - room // 3)
    end = min(len(text), start + n_chars)
    start = max(0, min(start, end - n_chars))  # what is left at the end goes to the beginning
    return _cut(text, start, end, _matches(text, start, end, weights))


def _needles_in(text: str, terms: Iterable[str]) -> list[_Needle]:
    """What to look for in the blocks of *text*: nothing that it does not contain as a whole."""
    needles = [_needle_of(term) for term in terms]
    if len(text) > MAX_SCANNED:
        return needles
    folded = _folded(text)
    joined = _without_signs(folded)
    plain = [replace(needle, joined="") for needle in needles if needle.text in folded]
    found = {needle.term for needle in plain}
    apart = (needle for needle in needles if needle.joined and needle.joined in joined)
    return [*plain, *(needle for needle in apart if needle.term not in found)]


def _needle_of(term: str) -> _Needle:
    """A stem may end in an ``i`` that is a ``y`` in the text; nothing else in it is changed."""
    begins = term[:-1] if term.endswith("i") and len(term) > 2 else term
    return _Needle(term, begins, _without_signs(begins) if term.isascii() else "")


def _without_signs(text: str) -> str:
    for sign in _SIGNS:
        text = text.replace(sign, "")
    return text


def _stretches(
    text: str,
    start: int,
    end: int,
    needles: Sequence[_Needle],
    weights: Mapping[str, float],
    n_chars: int,
) -> list[_Stretch]:
    """Where in ``text[start:end]`` terms may stand, the most promising first, then in order."""
    found: list[_Stretch] = []
    before: frozenset[str] = frozenset()
    began = start
    for block_start, block_end in _blocks(text, start, end, n_chars):
        terms = _terms_in(text[block_start : block_end + _MAX_BLOCK], needles)
        if both := terms | before:
            worth = sum(weights[term] for term in both)
            found.append(_Stretch(began, block_end, worth))
        before, began = terms, block_start
    return sorted(found, key=lambda stretch: -stretch.worth)


def _blocks(text: str, start: int, end: int, n_chars: int) -> Iterator[tuple[int, int]]:
    """``text[start:end]`` in pieces of at least *n_chars*, cut at a space where there is one near."""
    while start < end:
        stop = _next_space(text, min(end, start + n_chars), end)
        yield start, stop
        start = stop


def _next_space(text: str, at: int, end: int) -> int:
    space = _SPACE.search(text, at, min(end, at + _MAX_BLOCK))
    return space.end() if space else at


def _terms_in(block: str, needles: Sequence[_Needle]) -> frozenset[str]:
    """The terms that may stand in *block*; one too many costs time, one too few a match."""
    folded = _folded(block)
    joined = ""
    terms: list[str] = []
    for needle in needles:
        if needle.text in folded:
            terms.append(needle.term)
        elif needle.joined:
            joined = joined or _without_signs(folded)
            if needle.joined in joined:
                terms.append(needle.term)
    return frozenset(terms)


def _folded(text: str) -> str:
    """*text* in lower case and composed; then what else its terms are made from, if it has any."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    more = ""
    if _MAY_HAVE_MARKS.search(folded):
        bare = unicodedata.normalize("NFKD", folded)
        more = "".join(c for c in bare if not unicodedata.combining(c))
    if _HAN.search(folded):
        more += "\n" + korean_readings(folded)
    return f"{folded}\n{more}"


def _best_of(
    text: str, stretches: Sequence[_Stretch], weights: Mapping[str, float], n_chars: int
) -> list[_Match]:
    """The matches of the stretch with the best window."""
    best: list[_Match] = []
    best_worth = 0.0
    for stretch in _by_terms(text, stretches[:_MAX_LOOKS], weights)[:_MAX_TRIES]:
        if stretch.worth <= best_worth + 1e-9:
            break
        found = _matches(text, stretch.start, stretch.end, weights)
        if found and (worth := _best_window(found, weights, n_chars)[2]) > best_worth + 1e-9:
            best, best_worth = found, worth
    return best


def _by_terms(
    text: str, stretches: Sequence[_Stretch], weights: Mapping[str, float]
) -> list[_Stretch]:
    """*stretches* by the terms that they do have, without those that only seemed to have any.

    What is worth less than the best even if all in it were terms is not looked at.
    """
    known: list[_Stretch] = []
    best = 0.0
    for stretch in stretches:
        if stretch.worth < best:
            break
        terms = terms_among(text[stretch.start : stretch.end], weights)
        if worth := sum(weights[term] for term in terms):
            known.append(_Stretch(stretch.start, stretch.end, worth))
            best = max(best, worth / _FALLS_APART)
    return sorted(known, key=lambda stretch: -stretch.worth)


def _matches(text: str, start: int, end: int, weights: Mapping[str, float]) -> list[_Match]:
    """The terms in ``text[start:end]``; what begins before it or goes on after it is seen whole."""
    first, last = _word_start(text, start), _next_space(text, end, len(text))
    found = (
        _Match(first + part.start, first + part.end, part.term)
        for part in spans(text[first:last], weights)
    )
    return [match for match in found if match.start >= start and match.end <= end]


def _word_start(text: str, at: int) -> int:
    """The beginning of the word that *at* is in, if it is near."""
    for back in range(min(at, _MAX_BLOCK)):
        if text[at - back - 1].isspace():
            return at - back
    return at if at > _MAX_BLOCK else 0


def _seems_to_stand(text: str, needles: Sequence[_Needle]) -> int:
    """About where the first of the terms is, beyond what was looked at; 0 if nowhere."""
    lowered = text.lower()  # a few letters become two; the window is wide enough
    places = (lowered.find(needle.text, MAX_SCANNED) for needle in needles)
    return min((place for place in places if place >= 0), default=0)


def _best_window(
    found: Sequence[_Match], weights: Mapping[str, float], n_chars: int
) -> tuple[int, int, float]:
    """Where the best of the windows of *n_chars* begins and ends, and what it is worth."""
    best, best_score = (found[0].start, found[0].end), -1.0
    counts: dict[str, int] = {}
    score, first = 0.0, 0
    for start, end, term in found:
        if not counts.get(term):
            score += weights[term]
        counts[term] = counts.get(term, 0) + 1
        while end - found[first].start > n_chars and found[first].start < start:
            left = found[first].term
            counts[left] -= 1
            if not counts[left]:
                score -= weights[left]
            first += 1
        if score > best_score + 1e-9:
            best, best_score = (found[first].start, end), score
    return (*best, best_score)


def _cut(text: str, start: int, end: int, found: Sequence[_Match]) -> Snippet:
    """``text[start:end]`` cut at words, on one line, with the matches merged and moved along."""
    if start > 0 and (space := _SPACE.search(text, max(0, start - 1), min(end, start + 20))):
        start = space.end()
    if end < len(text):
        for back in range(min(20, end - start)):
            if text[end - 1 - back].isspace():
                end -= back + 1
                break
    start, end = min(_whole(text, start), end), max(start, _whole_before(text, end))
    head, tail = ("…" if start > 0 else ""), ("…" if end < len(text) else "")
    pieces: list[str] = [head]
    offsets: dict[int, int] = {}
    length, place = len(head), start
    for gap in [*_LINE_BREAKS.finditer(text, start, end), None]:
        stop = gap.start() if gap else end
        for index in range(place, stop):
            offsets[index] = length + index - place
        pieces.append(text[place:stop])
        length += stop - place
        if gap:
            pieces.append(" ")
            length += 1
            place = gap.end()
    return Snippet("".join((*pieces, tail)), _marked(text, start, end, found, offsets))


def _marked(
    text: str, start: int, end: int, found: Sequence[_Match], offsets: Mapping[int, int]
) -> tuple[tuple[int, int], ...]:
    """Where the matches are on the line, joined where they touch."""
    marked: list[tuple[int, int]] = []
    for one, other in sorted((match.start, match.end) for match in found):
        other = _whole(text, other)
        if one < start or other > end or one not in offsets or other - 1 not in offsets:
            continue
        begin, finish = offsets[one], offsets[other - 1] + 1
        if marked and begin <= marked[-1][1]:
            marked[-1] = (marked[-1][0], max(marked[-1][1], finish))
        else:
            marked.append((begin, finish))
    return tuple(marked)


def _whole(text: str, at: int) -> int:
    """*at*, or where the character ends that it is in the middle of."""
    while at < len(text) and _goes_on(text, at):
        at += 1
    return at


def _whole_before(text: str, at: int) -> int:
    """*at*, or where the character begins that it is in the middle of."""
    while 0 < at < len(text) and _goes_on(text, at):
        at -= 1
    return at


def _goes_on(text: str, at: int) -> bool:
    """Whether the character that a reader sees at *at* began before it."""
    char = text[at]
    if char.isascii() or at == 0:
        return False
    if char in _GOES_ON or text[at - 1] == "\u200d" or unicodedata.category(char)[0] == "M":
        return True
    return "\u1160" <= char <= "\u11ff" and "\u1100" <= text[at - 1] <= "\u11ff"
