"""From relevance to the results that are shown: their order, their scores and why they are there.

Relevance decides. What an entry is, and how old, adds at most ``MAX_BONUS`` and so only orders
entries that are about as relevant. Three things are pushed down whatever they match: a question
that was asked before (its answer takes its place), the output of tools, and what repeats
an earlier result. Scores fall with the rank and stay between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

import numpy as np

from ...journal.entry import Kind
from .answer import HALF_LIFE_DAYS, KEYWORD_FROM, SEMANTIC_FROM
from .ranking import Floats, Relevance, Vectors

Reason = Literal[
    "semantic_match",
    "keyword_match",
    "recent_relevance",
    "tool_followup",
    "continuity_link",
    "summary_fallback",
]

MAX_BONUS: Final = 0.02
"""All that type and age can add. Where the first result is right, the first wrong one is further
behind than this in 92 of 100 questions of the evaluation sets."""
TYPE_PRIORS: Final[Mapping[str, float]] = {
    "spec": 0.5,
    "skill": 0.45,
    "lesson": 0.4,
    "decision": 0.4,
    "constraint": 0.4,
    "plan": 0.3,
    "issue": 0.2,
    "note": 0.05,
}
KIND_PRIORS: Final[Mapping[Kind, float]] = {"rule": 0.45, "summary": 0.1}
"""0-0.5, as given by the design; of the type, or else of the kind, or else 0."""
RECENT_DAYS: Final = 7.0
ECHO_SIMILARITY: Final = 0.8  # cosine from which a prompt only asks the same again
ECHO_STRENGTH: Final = 0.6  # the same without vectors: all of the query, in a prompt as short
ECHO_FACTOR: Final = 0.8  # for a question whose answer was not found
TOOL_FACTOR: Final = 0.85
BELOW_ANSWER: Final = 0.99  # a question stands just below its answer
REPEATS_FROM: Final = 0.9  # cosine from which a result repeats an earlier one
REPETITION: Final = 0.2  # of the score, for a result that repeats one word for word


class Candidate(NamedTuple):
    """What is known of a document apart from its relevance."""

    kind: Kind
    type: str
    age_days: float  # not negative
    turn: str = ""  # the same for a prompt, its answer and what tools did in between; "" if none


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A document that is shown."""

    document: int
    score: float  # 0-1, falling with the rank
    reasons: tuple[Reason, ...]  # at least one
    share: float  # of the query's idf that it matches
    similarity: float  # cosine of its best passage


def order_results(
    relevance: Relevance,
    candidates: Sequence[Candidate],
    *,
    limit: int,
    vectors: Vectors | None = None,
    half_life_days: float = HALF_LIFE_DAYS,
    repetition: float = REPETITION,
) -> tuple[Result, ...]:
    """The best *limit* documents, best first.

    *candidates* and *vectors* (one row a document, of length 1, or 0 where there is none) are in the
    order of *relevance*; both may stop early, and what follows is not shown.
    """
    n = len(candidates)
    scores = relevance.relevance[:n].copy()
    is_tool = np.array([one.type == "tool_output" for one in candidates], dtype=np.bool_)
    scores[is_tool] *= TOOL_FACTOR
    scores += [_bonus(one, half_life_days) for one in candidates]
    lifted = _put_answers_first(scores, relevance, candidates)
    np.clip(scores, 0.0, 1.0, out=scores)
    turns = {one.turn for one in candidates if one.turn and one.type != "tool_output"}
    return tuple(
        Result(
            document=int(relevance.documents[at]),
            score=score,
            reasons=_reasons(candidates[at], at, relevance, turns, is_lifted=at in lifted),
            share=_of_either(relevance.share, at, lifted),
            similarity=_of_either(relevance.similarity, at, lifted),
        )
        for at, score in _without_repetition(scores, vectors, limit, repetition)
    )


def _of_either(values: Floats, at: int, lifted: Mapping[int, int]) -> float:
    """What speaks for an answer, or for the question whose place it took."""
    return float(max(values[at], values[lifted.get(at, at)]))


