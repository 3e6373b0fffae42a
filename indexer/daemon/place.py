"""Where the daemon of a journal is found: a folder for one user alone, and names made from a hash.

The path of a Unix socket has about 100 bytes, that of a journal any number: so the socket is not in the
journal. The lock decides who is the daemon. Whoever holds it is, and writes its process id into
it, so that the id in a lock that is held is never somebody else's.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from ...journal import files
from ...journal.digests import sha256
from ...journal.errors import CannotCreateError, LockedError, NotFoundError, StorageError
from ...journal.obstacle import find_obstacle
from ...journal.values import dataclass

MAX_SOCKET_PATH_BYTES: Final = 100  # of 104 on macOS and 108 on Linux, the closing zero included
_MAX_STATE_BYTES: Final = 64_000
_ATTEMPT_S: Final = 20.0  # a daemon that is being started is not started again

Transport = Literal["unix", "tcp"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonState:
    """What a running daemon says about itself, in a file that goes when it ends."""

    pid: int
    protocol: int
    version: str
    started: str  # RFC 3339
    root: str
    transport: Transport
    port: int  # 0 on a Unix socket


@dataclass(frozen=True)
class DaemonPlace:
    """The files of the daemon of the journal at *root*, in *folder*."""

    folder: Path
    root: Path

    @cached_property
    def name(self) -> str:
        """The same for every path that leads to the journal."""
        return sha256(os.fsencode(os.path.realpath(self.root))).hexdigest()[:16]

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.name}.sock"

    @property
    def state(self) -> Path:
        return self.folder / f"{self.name}.json"

    @property
    def lock(self) -> Path:
        return self.folder / f"{self.name}.lock"

    @property
    def token(self) -> Path:
        return self.folder / f"{self.name}.token"

    @property
    def attempt(self) -> Path:
        """There while a daemon is to be started; it removes it when it answers."""
        return self.folder / f"{self.name}.starting"

    @property
    def fits_a_socket(self) -> bool:
        return len(os.fsencode(self.socket)) <= MAX_SOCKET_PATH_BYTES

    def prepare(self) -> None:
        """Make the folder, for its owner alone.

        Raises:
            CannotCreateError, StorageError: it cannot be made, or is somebody else's.
        """
        try:
            files.make_private_folder(self.folder)
        except OSError as error:
            if obstacle := find_obstacle(self.folder):
                raise obstacle from error
            raise files.as_storage_error(error, self.folder) from error
        if not self.is_private():
            raise CannotCreateError(
                "not a folder of yours alone", where=str(self.folder), mend="move it away"
            )

    def is_private(self) -> bool:
        """Whether the folder is there, and nobody else can have put a socket into it."""
        return files.is_private_folder(self.folder)

    def is_writable(self) -> bool:
        return self.is_private() and os.access(self.folder, os.W_OK | os.X_OK)

    @contextlib.contextmanager
    def held(self, *, timeout_s: float) -> Iterator[int]:
        """The right to be the daemon; yields the lock, open, with this process's id in it.

        Raises:
            LockedError: somebody else is.
            CannotCreateError, StorageError: the folder cannot be written.
        """
        self.prepare()
        with files.locked(self.lock, timeout_s=timeout_s) as fd:
            try:
                os.ftruncate(fd, 0)
                os.write(fd, b"%d\n" % os.getpid())
            except OSError as error:
                raise files.as_storage_error(error, self.lock) from error
            yield fd

    def is_held(self) -> bool:
        """Whether some process is the daemon, answering or not."""
        if not self.lock.exists():
            return False
        try:
            with files.locked(self.lock, timeout_s=0):
                return False
        except LockedError:
            return True
        except (CannotCreateError, StorageError):  # only who can write there can be the daemon
            return False

    def holder(self) -> int | None:
        """The process that holds the lock; None if none does, or it cannot be told which."""
        if not self.is_held():
            return None
        try:
            return int(files.read(self.lock))
        except (NotFoundError, StorageError, ValueError):
            return None

    def clear(self) -> None:
        """Remove what a daemon leaves that was killed; whoever calls this holds the lock."""
        for path in (self.socket, self.state, self.token):
            with contextlib.suppress(OSError):
                path.unlink()

    def is_due(self, now_ns: int) -> bool:
        """Whether the last attempt, if there was one, is so long ago that it must have failed."""
        try:
            age_s = (now_ns - self.attempt.stat().st_mtime_ns) / 1e9
        except OSError:
            return True
        return not 0 <= age_s < _ATTEMPT_S

    def give_up_attempt(self) -> None:
        """Let what is being started not become the daemon any more."""
        with contextlib.suppress(OSError):
            self.attempt.unlink()

    def clear_stale(self) -> bool:
        """Remove what is left of a daemon that is no more; whether one could be started now."""
        if not self.folder.exists():
            return True
        try:
            if not self.is_writable() or not self.lock.exists():
                return self.is_writable()
            with files.locked(self.lock, timeout_s=0):
                self.clear()
        except (LockedError, CannotCreateError, StorageError):
            return False
        return True

    def write_state(self, state: DaemonState) -> None:
        """Say where this daemon is; from then on it is found.

        Raises:
            StorageError: the disk refused.
        """
        fields = {name: getattr(state, name) for name in DaemonState.__slots__}
        files.replace(self.state, json.dumps(fields).encode("ascii"))

    def read_state(self) -> DaemonState | None:
        """What the daemon says; None where there is none, or only something that is not its file."""
        try:
            with files.open_regular(self.state) as stream:
                raw = json.loads(stream.read(_MAX_STATE_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        match raw:
            case {
                "pid": int(pid),
                "protocol": int(protocol),
                "version": str(version),
                "started": str(started),
                "root": str(root),
                "transport": "unix" | "tcp" as transport,
                "port": int(port),
            }:
                return DaemonState(
                    pid=pid,
                    protocol=protocol,
                    version=version,
                    started=started,
                    root=root,
                    transport=transport,
                    port=port,
                )
        return None

    def beat(self) -> None:
        """Show that the daemon is alive and at work."""
        os.utime(self.state)

    def silent_s(self, now_ns: int) -> float:
        """Seconds since the daemon last showed that it is alive; 0 where that cannot be told."""
        try:
            return max(0.0, (now_ns - self.state.stat().st_mtime_ns) / 1e9)
        except OSError:
            return 0.0


def is_older(version: str, other: str) -> bool:
    """Whether *version* was released before *other*."""
    return _numbers_of(version) < _numbers_of(other)


def _numbers_of(version: str) -> tuple[int, ...]:
    parts = version.partition("+")[0].split(".")
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in parts)
