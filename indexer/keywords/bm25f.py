"""BM25F in its parts: what a term tells, what it counts in a document, what a match proves.

For each term, w = sum over the fields of boost * tf / (1 - b + b * length / average length), and the
score is the sum of weight * idf * w / (w + k1) (BM25F: Zaragoza et al., TREC 2004), which is at most
the sum of weight * idf.

Pure functions on arrays. The constants are measured by tests/bench/retrieval.py; docs/ranking.md
explains them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..text.letters import Scripts

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Places = NDArray[np.int64] | NDArray[np.bool_]  # in arrays, as numbers or as a mask
Sizes = NDArray[np.uint32]
Singles = NDArray[np.float32]

K1: Final = 1.2
B: Final = 0.75
"""BM25's usual values (Robertson and Zaragoza, 2009); 0.8-2 and 0.4-0.9 differ by a point at most."""
TITLE_WEIGHT: Final = 2.0  # a term in the title counts double; 1 and 3 are within half a point
DOUBT_IDF: Final = 1.0
"""Idf at which a query's keyword evidence counts half: a lone common word proves little."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statistics:
    """What ranking must know of all documents together."""

    n_documents: int  # that can be found; not the removed ones
    average_title_length: float  # of those that have one
    average_body_length: float
    scripts: Scripts  # the mean over the documents


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeywordEvidence:
    """The documents with at least one term of the query, and how well they match it."""

    documents: Ints
    strength: Floats  # BM25F over the most that this query could score anywhere, 0-1
    share: Floats  # of the query's idf, terms that occur nowhere included, 0-1
    certainty: float  # what a match proves: near 0 for a lone common word, near 1 for a sentence

    def take(self, positions: Places) -> KeywordEvidence:
        """The documents at *positions*, in that order."""
        return replace(
            self,
            documents=self.documents[positions],
            strength=self.strength[positions],
            share=self.share[positions],
        )


def idf(n_containing: int, n_documents: int) -> float:
    """How much a term tells that *n_containing* of *n_documents* contain; above 0 for every term."""
    return float(np.log1p((n_documents - n_containing + 0.5) / (n_containing + 0.5)))


def gains(
    words: Sequence[int], weights: Sequence[float], counts: Sequence[int], n_documents: int
) -> list[float]:
    """The most that each term of a query can add to a score, from the word that it is of, its weight,
    and how many of *n_documents* contain it.

    A word that occurs nowhere is as much of a question as any other, however many terms it has: a long
    compound that nobody wrote must not outweigh the word beside it that is found.
    """
    known = {word for word, count in zip(words, counts, strict=True) if count}
    n_terms = Counter(word for word in words if word not in known)
    return [
        weight * idf(count, max(n_documents, count)) / (n_terms[word] or 1)
        for word, weight, count in zip(words, weights, counts, strict=True)
    ]


def certainty(total: float) -> float:
    """``KeywordEvidence.certainty`` of a query whose gains come to *total*."""
    return total / (total + DOUBT_IDF)


def steady(average: float) -> float:
    """*average* to three digits, of which one entry more or less rarely changes one.

    What was worked out from it stays good that long; k1 and b are known less exactly than that.
    """
    return float(f"{average:.3g}")


def length_norms(lengths: Sizes, average: float, *, weight: float = 1.0) -> Singles:
    """For each document, what a count in a field of that length is multiplied by in w.

    *average* is over the documents where the field is not empty. Were empty titles counted, a title
    among many entries without one would pass for a long text, and its words for less than those of
    a body.
    """
    slope = np.float32(B / max(average, 1e-9))
    return np.float32(weight) / (np.float32(1 - B) + slope * lengths.astype(np.float32))


def saturation(
    title_tf: Sizes, body_tf: Sizes, title_norms: Singles, body_norms: Singles
) -> Singles:
    """w / (w + k1): what a term counts in each document, between 0 and 1.

    In single precision and element by element: the same wherever a document stands.
    """
    w = body_tf.astype(np.float32) * body_norms
    if title_tf.any():
        w += title_tf.astype(np.float32) * title_norms
    return np.asarray(w / (w + np.float32(K1)), np.float32)
