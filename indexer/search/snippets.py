"""The few words of an entry that are shown in a list of results, chosen by the terms that ranked it.

The invariant: a snippet shows the best window of its text whole, and what is marked in it are whole
characters as a reader sees them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from .answer import Snippet
from .characters import whole_end, whole_start
from .matches import Match, Matches, Window

_TO_A_WORD: Final = 20  # characters that are left out rather than cut a word in two
_LINE_BREAKS: Final = re.compile(r"\s*\n\s*")
_SPACE: Final = re.compile(r"\s")


def make_snippet(
    text: str,
    weights: Mapping[str, float],
    *,
    n_chars: int = 240,
    start_hint: Callable[[], int] | None = None,
) -> Snippet:
    """The *n_chars* of *text* that say most about the query whose terms have these *weights*.

    Each term counts once in a window, so that a place with several terms beats one that repeats a
    single one. Without any match it is the beginning, or what stands at *start_hint*, which is
    asked for only then: working it out may take longer than the snippet.
    """
    matches = Matches(text, weights, n_chars=n_chars) if weights else None
    window = matches.best_window() if matches else None
    if matches is None or window is None:
        start = start_hint() if start_hint else 0
        return _without_match(text, start if start < len(text) else 0, n_chars)
    room = n_chars - (window.end - window.start)
    start = max(0, window.start - room // 3)
    end = min(len(text), start + n_chars)
    start = max(0, min(start, end - n_chars))  # what is left at the end goes to the beginning
    start, end = _at_words(text, start, end, shown=window)
    return _on_one_line(text, start, end, matches.between(start, end))


def _without_match(text: str, start: int, n_chars: int) -> Snippet:
    end = min(len(text), start + n_chars)
    start, end = _at_words(text, start, end, shown=Window(end, start, 0.0))
    return _on_one_line(text, start, end, ())


def _at_words(text: str, start: int, end: int, *, shown: Window) -> tuple[int, int]:
    """*start* and *end* moved together to where words begin and end, but for what is *shown*."""
    latest, earliest = min(start + _TO_A_WORD, shown.start), max(end - _TO_A_WORD, shown.end)
    if start > 0 and (space := _SPACE.search(text, start - 1, latest)):
        start = space.end()
    if end < len(text):
        spaces = (at for at in range(end - 1, max(start, earliest) - 1, -1) if text[at].isspace())
        end = next(spaces, end)
    start, end = min(whole_end(text, start), end), max(start, whole_start(text, end))
    return start, end


def _on_one_line(text: str, start: int, end: int, found: Iterable[Match]) -> Snippet:
    """``text[start:end]`` with its line breaks as spaces and the matches moved along."""
    head, tail = ("…" if start > 0 else ""), ("…" if end < len(text) else "")
    begins, moved, pieces = [start], [len(head) - start], [head]
    for gap in _LINE_BREAKS.finditer(text, start, end):
        pieces += [text[begins[-1] : gap.start()], " "]
        begins.append(gap.end())
        moved.append(moved[-1] - len(gap[0]) + 1)
    marks = [
        (match.start + by, match.end + by)
        for match in found
        for by in [moved[bisect_right(begins, match.start) - 1]]
    ]
    return Snippet("".join((*pieces, text[begins[-1] : end], tail)), _joined(marks))


def _joined(marks: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """*marks* in order, those in one that touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return tuple(joined)
