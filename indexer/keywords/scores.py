"""BM25F of one question over all documents: who leads, and what is known of each.

A question of common words matches most documents, of which a page is shown. So the scores of all are
one sum of arrays, and what an answer needs beside it is worked out for those alone that can still
come to stand in it; that cut is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .bm25f import KeywordEvidence, certainty

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Single = NDArray[np.float32]

_BLOCK: Final = 256  # documents of which only the best is looked at first
_LOOK_AHEAD: Final = 4  # times as many are ranked first to find where the answer ends
_ROUNDING: Final = 1e-6  # of a sum of float32
_LEAST: Final = float(np.finfo(np.float32).tiny)  # a score above 0


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Where a term occurs in one segment, and what it counts there (bm25f.saturation)."""

    documents: (
        NDArray[np.int32] | None
    )  # ascending; None: *part* has every document, 0 if not in it
    part: Single
    n: int  # documents

    def add_to(self, scores: Single, gain: float) -> None:
        """Add *gain* times what the term counts."""
        amount = self.part * np.float32(gain)
        if self.documents is None:
            scores += amount
        else:
            scores[self.documents] += amount

    def contains(self, places: Ints) -> Bools:
        """Of the documents at *places*, whether the term occurs."""
        if self.documents is None:
            return np.asarray(self.part[places] > 0)
        return is_among(self.documents, places)


def is_among(ascending: NDArray[np.int32] | Ints, places: NDArray[np.int32] | Ints) -> Bools:
    """Which of *places* stand in *ascending*."""
    if not len(ascending):
        return np.zeros(len(places), np.bool_)
    at = np.minimum(np.searchsorted(ascending, places.astype(ascending.dtype)), len(ascending) - 1)
    return np.asarray(ascending[at] == places)


class KeywordScores:
    """The scores of one question.

    The sum goes from term to term in the order of the question, for every document alike, so that
    the same entry has the same score wherever it stands.
    """

    def __init__(
        self, *, gains: Sequence[float], found: Sequence[Sequence[Found | None]], bases: Ints
    ) -> None:
        """*found* has for each term what is known of each segment; *bases*, where those begin."""
        self.gains, self._found, self._bases = tuple(gains), found, bases
        self._total = max(sum(gains), 1e-9)
        self._kept: Ints | None = None  # positions, ascending; None: all count
        self.raw: Single = np.zeros(int(bases[-1]), np.float32)  # of all; 0: no term occurs
        self._values = self.raw  # of those that count
        for gain, of_term in zip(gains, found, strict=True):
            for number, where in enumerate(of_term):
                if where is not None:
                    where.add_to(self.raw[bases[number] : bases[number + 1]], gain)

    @property
    def certainty(self) -> float:
        """KeywordEvidence.certainty."""
        return certainty(sum(self.gains))

    def only_at(self, positions: Ints) -> KeywordScores:
        """The same scores, of which only those of the documents at *positions* count."""
        some = copy(self)
        some._kept = np.sort(positions)
        some._values = self.raw[some._kept]
        return some

    @property
    def n_matched(self) -> int:
        """How many documents any term occurs in."""
        return int(np.count_nonzero(self._values))

    def strongest(self, limit: int) -> Ints:
        """The *limit* documents with the highest scores, and all that equal the last."""
        return self._at_least(max(_limit_th(self._values, limit), _LEAST))

    def _at_least(self, score: float) -> Ints:
        """The documents that count and score so high, ascending."""
        found = np.flatnonzero(self._values >= np.float32(score))
        return found if self._kept is None else self._kept[found]

    def leading(self, limit: int, *, exponent: float, slack: float) -> KeywordEvidence:
        """All that can be among the best *limit* by ``strength * share ** exponent``, and all that
        are at most *slack* worse; ascending in documents."""
        bound = -1.0
        strongest = self.evidence(self.strongest(_LOOK_AHEAD * limit))
        worth = strongest.strength * strongest.share**exponent
        if len(worth) > limit:
            bound = float(np.partition(worth, -limit)[-limit]) - slack
        # what is worth so much is at least as strong, for a share is at most 1
        least = max(bound * (1 - _ROUNDING) * self._total, _LEAST)
        evidence = self.evidence(self._at_least(least))
        return evidence.take(evidence.strength * evidence.share**exponent >= bound)

    def evidence(self, positions: Ints) -> KeywordEvidence:
        """What is known of the documents at *positions*, which are ascending."""
        share = np.zeros(len(positions))
        ends = np.searchsorted(positions, self._bases)
        for gain, of_term in zip(self.gains, self._found, strict=True):
            for number, where in enumerate(of_term):
                these = slice(ends[number], ends[number + 1])
                if where is not None and these.start < these.stop:
                    places = positions[these] - self._bases[number]
                    share[these] += gain * where.contains(places)
        return KeywordEvidence(
            documents=positions,
            strength=np.minimum(self.raw[positions].astype(np.float64) / self._total, 1.0),
            share=np.minimum(share / self._total, 1.0),
            certainty=self.certainty,
        )


def _limit_th(scores: Single, limit: int) -> float:
    """The score of rank *limit*; 0 if fewer are above 0."""
    n_blocks = len(scores) // _BLOCK
    if n_blocks > limit:  # so many blocks have a document at least as good as the bound
        best = scores[: n_blocks * _BLOCK].reshape(n_blocks, _BLOCK).max(axis=1)
        bound = max(float(np.partition(best, -limit)[-limit]), _LEAST)
        scores = scores[scores >= np.float32(bound)]
    if len(scores) < limit:
        return 0.0
    return float(np.partition(scores, -limit)[-limit])
