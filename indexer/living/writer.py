"""The one thread that keeps an index up to date: it takes hints, looks, and writes.

Hints make it sooner; a look at everything, now and then, is what makes it right. A failure is kept as
text and tried again, less and less often, and what was hinted is not lost by it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ...journal.errors import LockedError, MemjournalError
from ...journal.reading import Oddity
from ..index import JournalIndex
from ..upkeep.report import UpdateReport
from .bulk import BulkWork
from .hints import Hints
from .watching import Watcher
from .workload import measure_workload

BULK_FROM: Final = 2_000
"""Pieces of work, each a memory or as much of a session. In this process a thousand are done in about
a second, in which searches share the interpreter with them; starting another one takes a second too."""
RECONCILE_EVERY_S: Final = 300.0  # what no event told is found by then
POLL_EVERY_S: Final = 5.0  # where nothing is told at all
_RECONCILE_SHARE: Final = 20  # looking at everything takes a twentieth of the time at most
_IDLE_BEFORE_PROOF_S: Final = 5.0
_FIRST_RETRY_S: Final = 0.25
_LAST_RETRY_S: Final = 60.0
_LAST_RETRY_LOCKED_S: Final = 5.0  # another command writes, which is over soon
_STEP_S: Final = 1.0
_IDLE: Final[dict[str, Any]] = {"doing": "", "n_pieces": 0, "progress": ("", 0, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterStatus:
    """How far the index has followed, for people."""

    doing: str = ""  # "" when idle
    n_pieces: int = 0  # of work that is being done
    progress: tuple[str, int, int] = ("", 0, 0)  # what, how many done, of how many
    failure: str = ""  # of the last attempt; "" if it went well
    n_failures: int = 0  # one after the other
    n_updates: int = 0  # that changed something
    n_reconciles: int = 0
    updated_ns: int = 0  # when the files were followed last, by the clock that was given
    reconcile_s: float = 0.0  # what the last look at everything took
    n_withheld: int = 0
    remarks: tuple[str, ...] = ()
    unreadable: tuple[Oddity, ...] = ()
    no_vectors: str = ""
    version: int = field(default=0, repr=False)  # of the hints that were followed last


class IndexWriter:
    """Writes *index* as *watcher* hints."""

    def __init__(
        self,
        index: JournalIndex,
        watcher: Watcher,
        bulk: BulkWork,
        *,
        clock_ns: Callable[[], int],
        report_bug: Callable[[], object],
        bulk_from: int = BULK_FROM,
        reconcile_every_s: float = RECONCILE_EVERY_S,
        poll_every_s: float = POLL_EVERY_S,
    ) -> None:
        self._index, self._watcher, self._bulk = index, watcher, bulk
        self._clock_ns, self._report_bug = clock_ns, report_bug
        self._bulk_from = bulk_from
        self._reconcile_every_s, self._poll_every_s = reconcile_every_s, poll_every_s
        self._closing = threading.Event()
        self._moved = threading.Condition()
        self._status = WriterStatus()
        self._is_building = self._is_elsewhere = False
        self._not_before = 0.0  # monotonic; after a failure
        self._followed_at = self._reconciled_at = time.monotonic()
        self._is_proven = False  # an earlier process may have left some unproven
        self._thread = threading.Thread(target=self._run, name="index-writer", daemon=True)

    # --- from other threads -----------------------------------------------------------------

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Have it end after what is being done; nobody waits for it any more."""
        self._closing.set()
        self._watcher.box.wake()
        self._bulk.close()
        with self._moved:
            self._moved.notify_all()

    def join(self) -> None:
        """Wait until it has ended."""
        if self._thread.is_alive():
            self._thread.join()

    def status(self) -> WriterStatus:
        """How things stand."""
        with self._moved:
            return self._status

    @property
    def is_building(self) -> bool:
        """Whether there is nothing to search in until what is being done is done."""
        return self._is_building

    def wait_for(self, version: int, *, patience_s: float) -> bool:
        """Whether all hints up to *version* were followed, within *patience_s*.

        It does not wait for what just failed and is left alone for a while, nor for work of minutes.
        """
        end = time.monotonic() + patience_s
        with self._moved:
            n_failures = self._status.n_failures
            while self._status.version < version:
                left = end - time.monotonic()
                has_failed = self._status.n_failures > n_failures
                is_hopeless = has_failed or time.monotonic() < self._not_before
                if left <= 0 or is_hopeless or self._is_elsewhere or self._closing.is_set():
                    return False
                self._moved.wait(left)
            return True

    # --- the thread -------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self._turn()
            except Exception as error:  # noqa: BLE001  # the loop of the daemon: a bug must not stop it
                self._report_bug()
                self._fail(error)

    def _turn(self) -> None:
        rest_s = self._not_before - time.monotonic()
        if rest_s > 0 or self._is_away():
            self._watcher.wait(0)  # it looks around all the same
            self._closing.wait(min(rest_s, _STEP_S) if rest_s > 0 else _STEP_S)
            return
        if self._watcher.wait(min(_STEP_S, self._until_reconcile_s())):
            if not self._closing.is_set() and not self._is_away():
                self._follow(self._watcher.take())
        elif self._until_reconcile_s() <= 0:
            self._watcher.box.suggest_everything("it was time")
        elif (
            self._status.n_reconciles
            and not self._is_proven
            and self._idle_s() > _IDLE_BEFORE_PROOF_S
        ):
            self._prove()

    def _is_away(self) -> bool:
        """Whether the journal's folder is not the one that is meant: then nothing in it is believed."""
        seen = self._watcher.status()
        return bool(seen.gone or seen.trouble)

    def _idle_s(self) -> float:
        return time.monotonic() - self._followed_at

    def _until_reconcile_s(self) -> float:
        is_polling = self._watcher.status().mode == "polling"
        every_s = self._poll_every_s if is_polling else self._reconcile_every_s
        every_s = max(every_s, _RECONCILE_SHARE * self._status.reconcile_s)
        return max(0.0, self._reconciled_at + every_s - time.monotonic())

    def _follow(self, hints: Hints) -> None:
        try:
            self._set(doing=hints.reason or "files that changed")
            report = self._update(hints)
        except BaseException as error:
            self._watcher.box.put_back(hints)
            if not isinstance(error, MemjournalError):
                raise
            self._fail(error)
            return
        finally:
            self._is_building = False
        self._followed_at = time.monotonic()
        if hints.everything:
            self._reconciled_at = self._followed_at
            self._set(n_reconciles=self._status.n_reconciles + 1)
        self._succeed(hints, report)

    def _update(self, hints: Hints) -> UpdateReport | None:
        """Let the index follow; None if it did already."""
        only = None if hints.everything else hints.paths
        started = time.monotonic()
        work = measure_workload(self._index, only)
        if hints.everything:
            self._set(reconcile_s=time.monotonic() - started)
        if not work:
            return None
        # Files that were gone before and were kept are no work, only a remark that is made again.
        n_pieces = work.n_pieces + (work.n_gone if work.n_gone != self._status.n_withheld else 0)
        self._set(n_pieces=n_pieces)
        self._is_building = work.from_nothing
        if self._bulk and n_pieces >= self._bulk_from:
            return self._update_elsewhere()
        return self._index.update(
            now_ns=self._clock_ns(), only=only, progress=self._on_progress, wait=False
        )

    def _update_elsewhere(self) -> UpdateReport:
        self._is_elsewhere = True
        try:
            self._bulk.run(meanwhile=lambda: self._watcher.wait(0))
        finally:
            self._is_elsewhere = False
        # What it reports was said to nobody: a look at everything that is left tells it again.
        return self._index.update(now_ns=self._clock_ns(), wait=False)

    def _prove(self) -> None:
        try:
            self._set(doing="session files that grew")
            self._index.prove(now_ns=self._clock_ns(), wait=False)
        except MemjournalError as error:
            self._fail(error)
        else:
            self._is_proven = True
            self._set(**_IDLE, failure="", n_failures=0)

    def _on_progress(self, what: str, n_done: int, n_all: int) -> None:
        self._set(progress=(what, n_done, n_all))

    def _succeed(self, hints: Hints, report: UpdateReport | None) -> None:
        changed = bool(report and (report.change or report.n_files or report.remarks))
        if changed:
            self._is_proven = False
        if report is not None:
            self._set(
                n_updates=self._status.n_updates + 1,
                remarks=tuple(report.remarks),
                no_vectors=report.no_vectors,
            )
            if hints.everything:
                self._set(unreadable=tuple(report.failures), n_withheld=report.n_withheld)
        self._set(
            **_IDLE,
            failure="",
            n_failures=0,
            updated_ns=self._clock_ns(),
            version=max(self._status.version, hints.version),
        )

    def _fail(self, error: Exception) -> None:
        n_failures = self._status.n_failures + 1
        longest_s = _LAST_RETRY_LOCKED_S if isinstance(error, LockedError) else _LAST_RETRY_S
        pause_s = min(longest_s, _FIRST_RETRY_S * 2 ** min(n_failures - 1, 20))
        is_ours = isinstance(error, MemjournalError)
        text = str(error) if is_ours else f"{type(error).__name__} in the index writer"
        with self._moved:
            self._not_before = time.monotonic() + pause_s
        self._set(**_IDLE, failure=text, n_failures=n_failures)

    def _set(self, **changes: Any) -> None:
        with self._moved:
            self._status = replace(self._status, **changes)
            self._moved.notify_all()
