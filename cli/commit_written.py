"""Commits of what commands write, and of what was edited by hand in between.

A commit is history and no condition: what cannot be committed now is on disk, is said, and goes into the
next one.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..journal.errors import MemjournalError
from . import output

if TYPE_CHECKING:
    from .context import Context


def commit_written(context: Context, paths: Sequence[str], message: str) -> None:
    """Commit what a command wrote, where the journal is a repository and wants it.

    What was edited by hand since, or could not be committed then, goes into a commit of its own.
    """
    from ..journal import files, git

    if not context.settings.journal.commit or not git.is_repository(context.root):
        return
    timeout_s = context.settings.journal.lock_timeout_s
    try:
        with files.locked(context.index_folder / "commit.lock", timeout_s=timeout_s):
            _commit(context, paths, context.redactor.redact(message).text)
            if others := _edited_by_hand(context):
                count = output.count(len(others), "file")
                _commit(context, others, f"edit: {count} changed by hand")
    except MemjournalError as error:
        output.warn(f"not committed now, but with the next command that writes: {error}")


def _edited_by_hand(context: Context) -> list[str]:
    """What was changed since the last commit, without the deletion of most of the journal.

    That may be a disk that is not mounted; whoever meant it commits it with git.
    """
    from ..indexer.upkeep.reconcile import is_most
    from ..journal import git
    from ..journal.reading import list_files

    changed = git.uncommitted(context.root, environ=context.environ)
    gone = {path for path in changed if not (context.root / path).exists()}
    if gone:
        n_left = len(list_files(context.root).files)
        if is_most(len(gone), n_before=n_left + len(gone), n_after=n_left):
            output.warn(
                f"{output.count(len(gone), 'deleted file')} not committed, for they are most of the"
                " journal; commit them with git if it was meant"
            )
            return [path for path in changed if path not in gone]
    return changed


def _commit(context: Context, paths: Sequence[str], message: str) -> None:
    """Commit, waiting for another git that is at work there; not for one that was killed before."""
    from ..journal import git

    came = context.now
    deadline = time.monotonic() + context.settings.journal.lock_timeout_s
    while True:
        try:
            git.commit(context.root, list(paths), message, environ=context.environ)
        except git.GitLockedError as error:
            if error.is_old(came):
                raise error.left_behind() from error
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.1)
        else:
            return
