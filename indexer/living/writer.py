"""The one thread that keeps an index up to date: it takes hints, looks, and writes.

Hints make it sooner; a look at everything, now and then, is what makes it right. A failure is kept as
text and tried again, less and less often, and what was hinted is not lost by it.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from ...journal.errors import LockedError, MemjournalError
from ...journal.reading import Oddity
from ..catalog.catalog import Catalog
from ..index import JournalIndex
from ..upkeep.reconcile import UNSETTLED_NS
from ..upkeep.report import UpdateReport, unreadable_remark, withheld_remark
from .bulk import BulkWork
from .hints import Hints
from .untold import Untold
from .watching import Watcher
from .workload import Workload, measure_workload

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
_MOST_FRESH: Final = 200  # places of one look; of more, the next look at everything finds the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterStatus:
    """How far the index has followed, for people."""

    doing: str = ""  # "" when idle
    n_pieces: int = 0  # of work that is being done
    failure: str = ""  # of the last attempt; "" if it went well
    n_failures: int = 0  # one after the other
    n_reconciles: int = 0
    reconcile_s: float = 0.0  # what the last look at everything took
    n_withheld: int = 0  # files that are gone at once, and kept in the index
    unread: tuple[Oddity, ...] = ()  # files that have changed and cannot be read
    unreadable: tuple[Oddity, ...] = ()  # these, and places that cannot be looked at
    version: int = field(default=0, repr=False)  # of the hints that were followed last

    @property
    def standing_remarks(self) -> Iterator[str]:
        """What is said with every answer while it lasts."""
        if self.n_withheld:
            yield withheld_remark(self.n_withheld)
        yield from map(unreadable_remark, self.unread)


class IndexWriter:
    """Writes *index* as *watcher* hints; what people should know of it goes to *untold*.

    *followed* is called each time that the index has come to hold what the files do.
    """

    def __init__(
        self,
        index: JournalIndex,
        watcher: Watcher,
        bulk: BulkWork,
        untold: Untold,
        *,
        clock_ns: Callable[[], int],
        report_bug: Callable[[], object],
        followed: Callable[[], object],
        bulk_from: int = BULK_FROM,
        reconcile_every_s: float = RECONCILE_EVERY_S,
        poll_every_s: float = POLL_EVERY_S,
    ) -> None:
        self._index, self._watcher, self._bulk, self._untold = index, watcher, bulk, untold
        self._clock_ns, self._report_bug, self._followed = clock_ns, report_bug, followed
        self._bulk_from = bulk_from
        self._reconcile_every_s, self._poll_every_s = reconcile_every_s, poll_every_s
        self._closing = threading.Event()
        self._moved = threading.Condition()
        self._status = WriterStatus()
        self._is_building = self._is_elsewhere = False
        self._not_before = 0.0  # monotonic; after a failure
        self._followed_at = self._reconciled_at = time.monotonic()
        self._is_proven = False  # an earlier process may have left some unproven
        self._fresh: set[str] = set()  # what was read too soon after it was written
        self._again = threading.Timer(0, self._hint_at_fresh)
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
        self._again.cancel()
        if self._again.is_alive():
            self._again.join()

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
            self._set(replace(self._status, doing=hints.reason or "files that changed"))
            # While most files are gone, each look is at everything: the rest may be back as well.
            everywhere = hints.everything or self._status.n_withheld
            is_whole = self._look_at(None if everywhere else hints.paths)
        except MemjournalError as error:
            self._watcher.box.put_back(hints)
            self._fail(error)
            return
        except BaseException:
            # One of the places may be what brings it down: a look at everything names none.
            self._watcher.box.add_everything("an error")
            raise
        finally:
            self._is_building = False
        self._followed_at = time.monotonic()
        if is_whole:
            self._reconciled_at = self._followed_at
            self._set(replace(self._status, n_reconciles=self._status.n_reconciles + 1))
        self._succeed(version=hints.version)
        self._look_again(() if everywhere else hints.paths, everywhere=bool(everywhere))

    def _look_again(self, paths: Iterable[str], *, everywhere: bool) -> None:
        """What was written so short before it was read that it may change without a sign is read once more."""
        if everywhere:
            with contextlib.suppress(MemjournalError), self._reading() as catalog:
                paths = catalog.unsettled(limit=_MOST_FRESH)
        now_ns = self._clock_ns()
        recently = range(
            now_ns - 2 * UNSETTLED_NS, now_ns + 1
        )  # a time to come would never be over
        fresh = [one for one in islice(paths, _MOST_FRESH) if self._changed_ns(one) in recently]
        if fresh and not self._closing.is_set():
            self._again.cancel()
            self._fresh.update(fresh)
            self._again = threading.Timer(2 * UNSETTLED_NS / 1e9, self._hint_at_fresh)
            self._again.daemon = True
            self._again.start()

    def _hint_at_fresh(self) -> None:
        fresh, self._fresh = self._fresh, set()
        self._watcher.box.add(fresh)

    def _reading(self) -> contextlib.closing[Catalog]:
        return contextlib.closing(self._index.read_catalog())

    def _changed_ns(self, path: str) -> int:
        try:
            return os.stat(self._index.root / path).st_mtime_ns
        except (OSError, ValueError):  # it is gone, or no name
            return 0

    def _look_at(self, only: Collection[str] | None) -> bool:
        """Let the index follow at the places in *only*, or everywhere; whether it was everywhere."""
        work = self._measure(only)
        if work.n_gone and only is not None:  # to know how many there are in all
            only, work = None, self._measure(None)
        report = self._do(work, only) if work else UpdateReport()
        if report.change or report.n_files:
            self._is_proven = False
        self._note_what_stands(report, work, only)
        return only is None

    def _measure(self, only: Collection[str] | None) -> Workload:
        started = time.monotonic()
        work = measure_workload(self._index, only, now_ns=self._clock_ns())
        if only is None:
            self._set(replace(self._status, reconcile_s=time.monotonic() - started))
        return work

    def _do(self, work: Workload, only: Collection[str] | None) -> UpdateReport:
        # Files that were gone before and were kept are no work, only a remark that is made again.
        n_pieces = work.n_pieces + (work.n_gone if work.n_gone != self._status.n_withheld else 0)
        self._set(replace(self._status, n_pieces=n_pieces))
        self._is_building = work.from_nothing
        if self._bulk and n_pieces >= self._bulk_from:
            return self._update_elsewhere()
        return self._index.update(now_ns=self._clock_ns(), only=only, wait=False)

    def _update_elsewhere(self) -> UpdateReport:
        self._is_elsewhere = True
        try:
            remarks = self._bulk.run(meanwhile=lambda: self._watcher.wait(0))
        finally:
            self._is_elsewhere = False
        # A look at everything that is left tells what still stands in the way.
        report = self._index.update(now_ns=self._clock_ns(), wait=False)
        report.remarks += [remark for remark in remarks if remark not in report.remarks]
        return report

    def _note_what_stands(
        self, report: UpdateReport, work: Workload, only: Collection[str] | None
    ) -> None:
        """Keep what lasts for as long as it does; what has just happened is told once."""
        before = self._status
        unread = [one for one in report.failures if one not in work.unreadable]
        is_whole = only is None
        after = replace(
            before,
            n_withheld=report.n_withheld if is_whole else before.n_withheld,
            unread=(*_elsewhere(before.unread, only), *unread),
            unreadable=(*_elsewhere(before.unreadable, only), *work.unreadable, *unread),
        )
        self._set(after)
        new = [one for one in work.unreadable if one not in before.unreadable]
        lasting = withheld_remark(report.n_withheld)
        self._untold.add(
            *(remark for remark in report.remarks if remark != lasting),
            *map(unreadable_remark, new),
        )

    def _prove(self) -> None:
        try:
            self._set(replace(self._status, doing="session files that grew"))
            report = self._index.prove(now_ns=self._clock_ns(), wait=False)
        except MemjournalError as error:
            self._fail(error)
        else:
            self._untold.add(*report.remarks)
            self._is_proven = True
            self._succeed()

    def _succeed(self, *, version: int = 0) -> None:
        version = max(self._status.version, version)
        self._set(self._idle(failure="", n_failures=0, version=version))
        self._followed()

    def _fail(self, error: Exception) -> None:
        n_failures = self._status.n_failures + 1
        longest_s = _LAST_RETRY_LOCKED_S if isinstance(error, LockedError) else _LAST_RETRY_S
        pause_s = min(longest_s, _FIRST_RETRY_S * 2 ** min(n_failures - 1, 20))
        is_ours = isinstance(error, MemjournalError)
        text = str(error) if is_ours else f"{type(error).__name__} in the index writer"
        with self._moved:
            self._not_before = time.monotonic() + pause_s
        self._set(self._idle(failure=text, n_failures=n_failures, version=self._status.version))

    def _idle(self, *, failure: str, n_failures: int, version: int) -> WriterStatus:
        return replace(
            self._status,
            doing="",
            n_pieces=0,
            failure=failure,
            n_failures=n_failures,
            version=version,
        )

    def _set(self, status: WriterStatus) -> None:
        with self._moved:
            self._status = status
            self._moved.notify_all()


def _elsewhere(places: Iterable[Oddity], only: Collection[str] | None) -> Iterator[Oddity]:
    """Those of *places* that a look at *only* tells nothing of."""
    if only is None:
        return
    for place in places:
        if not any(place.path == one or place.path.startswith(f"{one}/") for one in only):
            yield place
