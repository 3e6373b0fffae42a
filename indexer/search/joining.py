"""One answer out of those that several journals give to the same question.

Each journal is searched by its own index, and its scores are made with its own statistics: how much of a
question's words an entry has, weighed by how rare they are *there*, and the cosine, which one model gives
for all. Scores from 0 to 1 are what is compared. Where only some journals have vectors, what the others
found counts as much as words do beside vectors, for a hit by words alone is not half as sure.

How sure the joined answer is, is judged anew: another journal may hold what comes close to the first
result, and then the first is no longer the one that stands out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from .answer import Answer, Confidence, Features, Hit
from .judgement import is_first_right

WORDS_ALONE: Final = 0.6
"""What a score by words alone is worth among scores by words and meaning: the weight of words there
(`ranking.KEYWORD_WEIGHT`), as if nothing were known of what the entry means."""
_N_JUDGED: Final = 5  # of the first results one is right, unless the answer is "none"


@dataclass(frozen=True, slots=True)
class Joined:
    """One answer, and for each of its hits which of the answers it came from."""

    answer: Answer
    origins: tuple[int, ...]


class _Placed(NamedTuple):
    """A hit, and what orders it: its score, its rank where it came from, and where that is."""

    hit: Hit
    rank: int
    origin: int

    @property
    def place(self) -> tuple[float, int, int]:
        return -self.hit.score, self.rank, self.origin


def join_answers(answers: Sequence[Answer], *, limit: int) -> Joined:
    """The best *limit* hits of *answers*, of which there is at least one; of equals, the first one's.

    What stands in several journals, under one id or in the same words, is shown once: as in the first.
    """
    if len(answers) == 1:
        return Joined(answers[0], (0,) * len(answers[0].hits))
    counted = _in_the_time_asked_for([_as_comparable(one, answers) for one in answers])
    ordered = sorted(
        (
            _Placed(hit, rank, origin)
            for origin, answer in enumerate(counted)
            for rank, hit in enumerate(answer.hits)
        ),
        key=lambda placed: placed.place,
    )
    single = _each_once(ordered)
    shown = single[:limit]
    leader = counted[shown[0].origin] if shown else counted[0]
    return Joined(
        replace(
            leader,
            hits=tuple(placed.hit for placed in shown),
            total=sum(one.total for one in counted) - (len(ordered) - len(single)),
            confidence=_confidence_of(shown, counted),
            used_keyword=any(one.used_keyword for one in counted),
            used_vector=any(one.used_vector for one in counted),
            fallback_applied=any(one.fallback_applied for one in counted),
            no_vectors="; ".join(
                dict.fromkeys(one.no_vectors for one in counted if one.no_vectors)
            ),
            missing_phrases=_missing_everywhere(counted),
            features=None,
        ),
        tuple(placed.origin for placed in shown),
    )


def _as_comparable(answer: Answer, answers: Sequence[Answer]) -> Answer:
    """*answer* with scores that can be set beside those of the others."""
    by_words = answer.features is not None and not answer.used_vector
    if not by_words or not any(one.used_vector for one in answers):
        return answer
    hits = tuple(replace(hit, score=hit.score * WORDS_ALONE) for hit in answer.hits)
    assert answer.features is not None  # by the condition above
    features = replace(answer.features, relevance=answer.features.relevance * WORDS_ALONE)
    return replace(answer, hits=hits, features=features)


def _in_the_time_asked_for(answers: Sequence[Answer]) -> list[Answer]:
    """*answers* without what is of another time, if any of them has something of the time asked for."""
    if not any(one.period is not None and one.period.is_used and one.hits for one in answers):
        return list(answers)
    return [
        one
        if one.period is None or one.period.is_used
        else replace(one, hits=(), total=0, confidence="none", did_you_mean="", features=None)
        for one in answers
    ]


def _each_once(placed: Sequence[_Placed]) -> list[_Placed]:
    """*placed* without the copies of an entry: the one of the first journal stays, at the best place."""
    kept: list[_Placed] = []
    known: dict[tuple[str, ...], int] = {}  # what is kept, by what copies of it have in common
    for one in placed:
        names = _names_of(one.hit)
        found = [known[name] for name in names if name in known]
        at = next((at for at in found if kept[at].origin != one.origin), None)
        if at is None:
            at = len(kept)
            kept.append(one)
        elif one.origin < kept[at].origin:
            hit = replace(one.hit, score=kept[at].hit.score)
            kept[at] = _Placed(hit, kept[at].rank, one.origin)
        for name in names:
            known.setdefault(name, at)
    return sorted(kept, key=lambda one: one.place)


def _names_of(hit: Hit) -> list[tuple[str, ...]]:
    """What a copy of an entry has as well: id and title, or title and words."""
    names: list[tuple[str, ...]] = [("id", hit.row.id, hit.row.title)]
    if hit.snippet.text and hit.row.title:
        names.append(("words", hit.row.title, hit.snippet.text))
    return names


def _confidence_of(shown: Sequence[_Placed], answers: Sequence[Answer]) -> Confidence:
    """How sure a joined answer is: "none" only where none of those that lead it has an answer."""
    leading = {placed.origin for placed in shown[:_N_JUDGED]}
    if all(answers[origin].confidence == "none" for origin in leading):
        return "none"
    first = shown[0]
    leader = answers[first.origin]
    if leader.confidence != "high":
        return "suggested"
    if leader.features is None:  # the question names it
        return "high"
    gap = min(leader.features.gap, _gap_to_others(first, leader.features, answers))
    features = replace(leader.features, gap=gap)
    is_right = is_first_right(features, by_vector=leader.used_vector)
    return "high" if is_right else "suggested"


def _gap_to_others(first: _Placed, features: Features, answers: Sequence[Answer]) -> float:
    """How far the best of the other journals is behind, as a part of the first one's relevance."""
    rivals = [
        _relevance_beside(first.hit, answer)
        for origin, answer in enumerate(answers)
        if origin != first.origin and answer.hits
    ]
    if not rivals or features.relevance <= 0:
        return features.gap
    return max(0.0, (features.relevance - max(rivals)) / features.relevance)


def _relevance_beside(first: Hit, answer: Answer) -> float:
    """The relevance of the best of *answer* that is no copy of *first*."""
    if answer.features is None:
        return answer.hits[0].score
    if not set(_names_of(first)).isdisjoint(_names_of(answer.hits[0])):
        return answer.features.relevance * (1 - answer.features.gap)
    return answer.features.relevance


def _missing_everywhere(answers: Sequence[Answer]) -> tuple[str, ...]:
    """The phrases that no journal says."""
    first, *others = answers
    return tuple(
        phrase
        for phrase in first.missing_phrases
        if all(phrase in one.missing_phrases for one in others)
    )
