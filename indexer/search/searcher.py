"""Search: from a question to entries in the order in which they help, each with its reasons.

Both legs are asked, if both can be; a leg that cannot is named in the answer, never an error.
Ranking itself is pure and lives in ``ranking``, its evidence is fetched in ``evidence``; here its
verdict is given words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ...journal.entry import as_kind
from ...journal.errors import CannotCreateError, LockedError, StorageError, UsageError
from ...journal.ids import find_citations, is_id
from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter
from ..catalog.row import Outline, Row
from ..errors import IndexDamagedError, VectorsUnavailableError
from ..text.analysis import Query, QueryTerm, normalised, query_terms, scripts, spans
from . import phrases
from .answer import (
    KEYWORD_FROM,
    MAX_QUERY_CHARS,
    MMR_LAMBDA,
    Answer,
    AskedPeriod,
    Confidence,
    Hit,
    SearchRequest,
    Snippet,
)
from .asked_dates import take_period
from .confidence import judge
from .evidence import Evidence, Legs
from .of_a_time import rows_of_a_time, wanted_types
from .ordering import (
    REPETITION,
    Candidate,
    Result,
    order_results,
)
from .ranking import Relevance
from .snippets import make_snippet
from .spelling import Mended, MendedWord, mend, unknown_identifiers

if TYPE_CHECKING:
    from ..index import JournalIndex

_MEM: Final = re.compile(r"\[?mem:([0-9A-Za-z]{2,64})\]?", re.IGNORECASE)
OF_A_TIME: Final = 0.5  # score of what is there because of its time alone
MIN_SCORE: Final = 0.05
"""Below it is noise, a chance syllable or a distant vector, unless the words do match: of a word that
is everywhere the score says that it tells nothing, and still whoever asks for it wants to see it."""
MENDED_GAIN: Final = 1.1
"""How much more relevant the first result of a mended question must be: of 1,818 questions without a
slip ten were mended, and of those with one nine in ten."""
_SAME: Final = 1e-6
_ALL: Final = 1 - 1e-6  # of the query's idf


@dataclass(slots=True)
class _Asked:
    """One question while it is being answered: what is looked up for it, and what was read."""

    text: str
    query: Query
    evidence: Evidence
    mended: Mended | None = None
    is_mended: bool = False  # the mended query gave the evidence
    contained: Sequence[phrases.Containing] = ()  # of the first documents of the evidence
    bodies: dict[int, str | None] = field(default_factory=dict)  # of entries, by their number
    unknown: tuple[str, ...] = ()  # identifiers, as typed, that stand nowhere


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
        if not request.dates_in_words or has_bounds:
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
        rows = rows_of_a_time(self._catalog, wanted, types)
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
        asked = self._ask(text, request)
        sought = phrases.phrases_of(text)
        confidence = _judge(asked.query, asked.evidence)
        self._lift_verbatim(asked, sought)
        cited = self._cited(asked, request)
        named = {hit.row.docno for hit in cited}
        ranked = self._hits(asked, request)
        hits = (*cited, *(hit for hit in ranked if hit.row.docno not in named))[: request.limit]
        no_vectors = self._legs.no_vectors if request.by != "keyword" else ""
        quoted = frozenset[str]().union(*(one.quoted for one in asked.contained))
        return Answer(
            hits=hits,
            total=max(asked.evidence.n_matched, len(hits)),
            confidence="high" if cited else _qualified(confidence, asked),
            used_keyword=asked.evidence.used_keyword,
            used_vector=asked.evidence.used_vector,
            fallback_applied=bool(no_vectors),
            no_vectors=no_vectors,
            left_out=asked.query.left_out,
            did_you_mean=self._did_you_mean(asked, hits),
            period=period,
            missing_phrases=(
                *(typed for typed, _ in sought.quoted if typed not in quoted),
                *(() if cited else self._nowhere_in(asked, hits)),
            ),
        )

    def _ask(self, text: str, request: SearchRequest) -> _Asked:
        """The evidence for *text*, or for what was meant by it where that finds clearly more."""
        query = query_terms(text)
        evidence = self._gather(query, request)
        asked = _Asked(text, query, evidence)
        if request.by == "vector":
            return asked
        if evidence.relevance.share.max(initial=0.0) >= _ALL:  # every word stands somewhere
            return asked
        snapshot = self._index.snapshot()
        asked.unknown = unknown_identifiers(phrases.without_varying(text), snapshot)
        asked.mended = mend(query, snapshot)
        if asked.mended is None or asked.mended.query is query:
            return asked
        better = self._gather(asked.mended.query, request)
        if _finds_more(better, evidence) and _judge(asked.mended.query, better) != "none":
            asked.evidence, asked.is_mended = better, True
        else:
            asked.mended = None
        return asked

    def _gather(self, query: Query, request: SearchRequest) -> Evidence:
        return self._legs.gather(
            query, by=request.by, wanted=request.wanted, limit=request.n_candidates
        )

    def _lift_verbatim(self, asked: _Asked, sought: phrases.Sought) -> None:
        """Put first what contains the question, or what it quotes, word for word."""
        relevance = asked.evidence.relevance
        if not sought or not len(relevance.documents):
            return
        likely = np.flatnonzero(relevance.share >= phrases.SHARE_FROM)[: phrases.N_READ]
        if sought.quoted:  # a phrase may be a small part of its question
            likely = np.union1d(likely, np.arange(min(phrases.N_READ, len(relevance.documents))))
        rows = {row.docno: row for row in self._catalog.rows(relevance.documents[likely].tolist())}
        nothing = phrases.Containing(whole=False, quoted=frozenset())
        contained = [nothing] * (int(likely.max()) + 1 if len(likely) else 0)
        for at in likely.tolist():
            row = rows.get(int(relevance.documents[at]))
            body = self._read(asked, row) if row is not None else None
            if row is not None and body is not None:
                contained[at] = phrases.find_phrases(
                    sought, f"{row.title}\n{body}", is_question=row.type == "user_prompt"
                )
        asked.contained = contained
        worth = [one.worth(sought) for one in contained]
        asked.evidence = replace(asked.evidence, relevance=phrases.lift(relevance, worth))

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
                snippet=self._snippet(asked, rows[result.document]),
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
        texts = [f"{hit.row.title}\n{self._read(asked, hit.row) or ''}".lower() for hit in hits]
        return (name for name in asked.unknown if not any(name.lower() in one for one in texts))

    def _did_you_mean(self, asked: _Asked, hits: Sequence[Hit]) -> str:
        """The question with the unknown words as they are written in what was found instead."""
        if asked.mended is None:
            return ""
        text = normalised(asked.text)
        for word in asked.mended.words:
            written = self._written(word, [hit.snippet.text for hit in hits[:3]])
            text = text.replace(word.typed, written, 1)
        return text

    def _written(self, word: MendedWord, texts: Sequence[str]) -> str:
        """How *word* is written where it stands, in *texts* or in the entry that has most of it."""
        if not word.term:
            return word.better
        for text in (*texts, *self._text_with(word.term)):
            if part := next(spans(text, {word.term}), None):
                return text[part.start : part.end]
        return word.better

    def _text_with(self, term: str) -> Iterator[str]:
        """The text of an entry that contains *term*."""
        query = Query(
            text=term,
            terms=(QueryTerm(term, "identifier"),),
            left_out=(),
            scripts=scripts(term),
        )
        found = self._legs.gather(query, by="keyword", wanted=EntryFilter(), limit=1)
        for row in self._catalog.rows(found.relevance.documents.tolist()):
            if (body := self._body_of(row)) is not None:
                yield f"{row.title}\n{body}"

    def _cited(self, asked: _Asked, request: SearchRequest) -> list[Hit]:
        """The entries that the question itself names, as ``mem:ID`` or an id alone."""
        text = asked.text
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
                snippet=self._snippet(asked, row, is_cited=True),
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


def _finds_more(better: Evidence, evidence: Evidence) -> bool:
    """Whether the first result of a mended question answers it clearly better than that of the typed."""
    if not len(better.relevance.documents):
        return False
    if not len(evidence.relevance.documents):
        return True
    first, other = float(better.relevance.relevance[0]), float(evidence.relevance.relevance[0])
    return first > MENDED_GAIN * other


def _qualified(confidence: Confidence, asked: _Asked) -> Confidence:
    """*confidence*, not above what a guess allows, nor below what a question found whole demands."""
    if any(one.whole for one in asked.contained):
        return "suggested" if confidence == "none" else confidence
    is_guess = asked.is_mended or asked.unknown  # a name that differs in a letter is another name
    return "suggested" if is_guess and confidence == "high" else confidence


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


def _candidate_of(row: Outline, now_s: float) -> Candidate:
    return Candidate(
        kind=as_kind(row.kind) or "fact",
        type=row.type,
        age_days=max(0.0, (now_s - row.created_us / 1e6) / 86_400),
        turn=f"{row.session}/{row.turn}" if row.session and row.turn is not None else "",
    )
