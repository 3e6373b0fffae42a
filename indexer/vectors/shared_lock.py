"""A lock that many may hold for reading, or one for changing: the standard library has none.

Whoever waits to change goes before those who come to read after it, so that a busy daemon's writer
is never starved.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class SharedLock:
    """Readers side by side, a writer alone. Not reentrant: who holds it must not ask again."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._n_readers = 0
        self._n_waiting = 0  # writers
        self._has_writer = False

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """The right to read; no writer is at work meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: not self._has_writer and not self._n_waiting)
            self._n_readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_readers -= 1
                if not self._n_readers:
                    self._changed.notify_all()

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """The right to change; nobody else is at work meanwhile."""
        with self._changed:
            self._n_waiting += 1
            try:
                self._changed.wait_for(lambda: not self._has_writer and not self._n_readers)
                self._has_writer = True
            finally:
                self._n_waiting -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._has_writer = False
                self._changed.notify_all()
