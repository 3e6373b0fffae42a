"""Search: from a question to entries in the order in which they help, each with its reasons.

Both legs are asked, if both can be; a leg that cannot is named in the answer, never an error.
Ranking itself is pure and lives in ``ranking``; here its evidence is fetched and its verdict is
given words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ..journal.entry import as_kind
from ..journal.errors import CannotCreateError, LockedError, StorageError, UsageError
from ..journal.ids import find_citations, is_id
from .analysis import Query, Scripts, query_terms
from .catalog import Catalog, EntryFilter, Row
from .confidence import Confidence, judge
from .errors import IndexDamagedError
from .keyword import Snapshot
from .ordering import KEYWORD, REPETITION, SEMANTIC, Candidate, order_results
from .ranking import (
    Collection,
    KeywordEvidence,
    Posting,
    Relevance,
    VectorEvidence,
    average_length,
    bm25f,
    fuse,
    idf,
)
from .snippets import Snippet, make_snippet

if TYPE_CHECKING:
    from .index import JournalIndex
    from .vectors import VectorIndex

Mode = Literal["hybrid", "keyword", "vector"]
Int = NDArray[np.int64]

_MEM: Final = re.compile(r"\[?mem:([0-9A-Za-z]{2,64})\]?", re.IGNORECASE)
MMR_LAMBDA: Final = 0.7  # at which a repetition loses what ``ordering`` was measured with
MIN_SCORE: Final = 0.05
"""Below it is noise, a chance syllable or a distant vector, unless the words do match: of a word that
is everywhere the score says that it tells nothing, and still whoever asks for it wants to see it."""
N_CANDIDATES: Final = 200  # of each leg; the two hundredth hit has never become a first one
DECIMALS: Final = 6  # of relevance; what differs less is as relevant
N_QUESTIONS: Final = 20  # of the best candidates whose answers are looked up
_SAME: Final = 1e-6
MAX_QUERY_CHARS: Final = 20_000  # a pasted log is a question too; what follows adds no meaning


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
    half_life_days: float = 30.0

    @property
    def n_candidates(self) -> int:
        """How many entries are looked at closely."""
        return max(N_CANDIDATES, 2 * self.limit)

    @property
    def repetition(self) -> float:
        """What of its score a result loses that repeats another."""
        return min(1.0, REPETITION * (1 - self.mmr_lambda) / (1 - MMR_LAMBDA))


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
        return self.share < KEYWORD and self.similarity < SEMANTIC


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


class Searcher:
    """Searches one state of an index; warm, it answers any number of requests."""

    def __init__(self, index: JournalIndex, catalog: Catalog) -> None:
        self._index, self._catalog = index, catalog
        self._snapshot: Snapshot | None = None
        self._vectors: VectorIndex | None = None
        self._by_docno: Int = np.zeros(0, np.int64)  # living positions, by entry number
        self._no_vectors = ""  # why they cannot be used although there are some
        self.remarks: list[str] = []  # what had to be mended on the way, for people

    def search(self, request: SearchRequest) -> Answer:
        """Answer *request*. A damaged index is rebuilt on the way, and ``remarks`` says so.

        Raises:
            UsageError: the question is empty.
            IndexDamagedError: the catalog cannot be read.
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
            self._no_vectors = f"{error.what}, nor be rebuilt: {refused}"
        else:
            self.remarks.append(f"{error.what}; it was rebuilt")

    def close(self) -> None:
        """Give the files back; the next search opens them as they are then."""
        if self._snapshot is not None:
            self._snapshot.close()
        self._snapshot = self._vectors = None

    def _search(self, text: str, request: SearchRequest) -> Answer:
        query = query_terms(text)
        snapshot = self._open_snapshot()
        collection = _collection_of(snapshot)
        allowed = self._allowed(request.wanted, snapshot)
        found = _Found(query=query)
        vectors = self._open_vectors() if request.by != "keyword" else None
        if query.terms and (request.by != "vector" or vectors is None):
            _ask_keyword(found, snapshot, collection, allowed)
        if vectors is not None:
            self._ask_vectors(found, vectors, text, snapshot, allowed, request.n_candidates)
        found.relevance = self._in_order(
            fuse(found.keyword, found.vector, query=query, collection=collection),
            snapshot,
            request.n_candidates,
        )
        found.relevance = self._with_answers(found.relevance, snapshot, allowed)
        cited = self._cited(text, request)
        named = {hit.row.docno for hit in cited}
        ranked = self._hits(found, snapshot, request)
        hits = (*cited, *(hit for hit in ranked if hit.row.docno not in named))[: request.limit]
        wants_vectors = request.by != "keyword"
        n_matched = len(found.keyword.documents) if found.keyword else 0
        return Answer(
            hits=hits,
            total=max(n_matched, len(hits)),
            confidence="high" if cited else judge(_without_copies(found.relevance)),
            used_keyword=found.keyword is not None,
            used_vector=found.vector is not None,
            fallback_applied=wants_vectors and vectors is None,
            no_vectors=(self._no_vectors or self._index.no_vectors) if wants_vectors else "",
            left_out=query.left_out,
        )

    def _in_order(self, relevance: Relevance, snapshot: Snapshot, n_wanted: int) -> Relevance:
        """The best *n_wanted* that the catalog knows, the newest first of those as relevant.

        Nothing in it depends on where an entry stands in an index, which a rebuild changes.
        """
        rounded = np.round(relevance.relevance, DECIMALS)
        if len(rounded) > n_wanted:
            n_near = int(np.count_nonzero(rounded >= rounded[n_wanted - 1]))
        else:
            n_near = len(rounded)
        docnos = snapshot.docnos[relevance.documents[:n_near]].tolist()
        place = {docno: at for at, docno in enumerate(self._catalog.in_order(docnos))}
        known = [at for at, docno in enumerate(docnos) if docno in place]
        known.sort(key=lambda at: (-rounded[at], place[docnos[at]]))
        order = np.asarray(known[:n_wanted], np.int64)
        return replace(
            relevance,
            documents=relevance.documents[order],
            relevance=rounded[order],
            strength=relevance.strength[order],
            share=relevance.share[order],
            similarity=relevance.similarity[order],
        )

    def _with_answers(
        self, relevance: Relevance, snapshot: Snapshot, allowed: Int | None
    ) -> Relevance:
        """*relevance* and, at its end, the answers to the questions that stand high in it.

        An answer may share no word with its question; ``ordering`` puts it in the question's place.
        """
        top = snapshot.docnos[relevance.documents[:N_QUESTIONS]].tolist()
        docnos = self._catalog.in_order(self._catalog.answers_to(top))
        positions, _ = self._positions(np.asarray(docnos, np.int64), snapshot)
        missing = positions[~np.isin(positions, relevance.documents)]
        if allowed is not None:
            missing = missing[np.isin(missing, allowed)]
        nothing = np.zeros(len(missing))
        return replace(
            relevance,
            documents=np.concatenate([relevance.documents, missing]),
            relevance=np.concatenate([relevance.relevance, nothing]),
            strength=np.concatenate([relevance.strength, nothing]),
            share=np.concatenate([relevance.share, nothing]),
            similarity=np.concatenate([relevance.similarity, nothing]),
        )

    def _open_snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = self._index.open_keyword().snapshot()
            living = np.flatnonzero(self._snapshot.alive)
            self._by_docno = living[np.argsort(self._snapshot.docnos[living], kind="stable")]
        return self._snapshot

    def _positions(self, docnos: Int, snapshot: Snapshot) -> tuple[Int, NDArray[np.bool_]]:
        """Where *docnos* stand in the snapshot, and which of them stand there at all."""
        ordered = snapshot.docnos[self._by_docno]
        if not len(ordered):
            return np.zeros(0, np.int64), np.zeros(len(docnos), np.bool_)
        at = np.minimum(np.searchsorted(ordered, docnos), len(ordered) - 1)
        present = ordered[at] == docnos
        return self._by_docno[at[present]], present

    def _allowed(self, wanted: EntryFilter, snapshot: Snapshot) -> Int | None:
        """The positions of the entries that pass the filter, ascending; None when all do."""
        if wanted == EntryFilter():
            return None
        docnos = np.asarray(self._catalog.docnos(wanted), np.int64)
        return np.sort(self._positions(docnos, snapshot)[0])

    def _open_vectors(self) -> VectorIndex | None:
        if self._vectors is None and not self._no_vectors:
            self._vectors = self._index.open_vectors()
        return self._vectors

    def _ask_vectors(
        self,
        found: _Found,
        vectors: VectorIndex,
        text: str,
        snapshot: Snapshot,
        allowed: Int | None,
        n_candidates: int,
    ) -> None:
        """The nearest entries, and how near the best keyword hits are."""
        embedder = self._index.embedder()
        assert embedder is not None  # there is an index only where there is an embedder
        embedded = embedder.encode([text])[0]
        if not embedded.any():  # no word that the model knows
            return
        near, scores, places = vectors.search(
            embedded,
            limit=2 * n_candidates,
            allowed=None if allowed is None else snapshot.docnos[allowed],
        )
        best: dict[int, tuple[float, int]] = {}
        for docno, score, place in zip(
            near.tolist(), scores.tolist(), places.tolist(), strict=True
        ):
            best.setdefault(docno, (score, place))  # nearest first
        if found.keyword is not None and len(found.keyword.documents):
            strongest = _at_least_as_strong(found.keyword.strength, n_candidates)
            others = snapshot.docnos[found.keyword.documents[strongest]]
            best |= vectors.similarities(embedded, others[~np.isin(others, list(best))])
        docnos = np.asarray(sorted(best), np.int64)
        positions, present = self._positions(docnos, snapshot)
        if not len(positions):
            return
        nearest = [best[int(docno)] for docno in docnos[present]]
        order = np.argsort(positions)
        found.vector = VectorEvidence(
            documents=positions[order],
            similarity=np.asarray([score for score, _ in nearest], np.float64)[order],
        )
        found.passages = {
            int(position): place for position, (_, place) in zip(positions, nearest, strict=True)
        }

    def _hits(self, found: _Found, snapshot: Snapshot, request: SearchRequest) -> tuple[Hit, ...]:
        relevance = found.relevance
        assert relevance is not None  # set by the caller
        docnos = snapshot.docnos[relevance.documents].tolist()
        rows = {row.docno: row for row in self._catalog.rows(docnos)}
        results = order_results(
            relevance,
            [_candidate_of(rows.get(docno), request.now) for docno in docnos],
            limit=request.limit,
            vectors=self._vectors_of(docnos) if found.vector is not None else None,
            half_life_days=request.half_life_days,
            repetition=request.repetition,
        )
        hits: list[Hit] = []
        for result in results:
            row = rows.get(int(snapshot.docnos[result.document]))
            is_noise = result.score < MIN_SCORE and result.share < KEYWORD
            if row is None or is_noise or result.score < request.min_score:
                continue
            hits.append(
                Hit(
                    row=row,
                    score=result.score,
                    reasons=result.reasons,
                    snippet=self._snippet(row, found, result.document),
                    share=result.share,
                    similarity=result.similarity,
                )
            )
        return tuple(hits)

    def _vectors_of(self, docnos: list[int]) -> NDArray[np.float32] | None:
        if self._vectors is None or not docnos:
            return None
        rows = self._vectors.rows_of(np.asarray(docnos, np.int64))
        nothing = np.zeros(self._vectors.dimension, np.float32)
        return np.stack([rows.get(docno, nothing) for docno in docnos])

    def _snippet(self, row: Row, found: _Found, document: int) -> Snippet:
        try:
            stored = self._index.read(row)
        except OSError:
            stored = None
        if stored is None:  # it changed since the index was brought up to date
            return Snippet("")
        body = stored.entry.body or row.title
        place = found.passages.get(document, 0)
        hint = self._index.passage_start(stored.entry, place) if place else 0
        return make_snippet(body, found.weights, start_hint=hint)

    def _cited(self, text: str, request: SearchRequest) -> list[Hit]:
        """The entries that the question itself names, as ``mem:ID`` or an id alone."""
        names = [str(found) for found in find_citations(text)]
        bare = text.removeprefix("mem:")
        names += [bare] if is_id(bare) else []
        rows = [row for name in names for row in self._catalog.by_prefix(name) if row.id == name]
        if not rows and (given := _MEM.fullmatch(text)):  # the beginning of an id, if of one only
            begun = self._catalog.by_prefix(given[1])
            rows = begun if len({row.id for row in begun}) == 1 else []
        if not rows or request.wanted != EntryFilter():
            wanted = set(self._catalog.docnos(request.wanted)) if rows else set()
            rows = [row for row in rows if row.docno in wanted]
        return [
            Hit(
                row=row,
                score=1.0,
                reasons=("keyword_match",),
                snippet=self._snippet(row, _Found(query=query_terms("")), -1),
                share=1.0,
                similarity=0.0,
            )
            for row in rows
        ]


