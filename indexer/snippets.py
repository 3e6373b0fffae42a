"""The few words of an entry that are shown in a list of results, chosen by the terms that ranked it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from .analysis import spans
from .answer import Snippet

MAX_SCANNED: Final = 200_000  # characters; further down only a very long entry goes on ...
_FAR_WINDOW: Final = 20_000  # ... and is looked at where a term of the query seems to stand
_LINE_BREAKS: Final = re.compile(r"\s*\n\s*")
_WORD_BREAK: Final = re.compile(r"\s")


def make_snippet(
    text: str, weights: Mapping[str, float], *, n_chars: int = 240, start_hint: int | None = None
) -> Snippet:
    """The *n_chars* of *text* that say most about the query whose terms have these *weights*.

    Each term counts once in a window, so that a place with several terms beats one that repeats a
    single one. Without any match it is the beginning, or what stands at *start_hint*.
    """
    found = _matches(text, 0, MAX_SCANNED, weights)
    if not found and len(text) > MAX_SCANNED:
        far = max(0, _seems_to_stand(text, weights) - n_chars)
        found = _matches(text, far, far + _FAR_WINDOW, weights)
    if not found:
        start = start_hint if start_hint is not None and start_hint < len(text) else 0
        return _cut(text, start, min(len(text), start + n_chars), [])
    start, end = _best_window(found, weights, n_chars)
    room = n_chars - (end - start)
    start = max(0, start - room // 3)
    end = min(len(text), start + n_chars)
    start = max(0, min(start, end - n_chars))  # what is left at the end goes to the beginning
    return _cut(text, start, end, found)


def _matches(
    text: str, start: int, end: int, weights: Mapping[str, float]
) -> list[tuple[int, int, str]]:
    return [
        (start + part.start, start + part.end, part.term)
        for part in spans(text[start:end])
        if part.term in weights
    ]


def _seems_to_stand(text: str, weights: Mapping[str, float]) -> int:
    """About where the first of the terms is, beyond what was looked at; 0 if nowhere."""
    lowered = text.lower()  # a few letters become two; the window is wide enough
    places = (lowered.find(term, MAX_SCANNED) for term in weights)
    return min((place for place in places if place >= 0), default=0)


def _best_window(
    found: list[tuple[int, int, str]], weights: Mapping[str, float], n_chars: int
) -> tuple[int, int]:
    best, best_score = (found[0][0], found[0][1]), -1.0
    counts: dict[str, int] = {}
    score, first = 0.0, 0
    for start, end, term in found:
        if not counts.get(term):
            score += weights[term]
        counts[term] = counts.get(term, 0) + 1
        while end - found[first][0] > n_chars and found[first][0] < start:
            left = found[first][2]
            counts[left] -= 1
            if not counts[left]:
                score -= weights[left]
            first += 1
        if score > best_score + 1e-9:
            best, best_score = (found[first][0], end), score
    return best


def _cut(text: str, start: int, end: int, found: Collection[tuple[int, int, str]]) -> Snippet:
    """``text[start:end]`` cut at words, on one line, with the matches merged and moved along."""
    if start > 0 and (space := _WORD_BREAK.search(text, max(0, start - 1), min(end, start + 20))):
        start = space.end()
    if end < len(text):
        for back in range(min(20, end - start)):
            if text[end - 1 - back].isspace():
                end -= back + 1
                break
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
    offsets[end] = length
    spans_: list[tuple[int, int]] = []
    for one, other in sorted((s, e) for s, e, _ in found if s >= start and e <= end):
        if one not in offsets or other - 1 not in offsets:
            continue
        begin, finish = offsets[one], offsets[other - 1] + 1
        if spans_ and begin <= spans_[-1][1]:
            spans_[-1] = (spans_[-1][0], max(spans_[-1][1], finish))
        else:
            spans_.append((begin, finish))
    return Snippet("".join((*pieces, tail)), tuple(spans_))
