"""Evidence: what both legs know of each entry for one question, fetched from the two indexes.

Nothing in it depends on where an entry stands in an index, which a rebuild changes. A leg that
cannot be asked is missing in the evidence, and why is said in ``no_vectors``.

A question may match nearly everything, so only those entries are gathered that can still come to
stand among the best: all others are worse by what is known of them, whatever else is.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter
from ..catalog.outbox import Target
from ..catalog.row import Outline
from ..errors import IndexDamagedError, VectorsUnavailableError
from ..keywords.bm25f import KeywordEvidence
from ..keywords.scores import KeywordScores, is_among
from ..keywords.snapshot import Snapshot
from ..rest import Rest
from ..text.analysis import Query, QueryTerm
from .answer import Mode
from .passing import PassingEntries
from .ranking import Relevance, VectorEvidence, Vectors, fuse, keyword_worth

if TYPE_CHECKING:
    from ..embedding.embedders import Vector
    from ..index import JournalIndex
    from ..vectors.index import VectorIndex

Int = NDArray[np.int64]

DECIMALS: Final = 6  # of relevance; what differs less is as relevant
N_QUESTIONS: Final = 20  # of the best candidates whose answers are looked up


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was found for one question, and what its snippets need to know."""

    relevance: Relevance  # its documents are the entries' numbers; best first
    n_matched: int  # entries with a term of the question
    certainty: float  # KeywordEvidence.certainty; 0 where no keyword was asked
    used_keyword: bool
    used_vector: bool
    weights: Mapping[str, float]  # term -> idf
    places: Mapping[int, int]  # entry -> place of its nearest passage, if known
    outlines: Mapping[int, Outline]  # of those entries that are in the catalog still


