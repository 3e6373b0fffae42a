"""From evidence to relevance: how well each entry answers a query, on a scale from 0 to 1.

Two legs see every query: BM25F over terms, and the cosine of vectors. No fixed weight between them
wins everywhere (a query in the other language has only chance keyword hits; a heading with code in
it has only weak vectors), so a keyword hit counts by the share of the query that it matches, the
more strictly the less the query is written as the collection is.

Pure functions on arrays. Documents are numbers that the caller chose. The constants are measured by
tests/bench/retrieval.py; docs/ranking.md explains them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..keywords.bm25f import KeywordEvidence, Statistics
from ..text.analysis import Query

Ints = NDArray[np.int64]
Counts = NDArray[np.float32] | NDArray[np.float64]
Floats = NDArray[np.float64]
Places = NDArray[np.int64] | NDArray[np.bool_]  # in arrays, as numbers or as a mask
Vectors = NDArray[np.float32]

KEYWORD_WEIGHT: Final = (0.4, 0.6)
"""Weight of the keyword leg, for a query in a script that the collection does not use, and one in
the script of all of it. Ends of a line; the rest of 1 is the vectors'."""
SHARE_EXPONENT: Final = (1.0, 0.5)
"""A keyword hit counts by this power of the idf share that it matches; the ends as above."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorEvidence:
    """The documents whose vectors were compared; best with those of the keyword leg among them."""

    documents: Ints  # each once
    similarity: Counts  # cosine of the best passage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relevance:
    """Every document that either leg found, in the order of relevance, best first."""

    documents: Ints
    relevance: Floats  # 0-1
    strength: Floats  # 0 where the keyword leg found nothing
    share: Floats
    similarity: Floats  # the least known one where no vector was compared; all 0 without vectors
    agreement: float  # of the query's script with the collection's, 0-1
    used_keyword: bool
    used_vector: bool

    def take(self, positions: Places) -> Relevance:
        """The documents at *positions*, in that order."""
        return replace(
            self,
            documents=self.documents[positions],
            relevance=self.relevance[positions],
            strength=self.strength[positions],
            share=self.share[positions],
            similarity=self.similarity[positions],
        )

    def with_documents(self, documents: Ints) -> Relevance:
        """This and, at its end, *documents* that neither leg found."""
        nothing = np.zeros(len(documents))
        return replace(
            self,
            documents=np.concatenate([self.documents, documents]),
            relevance=np.concatenate([self.relevance, nothing]),
            strength=np.concatenate([self.strength, nothing]),
            share=np.concatenate([self.share, nothing]),
            similarity=np.concatenate([self.similarity, nothing]),
        )


def fuse(
    keyword: KeywordEvidence | None,
    vector: VectorEvidence | None,
    *,
    query: Query,
    collection: Statistics,
) -> Relevance:
    """Relevance from both legs, or from the one there is; a leg is None when it was not asked."""
    legs = [leg.documents for leg in (keyword, vector) if leg is not None]
    documents = np.unique(np.concatenate(legs)) if legs else np.zeros(0, dtype=np.int64)
    strength, share = np.zeros(len(documents)), np.zeros(len(documents))
    similarity = np.zeros(len(documents))
    if keyword is not None:
        at = np.searchsorted(documents, keyword.documents)
        strength[at], share[at] = keyword.strength, keyword.share
    if vector is not None and len(vector.documents):
        similarity[:] = vector.similarity.min()  # nothing that was cut off is closer than that
        similarity[np.searchsorted(documents, vector.documents)] = vector.similarity
    certainty = keyword.certainty if keyword is not None else 0.0
    agreement = query.scripts.agreement(collection.scripts)
    if vector is None:
        relevance = certainty * strength
    else:
        weight, exponent = keyword_worth(agreement)
        relevance = weight * certainty * strength * share**exponent
        relevance += (1 - weight) * np.maximum(similarity, 0.0)
    unordered = Relevance(
        documents=documents,
        relevance=relevance,
        strength=strength,
        share=share,
        similarity=similarity,
        agreement=agreement,
        used_keyword=keyword is not None,
        used_vector=vector is not None,
    )
    return unordered.take(np.lexsort((documents, -relevance)))


def keyword_worth(agreement: float) -> tuple[float, float]:
    """The weight of the keyword leg beside vectors, and the power of the share that a hit counts by."""
    return _between(KEYWORD_WEIGHT, agreement), _between(SHARE_EXPONENT, agreement)


def _between(ends: tuple[float, float], at: float) -> float:
    return ends[0] + (ends[1] - ends[0]) * at
