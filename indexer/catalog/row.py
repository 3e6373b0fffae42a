"""What the catalog knows of one entry, as a value that costs nothing to import."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


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
