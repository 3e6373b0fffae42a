"""Search: from a question to entries in the order in which they help, each with its reasons.

Both legs are asked, if both can be; a leg that cannot is named in the answer, never an error.
Ranking itself is pure and lives in ``ranking``, its evidence is fetched in ``evidence``; here its
verdict is given words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from ...journal.entry import as_kind
from ...journal.errors import CannotCreateError, LockedError, StorageError, UsageError
from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter
from ..catalog.row import Outline, Row
from ..errors import IndexDamagedError, VectorsUnavailableError
from ..text.analysis import Query, query_of_term, query_terms
from . import phrases
from .answer import (
    KEYWORD_FROM,
    MAX_QUERY_CHARS,
    MMR_LAMBDA,
    N_CANDIDATES,
    SEMANTIC_FROM,
    Answer,
    AskedPeriod,
    Confidence,
    Hit,
    SearchRequest,
    Snippet,
)
from .asked_dates import take_period
from .cited import cited_rows
from .confidence import judge, judged_features
from .evidence import Evidence, Legs
from .of_a_time import rows_of_a_time, wanted_types
from .ordering import REPETITION, Candidate, Result, order_results
from .rewording import Rewording, reword, rewritten
from .snippets import make_snippet
from .spelling import unknown_identifiers

if TYPE_CHECKING:
    from ..index import JournalIndex

OF_A_TIME: Final = 0.5  # score of what is there because of its time alone
MIN_SCORE: Final = 0.05
"""Below it is noise, a chance syllable or a distant vector, unless the words do match: of a word that
is everywhere the score says that it tells nothing, and still whoever asks for it wants to see it."""


@dataclass(slots=True)
class _Asked:
    """One question while it is being answered: what is looked up for it, and what was read."""

    text: str
    query: Query
    evidence: Evidence
    meant: Rewording = field(default_factory=Rewording)
    contained: Sequence[phrases.Containing] = ()  # of the first documents of the evidence
    bodies: dict[int, str | None] = field(default_factory=dict)  # of entries, by their number


class Searcher:
    """Searches one state of an index; warm, it answers any number of requests."""

    def __init__(self, index: JournalIndex, catalog: Catalog, *, mends: bool = True) -> None:
        """One that does not *mend* writes nothing: of a damaged index there are no vectors, or no search."""
        self._index, self._catalog, self._mends = index, catalog, mends
        self._legs = Legs(index, catalog)
        self.remarks: list[str] = []  # what had to be mended on the way, for people

    def search(self, request: SearchRequest) -> Answer:
        """Answer *request*. A damaged index is rebuilt on the way, and ``remarks`` says so.

        Raises:
            UsageError: the question is empty.
            IndexDamagedError: the catalog cannot be read, or the keyword index and it is not mended.
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
        if not self._mends:
            if error.name == "keyword":
                raise error
            self._legs.give_up_vectors(error.what)
            return
        try:
            self._index.rebuild_part("keyword" if error.name == "keyword" else "vector")
        except (CannotCreateError, LockedError, StorageError, VectorsUnavailableError) as refused:
            if error.name == "keyword":
                raise
            self._legs.give_up_vectors(f"{error.what}, nor be rebuilt: {refused}")
        else:
            self.remarks.append(f"{error.what}; it was rebuilt")

    def refresh(self) -> None:
        """Go on with the indexes as they are now; what has not changed stays open and warm.

        Raises:
            IndexDamagedError: an index cannot be read, or was made elsewhere.
            StorageError: the disk refused.
        """
        self._legs.refresh()

    def close(self) -> None:
        """Give the files back; the next search opens them as they are then."""
        self._legs.close()

    def _search(self, text: str, request: SearchRequest) -> Answer:
        """The answer within the time that the question names, or in all times if there is none."""
        has_bounds = request.wanted.since is not None or request.wanted.until is not None
        if not request.dates_in_words or has_bounds or phrases.phrases_of(text).is_log_line:
            return self._answer(text, request, None)
        dated = take_period(text, now=request.now)
        if dated is None:
            return self._answer(text, request, None)
        period = dated.period
        wanted = replace(request.wanted, since=period.start, until=period.end)
        types = wanted_types(dated.text)
        if types is not None:
            return self._of_a_time(wanted, types, request, period)
        answer = self._answer(dated.text, replace(request, wanted=wanted), period)
        if any(not hit.is_weak for hit in answer.hits):
            return answer
        return self._answer(text, request, replace(period, is_used=False))

    def _of_a_time(
        self,
        wanted: EntryFilter,
        types: tuple[str, ...],
        request: SearchRequest,
        period: AskedPeriod,
    ) -> Answer:
        """What there is of that time."""

        def saying(words: str) -> list[int]:
            found = self._legs.gather(
                query_terms(words), by="keyword", wanted=wanted, limit=N_CANDIDATES
            ).relevance
            documents: list[int] = found.documents[found.share > 0].tolist()
            return documents

        rows = rows_of_a_time(self._catalog, wanted, types, saying=saying)
        hits = tuple(
            Hit(
                row=row,
                score=OF_A_TIME,
                reasons=("recent_relevance",),
                snippet=self._opening(row),
                share=1.0,  # all of what was asked
                similarity=0.0,
            )
            for row in rows[: request.limit]
        )
        return Answer(
            hits=hits,
            total=len(rows),
            confidence="suggested" if hits else "none",
            used_keyword=False,
            used_vector=False,
            fallback_applied=False,
            period=period,
        )

    def _opening(self, row: Row) -> Snippet:
        body = self._body_of(row)
        return make_snippet(body or row.title, {}) if body is not None else Snippet("")

    def _answer(self, text: str, request: SearchRequest, period: AskedPeriod | None) -> Answer:
        sought = phrases.phrases_of(text)
        asked = self._ask(sought.text, request)
        evidence = asked.evidence
        confidence = judge(evidence.relevance, is_grammar=asked.query.is_grammar)
        features = judged_features(evidence.relevance)
        self._lift_verbatim(asked, sought)
        cited = self._cited(text, asked, request)
        named = {hit.row.docno for hit in cited}
        ranked = self._hits(asked, request)
        hits = (*cited, *(hit for hit in ranked if hit.row.docno not in named))[: request.limit]
        no_vectors = self._legs.no_vectors if request.by != "keyword" else ""
        quoted = frozenset[str]().union(*(one.quoted for one in asked.contained))
        missing = tuple(typed for typed, _ in sought.quoted if typed not in quoted)
        is_set_aside = period is not None and not period.is_used
        is_number = not any(map(str.isalnum, phrases.without_varying(text)))  # or a time stamp
        falls_short = (
            bool(missing) or is_set_aside or is_number or self._has_unknown_around(text, sought)
        )
        return Answer(
            hits=hits,
            total=self._n_matching(asked, request, named),
            confidence="high" if cited else _qualified(confidence, asked, is_guess=falls_short),
            used_keyword=evidence.used_keyword,
            used_vector=evidence.used_vector,
            fallback_applied=bool(no_vectors),
            no_vectors=no_vectors,
            left_out=asked.query.left_out,
            did_you_mean=self._did_you_mean(asked, hits),
            period=period,
            missing_phrases=(
                *missing,
                *(() if cited else self._nowhere_in(asked, hits)),
            ),
            certainty=evidence.certainty,
            features=None if cited else features,
        )

    def _ask(self, text: str, request: SearchRequest) -> _Asked:
        """The evidence for *text*, or for what was meant by it where that finds clearly more."""
        query = query_terms(text)
        asked = _Asked(text, query, self._gather(query, request))
        if request.by != "vector" and request.mends_words:
            asked.meant = reword(
                query,
                asked.evidence,
                snapshot=self._index.snapshot,
                gather=partial(self._gather, request=request),
            )
            asked.evidence = asked.meant.evidence or asked.evidence
        return asked

    def _gather(self, query: Query, request: SearchRequest) -> Evidence:
        return self._legs.gather(
            query,
            by=request.by,
            wanted=request.wanted,
            limit=request.n_candidates,
            then=request.then,
        )

    def _has_unknown_around(self, text: str, sought: phrases.Sought) -> bool:
        """Whether a name that stands nowhere is printed around the message of a log line."""
        if not sought.is_log_line:
            return False
        around = phrases.without_varying(text).replace(sought.text, " ")
        return bool(unknown_identifiers(around, self._index.snapshot()))

    def _lift_verbatim(self, asked: _Asked, sought: phrases.Sought) -> None:
        """Put first what contains the question, or what it quotes, word for word."""
        relevance = asked.evidence.relevance
        if not sought or not len(relevance.documents):
            return
        likely = np.flatnonzero(relevance.share >= phrases.SHARE_FROM)[: phrases.N_READ]
        if sought.n_read:
            likely = np.union1d(likely, np.arange(min(sought.n_read, len(relevance.documents))))
        rows = {row.docno: row for row in self._catalog.rows(relevance.documents[likely].tolist())}
        nothing = phrases.Containing(whole=False, quoted=frozenset())
        contained = [nothing] * (int(likely.max()) + 1 if len(likely) else 0)
        for at in likely.tolist():
            row = rows.get(int(relevance.documents[at]))
            body = self._read(asked, row) if row is not None else None
            if row is not None and body is not None:
                contained[at] = phrases.find_phrases(
                    sought, _all_of(row, body), is_question=row.type == "user_prompt"
                )
        asked.contained = contained
        worth = [one.worth(sought) for one in contained]
        asked.evidence = replace(asked.evidence, relevance=phrases.lift(relevance, worth))

    def _n_matching(self, asked: _Asked, request: SearchRequest, named: set[int]) -> int:
        """How many entries are *named*, or match by a word or by their meaning.

        However many are shown: of those that are near in meaning alone only they are counted that
        stand among the first `N_CANDIDATES`, which a longer list is asked for once more.
        """
        evidence = asked.evidence
        if request.n_candidates > N_CANDIDATES:
            query = asked.query
            if asked.meant.evidence is not None and asked.meant.mended is not None:
                query = asked.meant.mended.query
            evidence = self._gather(query, replace(request, limit=1))
        near = evidence.relevance
        by_meaning = (near.similarity >= SEMANTIC_FROM) & (near.share == 0)
        counted = near.documents[by_meaning | (near.share > 0)].tolist()
        n_named = len(named.difference(counted))
        return evidence.n_matched + int(np.count_nonzero(by_meaning)) + n_named

    def _hits(self, asked: _Asked, request: SearchRequest) -> tuple[Hit, ...]:
        evidence = asked.evidence
        relevance = evidence.relevance
        now_s = request.now.timestamp()
        outlines = map(evidence.outlines.__getitem__, relevance.documents.tolist())
        results = order_results(
            relevance,
            [_candidate_of(outline, now_s) for outline in outlines],
            limit=request.limit,
            vectors=self._legs.vectors_of(relevance.documents) if evidence.used_vector else None,
            half_life_days=request.half_life_days,
            repetition=_repetition_of(request),
        )
        shown = [result.document for result in results if _is_worth_showing(result, request)]
        rows = {row.docno: row for row in self._catalog.rows(shown)}
        return tuple(
            Hit(
                row=rows[result.document],
                score=result.score,
                reasons=result.reasons,
                snippet=self._snippet(asked, rows[result.document])
                if request.with_snippets
                else Snippet(""),
                share=result.share,
                similarity=result.similarity,
            )
            for result in results
            if result.document in rows
        )

    def _read(self, asked: _Asked, row: Row) -> str | None:
        """The text of *row*, from its file once; None if it changed since it was indexed."""
        if row.docno not in asked.bodies:
            asked.bodies[row.docno] = self._body_of(row)
        return asked.bodies[row.docno]

    def _body_of(self, row: Row) -> str | None:
        try:
            return self._index.read_body(row)
        except (CannotCreateError, StorageError):
            return None

    def _snippet(self, asked: _Asked, row: Row, *, is_cited: bool = False) -> Snippet:
        body = self._read(asked, row)
        if body is None:
            return Snippet("")
        if is_cited or not body:
            return make_snippet(body or row.title, {})
        place = asked.evidence.places.get(row.docno, 0)
        return make_snippet(
            body,
            asked.evidence.weights,
            start_hint=lambda: self._index.passage_start(row, body, place) if place else 0,
        )

    def _nowhere_in(self, asked: _Asked, hits: Sequence[Hit]) -> Iterator[str]:
        """The unknown identifiers, but for those that stand in a hit as a part of something longer."""
        texts = [_all_of(hit.row, self._read(asked, hit.row) or "").lower() for hit in hits]
        unknown = asked.meant.unknown
        return (name for name in unknown if not any(name.lower() in one for one in texts))

    def _did_you_mean(self, asked: _Asked, hits: Sequence[Hit]) -> str:
        mended = asked.meant.mended
        if mended is None:
            return ""
        shown = [hit.snippet.text for hit in hits[:3]]
        return rewritten(asked.text, mended, shown=shown, text_with=self._text_with)

    def _text_with(self, term: str) -> Iterator[str]:
        """The text of an entry that contains *term*."""
        found = self._legs.gather(query_of_term(term), by="keyword", wanted=EntryFilter(), limit=1)
        for row in self._catalog.rows(found.relevance.documents.tolist()):
            if (body := self._body_of(row)) is not None:
                yield f"{row.title}\n{body}"

    def _cited(self, text: str, asked: _Asked, request: SearchRequest) -> list[Hit]:
        """The entries that the question *text* itself names."""
        return [
            Hit(
                row=row,
                score=1.0,
                reasons=("keyword_match",),
                snippet=self._snippet(asked, row, is_cited=True),
                share=1.0,
                similarity=0.0,
            )
            for row in cited_rows(self._catalog, text, request.wanted)
        ]