class Legs:
    """Both indexes in one state, open; they answer any number of questions.

    Several threads may ask at once, each with a catalog of its own. A lock is held only while the
    indexes are opened or looked at anew, and not by questions: one that has begun goes on in the
    state that it began in.
    """

    def __init__(self, index: JournalIndex, catalog: Catalog) -> None:
        self._index, self._catalog = index, catalog
        self._opening = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._vectors: VectorIndex | None = None
        self._passing = PassingEntries()
        self._expected: dict[_Compared, _Nearest] = {}  # begun already; one at most
        self._scored: _Scored | None = None  # asked last: it may be asked of other entries next
        self._rest: Rest | None = None  # of vectors, although there are some
        self._resting = threading.Lock()  # held while it is set; it is looked at without

    @property
    def no_vectors(self) -> str:
        """Why there are no vectors, as far as is known yet; "" if nothing speaks against them."""
        rest = self._rest
        return rest.reason if rest is not None else self._index.no_vectors

    def give_up_vectors(self, reason: str) -> None:
        """Go on without vectors for a while; a question after that tries them again."""
        with self._resting:
            self._rest = Rest.begin(reason, time.monotonic())

    def _end_rest(self, rest: Rest | None) -> None:
        """Forget *rest*, but not one that another thread has begun meanwhile."""
        with self._resting:
            if self._rest is rest:
                self._rest = None

    def refresh(self) -> None:
        """Go on with the indexes as they are now; what has not changed stays open and warm.

        Raises:
            IndexDamagedError: an index cannot be read, or was made elsewhere.
            StorageError: the disk refused.
        """
        with self._opening:
            if self._snapshot is not None:
                self._snapshot = self._index.snapshot()
                self._scored, self._expected = None, {}  # they would keep the one before
            if self._vectors is not None:
                self._vectors.refresh()

    def close(self) -> None:
        """Give the files back; the next question opens them as they are then."""
        with self._opening:
            self._snapshot = self._vectors = self._scored = None
            self._expected = {}

    def gather(
        self,
        query: Query,
        *,
        by: Mode,
        wanted: EntryFilter,
        limit: int,
        then: EntryFilter | None = None,
        catalog: Catalog | None = None,
    ) -> Evidence:
        """The best *limit* entries that pass *wanted*, and the answers to the questions among them.

        Keywords stand in for vectors where there are none. *then* is what will likely be wanted next
        with the same query: of many vectors, those are compared meanwhile. *catalog* is for a thread
        that may not use the one that was given at first.

        Raises:
            IndexDamagedError: an index cannot be read, was made elsewhere, or is not the one that the
                catalog knows of.
            StorageError: the disk refused.
        """
        catalog = catalog or self._catalog
        snapshot = self._open_snapshot(catalog)
        allowed, places_allowed = self._allowed(wanted, catalog, snapshot)
        embedded = self._embedded(query.text) if by != "keyword" else None
        vectors = self._open_vectors(catalog) if embedded is not None else None
        nearest = None
        if vectors is not None and embedded is not None and embedded.any():
            compared = _Compared(vectors, snapshot, query.text, wanted, limit)
            nearest = self._expected.pop(compared, None)
            nearest = nearest or _Nearest(compared, embedded, allowed)
        scores, keyword, vector = None, None, None
        places: Mapping[int, int] = {}
        if query.terms and (by != "vector" or vectors is None):
            scores = self._scores(query, snapshot)
            if places_allowed is not None:
                scores = scores.only_at(places_allowed)
        if nearest is not None:
            others = scores.strongest(limit) if scores else np.zeros(0, np.int64)
            best = nearest.with_others(snapshot.docnos_at(others))
            vector, places = _by_position(best, snapshot)
            if then is not None:  # not sooner: the two would only share the cores
                self._expect(then, nearest, catalog)
        if scores is not None:
            keyword = _leading(scores, vector, query=query, snapshot=snapshot, limit=limit)
        relevance = fuse(keyword, vector, query=query, collection=snapshot.statistics)
        relevance = replace(relevance, documents=snapshot.docnos_at(relevance.documents))
        relevance, outlines = _in_order(relevance, limit, catalog)
        answers = _answers(relevance, outlines, allowed, catalog, snapshot)
        gains = scores.gains if scores else ()
        return Evidence(
            relevance=relevance.with_documents(
                np.asarray([one.docno for one in answers], np.int64)
            ),
            n_matched=scores.n_matched if scores else 0,
            certainty=scores.certainty if scores else 0.0,
            used_keyword=keyword is not None,
            used_vector=vector is not None,
            weights={term.term: gain for term, gain in zip(query.terms, gains, strict=False)},
            places=places,
            outlines=outlines | {one.docno: one for one in answers},
        )

    def vectors_of(self, docnos: Int) -> Vectors | None:
        """The vector that stands for each of *docnos*, or zeros; None where no vector was asked."""
        vectors = self._vectors
        if vectors is None or not len(docnos):
            return None
        rows = vectors.rows_of(docnos)
        nothing = np.zeros(vectors.dimension, np.float32)
        return np.stack([rows.get(docno, nothing) for docno in docnos.tolist()])

    def _allowed(
        self, wanted: EntryFilter, catalog: Catalog, snapshot: Snapshot
    ) -> tuple[Int | None, Int | None]:
        """The entries that pass the filter, ascending, and their positions; None when all do."""
        if wanted == EntryFilter():
            return None, None
        docnos = self._passing.docnos(wanted, catalog)
        positions, present = snapshot.positions_of(docnos)
        return docnos[present], positions

    def _expect(self, wanted: EntryFilter, nearest: _Nearest, catalog: Catalog) -> None:
        """Begin to look for what is *wanted* that is near to the same question as *nearest*."""
        compared = replace(nearest.compared, wanted=wanted)
        allowed, _ = self._allowed(wanted, catalog, compared.snapshot)
        self._expected = {compared: _Nearest(compared, nearest.embedded, allowed)}

    def _scores(self, query: Query, snapshot: Snapshot) -> KeywordScores:
        scored = self._scored
        if scored is None or scored.snapshot is not snapshot or scored.terms != query.terms:
            scored = _Scored(snapshot, query.terms, snapshot.scores(query.terms))
            self._scored = scored
        return scored.scores

    def _open_snapshot(self, catalog: Catalog) -> Snapshot:
        with self._opening:
            if self._snapshot is None:
                self._require_known(catalog, "keyword")
                self._snapshot = self._index.snapshot()
            return self._snapshot

    def _open_vectors(self, catalog: Catalog) -> VectorIndex | None:
        with self._opening:
            rest = self._rest
            if _lasts(rest):  # another thread has just found them damaged
                return None
            if self._vectors is None:
                self._require_known(catalog, "vector")
                self._vectors = self._index.open_vectors()
            self._end_rest(rest)
            return self._vectors

    def _require_known(self, catalog: Catalog, target: Target) -> None:
        """Looked at twice, for another process may have built it anew between the two looks."""
        is_known = any(self._index.belongs_to(catalog, target) for _ in range(2))
        if (
            not is_known and not catalog.is_replaced
        ):  # else it is being built anew: what is there will do
            raise IndexDamagedError(
                target, "it is missing, or not the one that the catalog knows of"
            )

    def _embedded(self, text: str) -> Vector | None:
        """The vector of a question; None where there is none now, and ``no_vectors`` says why."""
        rest = self._rest
        if _lasts(rest):
            return None
        embedder = self._index.embedder()
        if embedder is None:
            self._end_rest(rest)  # the index says why
            return None
        try:
            return embedder.encode_query(text)
        except VectorsUnavailableError as error:
            self._index.rest_vectors(error)
            return None


