"""A whole index in memory, with the formulas of the real one, for measuring ranking alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from evalsets import Document, EvalSet
from numpy.typing import NDArray
from reference_bm25f import Collection, Posting, average_length, bm25f

from memjournal.indexer.embedding.embedders import SHIPPED_MODEL, load_embedder
from memjournal.indexer.embedding.passage_vectors import in_context
from memjournal.indexer.keywords.bm25f import KeywordEvidence
from memjournal.indexer.search import ranking
from memjournal.indexer.text.analysis import (
    Query,
    QueryTerm,
    document_length,
    document_terms,
    query_terms,
)
from memjournal.indexer.text.chunking import Passage, passages
from memjournal.indexer.text.letters import Scripts, scripts

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
Passages = Callable[[str, str], list[Passage]]  # of a title and a text: what is embedded
Legs = Literal["hybrid", "keyword", "vector"]


@dataclass(slots=True)
class _Counts:
    documents: list[int] = field(default_factory=list)
    title_tf: list[int] = field(default_factory=list)
    body_tf: list[int] = field(default_factory=list)


class MemoryIndex:
    """Documents, ready to be asked; their numbers are their places."""

    def __init__(
        self, documents: Sequence[Document], encode: Encode, *, passages: Passages = passages
    ) -> None:
        self.documents = documents
        self._encode, self._passages = encode, passages
        self._counts: dict[str, _Counts] = {}
        lengths = np.zeros((2, len(documents)))
        for number, document in enumerate(documents):
            title, body = document_terms(document.title), document_terms(document.text)
            lengths[:, number] = document_length(title), document_length(body)
            for term in title.keys() | body.keys():
                counts = self._counts.setdefault(term, _Counts())
                counts.documents.append(number)
                counts.title_tf.append(title[term])
                counts.body_tf.append(body[term])
        shares = np.array([scripts(f"{one.title} {one.text}") for one in documents])
        self.collection = Collection(
            n_documents=len(documents),
            title_lengths=lengths[0],
            body_lengths=lengths[1],
            average_title_length=average_length(lengths[0]),
            average_body_length=average_length(lengths[1]),
            scripts=Scripts(*shares.mean(axis=0).tolist()),
        )
        self._embed()

    def _embed(self) -> None:
        rows, owners = [], []
        for number, document in enumerate(self.documents):
            texts = [text for _, text in self._passages(document.title, document.text)]
            rows.append(in_context(self._encode(texts)))
            owners += [number] * len(texts)
        self._rows = np.concatenate(rows)
        self._owners = np.array(owners, dtype=np.int64)

    def vectors_of(self, documents: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vector that stands for each of *documents*: that of its opening."""
        return np.asarray(self._rows[np.searchsorted(self._owners, documents)], np.float32)

    @property
    def n_passages(self) -> int:
        return len(self._owners)

    def keyword(self, query: Query) -> KeywordEvidence:
        """What the keyword leg finds."""
        return bm25f([self._posting(term) for term in query.terms], self.collection)

    def _posting(self, term: QueryTerm) -> Posting:
        counts = self._counts.get(term.term, _Counts())
        return Posting(
            documents=np.array(counts.documents, dtype=np.int64),
            title_tf=np.array(counts.title_tf, dtype=np.float64),
            body_tf=np.array(counts.body_tf, dtype=np.float64),
            weight=term.weight,
            word=term.word,
        )

    def vector(self, text: str) -> ranking.VectorEvidence:
        """The similarity of every document."""
        similarity = self._rows @ self._encode([text])[0]
        order = np.lexsort((-similarity, self._owners))
        documents, first = np.unique(self._owners[order], return_index=True)
        return ranking.VectorEvidence(documents=documents, similarity=similarity[order][first])

    def ask(self, text: str, *, legs: Legs = "hybrid") -> ranking.Relevance:
        """The relevance of all documents by one leg or both."""
        query = query_terms(text)
        return ranking.fuse(
            None if legs == "vector" else self.keyword(query),
            None if legs == "keyword" else self.vector(text),
            query=query,
            collection=self.collection,
        )


def load_indexes(
    sets: Mapping[str, EvalSet], *, model: str = "", passages: Passages = passages
) -> dict[str, MemoryIndex]:
    """An index for each set, by its name; sets with the same documents share one."""
    embedder = load_embedder(model or SHIPPED_MODEL)
    by_folder: dict[str, MemoryIndex] = {}
    for one in sets.values():
        if one.folder not in by_folder:
            by_folder[one.folder] = MemoryIndex(one.documents, embedder.encode, passages=passages)
    return {name: by_folder[one.folder] for name, one in sets.items()}