@dataclass(slots=True)
class _Found:
    """The evidence for one question, as far as it has been gathered."""

    query: Query
    keyword: KeywordEvidence | None = None
    vector: VectorEvidence | None = None
    relevance: Relevance | None = None
    weights: dict[str, float] = field(default_factory=dict)  # term -> idf, for snippets
    passages: dict[int, int] = field(default_factory=dict)  # position -> nearest chunk's place


def _without_copies(relevance: Relevance) -> Relevance:
    """*relevance* without what follows the first and has the same evidence: a copy of its text."""
    if len(relevance.documents) < 2:
        return relevance
    differs = (np.abs(relevance.strength - relevance.strength[0]) > _SAME) | (
        np.abs(relevance.similarity - relevance.similarity[0]) > _SAME
    )
    differs[0] = True
    return replace(
        relevance,
        documents=relevance.documents[differs],
        relevance=relevance.relevance[differs],
        strength=relevance.strength[differs],
        share=relevance.share[differs],
        similarity=relevance.similarity[differs],
    )


def _collection_of(snapshot: Snapshot) -> Collection:
    title, body = snapshot.title_length[snapshot.alive], snapshot.body_length[snapshot.alive]
    return Collection(
        n_documents=snapshot.n_documents,
        title_lengths=snapshot.title_length,
        body_lengths=snapshot.body_length,
        average_title_length=average_length(title),
        average_body_length=average_length(body),
        scripts=Scripts(*snapshot.scripts),
    )


