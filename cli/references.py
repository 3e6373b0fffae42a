"""What the references of a command line mean: ids, their beginnings, and paths; and the entries they stand for.

Commands that only read look into the other journals of a person too, for what the journal in use does not
have; what writes is never given an entry of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..journal.errors import AmbiguousError, MemjournalError, NotFoundError, StorageError

if TYPE_CHECKING:
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.catalog.row import Row
    from ..journal.entry import Entry
    from ..journal.reading import Stored
    from .context import Context


class Found(NamedTuple):
    """An entry, and where it was found."""

    row: Row
    context: Context  # of its journal
    catalog: Catalog
    journal: str = ""  # its name, if it is not the one in use

    def opened(self) -> Stored:
        """The entry, read from its file.

        Raises:
            StorageError: the file changed since the catalog was read.
        """
        return open_row(self.context, self.row)


def find_anywhere(context: Context, refs: Sequence[str]) -> list[Found]:
    """What each of *refs* means, in their order, none twice; in other journals what is not in this one.

    Raises:
        NotFoundError, AmbiguousError: one names nothing, or several.
    """
    catalog = context.fresh_catalog()
    try:
        rows = resolve_references(context, catalog, refs)
    except AmbiguousError:
        raise
    except NotFoundError:
        from .shared_search import further_journals

        others = further_journals(context)
        if not others:
            raise
        places = [("", context, catalog), *_opened(context, others)]
        found = [one for text in refs for one in _find_in(places, text)]
        return list({(one.journal, one.row.docno): one for one in found}.values())
    return [Found(row, context, catalog) for row in rows]


def _opened(
    own: Context, others: Sequence[tuple[str, Context]]
) -> Iterator[tuple[str, Context, Catalog]]:
    """Those of *others* that can be looked into, with their catalogs."""
    for name, place in others:
        try:
            yield name, place, place.fresh_catalog()
        except MemjournalError as error:
            own.remark(f"[{name}] was not looked into: {error}")


def _find_in(places: Sequence[tuple[str, Context, Catalog]], text: str) -> Iterator[Found]:
    """What *text* means in the first of *places*; what it does not have, in the others."""
    from ..journal.ids import parse_references

    own, *others = places
    for reference in parse_references(text):
        try:
            yield from _found(own, reference.text)
        except AmbiguousError:
            raise
        except NotFoundError:
            found = [one for place in others for one in _found_or_none(place, reference.text)]
            if not found:
                raise
            if len({one.row.id for one in found}) > 1:
                listed = ", ".join(f"mem:{one.row.id} [{one.journal}]" for one in found[:5])
                raise AmbiguousError(
                    f"{reference.text!r} fits {len(found)} entries: {listed}",
                    mend="give one letter more",
                ) from None
            yield from found


def _found(place: tuple[str, Context, Catalog], text: str) -> list[Found]:
    name, context, catalog = place
    rows = resolve_references(context, catalog, [text])
    return [Found(row, context, catalog, name) for row in rows]


def _found_or_none(place: tuple[str, Context, Catalog], text: str) -> list[Found]:
    try:
        return _found(place, text)
    except AmbiguousError:
        raise
    except NotFoundError:
        return []


def as_shown(found: Found, entry: Entry) -> Entry:
    """*entry* as it is shown: of another journal, flagged for what is in it, whatever it says of itself."""
    if not found.journal:
        return entry
    from ..journal.screening import FLAGGED, screen
    from ..journal.values import replace

    flags = screen(f"{entry.title}\n{entry.body}")
    return replace(entry, extra={**entry.extra, FLAGGED: list(flags)}) if flags else entry


def resolve_references(context: Context, catalog: Catalog, refs: Sequence[str]) -> list[Row]:
    """What each of *refs* means, in their order, none twice.

    Raises:
        NotFoundError, AmbiguousError: one names nothing, or several.
    """
    from ..indexer.search.resolve import resolve

    return resolve(catalog, refs, root=context.root, cwd=context.cwd)


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
