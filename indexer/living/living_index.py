"""The living index: files are watched, the index follows by itself, and any thread may ask it.

One thread writes (``writer``), one searches (``warm``), and nothing that happens to either
stops the other: a search finds what was hinted at before it, if that can be indexed while it has
patience, and otherwise answers from the last good state. Searches take turns: each is done in
milliseconds, and one warm state costs half the memory of two.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

from ...journal.errors import LockedError, MemjournalError, UnavailableError
from ...journal.reading import Oddity
from ..catalog.catalog import Catalog
from ..errors import IndexDamagedError
from ..index import JournalIndex
from ..search.answer import Answer, SearchRequest
from .bulk import BulkWork
from .hints import hinted_place
from .untold import Untold
from .warm import WarmSearcher
from .watching import DEBOUNCE_S, MAX_DELAY_S, Watcher, WatchStatus
from .writer import BULK_FROM, POLL_EVERY_S, RECONCILE_EVERY_S, IndexWriter

T = TypeVar("T")
_CHEAP_LOOK_S: Final = 0.1  # a look at everything; unwatched, a search can have one of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class LivingOptions:
    """What a living index is given by the process that it lives in."""

    clock_ns: Callable[[], int]
    bulk_command: tuple[str, ...] = ()  # brings the index up to date in a process of its own
    report_bug: Callable[[], object] = lambda: None  # called where an exception is being handled
    force_polling: bool = False
    debounce_s: float = DEBOUNCE_S
    max_delay_s: float = MAX_DELAY_S
    bulk_from: int = BULK_FROM
    reconcile_every_s: float = RECONCILE_EVERY_S
    poll_every_s: float = POLL_EVERY_S


@dataclass(frozen=True, slots=True, kw_only=True)
class LivingStatus:
    """How things stand, for people."""

    watch: WatchStatus
    behind: int  # files, or pieces of them, that are known to wait; 0: none is
    doing: str  # "" when idle
    failure: str  # of the last attempt to follow; "" if it went well
    n_reconciles: int  # looks at everything
    n_withheld: int  # files that are gone at once, and kept in the index
    unreadable: tuple[Oddity, ...]  # files and folders
    remarks: tuple[str, ...]  # what whoever asks next is told
    no_vectors: str  # why there are none; "" if nothing speaks against them


class LivingIndex:
    """*index*, alive."""

    def __init__(self, index: JournalIndex, *, options: LivingOptions) -> None:
        self._index = index
        self._untold = Untold()
        self._watcher = Watcher(
            index.root,
            debounce_s=options.debounce_s,
            max_delay_s=options.max_delay_s,
            force_polling=options.force_polling,
        )
        self._writer = IndexWriter(
            index,
            self._watcher,
            BulkWork(options.bulk_command),
            self._untold,
            clock_ns=options.clock_ns,
            report_bug=options.report_bug,
            followed=self._warm_up,
            bulk_from=options.bulk_from,
            reconcile_every_s=options.reconcile_every_s,
            poll_every_s=options.poll_every_s,
        )
        self._warm = WarmSearcher(index)
        self._searching = ThreadPoolExecutor(1, thread_name_prefix="searching")

    def start(self) -> None:
        """Watch, follow what changed since last time, and open what answers need."""
        self._watcher.start()
        # Both threads need the model, which must not be loaded twice.
        opened = self._searching.submit(self._open)
        opened.add_done_callback(lambda _: self._writer.start())

    def close(self) -> None:
        """Stop, after what is being done; no thread, process or descriptor is left."""
        self._writer.stop()
        self._writer.join()  # it has the warm searcher opened when it has followed
        with contextlib.suppress(RuntimeError):  # closed before
            self._searching.submit(self._warm.close).result()
        self._searching.shutdown()
        self._watcher.close()

    def search(self, request: SearchRequest, *, patience_s: float) -> Answer:
        """The answer to *request*, after waiting at most *patience_s* for the index to follow.

        Raises:
            UsageError: the question is empty.
            NoIndexError: there is no index yet.
            IndexDamagedError: the catalog cannot be read; it is being mended.
            LockedError: there is none to search in until it is built, or another process writes.
            StorageError: the index cannot be read now.
            UnavailableError: it is being closed.
        """
        has_followed = self._catch_up(patience_s)
        answer = self._answer(request)
        if not has_followed:
            self._untold.add("what was saved just now may not be found yet: it is being indexed")
        return answer

    def use(self, task: Callable[[Catalog, Callable[[SearchRequest], Answer]], T]) -> T:
        """What *task* makes of the catalog and of searches in the index as it is, whatever was saved
        meanwhile; it must not keep either, and others wait for it.

        Raises:
            As ``search``, and what *task* raises.
        """
        return self._in_its_thread(lambda: self._warm.use(task))

    def _warm_up(self) -> None:
        """Look at the index as it has become, for the next question not to wait for that."""
        with contextlib.suppress(RuntimeError):  # it is being closed
            self._searching.submit(self._open)

    def _answer(self, request: SearchRequest) -> Answer:
        return self._in_its_thread(lambda: self._search(request))

    def _in_its_thread(self, task: Callable[[], T]) -> T:
        if self._writer.is_building:
            raise LockedError("the index is being built", mend="try again in a minute")
        try:
            asked = self._searching.submit(task)
        except RuntimeError as error:
            raise UnavailableError("the index is being closed") from error
        return asked.result()

    def refresh(self, paths: Sequence[str] | None, *, patience_s: float) -> bool:
        """Look at *paths*, or at everything; whether the index has followed within *patience_s*.

        With no path in *paths* it is what a search waits for.
        """
        if paths is not None and not paths:
            return self._catch_up(patience_s)
        box = self._watcher.box
        if paths is None:
            version = box.add_everything("it was asked for")
        else:
            # Nobody says which of them are folders; of a file too, its place is what is looked at.
            places = (hinted_place(path, is_folder=True) for path in paths)
            version = box.add([place for place in places if place])
        box.flush()
        return self._writer.wait_for(version, patience_s=patience_s)

    def status(self) -> LivingStatus:
        """How things stand."""
        done = self._writer.status()
        return LivingStatus(
            watch=self._watcher.status(),
            behind=self._watcher.box.n_waiting + done.n_pieces,
            doing=done.doing,
            failure=done.failure,
            n_reconciles=done.n_reconciles,
            n_withheld=done.n_withheld,
            unreadable=done.unreadable,
            remarks=(*done.standing_remarks, *self._untold.waiting),
            no_vectors=self._index.no_vectors,
        )

    def take_remarks(self) -> tuple[str, ...]:
        """What people should know: what lasts, as often as it is asked for, and what happened, once."""
        return (*self._writer.status().standing_remarks, *self._untold.take())

    @property
    def is_gone(self) -> bool:
        """Whether the journal's folder has been away, or another in its place, for some seconds."""
        return self._watcher.is_gone

    def _catch_up(self, patience_s: float) -> bool:
        box = self._watcher.box
        version = box.version
        is_blind = self._watcher.status().mode == "polling"
        done = self._writer.status()
        if is_blind and done.reconcile_s < _CHEAP_LOOK_S:
            version = box.add_everything("a search, for want of a watch")
        elif self._warm.was_replaced:
            version = box.add_everything("the index was replaced")
        elif self._watcher.has_moved:
            version = box.add_everything("a folder of the journal came, went or was replaced")
        # What stands in the way may be gone, which no event tells: a disk is mounted, a mode is set.
        elif done.n_withheld:
            version = box.add_everything("files that were gone may be back")
        elif done.unread:
            version = box.add(place.path for place in done.unread)
        box.flush()
        return self._writer.wait_for(version, patience_s=patience_s)

    # --- by the one thread that searches ----------------------------------------------------

    def _open(self) -> None:
        with contextlib.suppress(MemjournalError):  # the first search says what is wrong
            self._warm.open()

    def _search(self, request: SearchRequest) -> Answer:
        try:
            answer = self._warm.search(request)
        except IndexDamagedError:
            self._watcher.box.add_everything("the catalog is damaged")
            raise
        self._untold.add(*self._warm.remarks)
        return answer
