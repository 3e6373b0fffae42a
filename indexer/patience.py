"""Patience with another process that writes the index: as long as it gets on with it, and no longer.

Busy writers hand the lock to each other, and who of those who wait gets it next is chance: a wait is no sign
that anything is wrong. That nothing at all is written is one. So what is looked at is not how long the
lock is held but whether the index changes meanwhile.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

LOOK_S: Final = 0.5  # a look is six questions to the file system
SAY_AFTER_S: Final = 3.0  # a person wonders by then

Say = Callable[[str], object]


class Patience:
    """How long what is written in *folder* is waited for: until it does not change for *quiet_s*."""

    def __init__(self, folder: Path, *, quiet_s: float, say: Say) -> None:
        self._folder, self._quiet_s, self._say = folder, quiet_s, say
        self._began = self._changed = time.monotonic()
        self._states = self._look()
        self._has_said = False

    def is_left(self) -> bool:
        """Whether it is worth waiting on; what for is said once."""
        now, states = time.monotonic(), self._look()
        if states != self._states:
            self._states, self._changed = states, now
        if now - self._changed >= self._quiet_s:
            return False
        if not self._has_said and now - self._began >= SAY_AFTER_S:
            self._has_said = True
            self._say("waiting for another process that is writing the index")
        return True

    def _look(self) -> list[tuple[int, int]]:
        """Of everything that a writer writes: a name, a length or a time changes with it."""
        places = [self._folder, *(self._folder / name for name in ("whoosh", "faiss"))]
        files = [self._folder / name for name in ("catalog.sqlite", "catalog.sqlite-journal")]
        return [_state_of(place) for place in (*places, *files)]


def _state_of(place: Path) -> tuple[int, int]:
    try:
        status = os.stat(place)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size
