"""From the texts of entries to the vectors that are indexed: cut, embedded, put into context.

In a module of its own, with plain values in and out, so that several processes can share the work:
this and reading are most of what building an index costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..text.chunking import passages
from .embedders import Embedder

Half = NDArray[np.float16]
Vectors = NDArray[np.float32]

CONTEXT: Final = 0.5
"""How much of its entry's mean is added to a passage's vector; up to 2 points of recall, and more
of rank. Between 0.3 and 0.8 nothing changes (tests/bench/retrieval.py)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageVectors:
    """The vectors of some entries, in their order: two arrays, which pickle at the cost of a copy."""

    counts: NDArray[np.int64]  # passages of each entry
    rows: Half  # (sum of counts, d), of length 1 or 0

    def __iter__(self) -> Iterator[Half]:
        """The vectors of each entry."""
        ends = np.cumsum(self.counts)
        for start, end in zip((ends - self.counts).tolist(), ends.tolist(), strict=True):
            yield self.rows[start:end]


def embed_entries(
    texts: Sequence[tuple[str, str]], embedder: Embedder, *, max_tokens: int, overlap: int
) -> PassageVectors:
    """The vectors of entries, of each the heading and the embedded text (``IndexedText``).

    An entry without passages has none.

    Raises:
        VectorsUnavailableError: the embedder cannot do it now.
    """
    cut = [
        [one.text for one in passages(heading, text, max_tokens=max_tokens, overlap=overlap)]
        for heading, text in texts
    ]
    encoded = embedder.encode([text for ones in cut for text in ones])
    counts = np.asarray([len(ones) for ones in cut], np.int64)
    rows = np.empty(encoded.shape, np.float16)
    start = 0
    for count in counts[counts > 0].tolist():
        rows[start : start + count] = in_context(encoded[start : start + count])
        start += count
    return PassageVectors(counts=counts, rows=rows)


def in_context(passages: Vectors) -> Vectors:
    """The vectors to index for the passages of one entry, (n, d) and of length 1 or 0.

    Each is moved towards the mean of all, so that a passage is found as part of its entry.
    """
    return _unit(passages + CONTEXT * _unit(passages.mean(axis=0, keepdims=True)))


def _unit(rows: Vectors | NDArray[np.float64]) -> Vectors:
    norms = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)
