"""What happened to an index and was said to nobody yet: each of it is told once, to whoever asks next."""

from __future__ import annotations

import threading
from typing import Final

_MOST: Final = 20  # if nobody asks for days, the newest must do


class Untold:
    """Remarks of any thread, for any other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._remarks: tuple[str, ...] = ()

    def add(self, *remarks: str) -> None:
        """Keep *remarks* until they are taken; one that waits already is not told twice."""
        with self._lock:
            self._remarks = tuple(dict.fromkeys((*self._remarks, *remarks)))[-_MOST:]

    def take(self) -> tuple[str, ...]:
        """What waits; it does no longer."""
        with self._lock:
            taken, self._remarks = self._remarks, ()
            return taken

    @property
    def waiting(self) -> tuple[str, ...]:
        """What waits, left where it is."""
        return self._remarks
