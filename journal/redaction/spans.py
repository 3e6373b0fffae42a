"""Stretches of a text that have to go, and the one place where they are cut out.

Detectors only point; overlapping findings are united before anything is replaced, so that no
detector can leave the rest of a secret that another one saw whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """``text[start:end]`` is a secret of this kind."""

    start: int
    end: int
    kind: str


def unite(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap or touch made into one; empty ones dropped."""
    united: list[Span] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if united and span.start <= united[-1].end:
            last = united[-1]
            united[-1] = last._replace(end=max(last.end, span.end))
        else:
            united.append(span)
    return united


def keep_markers(text: str, spans: Iterable[Span], markers: Iterable[str]) -> list[Span]:
    """The spans without those that lie inside a marker; one that cuts a marker takes it whole.

    This is what makes redacting twice the same as redacting once.
    """
    holes = [hole for marker in markers if marker for hole in _occurrences(text, marker)]
    if not holes:
        return list(spans)
    holes.sort()
    kept: list[Span] = []
    at = 0
    for span in sorted(spans):
        start, end, _ = span
        while at < len(holes) and holes[at][1] <= start:
            at += 1
        inside = False
        for left, right in holes[at:]:
            if left >= end:
                break
            inside = inside or (left <= start and end <= right)
            start, end = min(start, left), max(end, right)
        if not inside:
            kept.append(Span(start, end, span.kind))
    return kept


def cut(text: str, spans: Iterable[Span], *, marker: str, preserve_lines: bool) -> str:
    """*text* with every one of the united spans replaced by *marker*."""
    parts: list[str] = []
    at = 0
    for start, end, _ in spans:
        parts += (text[at:start], marker)
        if preserve_lines:
            parts.append("\n" * text.count("\n", start, end))
        at = end
    parts.append(text[at:])
    return "".join(parts)


def _occurrences(text: str, marker: str) -> Iterator[tuple[int, int]]:
    at = text.find(marker)
    while at >= 0:
        yield at, at + len(marker)
        at = text.find(marker, at + len(marker))
