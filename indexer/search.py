"""Search: from a question to entries in the order in which they help, each with its reasons.

Both legs are asked, if both can be; a leg that cannot is named in the answer, never an error.
Ranking itself is pure and lives in ``ranking``, its evidence is fetched in ``evidence``; here its
verdict is given words.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from ..journal.entry import as_kind
from ..journal.errors import CannotCreateError, LockedError, StorageError, UsageError
from ..journal.ids import find_citations, is_id
from .analysis import Query, query_terms
from .answer import KEYWORD_FROM, MMR_LAMBDA, Answer, Confidence, Hit, SearchRequest, Snippet
from .catalog import Catalog
from .confidence import judge
from .entry_filter import EntryFilter
from .errors import IndexDamagedError
from .evidence import Evidence, Legs
from .ordering import (
    REPETITION,
    Candidate,
    Result,
    order_results,
)
from .ranking import Relevance
from .row import Row
from .snippets import make_snippet

if TYPE_CHECKING:
    from .index import JournalIndex

_MEM: Final = re.compile(r"\[?mem:([0-9A-Za-z]{2,64})\]?", re.IGNORECASE)
MIN_SCORE: Final = 0.05
"""Below it is noise, a chance syllable or a distant vector, unless the words do match: of a word that
is everywhere the score says that it tells nothing, and still whoever asks for it wants to see it."""
_SAME: Final = 1e-6
MAX_QUERY_CHARS: Final = 20_000  # a pasted log is a question too; what follows adds no meaning


class Searcher:
    """Searches one state of an index; warm, it answers any number of requests."""

    def __init__(self, index: JournalIndex, catalog: Catalog) -> None:
        self._index, self._catalog = index, catalog
        self._legs = Legs(index, catalog)
        self.remarks: list[str] = []  # what had to be mended on the way, for people

    def search(self, request: SearchRequest) -> Answer:
        """Answer *request*. A damaged index is rebuilt on the way, and ``remarks`` says so.

        Raises:
            UsageError: the question is empty.
            IndexDamagedError: the catalog cannot be read.
            LockedError, StorageError: the keyword index is damaged and cannot be rebuilt now.
        """
        text = request.text.strip()[:MAX_QUERY_CHARS].encode("utf-8", "replace").decode("utf-8")
        if not text:
            raise UsageError("the query is empty", mend="ask for a word or a question")
        for _ in range(2):  # two indexes may be damaged
            try:
                return self._search(text, request)
            except IndexDamagedError as error:
                if error.name == "catalog":
                    raise
                self._mend(error)
        return self._search(text, request)

    def _mend(self, error: IndexDamagedError) -> None:
        """Rebuild what is damaged; where that cannot be done, there are no vectors, or no search."""
        self.close()
        try:
            self._index.rebuild_part("keyword" if error.name == "keyword" else "vector")
        except (CannotCreateError, LockedError, StorageError) as refused:
            if error.name == "keyword":
                raise
            self._legs.give_up_vectors(f"{error.what}, nor be rebuilt: {refused}")
        else:
            self.remarks.append(f"{error.what}; it was rebuilt")

    def close(self) -> None:
        """Give the files back; the next search opens them as they are then."""
        self._legs.close()

    def _search(self, text: str, request: SearchRequest) -> Answer:
        query = query_terms(text)
        evidence = self._legs.gather(
            query, by=request.by, wanted=request.wanted, limit=request.n_candidates
        )
        cited = self._cited(text, request)
        named = {hit.row.docno for hit in cited}
        ranked = self._hits(evidence, request)
        hits = (*cited, *(hit for hit in ranked if hit.row.docno not in named))[: request.limit]
        no_vectors = self._legs.no_vectors if request.by != "keyword" else ""
        return Answer(
            hits=hits,
            total=max(evidence.n_matched, len(hits)),
            confidence="high" if cited else _judge(query, evidence),
            used_keyword=evidence.used_keyword,
            used_vector=evidence.used_vector,
            fallback_applied=bool(no_vectors),
            no_vectors=no_vectors,
            left_out=query.left_out,
        )

    def _hits(self, evidence: Evidence, request: SearchRequest) -> tuple[Hit, ...]:
        relevance = evidence.relevance
        rows = {row.docno: row for row in self._catalog.rows(relevance.documents.tolist())}
        results = order_results(
            relevance,
            [_candidate_of(rows.get(n), request.now) for n in relevance.documents.tolist()],
            limit=request.limit,
            vectors=self._legs.vectors_of(relevance.documents) if evidence.used_vector else None,
            half_life_days=request.half_life_days,
            repetition=_repetition_of(request),
        )
        return tuple(
            Hit(
                row=rows[result.document],
                score=result.score,
                reasons=result.reasons,
                snippet=self._snippet(rows[result.document], evidence),
                share=result.share,
                similarity=result.similarity,
            )
            for result in results
            if result.document in rows and _is_worth_showing(result, request)
        )

    def _snippet(self, row: Row, evidence: Evidence | None) -> Snippet:
        try:
            stored = self._index.read(row)
        except (CannotCreateError, StorageError):
            stored = None
        if stored is None:  # it changed since the index was brought up to date
            return Snippet("")
        body = stored.entry.body or row.title
        if evidence is None:
            return make_snippet(body, {})
        place = evidence.places.get(row.docno, 0)
        hint = self._index.passage_start(stored.entry, place) if place else 0
        return make_snippet(body, evidence.weights, start_hint=hint)

    def _cited(self, text: str, request: SearchRequest) -> list[Hit]:
        """The entries that the question itself names, as ``mem:ID`` or an id alone."""
        names = [str(found) for found in find_citations(text)]
        bare = text.removeprefix("mem:")
        names += [bare] if is_id(bare) else []
        rows = [row for name in names for row in self._catalog.by_id(name)]
        if not rows and (given := _MEM.fullmatch(text)):  # the beginning of an id, if of one only
            begun = self._catalog.by_prefix(given[1])
            rows = begun if len({row.id for row in begun}) == 1 else []
        if rows and request.wanted != EntryFilter():
            wanted = set(self._catalog.docnos(request.wanted))
            rows = [row for row in rows if row.docno in wanted]
        return [
            Hit(
                row=row,
                score=1.0,
                reasons=("keyword_match",),
                snippet=self._snippet(row, None),
                share=1.0,
                similarity=0.0,
            )
            for row in {row.docno: row for row in rows}.values()
        ]


def _repetition_of(request: SearchRequest) -> float:
    """What of its score a result loses that repeats another."""
    return min(1.0, REPETITION * (1 - request.mmr_lambda) / (1 - MMR_LAMBDA))


def _is_worth_showing(result: Result, request: SearchRequest) -> bool:
    is_noise = result.score < MIN_SCORE and result.share < KEYWORD_FROM
    return not is_noise and result.score >= request.min_score


def _judge(query: Query, evidence: Evidence) -> Confidence:
    """How sure the answer is; words of grammar alone say nothing about what is asked."""
    return "none" if query.is_grammar else judge(_without_copies(evidence.relevance))


def _without_copies(relevance: Relevance) -> Relevance:
    """*relevance* without what follows the first and has the same evidence: a copy of its text."""
    if len(relevance.documents) < 2:
        return relevance
    differs = (np.abs(relevance.strength - relevance.strength[0]) > _SAME) | (
        np.abs(relevance.similarity - relevance.similarity[0]) > _SAME
    )
    differs[0] = True
    return relevance.take(differs)


def _candidate_of(row: Row | None, now: datetime) -> Candidate:
    if row is None:  # taken out of the catalog while the question was being answered
        return Candidate(kind="event", type="session_marker", age_days=0.0)
    age = now.timestamp() - row.created_us / 1e6
    return Candidate(
        kind=as_kind(row.kind) or "fact",
        type=row.type,
        age_days=max(0.0, age / 86_400),
        turn=f"{row.session}/{row.turn}" if row.session and row.turn is not None else "",
    )
