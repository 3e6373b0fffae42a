"""BM25F as it is written down: one formula over one list of documents, in double precision.

The index has it in parts, over segments, and remembers them (``indexer/keywords``). This is what those
must come to, and what ranking is measured with alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memjournal.indexer.keywords.bm25f import (
    DOUBT_IDF,
    K1,
    TITLE_WEIGHT,
    B,
    KeywordEvidence,
    Statistics,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posting:
    """Where one term of a query occurs, in arrays of one length; empty ones if it never does."""

    documents: Ints  # each once
    title_tf: Floats
    body_tf: Floats
    weight: float = 1.0  # QueryTerm.weight
    word: int = 0  # QueryTerm.word


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Collection(Statistics):
    """What ranking must know of all documents together, and the lengths of each."""

    title_lengths: Floats  # by document: analysis.document_length
    body_lengths: Floats


def average_length(lengths: Floats) -> float:
    """The mean length of a field where it is not empty, 0 if it always is."""
    return float(lengths.sum()) / max(1, int(np.count_nonzero(lengths)))


def bm25f(postings: Sequence[Posting], collection: Collection) -> KeywordEvidence:
    """What the terms of a query say; one posting a term, in any order."""
    each = [_gain(posting, postings, collection.n_documents) for posting in postings]
    titles = _length_norms(collection.title_lengths, collection.average_title_length)
    bodies = _length_norms(collection.body_lengths, collection.average_body_length)
    score, share = np.zeros(len(bodies)), np.zeros(len(bodies))
    for posting, gain in zip(postings, each, strict=True):
        at = posting.documents
        w = TITLE_WEIGHT * posting.title_tf / titles[at] + posting.body_tf / bodies[at]
        score[at] += gain * w / (w + K1)
        share[at] += gain
    found, total = np.flatnonzero(share), sum(each)
    return KeywordEvidence(
        documents=found,
        strength=np.minimum(score[found] / max(total, 1e-9), 1.0),
        share=np.minimum(share[found] / max(total, 1e-9), 1.0),
        certainty=total / (total + DOUBT_IDF),
    )


def _gain(posting: Posting, postings: Sequence[Posting], n_documents: int) -> float:
    """Weight times idf; a word that occurs nowhere counts once, however many terms it has."""
    n_containing = len(posting.documents)
    idf = float(np.log(1 + (n_documents - n_containing + 0.5) / (n_containing + 0.5)))
    of_its_word = [one for one in postings if one.word == posting.word]
    is_known = any(len(one.documents) for one in of_its_word)
    return posting.weight * idf / (1 if is_known else len(of_its_word))


def _length_norms(lengths: Floats, average: float) -> Floats:
    return 1 - B + B * lengths / max(average, 1e-9)
