"""The one module that runs git, by way of GitPython's command interface.

``repo.index`` is never used: it rewrites the whole index file in Python, 5 s a commit at 100,000
files. The user's hooks do not run and nothing ever asks for a password: these commits are made on
the side, often where no terminal is.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .errors import LockedError, StorageError, UnavailableError

if TYPE_CHECKING:
    import git

_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
_PATHSPEC: Final = ("--pathspec-from-file=-", "--pathspec-file-nul")
_ALONE: Final = (  # no hook, no housekeeping, and no signature: that may ask for a passphrase
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "maintenance.auto=false"),
    *("-c", "commit.gpgSign=false"),
)
_LOCAL: Final = frozenset(  # `git rev-parse --local-env-vars`: set by a git that runs us in a hook
    """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT
    GIT_OBJECT_DIRECTORY GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE
    GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE GIT_PREFIX GIT_SHALLOW_FILE
    GIT_COMMON_DIR
    """.split()  # noqa: SIM905  # a list of strings would be fifteen lines
)


def is_installed() -> bool:
    """Whether there is a git to run; without one a journal works and has no history."""
    return shutil.which("git") is not None


def is_repository(root: Path) -> bool:
    """Whether *root* is the top of a repository of its own."""
    return (root / ".git").exists()


def create_repository(root: Path) -> None:
    """Make *root* a repository on the branch ``main``; one that is there already stays as it is.

    Raises:
        UnavailableError: git is not installed.
        StorageError: git refused.
    """
    command = _git(root)
    if not is_repository(root):
        _run(command, ["init", "--quiet", "--initial-branch=main", str(root)])


def commit(root: Path, paths: Sequence[str], message: str) -> bool:
    """Commit what changed at *paths* (relative, removed ones included); False if nothing did.

    Raises:
        UnavailableError: git is not installed.
        LockedError: another git is at work there.
        StorageError: git refused; the files are on disk all the same.
    """
    command = _git(root)
    if not paths:
        return False
    # Not `git add`: that refuses all of them for one that came and went since the last commit.
    _run(command, ["update-index", "--add", "--remove", "-z", "--stdin"], stdin=_listed(paths))
    staged = _run(command, ["diff", "--cached", "--name-only", "--no-renames", "--relative", "-z"])
    ours = sorted(set(paths).intersection(staged.split("\0")))  # what else is staged stays staged
    if not ours:
        return False
    _run(
        command,
        ["commit", "--quiet", "--message", message, "--only", *_PATHSPEC],
        options=["--literal-pathspecs", *_identity(command)],
        stdin=_listed(ours),
    )
    return True


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What `mem status` says about a journal's repository."""

    branch: str  # "" when no branch is checked out
    n_uncommitted: int  # files
    last_commit: str  # RFC 3339 time and subject; "" when there is none yet


def read_state(root: Path) -> RepositoryState:
    """How the repository at *root* is; nothing is written, not even git's own caches.

    Raises:
        UnavailableError: git is not installed.
        StorageError: git refused.
    """
    command = _git(root)
    lines = _run(command, ["status", "--porcelain", "--branch", "-z"]).split("\0")
    head = lines[0].removeprefix("## ").removeprefix("No commits yet on ")
    has_commit = not lines[0].startswith("## No commits yet")
    last = _run(command, ["log", "-1", "--format=%cI %s"]) if has_commit else ""
    branch = "" if head.startswith("HEAD (") else head.partition("...")[0]
    return RepositoryState(branch, sum(1 for line in lines[1:] if line), last)


def _identity(command: git.Git) -> Iterator[str]:
    """Whose commits these are, where the user's configuration does not say."""
    for name, value in (("user.name", "memjournal"), ("user.email", "memjournal@localhost")):
        if not _run(command, ["config", "--default", "", "--get", name]):
            yield from ("-c", f"{name}={value}")


def _listed(paths: Sequence[str]) -> bytes:
    return "\0".join(paths).encode("utf-8", "surrogateescape")


def _git(root: Path) -> git.Git:
    if not is_installed():
        raise UnavailableError("git is not installed", mend="install git to keep the history")
    import git  # starts `git version`: 90 ms that reading commands need not pay

    return git.Git(str(root))


def _run(
    command: git.Git, arguments: list[str], *, options: Sequence[str] = (), stdin: bytes = b""
) -> str:
    import tempfile

    import git

    with tempfile.TemporaryFile() as stream:
        stream.write(stdin)
        stream.seek(0)
        try:
            with _without_local_variables():
                output = command.execute(
                    ["git", *_ALONE, *options, *arguments],
                    istream=stream,
                    env=_QUIET,
                    strip_newline_in_stdout=True,
                )
        except git.GitCommandError as error:
            reason = str(error.stderr).strip().removeprefix("stderr:").strip(" '\n")
            if "index.lock" in reason:
                raise LockedError(
                    "another git is at work there", where=str(command.working_dir), mend="try again"
                ) from error
            lines = reason.splitlines() or [f"exit code {error.status}"]
            raise StorageError(
                f"git {arguments[0]}: {lines[-1]}",
                where=str(command.working_dir),
                mend="the files are safe; run git there to see more",
            ) from error
    return str(output)


@contextlib.contextmanager
def _without_local_variables() -> Iterator[None]:
    """Let git find the journal's own repository, not the one whose hook may be running us.

    GitPython adds to the environment but cannot take from it.
    """
    taken = {name: os.environ.pop(name) for name in _LOCAL & os.environ.keys()}
    try:
        yield
    finally:
        os.environ.update(taken)