def _ask_keyword(
    found: _Found, snapshot: Snapshot, collection: Collection, allowed: Int | None
) -> None:
    """Score the entries with a term of the question. Statistics are the whole journal's: the same
    question scores an entry alike, whatever the filter."""
    postings: list[Posting] = []
    for term in found.query.terms:
        where = snapshot.postings(term.term)
        postings.append(
            Posting(
                documents=where.docs,
                title_tf=where.title_tf,
                body_tf=where.body_tf,
                weight=term.weight,
                is_identifier=term.kind == "identifier",
            )
        )
        n_all = max(collection.n_documents, len(where.docs))
        found.weights[term.term] = term.weight * idf(len(where.docs), n_all)
    evidence = bm25f(postings, collection)
    if allowed is not None:
        kept = np.isin(evidence.documents, allowed)
        evidence = replace(
            evidence,
            documents=evidence.documents[kept],
            strength=evidence.strength[kept],
            share=evidence.share[kept],
            n_terms=evidence.n_terms[kept],
            has_identifier=evidence.has_identifier[kept],
        )
    found.keyword = evidence


def _at_least_as_strong(strength: NDArray[np.float64], n_wanted: int) -> Int:
    """Where the *n_wanted* strongest are, and all that are as strong as the last of them."""
    if len(strength) <= n_wanted:
        return np.arange(len(strength))
    return np.flatnonzero(strength >= np.partition(strength, -n_wanted)[-n_wanted])


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
