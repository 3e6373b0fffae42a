"""A question and its answer, as values: what a search is given and what it returns.

They travel between processes, so that nothing heavy is imported here: a command that asks a running
daemon must not load the libraries of the one that answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from ..catalog.entry_filter import EntryFilter
from ..catalog.row import Row

Mode = Literal["hybrid", "keyword", "vector"]
Confidence = Literal["high", "suggested", "none"]

MMR_LAMBDA: Final = 0.7  # at which a repetition loses what ``ordering`` was measured with
HALF_LIFE_DAYS: Final = 30.0
N_CANDIDATES: Final = 100  # of each leg; 200 change no figure of the evaluation sets
MAX_QUERY_CHARS: Final = 20_000  # a pasted log is a question too; what follows adds no meaning
SEMANTIC_FROM: Final = 0.3  # cosine; 96 of 100 entries are below it, whatever is asked
KEYWORD_FROM: Final = 0.25  # share of the query's idf


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPeriod:
    """A time that the question named in words; it narrows the search as a filter does."""

    words: str  # as typed
    start: datetime | None  # included; None where the time is open
    end: datetime | None  # excluded
    is_used: bool = True  # False: nothing was found in it, so all times were searched


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A question, and how it is to be answered."""

    text: str
    now: datetime
    wanted: EntryFilter = field(default_factory=EntryFilter)
    limit: int = 10
    by: Mode = "hybrid"
    min_score: float = 0.0
    mmr_lambda: float = MMR_LAMBDA  # 1: relevance alone, 0: variety alone
    half_life_days: float = HALF_LIFE_DAYS
    dates_in_words: bool = True  # whether "last week" in the question is a filter on ``created``
    with_snippets: bool = True  # whether hits show what of them matched
    mends_words: bool = True  # whether words that occur nowhere are read as ones that do
    then: EntryFilter | None = None  # what will likely be wanted next with the same text

    @property
    def n_candidates(self) -> int:
        """How many entries are looked at closely."""
        return max(N_CANDIDATES, 2 * self.limit)


@dataclass(frozen=True, slots=True)
class Snippet:
    """Some text of an entry on one line, and the spans of it that matched, ascending and apart."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An entry that answers, how well, and why it is here."""

    row: Row
    score: float  # 0-1; see docs/ranking.md for what it means
    reasons: tuple[str, ...]
    snippet: Snippet
    share: float  # of the query's idf that it matches
    similarity: float  # cosine; 0 where no vector was asked

    @property
    def is_weak(self) -> bool:
        """Whether it is only the nearest there is: neither its words nor its meaning match."""
        return self.share < KEYWORD_FROM and self.similarity < SEMANTIC_FROM


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What the confidence of an answer is judged by, each from 0 to 1."""

    similarity: float  # cosine of the first result
    share: float  # of the query's idf that it matches
    relevance: float
    gap: float  # to the second result, as a part of the first one's relevance; 1 without a second
    standout: float  # of its cosine above what this question has with entries that are not about it
    agreement: float  # of the query's script with the collection's


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The hits, best first, and what was used to find them."""

    hits: tuple[Hit, ...]
    total: int  # entries that matched
    confidence: Confidence
    used_keyword: bool
    used_vector: bool
    fallback_applied: bool  # a leg that was asked for could not be searched
    no_vectors: str = ""  # why not, for people
    left_out: tuple[str, ...] = ()  # words of the question that say nothing
    did_you_mean: str = ""  # the question with the words mended that occur nowhere; "" if none
    period: AskedPeriod | None = None  # the time that the question named in words
    missing_phrases: tuple[str, ...] = ()  # what the question "quotes" and no entry says
    certainty: float = 0.0  # what a match of the question's words proves, 0-1
    features: Features | None = (
        None  # of what was found by evidence, not by its id or its time alone
    )

    @property
    def n_strong(self) -> int:
        """How many of the hits, from the first, are worth showing: up to the last that is not weak.

        What stands above one that is shown was found better, for whatever reason, and is shown too.
        """
        return max((n for n, hit in enumerate(self.hits, 1) if not hit.is_weak), default=0)
