"""Where a journal is. Apart from the store, because what only looks must not pay for YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .errors import NoJournalError
from .files import as_storage_error
from .obstacle import kind_at
from .settings import JOURNAL_FILE

MARKER: Final = JOURNAL_FILE
PROJECT_FOLDER: Final = ".memjournal"
INDEX_FOLDER: Final = "index"


def find_journal(start: Path, *, default: Path) -> Path:
    """The journal that is meant in the folder *start*: a project's own, else *default*.

    Raises:
        NoJournalError: there is none, or something else stands in the place of its file.
    """
    for folder in (start, *start.parents):
        for candidate in (folder, folder / PROJECT_FOLDER):
            if _is_journal(candidate):
                return candidate
            _refuse_obstacle(candidate)
    return require_journal(default)


def _is_journal(folder: Path) -> bool:
    try:
        return (folder / MARKER).is_file()
    except OSError:  # a folder that we may not look into is none that was meant
        return False


def _refuse_obstacle(folder: Path) -> None:
    """Nothing, if no journal was meant in *folder*.

    Raises:
        NoJournalError: one was, and its file is none: another journal would not be the one meant.
    """
    if kind := kind_at(folder / MARKER):
        kind = "a link that leads to no file" if kind == "a link" else kind
        raise NoJournalError(
            f"there is {kind} where the journal's file should be",
            where=str(folder / MARKER),
            mend=f"move it away; `mem init {folder}` makes the file",
        )


def require_journal(folder: Path) -> Path:
    """*folder*, if it is a journal.

    Raises:
        NoJournalError: it is not, or something else stands in the place of its file.
        StorageError: it cannot be told, as for lack of permission.
    """
    try:
        is_journal = (folder / MARKER).is_file()
    except OSError as error:
        raise as_storage_error(error, folder) from error
    if not is_journal:
        _refuse_obstacle(folder)
        raise NoJournalError(
            "no journal here", where=str(folder), mend=f"make one with `mem init {folder}`"
        )
    return folder
