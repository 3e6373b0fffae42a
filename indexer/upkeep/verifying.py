"""Whether all agree: the files with the catalog, and the catalog with both indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from ...journal.reading import list_files
from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter
from ..catalog.row import Row
from .deriving import embed_rows
from .following import vector_task
from .reconcile import describe_failure, plan_update, read_change

if TYPE_CHECKING:
    from ..index import JournalIndex

_AT_ONCE: Final = 250  # entries whose texts are in memory


def find_differences(index: JournalIndex, catalog: Catalog) -> list[str]:
    """What does not agree, a line each; every file is read.

    Raises:
        IndexDamagedError: a part of the index cannot be read.
    """
    if found := catalog.check():
        return [f"catalog: {found}"]
    rows = {row.docno: row for row in catalog.find(EntryFilter(), limit=-1)}
    return [
        *_compare_files(index, catalog, rows),
        *_compare_keyword(index, catalog, rows),
        *_compare_vectors(index, catalog, rows),
    ]


def _compare_files(index: JournalIndex, catalog: Catalog, rows: Mapping[int, Row]) -> Iterator[str]:
    plan, unreadable = plan_update(catalog, index.root)
    for path in (*plan.removed, *plan.withheld):
        yield f"{path}: in the index, not on disk"
    for place in unreadable:
        yield f"{place.path}: {place.what}"
    by_path: dict[str, list[tuple[str, int, bytes]]] = {}
    for row in rows.values():
        by_path.setdefault(row.path, []).append((row.id, row.offset, row.digest))
    for file in list_files(index.root).files:
        try:
            change = read_change(index.root, file, now_ns=0)
        except OSError as error:
            if oddity := describe_failure(file, error):
                yield f"{oddity.path}: {oddity.what}"
            continue
        on_disk = sorted((one.entry.id, one.offset, one.digest) for one in change.entries or ())
        if sorted(by_path.get(file.path, ())) != on_disk:
            yield f"{file.path}: differs from the index"


def _compare_keyword(
    index: JournalIndex, catalog: Catalog, rows: Mapping[int, Row]
) -> Iterator[str]:
    waiting = set(catalog.outbox.waiting("keyword", limit=-1))
    with index.open_keyword().snapshot() as snapshot:
        found = snapshot.docnos[snapshot.alive].tolist()
    if len(found) != len(set(found)):
        yield "keyword index: an entry stands twice"
    if set(found) - waiting != rows.keys() - waiting:
        yield "keyword index: other entries than in the catalog"


def _compare_vectors(
    index: JournalIndex, catalog: Catalog, rows: Mapping[int, Row]
) -> Iterator[str]:
    vectors = index.open_vectors()
    if vectors is None:
        return
    waiting = set(catalog.outbox.waiting("vector", limit=-1))
    found = set(vectors.docnos.tolist()) - waiting
    if not found <= rows.keys():
        yield "vector index: entries that are not in the catalog"
    without = [rows[n] for n in sorted(rows.keys() - found - waiting)]
    embedder = index.embedder()
    assert embedder is not None  # there is an index only where there is an embedder
    for start in range(0, len(without), _AT_ONCE):  # those that say nothing have none
        made = embed_rows(vector_task(index, tuple(without[start : start + _AT_ONCE])), embedder)
        for docno, rows_of_entry in zip(made.docnos, made.vectors, strict=True):
            if rows_of_entry.any():
                yield f"vector index: mem:{rows[docno].id} is missing"
