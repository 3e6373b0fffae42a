"""From evidence to relevance: how well each entry answers a query, on a scale from 0 to 1.

Two legs see every query: BM25F over terms, and the cosine of vectors. No fixed weight between them
wins everywhere (a query in the other language has only chance keyword hits; a heading with code in
it has only weak vectors), so a keyword hit counts by the share of the query that it matches, the
more strictly the less the query is written as the collection is.

Pure functions on arrays. Documents are numbers that the caller chose, and index the arrays of
lengths. The constants are measured by tests/bench/retrieval.py; docs/ranking.md explains them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..text.analysis import Query, Scripts

Ints = NDArray[np.int64]
Counts = NDArray[np.float32] | NDArray[np.float64]
Floats = NDArray[np.float64]
Places = NDArray[np.int64] | NDArray[np.bool_]  # in arrays, as numbers or as a mask
Vectors = NDArray[np.float32]
Sizes = NDArray[np.uint32]
Singles = NDArray[np.float32]

K1: Final = 1.2
B: Final = 0.75
"""BM25's usual values (Robertson and Zaragoza, 2009); 0.8-2 and 0.4-0.9 differ by a point at most."""
TITLE_WEIGHT: Final = 2.0  # a term in the title counts double; 1 and 3 are within half a point

CONTEXT: Final = 0.5
"""How much of its entry's mean is added to a passage's vector; up to 2 points of recall, and more
of rank. Between 0.3 and 0.8 nothing changes."""
KEYWORD_WEIGHT: Final = (0.4, 0.6)
"""Weight of the keyword leg, for a query in a script that the collection does not use, and one in
the script of all of it. Ends of a line; the rest of 1 is the vectors'."""
SHARE_EXPONENT: Final = (1.0, 0.5)
"""A keyword hit counts by this power of the idf share that it matches; the ends as above."""
DOUBT_IDF: Final = 1.0
"""Idf at which a query's keyword evidence counts half: a lone common word proves little."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posting:
    """Where one term of a query occurs, in arrays of one length; empty ones if it never does."""

    documents: Ints  # each once
    title_tf: Counts
    body_tf: Counts
    weight: float = 1.0  # QueryTerm.weight
    word: int = 0  # QueryTerm.word


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statistics:
    """What ranking must know of all documents together."""

    n_documents: int  # that can be found; not the removed ones
    average_title_length: float  # average_length of those that can be found
    average_body_length: float
    scripts: Scripts  # the mean over the documents


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collection(Statistics):
    """The same, and the lengths of each document."""

    title_lengths: Counts  # by document: analysis.document_length
    body_lengths: Counts


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


def average_length(lengths: Counts) -> float:
    """The mean length of a field where it is not empty, 0 if it always is.

    Were empty titles counted, a title among many entries without one would pass for a long text,
    and its words for less than those of a body.
    """
    return float(lengths.sum()) / max(1, int(np.count_nonzero(lengths)))


def steady(average: float) -> float:
    """*average* to three digits, of which one entry more or less rarely changes one.

    What was worked out from it stays good that long; k1 and b are known less exactly than that.
    """
    return float(f"{average:.3g}")


def bm25f(
    postings: Sequence[Posting],
    collection: Collection,
    *,
    k1: float = K1,
    b: float = B,
    title_weight: float = TITLE_WEIGHT,
) -> KeywordEvidence:
    """What the terms of a query say; one posting a term, in any order.

    For each term, w = sum over the fields of boost * tf / (1 - b + b * length / average length), and
    the score is the sum of weight * idf * w / (w + k1) (BM25F: Zaragoza et al., TREC 2004), which is
    at most the sum of weight * idf.
    """
    size = len(collection.body_lengths)
    title_norms = length_norms(
        collection.title_lengths, collection.average_title_length, b=b, weight=title_weight
    )
    body_norms = length_norms(collection.body_lengths, collection.average_body_length, b=b)
    score, share = np.zeros(size, np.float32), np.zeros(size)
    each = gains(
        [posting.word for posting in postings],
        [posting.weight for posting in postings],
        [len(posting.documents) for posting in postings],
        collection.n_documents,
    )
    total = sum(each)
    for posting, gain in zip(postings, each, strict=True):
        docs = posting.documents
        part = saturation(
            posting.title_tf, posting.body_tf, title_norms[docs], body_norms[docs], k1=k1
        )
        score[docs] += part * np.float32(gain)
        share[docs] += gain
    found = np.flatnonzero(share)
    return KeywordEvidence(
        documents=found,
        strength=np.minimum(score[found].astype(np.float64) / max(total, 1e-9), 1.0),
        share=np.minimum(share[found] / max(total, 1e-9), 1.0),
        certainty=total / (total + DOUBT_IDF),
    )


def length_norms(
    lengths: Counts | Sizes, average: float, *, b: float = B, weight: float = 1.0
) -> Singles:
    """For each document, what a count in a field of that length is multiplied by in ``bm25f``."""
    slope = np.float32(b / max(average, 1e-9))
    return np.float32(weight) / (np.float32(1 - b) + slope * lengths.astype(np.float32))


def saturation(
    title_tf: Counts | Sizes,
    body_tf: Counts | Sizes,
    title_norms: Singles,
    body_norms: Singles,
    *,
    k1: float = K1,
) -> Singles:
    """w / (w + k1) of ``bm25f``: what a term counts in each document, between 0 and 1.

    In single precision and element by element: the same wherever a document stands.
    """
    w = body_tf.astype(np.float32) * body_norms
    if title_tf.any():
        w += title_tf.astype(np.float32) * title_norms
    return w / (w + np.float32(k1))


def in_context(passages: Vectors) -> Vectors:
    """The vectors to index for the passages of one entry, (n, d) and of length 1 or 0.

    Each is moved towards the mean of all, so that a passage is found as part of its entry.
    """
    return _unit(passages + CONTEXT * _unit(passages.mean(axis=0, keepdims=True)))


def _unit(rows: Counts) -> Vectors:
    norms = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float32)


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
