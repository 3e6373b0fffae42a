"""How sure a search is: whether its first result is right, and whether there is an answer at all.

``high`` is meant to be right at least nine times in ten: it may be shown without being asked for.
``none`` means that nothing should be. Both are logistic models of what separates right from wrong:
above all the cosine of the best result and how far it stands out from what is merely next, its share
of the query's idf, and the gap to the second as a part of its relevance.
tests/bench/fit_confidence.py fits them and prints the reliability that they reach; run it again when
ranking changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from .answer import Confidence
from .ranking import Relevance

HIGH_FROM: Final = 0.85  # probability that the first result is right
NONE_BELOW: Final = 0.55  # that one of the first five is
N_NEAREST: Final = 20  # entries nearer than what counts as background
_SAME: Final = 1e-6  # evidence that differs by no more is the same
TYPICAL_BACKGROUND: Final = 0.26  # the mean of it on the evaluation sets


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What the models look at, each from 0 to 1."""

    similarity: float  # cosine of the first result
    share: float  # of the query's idf that it matches
    relevance: float
    gap: float  # to the second result, as a part of the first one's relevance; 1 without a second
    standout: float  # of its cosine above what this question has with entries that are not about it
    agreement: float  # of the query's script with the collection's

    @classmethod
    def of(cls, relevance: Relevance) -> Features:
        """The features of a ranking with at least one document."""
        similarity = max(float(relevance.similarity[0]), 0.0)
        first = float(relevance.relevance[0])
        second = float(relevance.relevance[1]) if len(relevance.relevance) > 1 else 0.0
        return cls(
            similarity=similarity,
            share=float(relevance.share[0]),
            relevance=first,
            gap=(first - second) / first if first > 0 else 0.0,
            standout=similarity - _background_of(relevance),
            agreement=relevance.agreement,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Weights of the features, and of 1."""

    similarity: float = 0.0
    share: float = 0.0
    relevance: float = 0.0
    gap: float = 0.0
    standout: float = 0.0
    agreement: float = 0.0
    constant: float = 0.0

    def probability(self, features: Features) -> float:
        """What the model says of *features*, 0-1."""
        logit = (
            self.similarity * features.similarity
            + self.share * features.share
            + self.relevance * features.relevance
            + self.gap * features.gap
            + self.standout * features.standout
            + self.agreement * features.agreement
            + self.constant
        )
        return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))


FIRST_IS_RIGHT: Final = Model(
    similarity=2.41, gap=6.69, standout=6.43, agreement=2.83, constant=-5.58
)
HAS_ANSWER: Final = Model(similarity=16.94, share=5.30, gap=4.82, constant=-8.80)
FIRST_IS_RIGHT_BY_KEYWORD: Final = Model(share=1.93, gap=3.96, agreement=3.39, constant=-4.87)
HAS_ANSWER_BY_KEYWORD: Final = Model(share=5.88, relevance=5.94, constant=-4.43)
"""Fitted on 1,818 questions with an answer and 1,559 without one. With vectors, ``high`` was right
94 times in 100 and ``none`` was said to 96 of 100 that have no answer; by keyword alone 90 and 94."""


def _background_of(relevance: Relevance) -> float:
    """The cosine that a question has with entries of this collection that only are the next best."""
    if len(relevance.similarity) <= N_NEAREST:
        return TYPICAL_BACKGROUND  # in a small journal there are too few to tell
    nth = len(relevance.similarity) - 1 - N_NEAREST
    return max(float(np.partition(relevance.similarity, nth)[nth]), 0.0)


def _without_copies(relevance: Relevance) -> Relevance:
    """*relevance* without what follows the first and has the same evidence: a copy of its text.

    Two entries with the same text leave no gap.
    """
    if len(relevance.documents) < 2:
        return relevance
    differs = (np.abs(relevance.strength - relevance.strength[0]) > _SAME) | (
        np.abs(relevance.similarity - relevance.similarity[0]) > _SAME
    )
    differs[0] = True
    return relevance.take(differs)


def judge(relevance: Relevance, *, is_grammar: bool = False) -> Confidence:
    """How far the first document of *relevance* can be trusted to answer the query.

    Words of grammar alone say nothing about what is asked.
    """
    if is_grammar or not len(relevance.documents):
        return "none"
    features = Features.of(_without_copies(relevance))
    by_vector = relevance.used_vector
    has_answer = HAS_ANSWER if by_vector else HAS_ANSWER_BY_KEYWORD
    if has_answer.probability(features) < NONE_BELOW:
        return "none"
    is_right = FIRST_IS_RIGHT if by_vector else FIRST_IS_RIGHT_BY_KEYWORD
    return "high" if is_right.probability(features) >= HIGH_FROM else "suggested"
