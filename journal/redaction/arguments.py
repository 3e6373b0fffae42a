"""A command line that is given as a list of its words: what an option takes may be any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .commands import find_in_commands
from .secrets import lower
from .spans import Span, keep_markers, unite

MAX_CHARS = 8_000
"""Of all words together; what is longer is no command that anybody typed."""


def find_in_arguments(words: Sequence[str], marker: str) -> Iterator[tuple[int, Span]]:
    """The secrets in *words*, by the number of the word: ``["mysql", "-pPASS"]``."""
    if len(words) < 2 or sum(map(len, words)) > MAX_CHARS or any("\n" in one for one in words):
        return
    line = " ".join(words)
    found = unite(keep_markers(line, find_in_commands(line, lower(line)), (marker,)))
    start = 0
    for number, word in enumerate(words):
        end = start + len(word)
        for span in found:
            if span.start < end and span.end > start:  # a blank in a word does not end the secret
                at = max(0, span.start - start)
                yield number, Span(at, len(word), span.kind)
                break
        start = end + 1
