"""From places in files to what the indexes keep of them: the work that can be shared by processes.

Plain values in, plain values out: a worker knows nothing but where the journal is and which model
embeds. What an index is given does not depend on who made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...journal.entry import Entry
from ...journal.errors import CannotCreateError, StorageError
from ...journal.reading import Stored
from ..catalog.place import Place, read_place
from ..embedding.embedders import Embedder, load_embedder, may_be_given
from ..embedding.passage_vectors import PassageVectors, embed_entries
from ..keywords.term_batch import TermBatch, TermDocument, make_batch
from ..text.analysis import document_terms, scripts
from ..text.content import indexed_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TermTask:
    """Entries whose terms are wanted."""

    root: Path
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the keyword index keeps of some entries; those that could not be read are not among them."""

    docnos: tuple[int, ...]
    batch: TermBatch


def derive_terms(task: TermTask) -> Terms:
    """The terms of the entries at some places."""
    documents = [
        _terms_of(place, stored.entry) for place, stored in _read_each(task.root, task.places)
    ]
    return Terms(docnos=tuple(one.docno for one in documents), batch=make_batch(documents))


def _terms_of(place: Place, entry: Entry) -> TermDocument:
    text = indexed_text(entry)
    return TermDocument(
        docno=place.docno,
        title=document_terms(text.title),
        body=document_terms(text.body),
        scripts=scripts(text.body or text.title),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorTask:
    """Entries whose vectors are wanted."""

    root: Path
    places: tuple[Place, ...]
    model: str
    max_tokens: int
    overlap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryVectors:
    """What the vector index keeps of some entries; those that could not be read are not among them."""

    docnos: tuple[int, ...]
    vectors: PassageVectors


def derive_vectors(task: VectorTask) -> EntryVectors:
    """The vectors of the entries at some places, by the model of that name.

    Raises:
        VectorsUnavailableError: there can be none now.
    """
    return embed_places(task, _embedder(task.model))


def embed_places(task: VectorTask, embedder: Embedder) -> EntryVectors:
    """The same by *embedder*; the task's model is not looked at."""
    docnos: list[int] = []
    texts: list[tuple[str, str]] = []
    for place, stored in _read_each(task.root, task.places):
        docnos.append(place.docno)
        texts.append(embedded_text(stored.entry, embedder))
    vectors = embed_entries(texts, embedder, max_tokens=task.max_tokens, overlap=task.overlap)
    return EntryVectors(docnos=tuple(docnos), vectors=vectors)


def embedded_text(entry: Entry, embedder: Embedder) -> tuple[str, str]:
    """Heading and text of *entry* as far as *embedder* may see them; nothing has no vector."""
    if not may_be_given(entry.privacy, embedder):
        return "", ""
    text = indexed_text(entry)
    return text.heading, text.embedded


@lru_cache(maxsize=1)
def _embedder(model: str) -> Embedder:
    return load_embedder(model)


def _read_each(root: Path, places: Sequence[Place]) -> Iterator[tuple[Place, Stored]]:
    for place in places:
        try:
            stored = read_place(root, place)
        except (StorageError, CannotCreateError):
            continue
        if stored is not None:
            yield place, stored
