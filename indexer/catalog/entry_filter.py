"""Which entries are wanted: the one filter of every command, and the SQL condition that it is."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which entries are wanted; empty means all."""

    projects: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()  # ids or their beginnings
    files: tuple[str, ...] = ()  # paths or their ends
    agents: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    turn: int | None = None


def condition_of(wanted: EntryFilter) -> tuple[str, tuple[object, ...]]:
    """*wanted* as a condition on the catalog's ``entries``, and its values.

    Each list is an *or*, all lists together an *and*.
    """
    parts: list[str] = []
    values: list[object] = []

    def one_of(condition: str, wanted_values: Sequence[str]) -> None:
        if wanted_values:  # as one value: SQLite limits their number and the depth of conditions
            parts.append(condition.format("(SELECT value FROM json_each(?))"))
            values.append(json.dumps(wanted_values))

    one_of("project IN {}", wanted.projects)
    one_of("kind IN {}", wanted.kinds)
    one_of("type IN {}", wanted.types)
    one_of("agent IN {}", wanted.agents)
    one_of(
        "EXISTS (SELECT 1 FROM {} WHERE substr(session, 1, length(value)) = value)", wanted.sessions
    )
    one_of("docno IN (SELECT docno FROM tags WHERE tag IN {})", [fold_tag(t) for t in wanted.tags])
    one_of(
        "docno IN (SELECT docno FROM mentions, {} WHERE file = value"
        " OR substr(file, -1 - length(value)) = '/' || value)",
        [compose(file) for file in wanted.files],
    )
    for comparison, moment in ((">=", wanted.since), ("<", wanted.until)):
        if moment is not None:
            parts.append(f"created_us {comparison} ?")
            values.append(microseconds_of(moment))
    if wanted.turn is not None:
        parts.append("turn = ?")
        values.append(wanted.turn)
    return " AND ".join(parts) or "1", tuple(values)


def compose(text: str) -> str:
    """*text* in the form that it is compared in: some file systems hand out names decomposed."""
    return unicodedata.normalize("NFC", text)


def fold_tag(tag: str) -> str:
    """*tag* in the form that it is compared in."""
    return compose(compose(tag).casefold())


def microseconds_of(moment: datetime) -> int:
    """Since 1970, UTC; the form that times are compared in."""
    return round(moment.timestamp() * 1e6)
