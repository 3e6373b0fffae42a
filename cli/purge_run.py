"""`mem forget --purge`: out of the files, out of the history of every branch, and out of the repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..journal.errors import LockedError, MemjournalError
from . import output

if TYPE_CHECKING:
    from ..indexer.catalog.row import Row
    from ..journal.purge.proof import ObjectsProof
    from ..journal.reading import Stored
    from ..journal.store import Forgetting
    from .context import Context

_MIN_LINE_CHARS = 12  # a shorter line stands in many texts


@dataclass(frozen=True, slots=True)
class PurgePlan:
    """What a purge would do."""

    n_commits: int  # that hold the memories, or stand on one that does
    first: str  # of them
    machines: tuple[str, ...]  # that must sync


def plan_purge(context: Context, rows: Sequence[Row]) -> PurgePlan:
    """What would be rewritten; nothing is.

    Raises:
        UnavailableError: there is no history.
        StorageError: the history is not here as a whole.
    """
    from ..journal.errors import StorageError
    from ..journal.history.commits import read_commits
    from .entry_versions import open_history

    git = open_history(context)
    if git.run(["rev-parse", "--is-shallow-repository"]) == "true":
        raise StorageError(
            "the history is not here as a whole, and cannot be rewritten",
            where=str(context.root),
            mend="`git fetch --unshallow` brings it",
        )
    paths = [f":(literal){row.path}" for row in rows]
    paths += [f":(glob)memories/**/*--{row.id}.md" for row in rows]
    all_commits = read_commits(git, "--topo-order", "--reverse", "HEAD", "--")
    touching = {one.sha for one in read_commits(git, "HEAD", "--", *paths)}
    first = next((n for n, one in enumerate(all_commits) if one.sha in touching), len(all_commits))
    machines = {
        one.machine for one in all_commits if one.machine and one.machine != context.machine
    }
    sha = all_commits[first].sha if first < len(all_commits) else ""
    return PurgePlan(len(all_commits) - first, sha, tuple(sorted(machines)))


def purge(context: Context, rows: Sequence[Row], stored: Sequence[Stored]) -> list[Forgetting]:
    """Purge the entries, which *rows* and *stored* are; what was done to which file.

    Killed on the way, the next command finishes it.

    Raises:
        LockedError: another process, or git itself, is at work there.
        StorageError: it cannot be done now; the next command tries it again.
    """
    from ..journal.purge.purging import note_purge
    from ..journal.store import plan_forgetting
    from ..journal.sync.journal_sync import git_folder, lock_of

    folder = git_folder(context.root)
    plan = plan_forgetting(stored)
    with lock_of(folder, "sync.lock", timeout_s=context.settings.journal.lock_timeout_s):
        note_purge(folder, {str(row.id) for row in rows})
        context.journal.forget(stored)
        _finish(context)
    return plan


def finish_open_purge(context: Context) -> None:
    """Finish a purge that was killed; nothing where none was, or where a sync is at it.

    Raises:
        StorageError: it cannot be done now.
    """
    from ..journal.purge.purging import open_purge
    from ..journal.sync.journal_sync import git_folder, lock_of

    folder = git_folder(context.root)
    if not open_purge(folder):
        return
    try:
        with lock_of(folder, "sync.lock", timeout_s=0.0):
            _finish(context)
    except LockedError:  # whoever has it, finishes it
        return
    from .sync_run import erase_purged

    erase_purged(context)


def _finish(context: Context) -> None:
    """Announce, commit, rewrite, clean: each does nothing where it was done already."""
    from ..journal.announcements import announcements_on_disk
    from ..journal.git.commits import Signature, commit
    from ..journal.git.objects import reading_objects
    from ..journal.git.program import Git
    from ..journal.git.repository import uncommitted
    from ..journal.purge.purging import finish_purge, open_purge, purge_branches
    from ..journal.sync.journal_sync import git_folder, lock_of, moving
    from ..journal.sync.merge_commits import CommitMerger
    from .announcing import announce
    from .witness import note_head, note_rewritten

    folder = git_folder(context.root)
    timeout_s = context.settings.journal.lock_timeout_s
    ids = open_purge(folder)
    told = announcements_on_disk(context.root).all_purged
    announce(context, "purged", sorted(ids - told))
    with lock_of(folder, "commit.lock", timeout_s=timeout_s):
        git = Git(context.root, context.environ, interactive=output.is_interactive())
        message = f"purge: {output.count(len(ids), 'entry', 'entries')}"
        paths = uncommitted(context.root, environ=context.environ)
        commit(git, paths, message, signature=Signature(machine=context.machine))
        with reading_objects(git) as reader:
            move = moving(git, folder, reader, CommitMerger(git, reader), lock_timeout_s=timeout_s)
            done = purge_branches(git, folder, ids | told, move=move)
        note_rewritten(context, done.rewritten)
        finish_purge(git, folder)
        note_head(context, git.run(["rev-parse", "HEAD"]))
        for name in done.left_in:
            output.warn(f"{name} still holds it; look there with `git stash list`")


def send_purge(context: Context) -> bool:
    """Have the remote rewritten as well; False where there is none, or where it does not answer now."""
    from .sync_run import follow_sync, has_remote, sync_journal

    if not has_remote(context):
        return False
    try:
        with output.progress("syncing") as progress:
            report = sync_journal(context, interactive=output.is_interactive(), progress=progress)
    except MemjournalError as error:
        output.warn(f"the remote still has it, until the next sync: {error}")
        return False
    follow_sync(context, report)
    return True


def prove_purged(context: Context, rows: Sequence[Row], stored: Sequence[Stored]) -> ObjectsProof:
    """Look through every object of the repository for what was purged.

    Raises:
        StorageError: git refused.
    """
    from ..journal.git.program import Git
    from ..journal.purge.proof import search_objects

    lines = {
        line.strip().encode("utf-8", "replace")
        for one in stored
        for line in (one.entry.title, *one.entry.body.splitlines())
        if len(line.strip()) >= _MIN_LINE_CHARS
    }
    with output.progress("searching the repository") as progress:
        git = Git(context.root, context.environ)
        return search_objects(git, {str(row.id) for row in rows}, sorted(lines), progress=progress)
