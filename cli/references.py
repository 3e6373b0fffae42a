"""What the references of a command line mean: ids, their beginnings, and paths; and the entries they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..journal.errors import StorageError

if TYPE_CHECKING:
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.catalog.row import Row
    from ..journal.reading import Stored
    from .context import Context


def resolve_references(context: Context, catalog: Catalog, refs: Sequence[str]) -> list[Row]:
    """What each of *refs* means, in their order, none twice.

    Raises:
        NotFoundError, AmbiguousError: one names nothing, or several.
    """
    from ..indexer.search.resolve import resolve

    return resolve(catalog, refs, root=context.root, cwd=context.cwd)


def open_references(
    context: Context, catalog: Catalog, refs: Sequence[str]
) -> list[tuple[Row, Stored]]:
    """What *refs* mean, each read from its file.

    Raises:
        NotFoundError, AmbiguousError: one names nothing, or several.
        StorageError: a file changed meanwhile.
    """
    return [(row, open_row(context, row)) for row in resolve_references(context, catalog, refs)]


def open_row(context: Context, row: Row) -> Stored:
    """The entry that *row* stands for, read from its file.

    Raises:
        StorageError: the file changed since the catalog was read.
    """
    stored = context.index.read(row)
    if stored is None and not (context.root / row.path).exists():
        raise StorageError(
            f"the file of mem:{row.id} is gone, and the index kept it",
            where=row.path,
            mend="restore it, or run `mem index --accept-deletions` if it was meant",
        )
    if stored is None:
        raise StorageError(
            f"mem:{row.id} changed while it was being read", where=row.path, mend="try again"
        )
    return stored
