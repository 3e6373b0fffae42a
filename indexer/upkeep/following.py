"""Following the outbox: each index takes in the entries that the catalog noted for it.

Work is marked before the index is touched, and ticked off only after the index has kept it. What
cannot be read now counts as a failed attempt and stays; a few of those, and the entry is left alone
until it changes. A service that fails is no entry's fault, and all of its work waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..catalog.catalog import Catalog
from ..catalog.changes import Pending
from ..catalog.outbox import Target
from ..catalog.row import Row
from ..errors import VectorsUnavailableError
from ..keywords.mark import mark_of
from ..keywords.term_batch import TermBatch
from .deriving import (
    EntryVectors,
    TermTask,
    VectorTask,
    derive_terms,
    derive_vectors,
    embed_rows,
)
from .report import ProgressCallback
from .workers import WorkerLostError, Workers

if TYPE_CHECKING:
    from ..index import JournalIndex

KEYWORD_BATCH: Final = 10_000
VECTOR_BATCH: Final = 20_000  # and then they are saved
_TASK: Final = 250  # entries whose texts are in memory at once
_SLOW_TASK: Final = 64  # where a service may take seconds for so many, and is seen to get on
_MANY: Final = 1_000  # entries; to start a worker costs as much as to index about so many

Report = Callable[[int], None]


def follow(
    index: JournalIndex,
    catalog: Catalog,
    target: Target,
    workers: Workers,
    *,
    progress: ProgressCallback,
) -> None:
    """Do all work that is noted for *target*, each piece once, whatever becomes of it.

    Raises:
        IndexDamagedError: the index cannot be read or written as it is.
        StorageError: the index cannot be written.
        VectorsUnavailableError: what makes the vectors cannot be asked now.
    """
    n_all = catalog.outbox.count(target)
    if n_all < _MANY:
        workers = Workers(1)
    run = _follow_keyword if target == "keyword" else _follow_vectors
    while True:
        try:
            run(index, catalog, workers, lambda n_done: progress(target, n_done, n_all))
        except WorkerLostError:  # by one of the entries, or by somebody who killed it
            with catalog.transaction():
                catalog.outbox.recover()
        else:
            return


def _follow_keyword(
    index: JournalIndex, catalog: Catalog, workers: Workers, report: Report
) -> None:
    """One batch is written while the next is being made."""
    keyword = index.open_keyword()
    n_done = 0
    with ThreadPoolExecutor(1, "keyword") as writer:
        written: _Writing | None = None
        for pending in _batches(catalog, "keyword", KEYWORD_BATCH):
            settled = [one.docno for one in pending if one.row is None]
            batches: list[TermBatch] = []
            tasks = (TermTask(root=index.root, rows=part) for part in _parts(pending))
            for terms in workers.map(derive_terms, tasks):
                settled += terms.docnos
                batches.append(terms.batch)
                report(n_done + len(settled))
            if written is not None:
                written.finish(catalog)
            docnos = [one.docno for one in pending]
            future = writer.submit(keyword.apply, batches, replaced=docnos, known=index.snapshot())
            written = _Writing(index.folder_of("keyword"), future, docnos, settled)
            if len(pending) < KEYWORD_BATCH:  # if this one fails, it must be known to be this one
                written.finish(catalog)
                written = None
            n_done += len(pending)
        if written is not None:
            written.finish(catalog)


@dataclass(frozen=True, slots=True)
class _Writing:
    """A batch that is being written."""

    folder: Path
    future: Future[None]
    docnos: Sequence[int]
    settled: Sequence[int]

    def finish(self, catalog: Catalog) -> None:
        """Wait until it is on disk, and tick it off."""
        self.future.result()
        with catalog.transaction():
            catalog.set_mark("keyword", mark_of(self.folder))
            _tick_off(catalog, "keyword", self.docnos, self.settled)


def _follow_vectors(
    index: JournalIndex, catalog: Catalog, workers: Workers, report: Report
) -> None:
    vectors = index.open_vectors()
    if vectors is None:
        return
    from ..vectors.index import VectorDocument

    n_done = 0
    for pending in _batches(catalog, "vector", VECTOR_BATCH):
        settled = [one.docno for one in pending if one.row is None]
        vectors.apply((), replaced=settled)
        try:
            for found in _vectors_of(index, pending, workers):
                documents = (
                    VectorDocument(docno=docno, vectors=rows)
                    for docno, rows in zip(found.docnos, found.vectors, strict=True)
                )
                vectors.apply(documents, replaced=found.docnos)
                settled += found.docnos
                report(n_done + len(settled))
        except VectorsUnavailableError:
            vectors.save()
            with catalog.transaction():
                catalog.set_mark("vector", vectors.mark)
                catalog.outbox.settle("vector", settled)
                catalog.outbox.put_back("vector")
            raise
        vectors.save()
        with catalog.transaction():
            catalog.set_mark("vector", vectors.mark)
            _tick_off(catalog, "vector", [one.docno for one in pending], settled)
        n_done += len(pending)
        report(n_done)


def _vectors_of(
    index: JournalIndex, pending: Sequence[Pending], workers: Workers
) -> Iterator[EntryVectors]:
    from ..embedding.embedders import StaticEmbedder

    embedder = index.embedder()
    assert embedder is not None  # there is an index only where there is an embedder
    is_fast = isinstance(embedder, StaticEmbedder)
    parts = _parts(pending, _TASK if is_fast else _SLOW_TASK)
    tasks = (vector_task(index, part) for part in parts)
    # A worker loads a model of its own: the static one quickly, others in seconds and gigabytes. With
    # one worker the work is done here, where a model is loaded already.
    if is_fast and workers.count > 1:
        yield from workers.map(derive_vectors, tasks)
    else:
        yield from (embed_rows(task, embedder) for task in tasks)


def vector_task(index: JournalIndex, rows: tuple[Row, ...]) -> VectorTask:
    """What it takes to make the vectors of the entries of *rows*."""
    options = index.options
    return VectorTask(
        root=index.root,
        rows=rows,
        model=options.model,
        max_tokens=options.chunk_tokens,
        overlap=options.chunk_overlap_tokens,
    )


def _batches(catalog: Catalog, target: Target, size: int) -> Iterator[list[Pending]]:
    after = 0
    while pending := catalog.pending(target, limit=size, after=after):
        with catalog.transaction():
            catalog.outbox.begin(target, [one.docno for one in pending])
        yield pending
        after = pending[-1].docno


def _parts(pending: Sequence[Pending], size: int = _TASK) -> Iterator[tuple[Row, ...]]:
    """The rows of those of *pending* that there are, *size* at a time."""
    rows = (one.row for one in pending if one.row is not None)
    while part := tuple(islice(rows, size)):
        yield part


def _tick_off(
    catalog: Catalog, target: Target, docnos: Sequence[int], settled: Sequence[int]
) -> None:
    catalog.outbox.settle(target, settled)
    for docno in sorted(set(docnos).difference(settled)):
        catalog.outbox.fail(target, docno, "the file changed or could not be read")
