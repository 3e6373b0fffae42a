"""Syncs that the daemon makes by itself: a thread that waits, exchanges, and waits longer after a failure.

What cannot be sent is no queue of its own: commits that the remote has not are sent whenever it answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from ..journal.errors import MemjournalError
from . import output

if TYPE_CHECKING:
    from .context import Context

_LOOK_S: Final = 60.0  # how soon a remote that has been named is seen
_AFTER_COMMIT_S: Final = 20.0


class BackgroundSync:
    """Exchanges the journal of *surroundings* at its interval; *follow* hears which files changed."""

    def __init__(
        self,
        surroundings: Context,
        *,
        follow: Callable[[tuple[str, ...]], object],
        report_bug: Callable[[], object],
    ) -> None:
        self._surroundings, self._follow, self._report_bug = surroundings, follow, report_bug
        self._changed = threading.Condition()
        self._is_closing = self._has_news = False
        self._said = ""
        self._thread = threading.Thread(target=self._run, name="sync", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def note_commit(self) -> None:
        """Something was committed: others should have it soon."""
        with self._changed:
            self._has_news = True
            self._changed.notify()

    def close(self) -> None:
        """Begin no other exchange. One that is at work is not waited for: it can be killed anywhere."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()

    def _run(self) -> None:
        while self._wait():
            try:
                self._exchange()
            except MemjournalError as error:
                self._say(str(error))
            except Exception:  # noqa: BLE001  # the top of a thread: the daemon goes on
                self._report_bug()

    def _wait(self) -> bool:
        """Wait until the next exchange is due; False when there is to be none any more."""
        while True:
            due_s = self._due_s()
            with self._changed:
                if self._is_closing:
                    return False
                if due_s is not None and due_s <= 0:
                    self._has_news = False
                    return True
                self._changed.wait(_LOOK_S if due_s is None else min(due_s, _LOOK_S))
                if self._is_closing:
                    return False

    def _due_s(self) -> float | None:
        """Seconds until the next exchange; None while there is nobody to exchange with."""
        from .sync_run import has_remote, read_sync_state

        minutes = self._surroundings.settings.sync.interval_minutes
        if not minutes or not has_remote(self._surroundings):
            return None
        state = read_sync_state(self._surroundings)
        interval = timedelta(minutes=minutes)
        if self._has_news and not state.n_failures:
            interval = min(interval, timedelta(seconds=_AFTER_COMMIT_S))
        due = state.next_try(interval)
        return (due - self._surroundings.now).total_seconds() if due else 0.0

    def _exchange(self) -> None:
        from .shared_search import is_read_only
        from .sync_run import erase_purged, sync_journal
        from .text_encoding import is_text

        report = sync_journal(
            self._surroundings, interactive=False, is_read_only=is_read_only(self._surroundings)
        )
        self._said = ""
        if report.n_purged:
            erase_purged(self._surroundings)
        if paths := tuple(path for path in report.paths if is_text(path)):  # others are not indexed
            self._follow(paths)

    def _say(self, failure: str) -> None:
        """Name a failure once, and not at each try."""
        if failure != self._said:
            self._said = failure
            output.warn(f"not synced now, and tried again: {failure}")
