"""The one module that starts git, by way of GitPython's command interface.

``repo.index`` is never used: it rewrites the whole index file in Python, 5 s a commit at 100,000
files. The user's hooks do not run, no housekeeping starts, and nothing asks for a password unless
somebody sits there to be asked: git is run on the side, often where no terminal is.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Final

from ..errors import LockedError, StorageError, UnavailableError

if TYPE_CHECKING:
    from subprocess import Popen

OLD_LOCK: Final = timedelta(minutes=1)
"""A git that commits is done by then; one that was killed leaves its lock behind for ever."""
_READ_BYTES: Final = 1 << 16
_IS_LOCKED: Final = re.compile(r"Unable to create '(.+\.lock)': File exists")
_NO_PROMPT: Final = {  # for what would open a window or wait at a terminal
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GPG_TTY": "",
    "DISPLAY": "",
    "WAYLAND_DISPLAY": "",
    "GCM_INTERACTIVE": "never",
}
_ALWAYS: Final = {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C.UTF-8", "GIT_MERGE_AUTOEDIT": "no"}
_ALONE: Final = (  # no hook, no housekeeping, and a transport that runs a command for no URL
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "maintenance.auto=false"),
    *("-c", "gc.auto=0"),
    *("-c", "core.quotePath=false"),
    *("-c", "protocol.ext.allow=never"),
    *("-c", "submodule.recurse=false"),
)
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


class GitError(StorageError):
    """Git refused; *reason* is all that it said."""

    def __init__(self, what: str, *, where: str, mend: str, reason: str, status: int) -> None:
        super().__init__(what, where=where, mend=mend)
        self.reason, self.status = reason, status


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


class Git:
    """Git, run in one folder.

    *environ* is the environment of this process: git gets it without what a git that runs us in a
    hook has set there for itself. Only where *interactive* may it ask for a password.
    """

    def __init__(
        self, root: Path, environ: Mapping[str, str], *, interactive: bool = False
    ) -> None:
        """
        Raises:
            UnavailableError: git is not installed.
        """
        if not is_installed(environ):
            raise UnavailableError("git is not installed", mend="install git to keep the history")
        try:
            import git  # starts `git version`: 90 ms that reading commands need not pay
        except ImportError as error:  # so GitPython says that `git version` fails
            raise UnavailableError(
                "git cannot be started", where=str(root), mend="make `git version` work"
            ) from error

        self.root, self.environ, self.interactive = root, environ, interactive
        self._git = git.Git(str(root))
        self._program = _program(environ)

    def run(
        self,
        arguments: Sequence[str],
        *,
        options: Sequence[str] = (),
        stdin: bytes = b"",
        ok: Collection[int] = (0,),
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """What git prints, without the last line's end; names in it are as `os.fsdecode` has them.

        Raises:
            GitLockedError: another git is at work there.
            GitError: git refused.
        """
        printed = self.run_bytes(arguments, options=options, stdin=stdin, ok=ok, env=env)
        return printed.decode("utf-8", "surrogateescape").removesuffix("\n")

    def run_bytes(
        self,
        arguments: Sequence[str],
        *,
        options: Sequence[str] = (),
        stdin: bytes = b"",
        ok: Collection[int] = (0,),
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> bytes:
        """The bytes that git prints; an exit code in *ok* is no failure.

        Raises:
            GitLockedError: another git is at work there.
            GitError: git refused.
        """
        import tempfile

        with tempfile.TemporaryFile() as stream:
            stream.write(stdin)
            stream.seek(0)
            status, printed, complaint = self._git.execute(
                [*self._program, *_ALONE, *options, *arguments],
                istream=stream,
                env=self._environment(env),
                with_extended_output=True,
                with_exceptions=False,
                strip_newline_in_stdout=False,
                stdout_as_string=False,
            )
        if status not in ok:
            raise self._refusal(str(complaint), arguments[0], int(status))
        assert isinstance(printed, bytes)  # not asked for as text
        return printed

    def succeeds(self, arguments: Sequence[str]) -> bool:
        """Whether git says yes: exit code 0, not 1.

        Raises:
            GitError: it says neither.
        """
        try:
            self.run_bytes(arguments)
        except GitError as error:
            if error.status == 1:
                return False
            raise
        return True

    def run_slowly(
        self,
        arguments: Sequence[str],
        *,
        options: Sequence[str] = (),
        told: Callable[[bytes], None] = lambda _: None,
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """The little that git prints, while *told* hears each line of its progress as it comes.

        Raises:
            GitLockedError: another git is at work there.
            GitError: git refused.
        """
        import subprocess

        with self._started([*options, *arguments], stdin=subprocess.DEVNULL, env=env) as process:
            assert process.stdout is not None and process.stderr is not None  # both were asked for
            complaint = b""
            for line in _lines_of(process.stderr):
                told(line)
                complaint = (complaint + line + b"\n")[-_READ_BYTES:]
            printed = process.stdout.read()
            status = process.wait()
        if status != 0:
            said = (complaint + printed).decode("utf-8", "replace")
            raise self._refusal(said, arguments[0], status)
        return printed.decode("utf-8", "surrogateescape").removesuffix("\n")

    @contextlib.contextmanager
    def talking(self, arguments: Sequence[str]) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """A git that is written to and read from, such as `cat-file --batch`, until it is left."""
        import subprocess

        with self._started(arguments, stdin=subprocess.PIPE, env={}) as process:
            assert process.stdin is not None and process.stdout is not None  # both were asked for
            yield process.stdin, process.stdout

    @contextlib.contextmanager
    def _started(
        self, arguments: Sequence[str], *, stdin: int, env: Mapping[str, str]
    ) -> Iterator[Popen[bytes]]:
        """A running git, which is ended when it is left."""
        running = self._git.execute(
            [*self._program, *_ALONE, *arguments],
            istream=stdin,
            env=self._environment(env),
            as_process=True,
        )
        process = running.proc
        assert process is not None  # it is there until it is waited for
        try:
            yield process
        finally:
            if process.stdin is not None:
                with contextlib.suppress(OSError):  # what is still to be written has no reader
                    process.stdin.close()
            if process.poll() is None and process.stdout is not None:
                process.stdout.close()  # whoever still writes ends of it
                process.terminate()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return {**_ALWAYS, **({} if self.interactive else _NO_PROMPT), **more}

    def _refusal(self, complaint: str, command: str, status: int) -> GitLockedError | GitError:
        reason = complaint.strip().removeprefix("stderr:").strip(" '\n")
        if locked := _IS_LOCKED.search(reason):
            lock = self.root / locked[1]
            return GitLockedError(lock, made_at(lock))
        lines = reason.splitlines() or [f"exit code {status}"]
        return GitError(
            f"git {command}: {lines[-1]}",
            where=str(self.root),
            mend="the files are safe; run git there to see more",
            reason=reason,
            status=status,
        )


def _lines_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines as they come; progress is overwritten on a terminal by a carriage return."""
    held = b""
    while some := os.read(stream.fileno(), _READ_BYTES):
        *lines, held = re.split(rb"[\r\n]", held + some)
        yield from filter(None, lines)
    if held:
        yield held


def _program(environ: Mapping[str, str]) -> list[str]:
    """How git is started, so that it finds the journal's own repository.

    Not the one whose hook may be running us: GitPython hands on the environment of this process
    and can add to it but take nothing away, and changing it here would change it for everybody.
    """
    taken = sorted(_LOCAL & environ.keys())
    if not taken:
        return ["git"]
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, *taken, "--", "git"]


def made_at(path: Path) -> datetime | None:
    """When the file at *path* was made; None if it is gone."""
    try:
        return datetime.fromtimestamp(os.lstat(path).st_mtime, UTC)
    except OSError:
        return None
