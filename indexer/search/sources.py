"""Where an entry comes from: the entries it names as its sources, or the turn that it is part of."""

from __future__ import annotations

from ...journal.entry import Entry
from ...journal.ids import find_citations, is_id
from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter
from ..catalog.row import Row

_MAX_TURN = 200


def sources_of(catalog: Catalog, row: Row, entry: Entry) -> list[Row]:
    """The entries that *entry* goes back to, oldest first; itself if it goes back to nothing.

    A derived entry names its sources. An event has its turn: prompt, tools and answer together.
    """
    named = [text.removeprefix("mem:") for text in entry.source]
    cited = [name for name in named if is_id(name)] or [str(i) for i in find_citations(entry.body)]
    if cited:
        rows = [found for name in cited for found in catalog.by_id(name)]
        return sorted(rows, key=lambda one: (one.created_us, one.offset)) or [row]
    if row.session and row.turn is not None and row.kind == "event":
        wanted = EntryFilter(sessions=(row.session,), turn=row.turn)  # or sessions that begin so
        found = catalog.find(wanted, limit=_MAX_TURN, newest_first=False)
        return [one for one in found if one.session == row.session] or [row]
    return [row]