@dataclass(frozen=True, slots=True)
class _Compared:
    """Which vectors are compared with what."""

    vectors: VectorIndex
    snapshot: Snapshot
    text: str
    wanted: EntryFilter
    limit: int


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """What all entries of a state of the index score for some terms."""

    snapshot: Snapshot
    terms: Sequence[QueryTerm]
    scores: KeywordScores


def _lasts(rest: Rest | None) -> bool:
    return rest is not None and not rest.is_over(time.monotonic())


class _Nearest:
    """The entries that are nearest to a question; they are looked for while keywords are."""

    def __init__(self, compared: _Compared, embedded: Vector, allowed: Int | None) -> None:
        self.compared, self.embedded = compared, embedded
        self._found = compared.vectors.begin_search(
            embedded, limit=2 * compared.limit, allowed=allowed
        )

    def with_others(self, others: Int) -> dict[int, tuple[float, int]]:
        """Of them and *others*: how near each is, and the place of its nearest passage."""
        best: dict[int, tuple[float, int]] = {}
        for docno, score, place in zip(*(values.tolist() for values in self._found()), strict=True):
            best.setdefault(docno, (score, place))  # nearest first
        far = others[~np.isin(others, list(best))]
        return best | self.compared.vectors.similarities(self.embedded, far)


def _by_position(
    best: Mapping[int, tuple[float, int]], snapshot: Snapshot
) -> tuple[VectorEvidence | None, dict[int, int]]:
    """*best* as evidence, and the places of the passages; entries that are gone left out."""
    docnos = np.asarray(sorted(best), np.int64)
    positions, present = snapshot.positions_of(docnos)
    if not len(positions):
        return None, {}
    known = docnos[present].tolist()
    similarity = np.asarray([best[docno][0] for docno in known], np.float64)
    evidence = VectorEvidence(documents=positions, similarity=similarity)
    return evidence, {docno: best[docno][1] for docno in known}


def _leading(
    scores: KeywordScores,
    vector: VectorEvidence | None,
    *,
    query: Query,
    snapshot: Snapshot,
    limit: int,
) -> KeywordEvidence:
    """What keywords say of all that can be among the best *limit*, and of what the vectors found.

    An entry without a similarity is thought as near as the least near that has one; so of those, the
    better by keyword is the better.
    """
    weight, exponent = 1.0, 0.0
    if vector is not None:
        weight, exponent = keyword_worth(query.scripts.agreement(snapshot.statistics.scripts))
    slack = 2 * 10**-DECIMALS / max(weight * scores.certainty, 1e-12)  # what counts as no worse
    leading = scores.leading(limit, exponent=exponent, slack=slack)
    if vector is None:
        return leading
    both = np.union1d(leading.documents, vector.documents)
    return scores.evidence(both[scores.raw[both] > 0])


def _in_order(
    relevance: Relevance, limit: int, catalog: Catalog
) -> tuple[Relevance, dict[int, Outline]]:
    """The best *limit* that the catalog knows, the newest first of those as relevant."""
    rounded = np.round(relevance.relevance, DECIMALS)
    relevance = replace(relevance, relevance=rounded)
    n_near = len(rounded)
    if n_near > limit:
        n_near = int(np.count_nonzero(rounded >= rounded[limit - 1]))
    docnos = relevance.documents[:n_near].tolist()
    place = {docno: at for at, docno in enumerate(docnos)}
    if n_near > 2 * limit:  # half of the journal may be as relevant as the last one
        n_better = int(np.count_nonzero(rounded > rounded[limit - 1]))
        docnos = docnos[:n_better] + catalog.newest(docnos[n_better:], limit=limit)
    outlines = {one.docno: one for one in catalog.outlines(docnos)}
    known = ((place[docno], one.place_in_time) for docno, one in outlines.items())
    best = sorted(known, key=lambda one: (-rounded[one[0]], one[1]))[:limit]
    return relevance.take(np.asarray([at for at, _ in best], np.int64)), outlines


def _answers(
    relevance: Relevance,
    outlines: Mapping[int, Outline],
    allowed: Int | None,
    catalog: Catalog,
    snapshot: Snapshot,
) -> list[Outline]:
    """The answers to the questions that stand high in *relevance*, and are not in it; the newest first.

    An answer may share no word with its question; ``ordering`` puts it in the question's place.
    """
    top = relevance.documents[:N_QUESTIONS].tolist()
    questions = [docno for docno in top if outlines[docno].type == "user_prompt"]
    if not questions:
        return []
    docnos = np.asarray(catalog.answers_to(questions), np.int64)
    docnos = docnos[snapshot.positions_of(docnos)[1]]
    docnos = docnos[~np.isin(docnos, relevance.documents)]
    if allowed is not None:
        docnos = docnos[is_among(allowed, docnos)]
    return sorted(catalog.outlines(docnos.tolist()), key=lambda one: one.place_in_time)
