"""A small journal with its index, and prompts to it as hooks pass them on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

from memjournal.hooks.recall.prompt import Explained, explain
from memjournal.hooks.recall.recalled import Recalled
from memjournal.hooks.recall.request import RecallRequest
from memjournal.indexer.embedding.embedders import SHIPPED_MODEL
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.options import IndexOptions
from memjournal.indexer.search.searcher import Searcher
from memjournal.journal.redaction import Redactor
from memjournal.journal.usage import UNKNOWN, Usage

from .small_journal import NEW, NOW, SHOP, SmallJournal

_OPTIONS = IndexOptions(
    vectors=True,
    model=SHIPPED_MODEL,
    chunk_tokens=320,
    chunk_overlap_tokens=40,
    machine="this machine",
    lock_timeout_s=60,
)


class AskedJournal(SmallJournal):
    """It is indexed anew, if need be, before each prompt."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._index = JournalIndex(root, root / "index", _OPTIONS)

    def told_with(self, prompt: str, **more: Any) -> Recalled:
        """What an assistant is told with *prompt*."""
        return self.explained(prompt, **more).recalled

    def explained(
        self,
        prompt: str,
        *,
        project: str = SHOP,
        session: str = NEW,
        told: Container[str] = (),
        max_tokens: int = 800,
        fits: Callable[[str], bool] = lambda _: True,
        usage: Callable[[str], Usage] = lambda _: UNKNOWN,
    ) -> Explained:
        """The same, and why."""
        self._index.update(now_ns=0)
        with contextlib.closing(self._index.read_catalog()) as catalog:
            searcher = Searcher(self._index, catalog)
            try:
                request = RecallRequest(
                    catalog=catalog,
                    read=self._index.read,
                    project=project,
                    session=session,
                    now=NOW,
                    max_tokens=max_tokens,
                    fits=fits,
                    redactor=Redactor(),
                )
                return explain(prompt, request, search=searcher.search, told=told, usage=usage)
            finally:
                searcher.close()