def is_echo(candidate: Candidate, *, similarity: float, strength: float) -> bool:
    """Whether *candidate* is the query, asked earlier; its answer should be a candidate as well."""
    return candidate.type == "user_prompt" and (
        similarity >= ECHO_SIMILARITY or strength >= ECHO_STRENGTH
    )


def prior_of(kind: Kind, type_: str) -> float:
    """What an entry of that kind and type is worth for what it is, 0-0.5."""
    return TYPE_PRIORS.get(type_, KIND_PRIORS.get(kind, 0.0))


def _bonus(candidate: Candidate, half_life_days: float) -> float:
    prior = prior_of(candidate.kind, candidate.type)
    recency = 0.5 ** (max(candidate.age_days, 0.0) / half_life_days)
    return float(MAX_BONUS * (prior + 0.5 * recency))


def _put_answers_first(
    scores: Floats,
    relevance: Relevance,
    candidates: Sequence[Candidate],
) -> dict[int, int]:
    """Gives the place of a question to the best answer of its turn; returns which took whose.

    Whoever asks again wants what came of it, not their own words. A question that is only asked
    again and has no answer is pushed down.
    """
    answers: dict[str, list[int]] = {}
    for at, one in enumerate(candidates):
        if one.turn and one.type == "assistant_response":
            answers.setdefault(one.turn, []).append(at)
    lifted: dict[int, int] = {}
    for at, one in enumerate(candidates):
        if one.type != "user_prompt":
            continue
        if of_turn := answers.get(one.turn):
            best = max(of_turn, key=lambda answer: scores[answer])
            if scores[best] < scores[at]:
                scores[best] = scores[at]
                lifted[best] = at
            scores[at] = min(scores[at], BELOW_ANSWER * scores[best])
        elif is_echo(
            one, similarity=float(relevance.similarity[at]), strength=float(relevance.strength[at])
        ):
            scores[at] *= ECHO_FACTOR
    return lifted


def _without_repetition(
    scores: Floats,
    vectors: Vectors | None,
    limit: int,
    repetition: float,
) -> list[tuple[int, float]]:
    """Places and scores, best first, each lowered by how closely it repeats one before it.

    Maximal marginal relevance (Carbonell and Goldstein, 1998), but only from REPEATS_FROM on: two
    different notes on one subject should both be shown.
    """
    left = scores.copy()
    chosen: list[tuple[int, float]] = []
    for _ in range(min(limit, len(scores))):
        best = int(np.argmax(left))
        score = float(left[best])
        chosen.append((best, score))
        if vectors is not None and best < len(vectors):
            closeness = vectors @ vectors[best]
            repeats = np.clip((closeness - REPEATS_FROM) / (1 - REPEATS_FROM), 0.0, 1.0)
            lowered = scores[: len(vectors)] * (1 - repetition * repeats)
            np.minimum(left[: len(vectors)], lowered, out=left[: len(vectors)])
        left[[at for at, _ in chosen]] = -1.0
    return chosen


def _reasons(
    candidate: Candidate, at: int, relevance: Relevance, turns: set[str], *, is_lifted: bool
) -> tuple[Reason, ...]:
    similarity, share = float(relevance.similarity[at]), float(relevance.share[at])
    reasons: list[Reason] = []
    if similarity >= SEMANTIC_FROM:
        reasons.append("semantic_match")
    if share >= KEYWORD_FROM:
        reasons.append("keyword_match")
    if is_lifted:
        reasons.append("continuity_link")
    if not reasons:
        if candidate.kind == "summary":
            reasons.append("summary_fallback")
        else:
            reasons.append("keyword_match" if share > similarity else "semantic_match")
    if candidate.age_days <= RECENT_DAYS:
        reasons.append("recent_relevance")
    if candidate.type == "tool_output" and candidate.turn in turns:
        reasons.append("tool_followup")
    return tuple(reasons)
