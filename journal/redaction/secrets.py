"""All detectors together."""

from __future__ import annotations

from collections.abc import Iterator

from .commands import find_in_commands
from .headers import find_in_headers
from .key_blocks import find_key_blocks
from .key_values import find_key_values
from .numbers import find_numbers
from .shapes import find_by_shape
from .spans import Span
from .urls import find_in_urls


def find_secrets(text: str) -> Iterator[Span]:
    """Everything in *text* that must not be written. Spans may overlap, in any order."""
    lowered = lower(text)
    yield from find_by_shape(text)
    yield from find_key_blocks(text)
    yield from find_in_urls(text)
    yield from find_in_headers(text, lowered)
    yield from find_in_commands(text, lowered)
    yield from find_key_values(text, lowered)
    yield from find_numbers(text)


def lower(text: str) -> str:
    """*text* in small letters, every character where it was."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)
