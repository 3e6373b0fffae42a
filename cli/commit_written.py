"""Commits of what commands write, and of what was edited by hand in between.

A commit is history and no condition: what cannot be committed now is on disk, is said, and goes into the
next one.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..journal.errors import MemjournalError
from . import output

if TYPE_CHECKING:
    from ..journal.git.program import Git
    from .context import Context

_SHARE_OF_LOOKING: Final = 20
"""Of the time, at most one part in so many goes into looking for what was edited by hand: of 100,000
files that takes git 0.2 s, as long as the commit itself."""
_LOOKED: Final = "hand-edits-looked"
_KEPT_HOUSE: Final = "house-kept"
_HOUSE_S: Final = 600.0  # a busy session leaves a few megabytes loose in that time


def commit_written(context: Context, paths: Sequence[str], message: str) -> None:
    """Commit what a command wrote, where the journal is a repository and wants it.

    What was edited by hand since, or could not be committed then, goes into a commit of its own. What a
    killed sync had begun is finished first.
    """
    if not _is_wanted(context):
        return
    try:
        with _working(context) as git:
            _commit(context, git, paths, context.redactor.redact(message).text)
            if _may_look(context):
                _commit_hand_edits(context, git)
        _keep_house(context, git)
    except MemjournalError as error:
        output.warn(f"not committed now, but with the next command that writes: {error}")


def commit_all(context: Context) -> None:
    """Commit everything that is not yet, whoever wrote it.

    Raises:
        LockedError, StorageError: it cannot be committed now.
    """
    if not _is_wanted(context):
        return
    with _working(context) as git:
        _commit_hand_edits(context, git)


def _is_wanted(context: Context) -> bool:
    from ..journal import git

    return context.settings.journal.commit and git.is_repository(context.root)


@contextlib.contextmanager
def _working(context: Context) -> Iterator[Git]:
    """Git, alone at work in the journal, with nothing left open by a sync that was killed."""
    from ..journal.git.objects import reading_objects
    from ..journal.git.program import Git
    from ..journal.purge.purging import open_purge
    from ..journal.sync.journal_sync import finish_open, git_folder, lock_of
    from ..journal.sync.pending import read_pending

    folder = git_folder(context.root)
    if open_purge(folder):
        from .purge_run import finish_open_purge

        finish_open_purge(context)
    timeout_s = context.settings.journal.lock_timeout_s
    with lock_of(folder, "commit.lock", timeout_s=timeout_s):
        git = Git(context.root, context.environ, interactive=output.is_interactive())
        if read_pending(folder) is not None:
            from ..journal.sync.merge_commits import CommitMerger

            with reading_objects(git) as reader:
                finish_open(git, folder, reader, CommitMerger(git, reader), timeout_s)
        yield git


def _commit_hand_edits(context: Context, git: Git) -> None:
    began = time.monotonic()
    others = _edited_by_hand(context)
    _note_looked(context, time.monotonic() - began)
    if others:
        count = output.count(len(others), "file")
        _commit(context, git, others, f"edit: {count} changed by hand")


def _keep_house(context: Context, git: Git) -> None:
    """Pack what commits left loose, if it is time to look: others may commit meanwhile."""
    from ..journal.git.housekeeping import keep_house

    looked = context.index_folder / _KEPT_HOUSE
    try:
        is_recent = 0 <= time.time() - looked.stat().st_mtime < _HOUSE_S
    except OSError:
        is_recent = False
    if not is_recent:
        with contextlib.suppress(OSError):
            looked.parent.mkdir(parents=True, exist_ok=True)
            looked.touch()
        keep_house(git)


def _may_look(context: Context) -> bool:
    """Whether it was long enough ago that somebody looked, for what looking takes."""
    try:
        looked = context.index_folder / _LOOKED
        took_s = float(looked.read_text("ascii"))
        ago_s = time.time() - looked.stat().st_mtime
    except (OSError, ValueError):
        return True
    return not 0 <= ago_s < took_s * _SHARE_OF_LOOKING


def _note_looked(context: Context, took_s: float) -> None:
    looked: Path = context.index_folder / _LOOKED
    with contextlib.suppress(OSError):
        looked.parent.mkdir(parents=True, exist_ok=True)
        looked.write_text(f"{took_s:.3f}", "ascii")


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


def _commit(context: Context, git: Git, paths: Sequence[str], message: str) -> None:
    """Commit, waiting for another git that is at work there; not for one that was killed before.

    Raises:
        LockedError, StorageError: it cannot be committed now.
    """
    from ..journal.git.commits import Signature, commit
    from ..journal.git.program import GitLockedError
    from .witness import note_head

    came = context.now
    deadline = time.monotonic() + context.settings.journal.lock_timeout_s
    while True:
        try:
            if new := commit(git, paths, message, signature=Signature(machine=context.machine)):
                note_head(context, new)
        except GitLockedError as error:
            if error.is_old(came):
                raise error.left_behind() from error
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.1)
        else:
            return
