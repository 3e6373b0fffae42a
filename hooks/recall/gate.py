"""How likely a memory helps with a prompt: what decides whether it is told.

A search ranks; it finds something for every prompt, and for most prompts nothing should be told. So each
memory that was found is judged by itself: how near it is, in words and in meaning, how far it stands above
what is merely near, and how the prompt is meant. The weights are those of a logistic model, fitted on one
half of the labelled prompts (tests/bench/recall.py --fit) and measured on the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Final

from ...indexer.search.answer import Hit
from .asked import Asked

TOLD_FROM: Final = 0.4
"""The least at which, of the fitted half, under 2 % of unrelated prompts get something."""

TOLD_FROM_ELSEWHERE: Final = 0.9
"""For what another project knows. At 0.6 it is told with one of 59 unrelated prompts that are held out; from
0.8 on with none of all that are labelled, and 0.9 is that with a margin: a judgement."""

HALF_MATCHED: Final = 10.0
"""Idf of some two or three rare words: a judgement, to which the weight of ``matched`` is fitted."""

CLIFF: Final = 0.25
CLIFF_OF_NEWER: Final = 0.45
"""The same of what is newer than all that is told: it may be how things went on. Between 0.25 and 0.45 no labelled
prompt loses what helps, one more gets it, and of what is told at most one in a hundred more does not help."""
"""What is less sure than the best of a prompt by more is not told beside it. From 0.1 to 0.4 all but one of the
same labelled prompts get something that helps; without it, of what later ones are told, .88 helps, not .95."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What the model looks at, each from 0 to 1 or near it."""

    similarity: float  # cosine
    share: float  # of the prompt's idf that it matches
    matched: float  # how much idf that is: two common words are all of a prompt, and tell little
    above: float  # its cosine above what the prompt has with what it is not about
    lead: float  # its score above the next one's
    of_first: float  # its score as a part of the first one's
    is_new: float  # the prompt wants something made, and asks for nothing that was
    is_touched: float  # in its turn a file was changed that the prompt names


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search found of one memory, or of one turn: the best of its prompt and answers."""

    similarity: float = 0.0
    share: float = 0.0
    score: float = 0.0

    @classmethod
    def of(cls, hits: Sequence[Hit]) -> Found:
        """The best of *hits*, which are of one turn."""
        return cls(
            similarity=max((hit.similarity for hit in hits), default=0.0),
            share=max((hit.share for hit in hits), default=0.0),
            score=max((hit.score for hit in hits), default=0.0),
        )


def features_of(
    found: Sequence[Found], at: int, *, asked: Asked, certainty: float, is_touched: bool
) -> Features:
    """The features of the one *at* that place among all that was *found*, in any order.

    *certainty* is the search's own, of the prompt's words (``Answer.certainty``).
    """
    one = found[at]
    scores = [other.score for place, other in enumerate(found) if place != at]
    cosines = sorted(max(other.similarity, 0.0) for other in found)
    matched = one.share * certainty / max(1 - certainty, 0.01)  # certainty = idf / (idf + 1)
    lower = [score for score in scores if score <= one.score]
    return Features(
        similarity=max(one.similarity, 0.0),
        share=one.share,
        matched=matched / (matched + HALF_MATCHED),
        above=max(one.similarity, 0.0) - cosines[len(cosines) // 3],
        lead=one.score - max(lower, default=0.0),
        of_first=one.score / max(one.score, *scores, 0.01),
        is_new=float(asked.is_new and not asked.is_past and not asked.is_question),
        is_touched=float(is_touched),
    )


WEIGHTS: Final = Features(
    similarity=5.63,
    share=4.42,
    matched=4.88,
    above=6.35,
    lead=3.41,
    of_first=0.97,
    is_new=-1.48,
    is_touched=5.88,
)
CONSTANT: Final = -8.55


def probability(features: Features) -> float:
    """How likely a memory with these *features* helps, 0-1."""
    weighted = zip(astuple(WEIGHTS), astuple(features), strict=True)
    logit = CONSTANT + sum(weight * value for weight, value in weighted)
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, logit))))


NAMES: Final = tuple(field.name for field in fields(Features))
