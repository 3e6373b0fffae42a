"""Evidence: what both legs know of each entry for one question, fetched from the two indexes.

Nothing in it depends on where an entry stands in an index, which a rebuild changes. A leg that
cannot be asked is missing in the evidence, and why is said in ``no_vectors``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from .analysis import Query, Scripts
from .answer import Mode
from .catalog import Catalog
from .entry_filter import EntryFilter
from .keyword import Snapshot
from .ranking import (
    Collection,
    KeywordEvidence,
    Posting,
    Relevance,
    VectorEvidence,
    Vectors,
    average_length,
    bm25f,
    fuse,
    idf,
)

if TYPE_CHECKING:
    from .index import JournalIndex
    from .vectors import VectorIndex

Int = NDArray[np.int64]

DECIMALS: Final = 6  # of relevance; what differs less is as relevant
N_QUESTIONS: Final = 20  # of the best candidates whose answers are looked up


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was found for one question, and what its snippets need to know."""

    relevance: Relevance  # its documents are the entries' numbers; best first
    n_matched: int  # entries with a term of the question
    used_keyword: bool
    used_vector: bool
    weights: Mapping[str, float]  # term -> idf
    places: Mapping[int, int]  # entry -> place of its nearest passage (vectors.py), if known


class Legs:
    """Both indexes in one state, open; they answer any number of questions."""

    def __init__(self, index: JournalIndex, catalog: Catalog) -> None:
        self._index, self._catalog = index, catalog
        self._snapshot: Snapshot | None = None
        self._vectors: VectorIndex | None = None
        self._by_docno: Int = np.zeros(0, np.int64)  # living positions, by entry number
        self._no_vectors = ""  # why they cannot be used although there are some

    @property
    def no_vectors(self) -> str:
        """Why there are no vectors, as far as is known yet; "" if nothing speaks against them."""
        return self._no_vectors or self._index.no_vectors

    def give_up_vectors(self, reason: str) -> None:
        """Go on without vectors."""
        self._no_vectors = reason

    def close(self) -> None:
        """Give the files back; the next question opens them as they are then."""
        if self._snapshot is not None:
            self._snapshot.close()
        self._snapshot = self._vectors = None

    def gather(self, query: Query, *, by: Mode, wanted: EntryFilter, limit: int) -> Evidence:
        """The best *limit* entries that pass *wanted*, and the answers to the questions among them.

        Keywords stand in for vectors where there are none.

        Raises:
            IndexDamagedError: an index cannot be read, or was made elsewhere.
            StorageError: the disk refused.
        """
        snapshot = self._open_snapshot()
        collection = _collection_of(snapshot)
        allowed = self._allowed(wanted, snapshot)
        vectors = self._open_vectors() if by != "keyword" else None
        keyword, vector = None, None
        weights: Mapping[str, float] = {}
        places: Mapping[int, int] = {}
        if query.terms and (by != "vector" or vectors is None):
            keyword, weights = _ask_keyword(query, snapshot, collection, allowed)
        if vectors is not None:
            strongest = _strongest(keyword, snapshot, limit)
            best = self._ask_vectors(query.text, vectors, allowed, strongest, limit)
            vector, places = self._by_position(best, snapshot)
        relevance = fuse(keyword, vector, query=query, collection=collection)
        relevance = replace(relevance, documents=snapshot.docnos[relevance.documents])
        return Evidence(
            relevance=self._with_answers(self._in_order(relevance, limit), snapshot, allowed),
            n_matched=len(keyword.documents) if keyword else 0,
            used_keyword=keyword is not None,
            used_vector=vector is not None,
            weights=weights,
            places=places,
        )

    def vectors_of(self, docnos: Int) -> Vectors | None:
        """The vector that stands for each of *docnos*, or zeros; None where no vector was asked."""
        if self._vectors is None or not len(docnos):
            return None
        rows = self._vectors.rows_of(docnos)
        nothing = np.zeros(self._vectors.dimension, np.float32)
        return np.stack([rows.get(docno, nothing) for docno in docnos.tolist()])

    def _open_snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = self._index.open_keyword().snapshot()
            living = np.flatnonzero(self._snapshot.alive)
            self._by_docno = living[np.argsort(self._snapshot.docnos[living], kind="stable")]
        return self._snapshot

    def _open_vectors(self) -> VectorIndex | None:
        if self._vectors is None and not self._no_vectors:
            self._vectors = self._index.open_vectors()
        return self._vectors

    def _positions(self, docnos: Int, snapshot: Snapshot) -> tuple[Int, NDArray[np.bool_]]:
        """Where *docnos* stand in the snapshot, and which of them stand there at all."""
        ordered = snapshot.docnos[self._by_docno]
        if not len(ordered):
            return np.zeros(0, np.int64), np.zeros(len(docnos), np.bool_)
        at = np.minimum(np.searchsorted(ordered, docnos), len(ordered) - 1)
        present = ordered[at] == docnos
        return self._by_docno[at[present]], present

    def _allowed(self, wanted: EntryFilter, snapshot: Snapshot) -> Int | None:
        """The entries that pass the filter; None when all do."""
        if wanted == EntryFilter():
            return None
        docnos = np.asarray(self._catalog.docnos(wanted), np.int64)
        return docnos[self._positions(docnos, snapshot)[1]]

    def _ask_vectors(
        self, text: str, vectors: VectorIndex, allowed: Int | None, others: Int, limit: int
    ) -> dict[int, tuple[float, int]]:
        """The nearest entries and *others*: how near each is, and the place of its nearest passage.

        None at all where the model knows no word of *text*.
        """
        embedder = self._index.embedder()
        assert embedder is not None  # there is an index only where there is an embedder
        embedded = embedder.encode([text])[0]
        best: dict[int, tuple[float, int]] = {}
        if not embedded.any():
            return best
        found = vectors.search(embedded, limit=2 * limit, allowed=allowed)
        for docno, score, place in zip(*(values.tolist() for values in found), strict=True):
            best.setdefault(docno, (score, place))  # nearest first
        return best | vectors.similarities(embedded, others[~np.isin(others, list(best))])

    def _by_position(
        self, best: Mapping[int, tuple[float, int]], snapshot: Snapshot
    ) -> tuple[VectorEvidence | None, dict[int, int]]:
        """*best* as evidence, and the places of the passages; entries that are gone left out."""
        docnos = np.asarray(sorted(best), np.int64)
        positions, present = self._positions(docnos, snapshot)
        if not len(positions):
            return None, {}
        known = docnos[present].tolist()
        similarity = np.asarray([best[docno][0] for docno in known], np.float64)
        evidence = VectorEvidence(documents=positions, similarity=similarity)
        return evidence, {docno: best[docno][1] for docno in known}

    def _in_order(self, relevance: Relevance, limit: int) -> Relevance:
        """The best *limit* that the catalog knows, the newest first of those as relevant."""
        rounded = np.round(relevance.relevance, DECIMALS)
        relevance = replace(relevance, relevance=rounded)
        n_near = len(rounded)
        if n_near > limit:
            n_near = int(np.count_nonzero(rounded >= rounded[limit - 1]))
        docnos = relevance.documents[:n_near].tolist()
        place = {docno: at for at, docno in enumerate(self._catalog.in_order(docnos))}
        known = [at for at, docno in enumerate(docnos) if docno in place]
        known.sort(key=lambda at: (-rounded[at], place[docnos[at]]))
        return relevance.take(np.asarray(known[:limit], np.int64))

    def _with_answers(
        self, relevance: Relevance, snapshot: Snapshot, allowed: Int | None
    ) -> Relevance:
        """*relevance* and, at its end, the answers to the questions that stand high in it.

        An answer may share no word with its question; ``ordering`` puts it in the question's place.
        """
        top = relevance.documents[:N_QUESTIONS].tolist()
        answers = self._catalog.in_order(self._catalog.answers_to(top))
        docnos = np.asarray(answers, np.int64)
        docnos = docnos[self._positions(docnos, snapshot)[1]]
        docnos = docnos[~np.isin(docnos, relevance.documents)]
        if allowed is not None:
            docnos = docnos[np.isin(docnos, allowed)]
        return relevance.with_documents(docnos)


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
    query: Query, snapshot: Snapshot, collection: Collection, allowed: Int | None
) -> tuple[KeywordEvidence, dict[str, float]]:
    """The entries with a term of the question, and what each term weighs.

    Statistics are the whole journal's: the same question scores an entry alike, whatever the filter.
    """
    postings: list[Posting] = []
    weights: dict[str, float] = {}
    for term in query.terms:
        where = snapshot.postings(term.term)
        postings.append(
            Posting(
                documents=where.docs,
                title_tf=where.title_tf,
                body_tf=where.body_tf,
                weight=term.weight,
            )
        )
        n_all = max(collection.n_documents, len(where.docs))
        weights[term.term] = term.weight * idf(len(where.docs), n_all)
    evidence = bm25f(postings, collection)
    if allowed is not None:
        evidence = evidence.take(np.isin(snapshot.docnos[evidence.documents], allowed))
    return evidence, weights


def _strongest(keyword: KeywordEvidence | None, snapshot: Snapshot, limit: int) -> Int:
    """The *limit* entries that match best by keyword, and all that match as well as the last."""
    if keyword is None:
        return np.zeros(0, np.int64)
    strength = keyword.strength
    if len(strength) > limit:
        keyword = keyword.take(strength >= np.partition(strength, -limit)[-limit])
    return snapshot.docnos[keyword.documents]
