"""Patience with another process that writes the index: as long as it gets on with it, and no longer.

Busy writers hand the lock to each other, and who of those who wait gets it next is chance: a long
wait is no sign that anything is wrong. So whoever holds the lock touches its file at each step, and
whoever waits looks how long ago that was.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

LOOK_S: Final = 0.5
SAY_AFTER_S: Final = 3.0  # a person wonders by then

Say = Callable[[str], object]


def show_progress(lock: Path, fd: int) -> None:
    """Let those who wait for *lock*, which is open as *fd*, know that its holder gets on."""
    with contextlib.suppress(OSError):  # what the disk refuses is said where something is written
        os.utime(fd if os.utime in os.supports_fd else lock)


class Patience:
    """How long the holder of *lock* is waited for: until it has shown nothing for *quiet_s*."""

    def __init__(
        self,
        lock: Path,
        *,
        quiet_s: float,
        say: Say,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lock, self._quiet_s, self._say, self._clock = lock, quiet_s, say, clock
        self._began = self._touched_at = clock()
        self._touch = _last_touch(lock)
        self._has_said = False

    def is_left(self) -> bool:
        """Whether it is worth waiting on; what for is said once."""
        now, touch = self._clock(), _last_touch(self._lock)
        if touch != self._touch:
            self._touch, self._touched_at = touch, now
        if now - self._touched_at >= self._quiet_s:
            return False
        if not self._has_said and now - self._began >= SAY_AFTER_S:
            self._has_said = True
            self._say("waiting for another process that is writing the index")
        return True


def _last_touch(lock: Path) -> int:
    try:
        return os.stat(lock).st_mtime_ns
    except OSError:
        return 0  # it is being made
