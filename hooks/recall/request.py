"""What recall is asked with: the journal as it can be read, for whom it is told, and how much may be.

A brief, a timeline and what is told with a prompt are made of the same, so that none knows more than another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ...indexer.catalog.catalog import Catalog
from ...journal.redaction import Redactor
from .items import ItemMaker, Read


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """One journal, asked for one session of one project."""

    catalog: Catalog
    read: Read
    project: str
    session: str  # that is told, and so never told of; "" where there is none
    now: datetime
    max_tokens: int
    fits: Callable[[str], bool]  # whether the assistant takes a text whole
    redactor: Redactor

    def maker(self) -> ItemMaker:
        """What makes items for it. It keeps what it reads: one for each answer."""
        return ItemMaker(
            self.catalog,
            self.read,
            project=self.project,
            now=self.now,
            redactor=self.redactor,
        )
