"""Which entries are wanted: the one filter of every command, and the SQL condition that it is."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_LAST = "\U0010ffff"  # stands behind every character that follows in a text


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
    tools: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    turn: int | None = None
    without_session: str = ""  # its whole id
    without_types: tuple[str, ...] = ()
    but_tools: tuple[str, ...] = ()  # calls of these are wanted even so


def condition_of(wanted: EntryFilter) -> tuple[str, tuple[object, ...]]:
    """*wanted* as a condition on the catalog's ``entries``, and its values.

    Each list is an *or*, all lists together an *and*; what is to be *without* something is left out
    before anything is ranked, so that how sure an answer is depends on what may be in it.
    """
    parts: list[str] = []
    values: list[object] = []

    def one_of(condition: str, wanted_values: Sequence[str]) -> None:
        if wanted_values:  # as one value: SQLite limits their number and the depth of conditions
            parts.append(condition.format("(SELECT value FROM json_each(?))"))
            values.append(json.dumps(wanted_values))

    def equal_to(column: str, wanted_values: Sequence[str]) -> None:
        """One value as such: only then does an index give its rows in their order of time."""
        if len(wanted_values) == 1:
            parts.append(f"{column} = ?")
            values.append(wanted_values[0])
        else:
            one_of(f"{column} IN {{}}", wanted_values)

    equal_to("project", wanted.projects)
    equal_to("kind", wanted.kinds)
    if wanted.kinds and "event" not in wanted.kinds:
        parts.append("kind <> 'event'")  # as the index of what was set down says it
    equal_to("type", wanted.types)
    equal_to("agent", wanted.agents)
    equal_to("tool", wanted.tools)
    if len(wanted.sessions) == 1:  # as a range, for which the index of sessions is asked
        parts.append("session >= ? AND session < ?")
        values += (wanted.sessions[0], wanted.sessions[0] + _LAST)
    else:
        one_of(
            "EXISTS (SELECT 1 FROM {} WHERE substr(session, 1, length(value)) = value)",
            wanted.sessions,
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
    if wanted.without_session:
        parts.append("session != ?")
        values.append(wanted.without_session)
    if wanted.without_types:
        wanted_types = "type NOT IN (SELECT value FROM json_each(?))"
        values.append(json.dumps(wanted.without_types))
        if wanted.but_tools:
            wanted_types = f"({wanted_types} OR tool IN (SELECT value FROM json_each(?)))"
            values.append(json.dumps(wanted.but_tools))
        parts.append(wanted_types)
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
