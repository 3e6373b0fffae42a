"""All detectors, each asked only when a text holds something that it looks for."""

from __future__ import annotations

from collections.abc import Iterator

from .key_values import find_key_values
from .shapes import find_by_shape
from .spans import Span


def lower(text: str) -> str:
    """*text* in small letters, every character where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)


def find_secrets(text: str) -> Iterator[Span]:
    """Everything in *text* that must not be written. Spans may overlap, in any order."""
    lowered = lower(text)
    yield from find_by_shape(text)
    yield from find_key_values(text, lowered)
