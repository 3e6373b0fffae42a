"""A journal's repository as a whole: whether there is one, how it is, and what changed in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from ..errors import LockedError
from ..reading import FOLDERS
from . import commits
from .program import Git, GitLockedError, made_at

COMMITTED: Final = (*FOLDERS, "ledger", "quarantine", "memjournal.toml")
"""What belongs to a journal; other files in its folder are left to whoever put them there."""
_LOCKS: Final = ("index.lock", "HEAD.lock")


def is_repository(root: Path) -> bool:
    """Whether *root* is the top of a repository of its own."""
    return (root / ".git").exists()


def left_behind(root: Path, paths: Collection[str], *, environ: Mapping[str, str]) -> set[str]:
    """Those of *paths* that were taken away by way of git: a commit had them, and its index has not.

    What somebody only deleted from the folder, or what was never committed, is not among them. Of a
    repository that *root* is a folder of, git names what lies below *root*, relative to it, as we do.

    Raises:
        UnavailableError: git is not installed.
        GitError: git refused.
    """
    command = Git(root, environ)
    kept = set(command.run(["ls-files", "-z"]).split("\0"))
    return _ever_added(command).intersection(paths) - kept


def _ever_added(command: Git) -> set[str]:
    """The paths that any commit has added."""
    added = ["log", "--all", "--reflog", "-m", "--no-renames", "--diff-filter=A", "--format="]
    had = command.run([*added, "--name-only", "--relative", "-z", "--", *FOLDERS])
    return set(had.split("\0"))


def were_committed(root: Path, paths: Collection[str], *, environ: Mapping[str, str]) -> bool:
    """Whether a commit holds any of *paths*, as they are or were.

    Raises:
        UnavailableError: git is not installed.
        GitError: git refused.
    """
    return not _ever_added(Git(root, environ)).isdisjoint(paths)


def create_repository(root: Path, *, environ: Mapping[str, str]) -> None:
    """Make *root* a repository on the branch ``main``; one that is there already stays as it is.

    Raises:
        UnavailableError: git is not installed.
        GitError: git refused.
    """
    if not is_repository(root):
        Git(root, environ).run(["init", "--quiet", "--initial-branch=main", str(root)])


def commit(
    root: Path,
    paths: Sequence[str],
    message: str,
    *,
    environ: Mapping[str, str],
    machine: str = "",
    interactive: bool = False,
) -> bool:
    """Commit what changed at *paths* (relative, removed ones included); False if nothing did.

    *machine* names this one, as the author.

    Raises:
        UnavailableError: git is not installed.
        GitLockedError: another git is at work there.
        UnfinishedMergeError: a merge made by hand is not finished.
        GitError: git refused; the files are on disk all the same.
    """
    git = Git(root, environ, interactive=interactive)
    return bool(commits.commit(git, paths, message, signature=commits.Signature(machine=machine)))


def uncommitted(root: Path, *, environ: Mapping[str, str]) -> list[str]:
    """The paths (relative) of what changed in the journal's own places since the last commit.

    Edits made by hand, and what a command wrote that could not commit it.

    Raises:
        UnavailableError: git is not installed.
        GitError: git refused.
    """
    places = [place for place in COMMITTED if (root / place).exists() or place in FOLDERS]
    status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--"]
    lines = Git(root, environ).run([*status, *places]).split("\0")
    return [line[3:] for line in lines if len(line) > 3]


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What `mem status` says about a journal's repository."""

    branch: str  # "" when no branch is checked out
    n_uncommitted: int  # files
    last_commit: str  # RFC 3339 time and subject; "" when there is none yet


def read_state(root: Path, *, environ: Mapping[str, str]) -> RepositoryState:
    """How the repository at *root* is; nothing is written, not even git's own caches.

    Raises:
        UnavailableError: git is not installed.
        GitError: git refused.
    """
    command = Git(root, environ)
    lines = command.run(["status", "--porcelain", "--branch", "-z"]).split("\0")
    head = lines[0].removeprefix("## ").removeprefix("No commits yet on ")
    has_commit = not lines[0].startswith("## No commits yet")
    last = command.run(["log", "-1", "--format=%cI %s"]) if has_commit else ""
    branch = "" if head.startswith("HEAD (") else head.partition("...")[0]
    return RepositoryState(branch, sum(1 for line in lines[1:] if line), last)


def old_locks(root: Path, *, environ: Mapping[str, str], now: datetime) -> Iterator[LockedError]:
    """Locks of the repository at *root* that a git must have left behind, which was killed.

    Raises:
        UnavailableError: git is not installed.
        GitError: git refused.
    """
    command = Git(root, environ)
    for name in _LOCKS:
        lock = commits.git_path(command, name)
        error = GitLockedError(lock, made_at(lock))
        if error.is_old(now):
            yield error.left_behind()
