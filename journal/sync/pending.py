"""What has been begun with a repository and is not over: a note on disk, so that a kill is made good.

A merge is made in the object database, where nothing is half done; only when its files are written
into the journal, one after the other, is there something to finish.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .. import files
from ..errors import NotFoundError

FOLDER: Final = "memjournal"
_NAME: Final = "pending.json"


@dataclass(frozen=True, slots=True)
class Pending:
    """The branch is to go from one commit to another, and the files with it."""

    old: str  # "" where there was no commit yet
    new: str


def note_pending(git_folder: Path, pending: Pending) -> None:
    """Remember *pending*, for good when this returns.

    Raises:
        StorageError: the disk refused.
    """
    text = json.dumps({"old": pending.old, "new": pending.new})
    files.replace(git_folder / FOLDER / _NAME, text.encode())


def read_pending(git_folder: Path) -> Pending | None:
    """What is not over yet; None if all is."""
    try:
        found = json.loads(files.read(git_folder / FOLDER / _NAME))
    except (NotFoundError, ValueError):  # a note is whole or not there: anything else is no note
        return None
    match found:
        case {"old": str(old), "new": str(new)}:
            return Pending(old, new)
    return None


def forget_pending(git_folder: Path) -> None:
    """All is over."""
    files.remove(git_folder / FOLDER / _NAME)
