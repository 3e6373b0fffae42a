"""How sure a search is: whether its first result is right, and whether there is an answer at all.

``high`` is meant to be right at least nine times in ten: it may be shown without being asked for.
``none`` means that nothing should be. Both are logistic models of what separates right from wrong:
above all the cosine of the best result and how far it stands out from what is merely next, its share
of the query's idf, and the gap to the second as a part of its relevance.
tests/bench/fit_confidence.py fits them and prints the reliability that they reach; run it again when
ranking changes.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from .answer import Confidence, Features
from .judgement import judge_features
from .ranking import Relevance

N_NEAREST: Final = 20  # entries nearer than what counts as background
_SAME: Final = 1e-6  # evidence that differs by no more is the same
TYPICAL_BACKGROUND: Final = 0.26  # the mean of it on the evaluation sets


def features_of(relevance: Relevance) -> Features:
    """What the models look at in a ranking with at least one document."""
    similarity = max(float(relevance.similarity[0]), 0.0)
    first = float(relevance.relevance[0])
    second = float(relevance.relevance[1]) if len(relevance.relevance) > 1 else 0.0
    return Features(
        similarity=similarity,
        share=float(relevance.share[0]),
        relevance=first,
        gap=(first - second) / first if first > 0 else 0.0,
        standout=similarity - _background_of(relevance),
        agreement=relevance.agreement,
    )


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


def judged_features(relevance: Relevance) -> Features | None:
    """What the first document of *relevance* is judged by; None where there is none."""
    return features_of(_without_copies(relevance)) if len(relevance.documents) else None


def judge(relevance: Relevance, *, is_grammar: bool = False) -> Confidence:
    """How far the first document of *relevance* can be trusted to answer the query.

    Words of grammar alone say nothing about what is asked.
    """
    features = judged_features(relevance)
    if is_grammar or features is None:
        return "none"
    return judge_features(features, by_vector=relevance.used_vector)
