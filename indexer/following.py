"""Following the outbox: each index takes in the entries that the catalog noted for it.

Work is ticked off only after the index has kept it. What cannot be read now counts as a failed
attempt and stays; a few of those, and the entry is left alone until it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from ..journal.errors import CannotCreateError, StorageError
from ..journal.reading import Stored
from .catalog import Catalog, Pending
from .content import indexed_text
from .outbox import Target
from .report import ProgressCallback

if TYPE_CHECKING:
    from .index import JournalIndex
    from .keyword import TermDocument
    from .vectors import VectorDocument

KEYWORD_BATCH: Final = 10_000
VECTOR_BATCH: Final = 250  # their texts are in memory at once
VECTOR_SAVE_EVERY: Final = 20_000
_PROGRESS_EVERY: Final = 200


def follow(
    index: JournalIndex, catalog: Catalog, target: Target, *, progress: ProgressCallback
) -> None:
    """Do all work that is noted for *target*, each piece once, whatever becomes of it.

    Raises:
        IndexDamagedError: the index cannot be read or written as it is.
        StorageError: the index cannot be written.
    """
    n_all = catalog.outbox.count(target)

    def report(n_done: int) -> None:
        progress(target, n_done, n_all)

    if target == "keyword":
        _follow_keyword(index, catalog, report)
    else:
        _follow_vectors(index, catalog, report)


def _follow_keyword(index: JournalIndex, catalog: Catalog, report: Callable[[int], None]) -> None:
    keyword = index.open_keyword()
    n_done = 0
    for pending in _batches(catalog, "keyword", KEYWORD_BATCH):
        settled: list[int] = []
        keyword.apply(
            _term_documents(index, pending, settled, n_before=n_done, report=report),
            replaced=[one.docno for one in pending],
        )
        _tick_off(catalog, "keyword", [one.docno for one in pending], settled)
        n_done += len(pending)
        report(n_done)


def _follow_vectors(index: JournalIndex, catalog: Catalog, report: Callable[[int], None]) -> None:
    vectors = index.open_vectors()
    if vectors is None:
        return
    n_done = 0
    unsaved: list[int] = []
    settled: list[int] = []

    def keep() -> None:
        vectors.save()
        _tick_off(catalog, "vector", unsaved, settled)
        unsaved.clear()
        settled.clear()

    for pending in _batches(catalog, "vector", VECTOR_BATCH):
        docnos = [one.docno for one in pending]
        vectors.apply(vector_documents(index, pending, settled), replaced=docnos)
        unsaved += docnos
        n_done += len(docnos)
        if len(unsaved) >= VECTOR_SAVE_EVERY:
            keep()
        report(n_done)
    if unsaved:
        keep()


def _batches(catalog: Catalog, target: Target, size: int) -> Iterator[list[Pending]]:
    after = 0
    while pending := catalog.pending(target, limit=size, after=after):
        yield pending
        after = pending[-1].docno


def _term_documents(
    index: JournalIndex,
    pending: Sequence[Pending],
    settled: list[int],
    *,
    n_before: int,
    report: Callable[[int], None],
) -> Iterator[TermDocument]:
    """What the keyword index keeps of each entry; *settled* gets the numbers of those looked at."""
    from .analysis import document_terms, scripts
    from .keyword import TermDocument

    for number, (one, stored) in enumerate(_read_each(index, pending), 1):
        settled.append(one.docno)
        if stored is None:
            continue
        text = indexed_text(stored.entry)
        yield TermDocument(
            docno=one.docno,
            title=document_terms(text.title),
            body=document_terms(text.body),
            scripts=scripts(text.body or text.title),
        )
        if number % _PROGRESS_EVERY == 0:
            report(n_before + number)


def vector_documents(
    index: JournalIndex, pending: Sequence[Pending], settled: list[int]
) -> list[VectorDocument]:
    """What the vector index keeps of each entry; *settled* gets the numbers of those looked at."""
    from .ranking import in_context
    from .vectors import VectorDocument

    embedder = index.embedder()
    assert embedder is not None  # there is an index only where there is an embedder
    docnos: list[int] = []
    texts: list[str] = []
    for one, stored in _read_each(index, pending):
        settled.append(one.docno)
        for passage in index.passages(stored.entry) if stored else ():
            docnos.append(one.docno)
            texts.append(passage.text)
    vectors = embedder.encode(texts)
    documents = []
    start = 0
    for docno, group in groupby(docnos):
        end = start + sum(1 for _ in group)
        documents.append(VectorDocument(docno=docno, vectors=in_context(vectors[start:end])))
        start = end
    return documents


def _read_each(
    index: JournalIndex, pending: Sequence[Pending]
) -> Iterator[tuple[Pending, Stored | None]]:
    """Each piece of work with its entry (None: take it out); what cannot be read is left out."""
    for one in pending:
        if one.row is None:
            yield one, None
            continue
        try:
            stored = index.read(one.row)
        except (StorageError, CannotCreateError):
            continue
        if stored is not None:
            yield one, stored


def _tick_off(
    catalog: Catalog, target: Target, docnos: Sequence[int], settled: Sequence[int]
) -> None:
    with catalog.transaction():
        catalog.outbox.settle(target, settled)
        for docno in sorted(set(docnos).difference(settled)):
            catalog.outbox.fail(target, docno, "the file changed or could not be read")
