"""Finding the daemon of a journal, starting one, and ending one that is old, silent or not wanted.

Nothing here makes a command slower than it is without a daemon: one is started detached and not waited
for, and what does not answer is given up soon. What a killed daemon leaves is found by its lock
being free, one that hangs by its silence, and neither needs anybody to clean up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ...journal import files
from ...journal.errors import LockedError, MemjournalError, StorageError
from .client import DaemonClient
from .errors import DaemonGoneError, DaemonSilentError
from .place import DaemonPlace, DaemonState, is_older
from .wire import PROTOCOL

if TYPE_CHECKING:
    import subprocess

HUNG_S: Final = 30.0  # without a sign of life, which comes every two seconds
_PING_S: Final = 1.0
_KILLED_S: Final = 5.0  # for the system to take back the lock of a process that it killed
_POLL_S: Final = 0.02
_FLAGS: Final[int] = 0x208 if sys.platform == "win32" else 0  # DETACHED_PROCESS, a group of its own
_KILL: Final[int] = getattr(signal, "SIGKILL", signal.SIGTERM)
_STARTED: Final[list[subprocess.Popen[bytes]]] = []  # kept, for nobody waits for them


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Whose daemon, which version is asking, and how one is started."""

    place: DaemonPlace
    version: str
    command: tuple[str, ...]  # that runs the daemon in the foreground
    autostart: bool
    spawn: Callable[[Sequence[str]], object] | None = None  # starts it; None: `subprocess` does


@dataclass(frozen=True, slots=True)
class Reached:
    """A daemon that answers, or None; and what people should know about it."""

    client: DaemonClient | None = None
    remark: str = ""


def reach(launch: Launch, *, now_ns: int) -> Reached:
    """The daemon of a journal, if there is one that suits; if not, one is started for later."""
    place = launch.place
    if not place.is_private():
        return _later(launch, now_ns)
    state = place.read_state()
    if state is None:
        return _later(launch, now_ns)
    if is_older(state.version, launch.version):
        return _replace_older(launch, state, now_ns)
    if state.protocol != PROTOCOL:
        return Reached()  # it is newer, and serves others
    try:
        client = DaemonClient.open(place, state)
    except DaemonGoneError:
        return _later(launch, now_ns)
    except DaemonSilentError as error:
        return _replace_hung(launch, error, now_ns)
    if place.silent_s(now_ns) < HUNG_S:
        return Reached(client)
    try:
        client.ping(timeout_s=_PING_S)
    except MemjournalError as error:
        client.close()
        return _replace_hung(launch, error, now_ns)
    return Reached(client)


def _replace_older(launch: Launch, state: DaemonState, now_ns: int) -> Reached:
    try:
        _ask_to_stop(launch.place, state, for_newer=True)
    except DaemonSilentError as error:
        return _replace_hung(launch, error, now_ns)
    except MemjournalError:
        return _later(launch, now_ns)  # it is not there any more
    if launch.autostart:
        with contextlib.suppress(OSError):
            _start_unattended(launch)  # waits for the older one's end
    return Reached()


def _later(launch: Launch, now_ns: int) -> Reached:
    """Nobody to ask now; start a daemon for the next command where that is wanted and due."""
    if launch.autostart and launch.place.is_due(now_ns) and launch.place.clear_stale():
        with contextlib.suppress(MemjournalError, OSError):  # then it stays as slow as it is
            launch.place.prepare()
            _start_unattended(launch)
    return Reached()


def _start_unattended(launch: Launch) -> None:
    """Start a daemon that nobody in this process waits for.

    Raises:
        OSError: it cannot be started.
    """
    if launch.spawn is None:
        start_detached(launch)
        return
    launch.place.attempt.touch(mode=0o600)
    launch.spawn(launch.command)


def _replace_hung(launch: Launch, error: MemjournalError, now_ns: int) -> Reached:
    """End a daemon that shows no sign of life; one that does is busy, and left alone."""
    if launch.place.silent_s(now_ns) < HUNG_S:
        return Reached(remark=f"{error.what}; it may be busy, so this was done without it")
    with contextlib.suppress(LockedError):
        end_daemon(launch.place, patience_s=0.0)
    _later(launch, now_ns)
    return Reached(remark=f"{error.what}; it hung and was ended, and this was done without it")


