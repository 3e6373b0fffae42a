"""What recall reads: the index of a journal, asked by whichever process the hook is attended in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...indexer.catalog.catalog import Catalog
    from ...indexer.catalog.row import Row
    from ...indexer.search.answer import Answer, SearchRequest
    from ...journal.reading import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The journal as it can be asked now."""

    search: Callable[[SearchRequest], Answer]  # raises MemjournalError where it cannot be searched
    open_catalog: Callable[[], Catalog]  # closed by whoever opened it; raises MemjournalError
    read: Callable[[Row], Stored | None]  # None where the file has changed since
