"""Decoded JSON: what its keys say about its values."""

from __future__ import annotations

from collections.abc import Callable


def mask(value: object, *, redact: Callable[[str], str], marker: str) -> object:
    match value:
        case str():
            return redact(value)
        case dict():
            return {k: mask(v, redact=redact, marker=marker) for k, v in value.items()}
        case list():
            return [mask(v, redact=redact, marker=marker) for v in value]
    return value
