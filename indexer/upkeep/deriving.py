"""From rows of the catalog to what the indexes keep of them: the work that can be shared by processes.

Plain values in, plain values out: a worker knows nothing but where the journal is and which model
embeds. What an index is given does not depend on who made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...journal.errors import CannotCreateError, StorageError
from ..catalog.in_files import read_body
from ..catalog.row import Row
from ..embedding.embedders import Embedder, load_embedder, may_be_given
from ..embedding.passage_vectors import PassageVectors, embed_entries
from ..keywords.term_batch import TermBatch, TermDocument, make_batch
from ..text.analysis import document_terms
from ..text.content import indexed_text
from ..text.letters import scripts


@dataclass(frozen=True, slots=True, kw_only=True)
class TermTask:
    """Entries whose terms are wanted."""

    root: Path
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the keyword index keeps of some entries; those that could not be read are not among them."""

    docnos: tuple[int, ...]
    batch: TermBatch


def derive_terms(task: TermTask) -> Terms:
    """The terms of some entries."""
    documents = [_terms_of(row, body) for row, body in _read_each(task.root, task.rows)]
    return Terms(docnos=tuple(one.docno for one in documents), batch=make_batch(documents))


def _terms_of(row: Row, body: str) -> TermDocument:
    text = indexed_text(row, body)
    return TermDocument(
        docno=row.docno,
        title=document_terms(text.title),
        body=document_terms(text.body),
        scripts=scripts(text.body or text.title),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorTask:
    """Entries whose vectors are wanted."""

    root: Path
    rows: tuple[Row, ...]
    model: str
    max_tokens: int
    overlap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryVectors:
    """What the vector index keeps of some entries; those that could not be read are not among them."""

    docnos: tuple[int, ...]
    vectors: PassageVectors


def derive_vectors(task: VectorTask) -> EntryVectors:
    """The vectors of some entries, by the model of that name.

    Raises:
        VectorsUnavailableError: there can be none now.
    """
    return embed_rows(task, _embedder(task.model))


def embed_rows(task: VectorTask, embedder: Embedder) -> EntryVectors:
    """The same by *embedder*; the task's model is not looked at."""
    docnos: list[int] = []
    texts: list[tuple[str, str]] = []
    for row, body in _read_each(task.root, task.rows):
        docnos.append(row.docno)
        texts.append(embedded_text(row, body, embedder))
    vectors = embed_entries(texts, embedder, max_tokens=task.max_tokens, overlap=task.overlap)
    return EntryVectors(docnos=tuple(docnos), vectors=vectors)


def embedded_text(row: Row, body: str, embedder: Embedder) -> tuple[str, str]:
    """Heading and text of an entry as far as *embedder* may see them; nothing has no vector."""
    if not may_be_given(row.privacy, embedder):
        return "", ""
    text = indexed_text(row, body)
    return text.heading, text.embedded


@lru_cache(maxsize=1)
def _embedder(model: str) -> Embedder:
    return load_embedder(model)


def _read_each(root: Path, rows: Sequence[Row]) -> Iterator[tuple[Row, str]]:
    for row in rows:
        try:
            body = read_body(root, row)
        except (StorageError, CannotCreateError):
            continue
        if body is not None:
            yield row, body
