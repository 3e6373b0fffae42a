"""Entries that a question names: by citation, by id, or by the beginning of one."""

from __future__ import annotations

import re
from typing import Final

from ...journal.ids import find_citations, is_id
from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter
from ..catalog.row import Row

_MEM: Final = re.compile(r"\[?mem:([0-9A-Za-z]{2,64})\]?", re.IGNORECASE)


def cited_rows(catalog: Catalog, text: str, wanted: EntryFilter) -> list[Row]:
    """The entries that *text* names and that pass *wanted*, each once."""
    names = [str(found) for found in find_citations(text)]
    bare = text.removeprefix("mem:")
    names += [bare] if is_id(bare) else []
    rows = [row for name in names for row in catalog.by_id(name)]
    if not rows and (given := _MEM.fullmatch(text)):  # the beginning of an id, if of one only
        begun = catalog.by_prefix(given[1])
        rows = begun if len({row.id for row in begun}) == 1 else []
    if rows and wanted != EntryFilter():
        passing = set(catalog.docnos(wanted).tolist())
        rows = [row for row in rows if row.docno in passing]
    return list({row.docno: row for row in rows}.values())
