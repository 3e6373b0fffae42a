"""The one module that touches watchdog: it hints at what changes below a journal's folders.

Events are hints and may be lost, so that each way of losing them is looked for, and answered by a hint
at everything: the kernel's queue overflows (watchdog logs it, or says nothing), its threads die, a
folder is replaced or was never watched for want of watches. Where it cannot watch, ``mode`` says
"polling", and whoever listens has to look by itself, again and again.
"""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from watchdog import events
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from ...journal.reading import FOLDERS
from .hints import HintBox, Hints, hinted_place
from .kernel_watches import KernelWatches, count_folders
from .landmarks import Landmarks, folders_of, look_at, shared_file_system

WatchMode = Literal["inotify", "fsevents", "windows", "polling", "off"]

DEBOUNCE_S: Final = 0.1  # an editor's save is three to six events within some milliseconds
MAX_DELAY_S: Final = 1.0  # a program that never stops writing is followed every second
LOOK_AROUND_S: Final = 1.0  # a handful of stat calls
GONE_AFTER_S: Final = 5.0  # a folder may be away for a moment while a program swaps two
RETRY_S: Final = 60.0  # watches may have become free

_MODES: Final[dict[str, WatchMode]] = {
    "linux": "inotify",
    "darwin": "fsevents",
    "win32": "windows",
}
_WANTED: Final = (
    events.FileCreatedEvent,
    events.FileClosedEvent,
    events.FileMovedEvent,
    events.FileDeletedEvent,
    events.DirCreatedEvent,
    events.DirMovedEvent,
    events.DirDeletedEvent,
)
"""What the kernel is asked for by inotify; opened, modified and attributes would fill its queue.
"Created" must stay: a file that is renamed in from outside is reported by nothing else."""
_UNTOLD: Final = frozenset({"opened", "closed_no_write"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchStatus:
    """How the journal is being watched, for people."""

    mode: WatchMode
    reason: str = ""  # why polling or off
    n_events: int = 0
    n_restarts: int = 0
    n_lost: int = 0  # times that events were known or feared to be lost
    gone: str = ""  # what became of the journal's folder; "" while it is there
    trouble: str = ""  # why its folder cannot be looked at just now


class Watcher:
    """Watches the folders of the journal at *root*, which need not be there yet.

    ``wait`` and ``take`` are for one thread, which also keeps the watch alive by calling them.
    """

    def __init__(
        self,
        root: Path,
        *,
        debounce_s: float = DEBOUNCE_S,
        max_delay_s: float = MAX_DELAY_S,
        force_polling: bool = False,
    ) -> None:
        self.root = root
        self.box = HintBox(debounce_s=debounce_s, max_delay_s=max_delay_s)
        self._force_polling = force_polling
        self._real = os.path.realpath(root)  # as events name it
        self._observer: Any = None
        self._kernel = KernelWatches()
        self._log = _LogOfLosses(self._on_loss)
        self._handler = _Handler(self)
        self._status = WatchStatus(mode="off", reason="not started")
        self._seen: Landmarks | None = None
        self._root = look_at(root).root  # the folder that is meant, whatever takes its name
        self._gone_since: float | None = None
        self._looked_at = self._started_at = 0.0
        self._is_hindered = False  # by a limit, which may be lifted
        self._count_after: float | None = None  # when to count the watches

    # --- life -------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to watch; whatever hinders it is said in ``status``. All that is there is hinted at."""
        logging.getLogger("watchdog").addHandler(self._log)
        # It warns when it watches a folder twice, as it does by itself when folders are made quickly;
        # where warnings are errors, that would end its thread.
        warnings.filterwarnings("ignore", "Callback with id .* already exists", RuntimeWarning)
        self._seen = look_at(self.root)
        self._watch()
        self.box.add_everything("the start")

    def close(self) -> None:
        """Stop watching; no thread and no descriptor is left."""
        self._unwatch()
        logging.getLogger("watchdog").removeHandler(self._log)
        self._status = replace(self._status, mode="off", reason="stopped")

    def status(self) -> WatchStatus:
        """How things stand."""
        return replace(self._status, n_events=self._handler.n_events, n_lost=self._log.n_lost)

    @property
    def is_gone(self) -> bool:
        """Whether the journal's folder has been away, or another one in its place, for some seconds."""
        since = self._gone_since
        return since is not None and time.monotonic() - since >= GONE_AFTER_S

    @property
    def has_moved(self) -> bool:
        """Whether a folder of the journal came, went or was replaced, which no event tells until the next
        look around; three ``lstat``, from any thread."""
        seen = self._seen
        return seen is not None and folders_of(self.root) != seen.folders

    # --- hints ------------------------------------------------------------------------------

    def wait(self, timeout_s: float) -> bool:
        """Whether hints are ready; looks around meanwhile. ``box.wake`` ends it early."""
        end = time.monotonic() + timeout_s
        while True:
            now = time.monotonic()
            if now - self._looked_at >= LOOK_AROUND_S:
                self._look_around(now)
            left = min(end - now, self._looked_at + LOOK_AROUND_S - now)
            if self.box.wait(max(0.0, left)):
                return True
            if left <= 0 or time.monotonic() < min(end, self._looked_at + LOOK_AROUND_S):
                return False  # woken, or at the end

    def take(self) -> Hints:
        """What was hinted since the last time."""
        hints = self.box.take()
        if hints.everything:
            self._count_after = time.monotonic() + LOOK_AROUND_S
        return hints

    def place_of(self, path: str | bytes, *, is_folder: bool) -> str | None:
        """Where an event at *path* says to look."""
        text = os.fsdecode(path)
        below = text.removeprefix(self._real)
        if not text or below == text:
            return None
        return hinted_place(below.replace(os.sep, "/").lstrip("/"), is_folder=is_folder)

    def on_folder_event(self) -> None:
        """A folder came, went or was renamed: its watch may be missing, or be left over."""
        self._count_after = time.monotonic() + LOOK_AROUND_S

    def _on_loss(self, reason: str) -> None:
        self.box.add_everything(reason)

    # --- watching ---------------------------------------------------------------------------

    def _watch(self) -> None:
        self._started_at = time.monotonic()
        mode = _MODES.get(sys.platform, "polling")
        reason = ""
        if self._force_polling:
            reason = "watching is switched off"
        elif mode == "polling":
            reason = "this system would need an open file for each one that is watched"
        elif kind := shared_file_system(self.root):
            reason = f"the journal is on {kind}, where changes by others are not reported"
        else:
            reason = self._start_observer(self._seen.folders if self._seen else ())
            self._is_hindered = bool(reason)
        if reason:
            mode = "polling"
        self._status = replace(self._status, mode=mode, reason=reason)

    def _start_observer(self, folders: Collection[str]) -> str:
        """Watch *folders*; why that cannot be done, "" if it is done."""
        before = self._kernel.descriptors()
        observer: Any = None
        try:
            observer = Observer()
            for name in sorted(folders):
                observer.schedule(
                    self._handler, os.path.join(self._real, name), recursive=True, **_FILTER
                )
            observer.start()
        except (OSError, RuntimeError) as error:  # RuntimeError: no further thread
            _stop(observer)
            return f"{error.strerror if isinstance(error, OSError) else error}"
        self._observer = observer
        self._kernel.adopt(before)
        self._count_after = time.monotonic() + LOOK_AROUND_S
        return ""

    def _unwatch(self) -> None:
        observer, self._observer = self._observer, None
        _stop(observer)

    def _restart(self, reason: str) -> None:
        """Watch anew: what was not reported meanwhile is found by a look at everything."""
        self._unwatch()
        self._seen = look_at(self.root)
        self._watch()
        self._status = replace(self._status, n_restarts=self._status.n_restarts + 1)
        self.box.add_everything(reason)

    # --- looking around ---------------------------------------------------------------------

    def _look_around(self, now: float) -> None:
        self._looked_at = now
        before, seen = self._seen, look_at(self.root)
        if before is None:
            return
        self._see_root(seen, now)
        if seen.root is None or seen.root != self._root:
            return  # nothing is compared until it is back
        self._seen = seen
        if seen.folders != before.folders:
            self._restart("a folder of the journal came, went or was replaced")
        elif self._observer is not None and not _is_alive(self._observer):
            self._restart("the watch broke down")
        elif seen.head != before.head:
            self.box.add_everything("git has checked out something else")
        elif self._is_hindered and now - self._started_at > RETRY_S:
            self._restart("watching is tried again")
        elif self._count_after is not None and now >= self._count_after:
            self._count_after = None
            self._count_watches()

    def _see_root(self, seen: Landmarks, now: float) -> None:
        if self._root is None:
            self._root = seen.root
        gone = ""
        if not seen.trouble and seen.root != self._root:
            gone = "another folder has its name" if seen.root else "its folder is gone"
        if not gone:
            if self._gone_since is not None:
                self.box.add_everything("the journal's folder is back")
            self._gone_since = None
        elif self._gone_since is None:
            self._gone_since = now
        self._status = replace(self._status, gone=gone, trouble=seen.trouble)

    def _count_watches(self) -> None:
        """Whether each folder has its watch: where they run out, watchdog goes on without."""
        n_watches = self._kernel.count()
        if self._observer is None or n_watches is None:
            return
        n_folders = count_folders(self.root, FOLDERS)
        if n_watches == n_folders:
            self._kernel.n_short = 0
            return
        n_short = n_folders - n_watches
        if n_short == self._kernel.n_short:  # no better after a restart
            if n_short > 0:
                reason = f"{n_short:,} of {n_folders:,} folders cannot be watched: too few watches"
                self._status = replace(self._status, mode="polling", reason=reason)
                self._is_hindered = True
            return
        self._kernel.n_short = n_short
        self._restart("watches were missing or left over")


class _Handler(events.FileSystemEventHandler):
    """From watchdog's events to hints."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.n_events = 0

    def dispatch(self, event: events.FileSystemEvent) -> None:
        self.n_events += 1
        kind, is_folder = event.event_type, event.is_directory
        if kind in _UNTOLD or (is_folder and kind == "modified"):
            return  # of a folder: something happened in it, which is an event of its own
        if is_folder:
            self._watcher.on_folder_event()
        paths: Iterable[str | bytes] = (event.src_path, getattr(event, "dest_path", "") or "")
        self._watcher.box.event(self._watcher.place_of(path, is_folder=is_folder) for path in paths)


class _LogOfLosses(logging.Handler):
    """Hears what watchdog only logs: an overflow of the queue, or a failure that it goes on after."""

    def __init__(self, on_loss: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._on_loss = on_loss
        self.n_lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.n_lost += 1
        self._on_loss("events were lost")


def _stop(observer: Any) -> None:
    """Stop *observer*, even one that did not get to start, and wait for its threads."""
    if observer is None:
        return
    emitters = list(observer.emitters)
    observer.stop()
    for thread in (observer, *emitters):
        with contextlib.suppress(RuntimeError):  # never started
            thread.join()


def _is_alive(observer: Any) -> bool:
    """Whether all its threads run; those of the emitters end with the folder they watch."""
    descriptor_thread = getattr(observer, "_inotify_fd", None)  # of watchdog from version 7 on
    readers = [getattr(emitter, "_inotify", None) for emitter in observer.emitters]  # before it
    threads = (observer, *observer.emitters, descriptor_thread, *readers)
    return all(thread.is_alive() for thread in threads if isinstance(thread, threading.Thread))


def _filter() -> dict[str, Any]:
    """What `schedule` is told of the events that are wanted, if it takes it and it saves anything."""
    takes_filter = "event_filter" in inspect.signature(BaseObserver.schedule).parameters
    return {"event_filter": list(_WANTED)} if takes_filter and sys.platform == "linux" else {}


_FILTER: Final = _filter()
