"""Where a journal is. Apart from the store, because what only looks must not pay for YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .errors import NoJournalError
from .settings import JOURNAL_FILE

MARKER: Final = JOURNAL_FILE
PROJECT_FOLDER: Final = ".memjournal"
INDEX_FOLDER: Final = "index"


def find_journal(start: Path, *, default: Path) -> Path:
    """The journal that is meant in the folder *start*: a project's own, else *default*.

    Raises:
        NoJournalError: there is none.
    """
    for folder in (start, *start.parents):
        for candidate in (folder, folder / PROJECT_FOLDER):
            if (candidate / MARKER).is_file():
                return candidate
    return require_journal(default)


def require_journal(folder: Path) -> Path:
    """*folder*, if it is a journal.

    Raises:
        NoJournalError: it is not.
    """
    if not (folder / MARKER).is_file():
        raise NoJournalError(
            "no journal here", where=str(folder), mend=f"make one with `mem init {folder}`"
        )
    return folder
