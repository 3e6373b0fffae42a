"""Proof that forgotten entries are found no more: looked for where a search would find them."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass

from ..journal.traces import Traces, find_traces
from .catalog.catalog import Catalog
from .index import JournalIndex


@dataclass(frozen=True, slots=True)
class Proof:
    """How much of the entries is left in each place; ``holds`` says what must be empty."""

    n_catalog: int
    n_keyword: int
    n_vector: int | None  # None: there are no vectors
    traces: Traces

    @property
    def holds(self) -> bool:
        """Whether everything was looked through, and nothing is left that a command could find."""
        return not (
            self.n_catalog
            or self.n_keyword
            or self.n_vector
            or self.traces.records
            or self.traces.index
            or self.traces.unread
        )


def erase_traces(index: JournalIndex) -> None:
    """Write what is derived anew without the bytes of what was removed from it.

    Raises:
        LockedError: another process kept the index for too long.
        IndexDamagedError: a part of it cannot be read.
        StorageError, CannotCreateError: the index cannot be written.
    """
    with index.locked():
        with contextlib.closing(Catalog(index.catalog_path, write=True)) as catalog:
            catalog.compact()
        index.open_keyword().compact()
        if (vectors := index.open_vectors()) is not None:
            vectors.compact()


def prove_forgotten(
    index: JournalIndex, *, docnos: Collection[int], ids: Collection[str], lines: Collection[str]
) -> Proof:
    """Look for the entries that had these numbers, ids and telling lines.

    Raises:
        IndexDamagedError: a part of the index cannot be read.
    """
    gone = set(docnos)
    with contextlib.closing(index.read_catalog()) as catalog:
        n_catalog = len(catalog.rows(sorted(gone)))
    with index.open_keyword().snapshot() as snapshot:
        n_keyword = len(gone.intersection(snapshot.docnos[snapshot.alive].tolist()))
    vectors = index.open_vectors()
    n_vector = None if vectors is None else len(gone.intersection(vectors.docnos.tolist()))
    return Proof(n_catalog, n_keyword, n_vector, find_traces(index.root, ids=ids, lines=lines))
