"""The one module that runs git, by way of GitPython's command interface.

``repo.index`` is never used: it rewrites the whole index file in Python, 5 s a commit at 100,000
files. The user's hooks do not run and nothing ever asks for a password: these commits are made on
the side, often where no terminal is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .errors import StorageError, UnavailableError

if TYPE_CHECKING:
    import git

_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
_PATHSPEC: Final = ("--pathspec-from-file=-", "--pathspec-file-nul")
_NO_HOOKS: Final = ("-c", f"core.hooksPath={os.devnull}", "-c", "maintenance.auto=false")


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
    _run(_git(root), ["init", "--quiet", "--initial-branch=main", str(root)])


def commit(root: Path, paths: Sequence[str], message: str) -> bool:
    """Commit what changed at *paths* (relative, removed ones included); False if nothing did.

    Raises:
        UnavailableError: git is not installed.
        StorageError: git refused; the files are on disk all the same.
    """
    command = _git(root)
    _run(command, ["--literal-pathspecs", "add", "--all", *_PATHSPEC], stdin=_listed(paths))
    staged = _run(command, ["diff", "--cached", "--name-only", "--no-renames", "-z"]).split("\0")
    ours = sorted(set(paths).intersection(staged))  # what the user staged beside them stays staged
    if not ours:
        return False
    identity: list[str] = []
    if not _run(command, ["config", "--default", "", "--get", "user.email"]):
        identity = ["-c", "user.name=memjournal", "-c", "user.email=memjournal@localhost"]
    _run(
        command,
        [*_NO_HOOKS, *identity, "--literal-pathspecs", "commit", "--quiet", "--message", message]
        + ["--only", *_PATHSPEC],
        stdin=_listed(ours),
    )
    return True


def _listed(paths: Sequence[str]) -> bytes:
    return "\0".join(paths).encode("utf-8", "surrogateescape")


def _git(root: Path) -> git.Git:
    if not is_installed():
        raise UnavailableError("git is not installed", mend="install git to keep the history")
    import git  # starts `git version`: 90 ms that reading commands need not pay

    return git.Git(str(root))


def _run(command: git.Git, arguments: list[str], *, stdin: bytes = b"") -> str:
    import tempfile

    import git

    with tempfile.TemporaryFile() as stream:
        stream.write(stdin)
        stream.seek(0)
        try:
            output = command.execute(
                ["git", *arguments], istream=stream, env=_QUIET, strip_newline_in_stdout=True
            )
        except git.GitCommandError as error:
            reason = str(error.stderr).strip().removeprefix("stderr:").strip(" '\n")
            lines = reason.splitlines() or [f"exit code {error.status}"]
            raise StorageError(
                f"git {arguments[0]}: {lines[-1]}",
                where=str(command.working_dir),
                mend="the files are safe; run git there to see more",
            ) from error
    return str(output)