def start_detached(launch: Launch) -> subprocess.Popen[bytes]:
    """Start a daemon that outlives this process, and do not wait for it.

    Raises:
        OSError: it cannot be started.
    """
    import subprocess  # most commands start nothing

    launch.place.attempt.touch(mode=0o600)
    process = subprocess.Popen(
        launch.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.path.abspath(os.sep),  # it must not keep a folder from being removed
        start_new_session=True,
        creationflags=_FLAGS,
    )
    _STARTED.append(process)
    return process


def wait_for_daemon(launch: Launch, *, timeout_s: float, now_ns: int) -> DaemonClient:
    """The daemon of a journal, started if there is none, as soon as it answers.

    Raises:
        CannotCreateError: its folder cannot be made.
        StorageError: it did not start; its log says why.
    """
    launch.place.prepare()
    deadline = time.monotonic() + timeout_s
    reached = reach(replace(launch, autostart=False), now_ns=now_ns)
    if reached.client is not None:
        return reached.client
    try:
        process = start_detached(launch)
    except OSError as error:
        raise files.as_storage_error(error, launch.place.folder) from error
    while True:
        state = launch.place.read_state()
        if state is not None and state.protocol == PROTOCOL and state.version == launch.version:
            with contextlib.suppress(DaemonGoneError):
                client = DaemonClient.open(launch.place, state, timeout_s=timeout_s)
                _call_off(process, unless=state.pid)
                return client
        if process.poll() is not None or time.monotonic() > deadline:
            raise StorageError(
                "the daemon did not start", mend="run it where you can see it: `mem daemon run`"
            )
        time.sleep(_POLL_S)


def _call_off(process: subprocess.Popen[bytes], *, unless: int) -> None:
    """End one that was started in vain: late, it would take the place of the one that is stopped soon.

    On Windows a program of an environment is started by another, whose number it does not have.
    """
    if os.name != "posix" or process.pid == unless:
        return
    import subprocess

    process.terminate()
    try:
        process.wait(_KILLED_S)
    except subprocess.TimeoutExpired:  # stopped, or waiting for a disk: nobody waits for it in turn
        process.kill()


def end_daemon(place: DaemonPlace, *, patience_s: float) -> bool:
    """End the daemon of a journal, by force if it does not within *patience_s*; whether there was one.

    Raises:
        LockedError: it cannot be ended.
    """
    place.give_up_attempt()
    state = place.read_state()
    if state is not None and patience_s > 0:
        with contextlib.suppress(MemjournalError):
            _ask_to_stop(place, state)
    was_there = place.is_held()
    for harder, wait_s in ((None, patience_s), (signal.SIGTERM, patience_s), (_KILL, _KILLED_S)):
        if harder is not None:
            _signal_holder(place, harder)
        if _is_free(place, time.monotonic() + wait_s):
            place.clear_stale()
            return was_there
    pid = place.holder()
    which = f"process {pid}" if pid else "its process"
    raise LockedError("the daemon cannot be ended", mend=f"end {which} yourself")


def _ask_to_stop(place: DaemonPlace, state: DaemonState, *, for_newer: bool = False) -> None:
    with contextlib.closing(DaemonClient.open(place, state)) as client:
        client.stop(for_newer=for_newer)


def _is_free(place: DaemonPlace, deadline: float) -> bool:
    while place.is_held():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _signal_holder(place: DaemonPlace, number: int) -> None:
    """Send a signal to whoever holds the lock, and to nobody else.

    A process that is named by a descriptor cannot be mistaken for a later one with its number: if
    the lock is still held by that number after the descriptor was opened, it is the one.
    """
    pid = place.holder()
    if pid is None:
        return
    with contextlib.suppress(OSError):  # it has just ended
        if not hasattr(os, "pidfd_open"):
            os.kill(pid, number)
            return
        handle = os.pidfd_open(pid)
        try:
            if place.holder() == pid:
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
