"""Commits of what hooks write: by a thread of the daemon, when nothing has come for a while.

A hook has its event on disk before it is answered; the commit is history, and can wait. Whatever is not
committed when the daemon ends goes into the commit of the next command that writes.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..journal.errors import MemjournalError
from . import output
from .commit_written import commit_written

if TYPE_CHECKING:
    from .context import Context

QUIET_S: Final = 20.0  # without an event
LONGEST_S: Final = 300.0  # that an event waits
_SOON_S: Final = 1.0
_MOMENTS: Final = ("compacting", "ended")  # of which none is an event that was written
_NAMES: Final = {
    "user_prompt": "prompt",
    "assistant_response": "answer",
    "tool_output": "tool call",
    "session_marker": "compaction",
}
CAPTURED: Final = ("sessions/", "ledger/")  # what hooks write


class Committer:
    """Commits what hooks wrote to the journal of *surroundings*; *report_bug* hears what it did not expect,
    and *committed* of each commit."""

    def __init__(
        self,
        surroundings: Context,
        *,
        report_bug: Callable[[], object],
        committed: Callable[[], object] = lambda: None,
    ) -> None:
        self._surroundings, self._report_bug = surroundings, report_bug
        self._committed = committed
        self._changed = threading.Condition()
        self._counted: Counter[str] = Counter()
        self._first_s = self._due_s = 0.0
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, name="commit", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def note(self, what: str) -> None:
        """An event of the type *what* was written; or a moment has come to commit all that was."""
        now = time.monotonic()
        with self._changed:
            if what not in _MOMENTS:
                self._first_s = self._first_s if self._counted else now
                self._counted[what] += 1
                self._due_s = min(now + QUIET_S, self._first_s + LONGEST_S)
            elif self._counted:
                self._due_s = now + _SOON_S
            self._changed.notify()

    def close(self) -> None:
        """Commit what waits, and end."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._is_due():
                    waits_s = self._due_s - time.monotonic() if self._counted else None
                    self._changed.wait(waits_s)
                counted, self._counted = self._counted, Counter()
                is_closing = self._is_closing
            if counted:
                self._commit(counted)
            if is_closing:
                return

    def _is_due(self) -> bool:
        return self._is_closing or (bool(self._counted) and time.monotonic() >= self._due_s)

    def _commit(self, counted: Counter[str]) -> None:
        from ..journal import git

        surroundings = self._surroundings
        try:
            if not git.is_repository(surroundings.root):
                return
            changed = git.uncommitted(surroundings.root, environ=surroundings.environ)
            paths = [path for path in changed if path.startswith(CAPTURED)]
            if paths:
                commit_written(surroundings, paths, message_of(counted))
                self._committed()
        except MemjournalError as error:
            output.warn(f"not committed now, but with the next command that writes: {error}")
        except Exception:  # noqa: BLE001  # the top of a thread: the daemon goes on
            self._report_bug()


def message_of(counted: Counter[str]) -> str:
    """``capture: 3 prompts, 1 answer``: what a commit brings, the most first."""
    named = (output.count(n, _NAMES.get(type_, type_)) for type_, n in counted.most_common())
    return "capture: " + ", ".join(named)
