"""Hints: places of a journal that may have changed, gathered until it is quiet for a moment.

A hint says *look there*, never what happened, so that one too many costs a look and nothing else. What
was hinted stays until it is taken, and what is put back is as if it had never been taken.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ...journal.file_walk import is_utf8
from ...journal.reading import FOLDERS, MARKDOWN

BURST: Final = 2_000
"""So many events at a stretch, and the whole journal is looked at instead of each place. The kernel's
queue holds 16,384 events unless it was made smaller, older versions of the watching library say
nothing when it overflows, and two events of the kernel may reach us as one: an overflow means 8,192
at least. A look at 100,000 files takes about a second, and one at each of 2,000 places a tenth of it."""
_BURST_GAP_S: Final = 1.0  # events further apart are not of one burst
_BURST_DEBOUNCE: Final = 5  # times longer: while thousands of files change, each look is a long one


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """Where to look: at these files and folders, or at everything."""

    paths: frozenset[str] = frozenset()  # relative to the journal, POSIX
    everything: bool = False
    reason: str = ""  # why everything, for people
    version: int = 0  # how many hints had been given by then


def hinted_place(path: str, *, is_folder: bool) -> str | None:
    """Where to look when something happened at *path*, relative to the journal and POSIX.

    None where nothing of a journal can be: outside its folders, below a hidden name, at a file that
    is not Markdown, as the temporary files of editors are.
    """
    names = path.split("/")
    if names[0] not in FOLDERS or any(not name or name.startswith(".") for name in names):
        return None
    if not is_folder and (len(names) == 1 or not path.lower().endswith(MARKDOWN)):
        return None
    while not is_utf8(path):  # it cannot be named; a look at its folder will say so
        path = path.rpartition("/")[0]
    return path


class HintBox:
    """Hints from any number of threads, for one that takes them."""

    def __init__(self, *, debounce_s: float, max_delay_s: float, burst: int = BURST) -> None:
        """They are ready once none came for *debounce_s*, or *max_delay_s* after the first."""
        self._debounce_s, self._max_delay_s, self._burst = debounce_s, max_delay_s, burst
        self._changed = threading.Condition()
        self._paths: set[str] = set()
        self._reason = ""  # why everything; "" if not everything
        self._version = 0
        self._first = self._last = 0.0  # when those that wait came
        self._n_events, self._last_event = 0, 0.0  # of the burst that may be going on
        self._is_bursting = self._is_urgent = self._is_woken = False

    def event(self, places: Iterable[str | None]) -> None:
        """Note what one event hints at, even if that is nothing: it filled the queue all the same."""
        now = time.monotonic()
        with self._changed:
            if now - self._last_event > _BURST_GAP_S:
                self._n_events = 0
            self._n_events += 1
            self._last_event = now
            if self._n_events >= self._burst:
                self._is_bursting = True
                self._note((), "a burst of changes", now)
                return
            found = {place for place in places if place}
            if found:
                self._note(found, "", now)

    def add(self, places: Iterable[str]) -> int:
        """Hint at *places*; the version that whoever takes them will have seen."""
        given = set(places)
        with self._changed:
            if given:
                self._note(given, "", time.monotonic())
            return self._version

    def add_everything(self, reason: str) -> int:
        """Hint at the whole journal; the version that whoever takes it will have seen."""
        with self._changed:
            self._note((), reason, time.monotonic())
            return self._version

    def suggest_everything(self, reason: str) -> None:
        """Have the whole journal looked at although nothing hints at a change: nobody waits for it."""
        with self._changed:
            version = self._version
            self._note((), reason, time.monotonic())
            self._version = version
            self._is_urgent = True

    def _note(self, places: Iterable[str], reason: str, now: float) -> None:
        if not self._is_waiting():
            self._first = now
        self._last = now
        self._version += 1
        self._reason = self._reason or reason
        if self._reason:
            self._paths.clear()
        else:
            self._paths.update(places)
        self._changed.notify_all()

    def _is_waiting(self) -> bool:
        return bool(self._paths or self._reason)

    @property
    def version(self) -> int:
        """How many hints were given so far."""
        with self._changed:
            return self._version

    @property
    def n_waiting(self) -> int:
        """How many places are known to wait; of a burst, how many events there were."""
        with self._changed:
            return self._n_events if self._is_bursting else len(self._paths)

    def flush(self) -> None:
        """Let what waits be ready at once."""
        with self._changed:
            self._is_urgent = self._is_waiting()
            self._changed.notify_all()

    def wake(self) -> None:
        """Let whoever waits look up, though nothing may be ready."""
        with self._changed:
            self._is_woken = True
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        """Whether hints are ready; returns as soon as they are, and after *timeout_s* at the latest."""
        end = time.monotonic() + timeout_s
        with self._changed:
            while not self._is_woken:
                left = self._ready_in_s(time.monotonic())
                if left <= 0:
                    return True
                left = min(left, end - time.monotonic())
                if left <= 0:
                    return False
                self._changed.wait(left)
            self._is_woken = False
            return self._ready_in_s(time.monotonic()) <= 0

    def _ready_in_s(self, now: float) -> float:
        if not self._is_waiting():
            return threading.TIMEOUT_MAX
        if self._is_urgent:
            return 0.0
        slower = _BURST_DEBOUNCE if self._is_bursting else 1
        quiet = self._last + slower * self._debounce_s
        return min(quiet, self._first + slower * self._max_delay_s) - now

    def take(self) -> Hints:
        """What was hinted since the last time."""
        with self._changed:
            hints = Hints(
                paths=frozenset(self._paths),
                everything=bool(self._reason),
                reason=self._reason,
                version=self._version,
            )
            self._paths.clear()
            self._reason = ""
            self._n_events = 0
            self._is_bursting = self._is_urgent = False
            return hints

    def put_back(self, hints: Hints) -> None:
        """Give back what could not be looked at; it is ready as it was."""
        with self._changed:
            version = self._version
            if hints.paths or hints.everything:
                self._note(hints.paths, hints.reason, time.monotonic())
            self._version = version
