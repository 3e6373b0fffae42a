"""Which files `mem export` wrote: what is purged is taken out of them as well."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..journal import files
from ..journal.errors import MemjournalError

if TYPE_CHECKING:
    from .context import Context

_MOST: Final = 100


def note_export(context: Context, path: Path) -> None:
    """Remember that the journal was exported to *path*; where that cannot be, it is not."""
    with contextlib.suppress(MemjournalError):
        known = [one for one in _read(context) if one != str(path.absolute())]
        _write(context, [*known, str(path.absolute())][-_MOST:])


def purge_exports(context: Context, ids: AbstractSet[str]) -> tuple[list[str], list[str]]:
    """Take the lines of entries with *ids* out of all exports that are there; which files were changed,
    and which could not be."""
    changed: list[str] = []
    failed: list[str] = []
    there = [one for one in _read(context) if Path(one).is_file()]
    for path in there:
        try:
            if _purge(Path(path), ids):
                changed.append(path)
        except MemjournalError:
            failed.append(path)
    with contextlib.suppress(MemjournalError):
        _write(context, there)
    return changed, failed


def _purge(path: Path, ids: AbstractSet[str]) -> bool:
    data = files.read(path)
    lines = data.splitlines(keepends=True)
    kept = b"".join(line for line in lines if _id_in(line) not in ids)
    if kept != data:
        files.replace(path, kept)
    return kept != data


def _id_in(line: bytes) -> str:
    try:
        match json.loads(line):
            case {"id": str(entry_id)}:
                return entry_id.removeprefix("mem:")
    except ValueError:  # a file that is none of ours by now
        pass
    return ""


def _place(context: Context) -> Path:
    from .daemon_link import place_of
    from .user_folders import state_folder

    return state_folder() / "exports" / f"{place_of(context).name}.json"


def _read(context: Context) -> list[str]:
    try:
        found = json.loads(files.read(_place(context)))
    except (MemjournalError, ValueError):
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _write(context: Context, paths: list[str]) -> None:
    files.replace(_place(context), json.dumps(paths).encode())
