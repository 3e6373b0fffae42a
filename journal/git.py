"""The one module that runs git, by way of GitPython's command interface.

``repo.index`` is never used: it rewrites the whole index file in Python, 5 s a commit at 100,000
files. The user's hooks do not run and nothing ever asks for a password: these commits are made on
the side, often where no terminal is.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .errors import LockedError, StorageError, UnavailableError
from .reading import FOLDERS

if TYPE_CHECKING:
    import git

_QUIET: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
_PATHSPEC: Final = ("--pathspec-from-file=-", "--pathspec-file-nul")
_ALONE: Final = (  # no hook, no housekeeping, and no signature: that may ask for a passphrase
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "maintenance.auto=false"),
    *("-c", "commit.gpgSign=false"),
)
COMMITTED: Final = (*FOLDERS, "ledger", "quarantine", "memjournal.toml")
"""What belongs to a journal; other files in its folder are left to whoever put them there."""
OLD_LOCK: Final = timedelta(minutes=1)
"""A git that commits is done by then; one that was killed leaves its lock behind for ever."""
_LOCKS: Final = ("index.lock", "HEAD.lock")
_IS_LOCKED: Final = re.compile(r"Unable to create '(.+\.lock)': File exists")
_LOCAL: Final = frozenset(  # `git rev-parse --local-env-vars`: set by a git that runs us in a hook
    """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CONFIG GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT
    GIT_OBJECT_DIRECTORY GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_GRAFT_FILE
    GIT_INDEX_FILE GIT_NO_REPLACE_OBJECTS GIT_REPLACE_REF_BASE GIT_PREFIX GIT_SHALLOW_FILE
    GIT_COMMON_DIR
    """.split()  # noqa: SIM905  # a list of strings would be fifteen lines
)
_LAUNCHER: Final = """
import os, sys
at = sys.argv.index("--")
for name in sys.argv[1:at]:
    os.environ.pop(name, None)
command = sys.argv[at + 1 :]
if os.name == "posix":
    os.execvp(command[0], command)
import subprocess
sys.exit(subprocess.call(command))
"""


class GitLockedError(LockedError):
    """Another git is at work there, or was killed at its work."""

    def __init__(self, lock: Path, made: datetime | None) -> None:
        self.made = made
        what = f"another git is at work there{self._since}"
        super().__init__(what, where=str(lock), mend="try again")

    @property
    def _since(self) -> str:
        return f" since {self.made:%Y-%m-%d %H:%M} UTC" if self.made else ""

    def is_old(self, now: datetime) -> bool:
        """Whether the lock has been there for so long that nobody can be at work."""
        return self.made is not None and now - self.made >= OLD_LOCK

    def left_behind(self) -> LockedError:
        """The same as a message that says how to do away with the lock."""
        what = f"git has been locked by it{self._since}"
        return LockedError(what, where=self.where, mend="remove it if no git is running")


def is_installed(environ: Mapping[str, str]) -> bool:
    """Whether there is a git to run; without one a journal works and has no history."""
    return shutil.which("git", path=environ.get("PATH", "")) is not None


def is_repository(root: Path) -> bool:
    """Whether *root* is the top of a repository of its own."""
    return (root / ".git").exists()


def left_behind(root: Path, paths: Collection[str], *, environ: Mapping[str, str]) -> set[str]:
    """Those of *paths* that were taken away by way of git: a commit had them, and its index has not.

    What somebody only deleted from the folder, or what was never committed, is not among them. Of a
    repository that *root* is a folder of, git names what lies below *root*, relative to it, as we do.

    Raises:
        UnavailableError: git is not installed.
        StorageError: git refused.
    """
    command = _Git(root, environ)
    kept = set(command.run(["ls-files", "-z"]).split("\0"))
    return _ever_added(command).intersection(paths) - kept


def _ever_added(command: _Git) -> set[str]:
    """The paths that any commit has added."""
    added = ["log", "--all", "--reflog", "-m", "--no-renames", "--diff-filter=A", "--format="]
    had = command.run([*added, "--name-only", "--relative", "-z", "--", *FOLDERS])
    return set(had.split("\0"))


def were_committed(root: Path, paths: Collection[str], *, environ: Mapping[str, str]) -> bool:
    """Whether a commit holds any of *paths*, as they are or were.

    Raises:
        UnavailableError: git is not installed.
        StorageError: git refused.
    """
    return not _ever_added(_Git(root, environ)).isdisjoint(paths)


def create_repository(root: Path, *, environ: Mapping[str, str]) -> None:
    """Make *root* a repository on the branch ``main``; one that is there already stays as it is.

    Raises:
        UnavailableError: git is not installed.
        StorageError: git refused.
    """
    command = _Git(root, environ)
    if not is_repository(root):
        command.run(["init", "--quiet", "--initial-branch=main", str(root)])


def commit(root: Path, paths: Sequence[str], message: str, *, environ: Mapping[str, str]) -> bool:
    """Commit what changed at *paths* (relative, removed ones included); False if nothing did.

    *environ* is the environment of this process: git gets it without what a git that runs us in a
    hook has set there for itself.

    Raises:
        UnavailableError: git is not installed.
        GitLockedError: another git is at work there.
        StorageError: git refused; the files are on disk all the same.
    """
    command = _Git(root, environ)
    if not paths:
        return False
    # Not `git add`: that refuses all of them for one that came and went since the last commit.
    command.run(["update-index", "--add", "--remove", "-z", "--stdin"], stdin=_listed(paths))
    staged = command.run(["diff", "--cached", "--name-only", "--no-renames", "--relative", "-z"])
    ours = sorted(set(paths).intersection(staged.split("\0")))  # what else is staged stays staged
    if not ours:
        return False
    command.run(
        ["commit", "--quiet", "--message", message, "--only", *_PATHSPEC],
        options=["--literal-pathspecs", *_identity(command)],
        stdin=_listed(ours),
    )
    return True


def uncommitted(root: Path, *, environ: Mapping[str, str]) -> list[str]:
    """The paths (relative) of what changed in the journal's own places since the last commit.

    Edits made by hand, and what a command wrote that could not commit it.

    Raises:
        UnavailableError: git is not installed.
        StorageError: git refused.
    """
    places = [place for place in COMMITTED if (root / place).exists() or place in FOLDERS]
    status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--"]
    lines = _Git(root, environ).run([*status, *places]).split("\0")
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
        StorageError: git refused.
    """
    command = _Git(root, environ)
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
        StorageError: git refused.
    """
    command = _Git(root, environ)
    for name in _LOCKS:
        lock = root / command.run(["rev-parse", "--git-path", name])
        error = GitLockedError(lock, _made(lock))
        if error.is_old(now):
            yield error.left_behind()


def _identity(command: _Git) -> Iterator[str]:
    """Whose commits these are, where the user's configuration does not say."""
    for name, value in (("user.name", "memjournal"), ("user.email", "memjournal@localhost")):
        if not command.run(["config", "--default", "", "--get", name]):
            yield from ("-c", f"{name}={value}")


