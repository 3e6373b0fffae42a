"""What `mem doctor --fix` does to files. Nothing is lost: what is taken out is put aside first."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

from . import files
from .frontmatter import parse_document
from .health import NewId
from .session_file import scan
from .store import Journal

QUARANTINE: Final = "quarantine"


def quarantine_torn(root: Path, path: str, *, lock_timeout_s: float) -> str:
    """Move the torn records of the session file at *path* to a file of their own; that file's path.

    Raises:
        LockedError: another process kept the session for too long.
        StorageError: the disk refused; the session is as it was.
    """
    aside = f"{QUARANTINE}/{path}"
    with files.locked(root / path, timeout_s=lock_timeout_s):
        kept, torn = without_torn(files.read(root / path))
        if torn:
            with files.locked(root / aside, timeout_s=lock_timeout_s) as fd:
                files.append(fd, torn, root / aside)
            files.replace(root / path, kept)
    return aside


def without_torn(data: bytes) -> tuple[bytes, bytes]:
    """A session file's bytes without its torn records, and those records as they were."""
    kept: list[bytes] = []
    torn: list[bytes] = []
    for part in scan(io.BytesIO(data)):
        if part.kind == "torn":
            torn.append(part.raw if part.raw.endswith(b"\n") else part.raw + b"\n")
        else:
            kept.append(part.raw)
    return b"".join(kept), b"".join(torn)


def give_new_id(journal: Journal, change: NewId) -> None:
    """Write the new id into the file, and the old one among its aliases.

    Raises:
        FrontmatterError: the file cannot be changed safely; it is as it was.
        StorageError: the disk refused; the file is as it was.
    """
    text = files.read(journal.root / change.path).decode("utf-8", "replace")
    present = parse_document(text).fields.get("aliases", [])
    aliases = present if isinstance(present, list) else list(filter(None, [present]))
    journal.change_fields(change.path, {"id": change.new, "aliases": [*aliases, change.old]})
