"""What the catalog knows of one entry, as a value that costs nothing to import."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


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


class Outline(NamedTuple):
    """The little of a row that is asked of hundreds of entries for each question."""

    docno: int
    kind: str
    type: str
    session: str
    turn: int | None
    created_us: int
