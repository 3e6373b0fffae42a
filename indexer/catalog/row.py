"""What the catalog knows of one entry, as a value that costs nothing to import."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from ...journal.entry import FAILED_OUTCOMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the catalog knows of one entry; the text itself stays in its file."""

    docno: int
    id: str
    path: str
    offset: int
    length: int
    digest: bytes
    kind: str
    type: str
    title: str
    project: str
    session: str
    turn: int | None
    agent: str
    tool: str
    privacy: str
    created: datetime
    created_us: int  # microseconds since 1970, UTC
    outcome: str
    branch: str
    n_chars: int
    tags: tuple[str, ...]
    files: tuple[str, ...]
    symbols: tuple[str, ...]
    body_start: (
        int | None
    )  # of its text, in bytes from its beginning; None if it is not there as it is
    body_length: int  # in bytes

    @property
    def failed(self) -> bool:
        """Whether this records a tool call that did not succeed."""
        return self.outcome in FAILED_OUTCOMES


class Outline(NamedTuple):
    """The little of a row that is asked of hundreds of entries for each question."""

    docno: int
    kind: str
    type: str
    session: str
    turn: int | None
    created_us: int
    id: str
    path: str
    offset: int

    @property
    def place_in_time(self) -> tuple[int, str, str, int]:
        """Sorted by it, the newest is first, and the order is the same after a rebuild."""
        return -self.created_us, self.id, self.path, self.offset
