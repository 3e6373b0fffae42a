"""How the daemon is told to end: by a client, by a signal, or by itself."""

from __future__ import annotations

import queue
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class End:
    """Why the daemon ended, and whether what keeps it running should start another."""

    reason: str
    wants_another: bool = False


class Ending:
    """Where an end is asked for and waited for.

    A queue and not an event, for this one may be filled by a signal handler.
    """

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[End] = queue.SimpleQueue()

    def ask(self, end: End) -> None:
        self._asked.put(end)

    def wait(self, timeout_s: float) -> End | None:
        """The end that is asked for within *timeout_s*."""
        try:
            return self._asked.get(timeout=timeout_s)
        except queue.Empty:
            return None
