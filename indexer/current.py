"""The catalog as the files are now, for commands that promise to write nothing.

What is on disk is copied into memory, and only what has changed since is read. The next command
that may write does the same work again and keeps it.
"""

from __future__ import annotations

from ..journal.reading import list_files
from .catalog import Catalog, FileChange
from .errors import IndexDamagedError
from .index import JournalIndex
from .reconcile import plan_reconcile, read_change


def current_catalog(index: JournalIndex, *, now_ns: int) -> Catalog:
    """A catalog in memory that agrees with the files; an index that is missing or damaged is no hindrance.

    Files that cannot be read now keep what is known of them.
    """
    try:
        catalog = Catalog.copy_of(index.catalog_path)
    except (FileNotFoundError, IndexDamagedError):
        catalog = Catalog.in_memory()
    plan = plan_reconcile(list_files(index.root), catalog.known_files())
    with catalog.transaction():
        for path in plan.removed:
            catalog.apply(FileChange.gone(path))
        for file in plan.changed:
            try:
                change = read_change(index.root, file, now_ns=now_ns)
            except OSError:
                continue
            catalog.apply(change)
    return catalog
