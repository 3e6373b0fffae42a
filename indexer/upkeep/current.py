"""The catalog as the files are now, for commands that promise to write nothing.

What is on disk is copied into memory, and only what has changed since is read. The next command
that may write does the same work again and keeps it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalog.catalog import Catalog
from ..errors import IndexDamagedError, NoIndexError
from .reconcile import reconcile
from .report import UpdateReport

if TYPE_CHECKING:
    from ..index import JournalIndex


def current_catalog(index: JournalIndex, *, now_ns: int) -> Catalog:
    """A catalog in memory that agrees with the files; an index that is missing or damaged is no hindrance.

    Files that cannot be read now keep what is known of them.
    """
    try:
        catalog = Catalog.copy_of(index.catalog_path)
    except (NoIndexError, IndexDamagedError):
        catalog = Catalog.in_memory()
    reconcile(catalog, index.root, UpdateReport(), now_ns=now_ns)
    return catalog
