"""Values to the columns of the catalog's tables and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from ...journal.entry import Entry, format_time, parse_time
from ...journal.ids import is_id
from .changes import Described, FileChange
from .entry_filter import microseconds_of
from .row import Row

COLUMNS: Final = (
    "docno, id, path, offset, length, digest, kind, type, title, project, session, turn, agent,"
    " tool, privacy, created, created_us, outcome, branch, n_chars, tags, files,"
    " symbols, body_start, body_length"
)
FILED_BY: Final = "kind, type, project, session, turn, agent, tool, created_us"
"""What an entry can be filtered by and does not stand in its own bytes alone, but in the head of its file."""
_NAMES: Final = tuple(name.strip() for name in COLUMNS.split(","))
_EMPTY: Final = "[]"


def file_values(change: FileChange) -> tuple[object, ...]:
    """A row of ``files``."""
    file, extent = change.file, change.extent
    # Times after 2262 do not fit into SQLite's integers.
    values = (file.path, file.kind, file.size_bytes, str(file.mtime_ns), str(file.ctime_ns))
    if extent is None:
        return (*values, None, None, None, 1)
    return (*values, extent.head_end, extent.head, extent.end, int(extent.is_proven))


def entry_values(described: Described) -> tuple[object, ...]:
    """The values of ``COLUMNS`` after the number."""
    entry = described.entry
    return (
        *(str(entry.id), described.path, described.offset, described.length, described.digest),
        *(entry.kind, entry.type, entry.title, entry.project, entry.session, entry.turn),
        *(entry.agent, entry.tool, entry.privacy),
        *(format_time(entry.created), microseconds_of(entry.created)),
        *(str(entry.extra.get("outcome", "")), str(entry.extra.get("branch", ""))),
        described.n_chars,
        *map(_as_list, (entry.tags, entry.files, entry.symbols)),
        *(described.body or (None, 0)),
    )


def filed_by(entry: Entry) -> tuple[object, ...]:
    """The values of ``FILED_BY``."""
    place = (entry.kind, entry.type, entry.project, entry.session, entry.turn)
    return (*place, entry.agent, entry.tool, microseconds_of(entry.created))


def _as_list(texts: Sequence[str]) -> str:
    return json.dumps(texts, ensure_ascii=False) if texts else _EMPTY


def aliases_of(entry: Entry) -> list[str]:
    """The ids that *entry* had before: `mem doctor --fix` lengthens one that stands twice."""
    given = entry.extra.get("aliases")
    texts = given if isinstance(given, list | tuple) else (given,)
    ids = [text.removeprefix("mem:") for text in texts if isinstance(text, str)]
    return [one for one in ids if is_id(one)]


def replaced_by(entry: Entry) -> list[str]:
    """The ids or paths of those that *entry* replaces; its own id, where it says that it is replaced."""
    targets = [edge.target for edge in entry.edges if edge.relation == "supersedes"]
    named = (target.strip("[] ").removeprefix("mem:") for target in targets)
    own = [str(entry.id)] if any(one.relation == "superseded_by" for one in entry.edges) else []
    return [*(name for name in named if name != entry.id), *own]


def as_row(values: Sequence[object]) -> Row:
    known = dict(zip(_NAMES, values, strict=True))
    known["created"] = parse_time(str(known["created"]))
    for name in ("tags", "files", "symbols"):
        known[name] = () if known[name] == _EMPTY else tuple(json.loads(str(known[name])))
    return Row(**known)  # type: ignore[arg-type]  # the columns are declared beside the fields
