"""What an embeddings service answers, checked: the vectors of a batch, or a word for what is wrong."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Final

import numpy as np
from numpy.typing import NDArray

MAX_DIMENSION: Final = 16_384
LASTING_CODES: Final = frozenset({"insufficient_quota", "billing_not_active"})
"""Sent with 429, and yet no waiting helps."""
_CODES: Final = LASTING_CODES | {
    *("rate_limit_exceeded", "context_length_exceeded"),
    *("invalid_api_key", "model_not_found"),
}
"""What is repeated to the user; any other word might be a quotation."""


def read_rows(answer: bytes, n_texts: int) -> NDArray[np.float32]:
    """The vectors in *answer*, in the order of the texts.

    Raises:
        ValueError: it is not one proper vector a text.
    """
    try:
        decoded = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    match decoded:
        case {"data": list(items)}:
            pass
        case _:
            raise ValueError("it has no list of data")
    if len(items) != n_texts:
        raise ValueError(f"{len(items)} vectors for {n_texts} texts")
    by_index: dict[int, NDArray[np.float32]] = {}
    for place, item in enumerate(items):
        match item:
            case {"embedding": list() | str() as raw}:
                by_index[_index(item, place)] = _row(raw)
            case _:
                raise ValueError("a vector is missing")
    if sorted(by_index) != list(range(n_texts)):
        raise ValueError("its vectors are not numbered as the texts are")
    if len({len(row) for row in by_index.values()}) > 1:
        raise ValueError("its vectors have different dimensions")
    return np.stack([by_index[place] for place in range(n_texts)])


def _index(item: dict[str, object], place: int) -> int:
    """Which text *item* belongs to; where it does not say, the one at its own place."""
    index = item.get("index", place)
    return index if isinstance(index, int) and not isinstance(index, bool) else -1


def _row(raw: list[object] | str) -> NDArray[np.float32]:
    """One vector: a list of numbers, or base64 of little-endian float32."""
    try:
        if isinstance(raw, str):
            row = np.frombuffer(base64.b64decode(raw, validate=True), "<f4").astype(np.float32)
        elif all(type(value) in (int, float) for value in raw):
            with np.errstate(over="ignore"):  # to infinity, which is looked for below
                row = np.asarray(raw, np.float64).astype(np.float32)
        else:
            raise ValueError("a vector has something else than numbers in it")
    except (binascii.Error, OverflowError) as error:
        raise ValueError("a vector is not made of numbers") from error
    if not 0 < len(row) <= MAX_DIMENSION:
        raise ValueError(f"a vector has {len(row)} dimensions")
    if not np.isfinite(row).all():
        raise ValueError("a vector has something else than numbers in it")
    if not row.any():
        raise ValueError("a vector is zero")
    return row


def error_code(answer: bytes) -> str:
    """The code of an error, if it is one that is known; "" otherwise."""
    try:
        match json.loads(answer):
            case {"error": {"code": str(code)}} if code in _CODES:
                return code
    except (ValueError, RecursionError):
        pass
    return ""