def _all_of(row: Row, body: str) -> str:
    """What can be searched of an entry: its words, and the files, symbols and tags that it names."""
    return "\n".join((row.title, body, *row.files, *row.symbols, *row.tags))


def _repetition_of(request: SearchRequest) -> float:
    """What of its score a result loses that repeats another."""
    return min(1.0, REPETITION * (1 - request.mmr_lambda) / (1 - MMR_LAMBDA))


def _is_worth_showing(result: Result, request: SearchRequest) -> bool:
    is_noise = result.score < MIN_SCORE and result.share < KEYWORD_FROM
    return not is_noise and result.score >= request.min_score


def _qualified(confidence: Confidence, asked: _Asked, *, is_guess: bool) -> Confidence:
    """*confidence*, not above what a guess allows, nor below what a question found whole demands.

    It *is_guess* where less was found than the question says: what it quotes, or the time it names.
    """
    # a name that differs in a letter is another name, and may stand around a message, not in the whole
    is_guess = is_guess or asked.meant.evidence is not None or bool(asked.meant.unknown)
    has_whole = any(one.whole for one in asked.contained)
    if confidence == "high" and is_guess and not has_whole:
        return "suggested"
    has_message = any(one.message for one in asked.contained)
    return "suggested" if confidence == "none" and (has_whole or has_message) else confidence


def _candidate_of(row: Outline, now_s: float) -> Candidate:
    return Candidate(
        kind=as_kind(row.kind) or "fact",
        type=row.type,
        age_days=max(0.0, (now_s - row.created_us / 1e6) / 86_400),
        turn=f"{row.session}/{row.turn}" if row.session and row.turn is not None else "",
    )
