"""Every entry as one flat mapping: what `mem export` writes, and other programs read.

The fields are a contract, described in docs/json.md and changed only together with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from .entry import Entry, format_time
from .reading import Oddity, Stored, list_files, read_entries


def entry_fields(entry: Entry, path: str) -> dict[str, object]:
    """All there is of *entry*, in the types that JSON has; *path* is its file in the journal."""
    return {
        "id": f"mem:{entry.id}",
        "kind": entry.kind,
        "type": entry.type,
        "title": entry.title,
        "body": entry.body,
        "project": entry.project,
        "created": format_time(entry.created),
        "updated": format_time(entry.updated) if entry.updated else None,
        "session": entry.session,
        "turn": entry.turn,
        "agent": entry.agent,
        "tool": entry.tool,
        "tags": list(entry.tags),
        "source": list(entry.source),
        "confidence": entry.confidence,
        "importance": entry.importance,
        "privacy": entry.privacy,
        "edges": [{"relation": edge.relation, "target": edge.target} for edge in entry.edges],
        "files": list(entry.files),
        "symbols": list(entry.symbols),
        "extra": dict(entry.extra),
        "path": path,
    }


def all_entries(root: Path, *, failed: Callable[[Oddity], None]) -> Iterator[Stored]:
    """Every entry of the journal, read from the files in the order of their paths, one at a time.

    What cannot be read is handed to *failed* and passed over.
    """
    listing = list_files(root)
    for place in listing.unreadable:
        failed(place)
    for file in listing.files:
        try:
            for found in read_entries(root, file):
                if isinstance(found, Stored):
                    yield found
        except OSError as error:
            failed(Oddity(file.path, error.strerror or type(error).__name__))
