"""One searcher that is kept open, for one thread, and brought up to date when somebody has written.

A question costs what it asks for, not what it takes to open two indexes. The catalog is the last thing
that a change of an index is noted in, so that it tells of every change, whoever made it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ...journal.files import Identity, identity_of
from ..catalog.catalog import Catalog
from ..catalog.outbox import TARGETS
from ..errors import IndexDamagedError
from ..index import JournalIndex
from ..search.answer import Answer, SearchRequest
from ..search.searcher import Searcher
from ..stamps import STAMP_FILE

T = TypeVar("T")
Mark = tuple[Identity, int] | None  # of a file; differs for another one in its place


class WarmSearcher:
    """Answers questions from *index* as it is at that moment. Not for two threads, not even in turn."""

    def __init__(self, index: JournalIndex) -> None:
        self._index = index
        self._catalog: Catalog | None = None
        self._searcher: Searcher | None = None
        self._marks: tuple[Mark, ...] = ()  # the catalog, and each index's stamp
        self._version = 0  # of what stands in the catalog
        self.remarks: tuple[str, ...] = ()  # what had to be mended last, for people

    def open(self) -> None:
        """Load what answers need, for the first one not to wait.

        Raises:
            MemjournalError: there is nothing to search in yet.
        """
        self._index.embedder()
        self._current()

    def search(self, request: SearchRequest) -> Answer:
        """Answer *request*.

        Raises:
            UsageError: the question is empty.
            NoIndexError: there is no index yet.
            IndexDamagedError: the catalog cannot be read.
            LockedError, StorageError: the index cannot be read, or mended, now.
        """
        searcher = self._current()
        try:
            answer = searcher.search(request)
        except IndexDamagedError:
            self.close()
            raise
        self.remarks = tuple(searcher.remarks)
        searcher.remarks.clear()
        return answer

    def use(self, task: Callable[[Catalog, Callable[[SearchRequest], Answer]], T]) -> T:
        """What *task* makes of the catalog and of ``search``.

        Raises:
            As ``search``, and what *task* raises.
        """
        self._current()
        assert self._catalog is not None
        return task(self._catalog, self.search)

    @property
    def was_replaced(self) -> bool:
        """Whether other files stand in the place of those it has open; from any thread."""
        return self._searcher is not None and _marks_of(self._index) != self._marks

    def close(self) -> None:
        """Give the files back; by the thread that searched."""
        if self._searcher is not None:
            self._searcher.close()
        if self._catalog is not None:
            self._catalog.close()
        self._searcher = self._catalog = None

    def _current(self) -> Searcher:
        """The searcher, opened or refreshed if need be."""
        marks = _marks_of(self._index)
        if self._searcher is not None and marks != self._marks:
            self.close()
        if self._searcher is None or self._catalog is None:
            self._catalog = self._index.read_catalog()
            self._marks, self._version = marks, self._catalog.data_version()
            self._searcher = Searcher(self._index, self._catalog)
        elif (version := self._catalog.data_version()) != self._version:
            self._version = version
            self._refresh(self._searcher)
        return self._searcher

    def _refresh(self, searcher: Searcher) -> None:
        try:
            searcher.refresh()
        except IndexDamagedError:
            searcher.close()  # opened anew by the search, which mends what it finds damaged


def _marks_of(index: JournalIndex) -> tuple[Mark, ...]:
    """Of the catalog and of each index's stamp. The number of a file that is gone is soon another's;
    so of a stamp, which nobody writes to, its last change counts too. The catalog is written to."""
    stamps = (index.folder_of(target) / STAMP_FILE for target in TARGETS)
    catalog = _mark_of(index.catalog_path)
    return (catalog and (catalog[0], 0), *map(_mark_of, stamps))


def _mark_of(path: Path) -> Mark:
    with contextlib.suppress(OSError):
        status = os.stat(path)
        return identity_of(status), status.st_ctime_ns
    return None