def _listed(paths: Sequence[str]) -> bytes:
    return "\0".join(paths).encode("utf-8", "surrogateescape")


class _Git:
    """Git, run in one folder."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        if not is_installed(environ):
            raise UnavailableError("git is not installed", mend="install git to keep the history")
        try:
            import git  # starts `git version`: 90 ms that reading commands need not pay
        except ImportError as error:  # so GitPython says that `git version` fails
            raise UnavailableError(
                "git cannot be started", where=str(root), mend="make `git version` work"
            ) from error

        self._git = git.Git(str(root))
        self._program = _program(environ)

    def run(self, arguments: list[str], *, options: Sequence[str] = (), stdin: bytes = b"") -> str:
        """What git prints.

        Raises:
            GitLockedError: another git is at work there.
            StorageError: git refused.
        """
        import tempfile

        import git

        with tempfile.TemporaryFile() as stream:
            stream.write(stdin)
            stream.seek(0)
            try:
                output = self._git.execute(
                    [*self._program, *_ALONE, *options, *arguments],
                    istream=stream,
                    env=_QUIET,
                    strip_newline_in_stdout=True,
                )
            except git.GitCommandError as error:
                raise _as_our_error(error, arguments[0], str(self._git.working_dir)) from error
        return str(output)


def _program(environ: Mapping[str, str]) -> list[str]:
    """How git is started, so that it finds the journal's own repository.

    Not the one whose hook may be running us: GitPython hands on the environment of this process
    and can add to it but take nothing away, and changing it here would change it for everybody.
    """
    taken = sorted(_LOCAL & environ.keys())
    if not taken:
        return ["git"]
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, *taken, "--", "git"]


def _as_our_error(
    error: git.GitCommandError, command: str, where: str
) -> GitLockedError | StorageError:
    reason = str(error.stderr).strip().removeprefix("stderr:").strip(" '\n")
    if locked := _IS_LOCKED.search(reason):
        lock = Path(where, locked[1])
        return GitLockedError(lock, _made(lock))
    lines = reason.splitlines() or [f"exit code {error.status}"]
    return StorageError(
        f"git {command}: {lines[-1]}",
        where=where,
        mend="the files are safe; run git there to see more",
    )


def _made(path: Path) -> datetime | None:
    """When the file at *path* was made; None if it is gone."""
    try:
        return datetime.fromtimestamp(os.lstat(path).st_mtime, UTC)
    except OSError:
        return None
