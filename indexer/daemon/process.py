"""The life of the one daemon of a journal: from taking the lock to leaving nothing behind.

It ends by itself when nobody has asked for long, when its journal or its own files are gone, and when the
files change that its settings came from: the next command starts another. It can be killed at any
moment; what it leaves is recognised by the lock that nobody holds.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...journal import files
from ...journal.errors import LockedError
from .ending import End, Ending
from .freed_memory import give_back, keep_little, resident_bytes
from .methods import LivingMethods
from .place import DaemonPlace, DaemonState, Transport, is_older
from .server import Limits, Method, Server
from .transport import address_of, listen, pick_transport, port_of
from .wire import PROTOCOL

if TYPE_CHECKING:
    from ..living.living_index import LivingIndex

_TAKEOVER_S: Final = 15.0  # for the daemon before to end
_STEP_S: Final = 0.2
_GRACE_S: Final = 3.0  # for answers that are being made when it ends
_HUNG_EXIT: Final = 70  # EX_SOFTWARE


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonOptions:
    """Who the daemon is, and when it ends."""

    version: str
    started: str  # RFC 3339
    mark: str  # of the settings it runs with
    idle_s: float  # 0: it never ends for want of questions
    settings_files: tuple[Path, ...] = ()
    on_demand: bool = False  # started for a command: only while that is wanted still
    transport: Transport | None = None  # None: the best there is
    beat_s: float = 2.0
    limits: Limits | None = None
    closing_s: float | None = (
        None  # and the process ends, whatever hangs; None: it is somebody else's
    )


def run_daemon(
    place: DaemonPlace,
    options: DaemonOptions,
    *,
    open_living: Callable[[], LivingIndex],
    ending: Ending,
    report_bug: Callable[[], object],
    note: Callable[[str], object] = lambda _: None,
    add_methods: Callable[[LivingIndex, contextlib.ExitStack], Mapping[str, Method]] | None = None,
) -> End | None:
    """Be the daemon of a journal until an end is asked for or due, which is returned.

    None: another is the daemon, or none is wanted any more. Afterwards there is no socket, no state
    and no thread of it left. *add_methods* gives what it does besides searching, and may leave with the
    stack what is to be done when nobody can ask any more.

    Raises:
        CannotCreateError, StorageError: the folder or the socket cannot be made.
        MemjournalError: the index cannot be opened.
    """
    with contextlib.ExitStack() as held:
        lock = _take(place, options, held)
        if lock is None or (options.on_demand and not place.attempt.exists()):
            return None
        place.clear()
        held.callback(place.clear)
        keep_little()
        living = open_living()
        held.callback(living.close)
        watch = _Watch(place, options, lock)
        living.start()
        methods = LivingMethods(living, mark=options.mark, ending=ending).table()
        if add_methods is not None:
            methods |= add_methods(living, held)
        server = _serve(place, options, living, methods, held, report_bug=report_bug)
        place.give_up_attempt()
        note(f"answers as process {os.getpid()}")
        end = _live(server, living, watch, ending)
        if options.closing_s is not None:
            _end_in(options.closing_s)
        return end


def _end_in(seconds: float) -> None:
    """End this process then, if it is not over by itself: while one of its threads hangs, it would hold
    the lock, and no other daemon could take its place."""
    timer = threading.Timer(seconds, os._exit, (_HUNG_EXIT,))
    timer.daemon = True
    timer.start()


def _serve(
    place: DaemonPlace,
    options: DaemonOptions,
    living: LivingIndex,
    methods: dict[str, Method],
    held: contextlib.ExitStack,
    *,
    report_bug: Callable[[], object],
) -> Server:
    """A server that answers and can be found, until *held* is closed."""
    transport = options.transport or pick_transport(place)
    listener = listen(place, transport)
    server = Server(listener, place, methods, report_bug=report_bug, limits=options.limits)
    state = DaemonState(
        pid=os.getpid(),
        protocol=PROTOCOL,
        version=options.version,
        started=options.started,
        root=str(place.root),
        transport=transport,
        port=port_of(listener),
    )
    methods["status"] = lambda _: _status(state, place, server, living)
    server.start()
    held.callback(server.close, grace_s=_GRACE_S)
    held.callback(place.state.unlink, missing_ok=True)  # first: nobody comes to one that ends
    place.write_state(state)
    return server


def _take(place: DaemonPlace, options: DaemonOptions, held: contextlib.ExitStack) -> int | None:
    """The lock, once the daemon before has ended; None where another is the daemon and stays it."""
    deadline = time.monotonic() + _TAKEOVER_S
    while True:
        try:
            return held.enter_context(place.held(timeout_s=_STEP_S))
        except LockedError:
            state = place.read_state()
            is_served = state is not None and not is_older(state.version, options.version)
            if is_served or time.monotonic() > deadline:
                return None


def _live(server: Server, living: LivingIndex, watch: _Watch, ending: Ending) -> End:
    while True:
        end = ending.wait(watch.options.beat_s) or watch.reason_to_end(server, living)
        if end is not None:
            return end
        if not server.is_stuck:  # one that hangs is found by its silence
            watch.beat()
        give_back()


class _Watch:
    """What the daemon looks at with every beat."""

    def __init__(self, place: DaemonPlace, options: DaemonOptions, lock: int) -> None:
        self.options = options
        self._place, self._lock = place, lock
        self._settings = states_of(options.settings_files)

    def beat(self) -> None:
        with contextlib.suppress(OSError):  # its absence is a reason to end
            self._place.beat()

    def reason_to_end(self, server: Server, living: LivingIndex) -> End | None:
        options = self.options
        if living.is_gone:
            return End("the journal is gone")
        if not self._is_found():
            return End("its own files are gone", wants_another=True)
        if self._place.root.exists() and states_of(options.settings_files) != self._settings:
            return End("the settings have changed", wants_another=True)
        if options.idle_s and server.idle_s > options.idle_s:
            return End("nobody has asked for anything for long")
        return None

    def _is_found(self) -> bool:
        """Whether clients still find this daemon, and a second one would find its lock."""
        state = self._place.read_state()
        if state is None or state.pid != os.getpid():
            return False
        reached_by = self._place.token if state.port else self._place.socket
        return files.is_still(self._place.lock, self._lock) and reached_by.exists()


def states_of(paths: Sequence[Path]) -> list[tuple[int, int, int]]:
    """What tells that one of the files at *paths* is another, or has changed."""
    states = []
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            states.append((0, 0, 0))
        else:
            states.append((status.st_ino, status.st_size, status.st_mtime_ns))
    return states


def _status(
    state: DaemonState, place: DaemonPlace, server: Server, living: LivingIndex
) -> dict[str, object]:
    index = living.status()
    return {
        "pid": state.pid,
        "version": state.version,
        "started": state.started,
        "socket": address_of(place, state),
        "watching": index.watch.mode,
        "watch_reason": index.watch.reason,
        "doing": index.doing,
        "behind": index.behind,
        "failure": index.failure,
        "withheld": index.n_withheld,
        "unreadable": [{"path": one.path, "what": one.what} for one in index.unreadable],
        "remarks": list(index.remarks),
        "no_vectors": index.no_vectors,
        "requests": server.n_requests,
        "resident_bytes": resident_bytes(),
        "cpu_s": round(time.process_time(), 3),
    }
