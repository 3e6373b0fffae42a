"""What recall reads: the index of a journal, asked by whichever process the hook is attended in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from ...indexer.catalog.catalog import Catalog
    from ...indexer.catalog.row import Row
    from ...indexer.search.answer import Answer, SearchRequest
    from ...journal.reading import Stored

    Search = Callable[[SearchRequest], Answer]

T = TypeVar("T")


class Memory(Protocol):
    """The journal as it can be asked now."""

    def use(self, task: Callable[[Catalog, Search], T]) -> T:
        """What *task* makes of the catalog and of searches; both are for it alone, and end with it.

        Raises:
            MemjournalError: the index cannot be asked.
        """
        ...

    def settle(self) -> None:
        """Let what was written just now be known, if that takes no time that matters."""
        ...

    def read(self, row: Row) -> Stored | None:
        """The entry that *row* stands for; None where its file has changed since."""
        ...
