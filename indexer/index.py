"""The index of one journal: brought up to date, rebuilt, verified, and opened for search.

It lives in one folder that can be deleted at any time. One process writes at a time, by a lock; any
number read beside it. Whatever is damaged, outdated or made by another version is rebuilt from the
files by itself, and the report says so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..journal import files, git
from ..journal.errors import NotFoundError, StorageError, UnavailableError
from ..journal.reading import Stored, is_missing
from .catalog.catalog import Catalog
from .catalog.in_files import read_body, read_entry
from .catalog.outbox import TARGETS, Target
from .catalog.row import Row
from .errors import IndexDamagedError, NoIndexError, VectorsUnavailableError
from .parts import IndexParts
from .text.content import indexed_text
from .upkeep.reading_together import read_together
from .upkeep.reconcile import IsMeant, plan_update, prove, reconcile
from .upkeep.report import ProgressCallback, UpdateReport
from .upkeep.workers import Workers

if TYPE_CHECKING:
    from .patience import Say
    from .text.chunking import Passage


@dataclass(frozen=True, slots=True)
class _Look:
    """Where an update looks, and whether what is gone was meant to go."""

    only: Collection[str] | None
    accept_deletions: bool


class JournalIndex(IndexParts):
    """The index of a journal, which follows its files."""

    def update(
        self,
        *,
        now_ns: int,
        only: Collection[str] | None = None,
        accept_deletions: bool = False,
        progress: ProgressCallback = lambda *_: None,
        wait: bool = True,
        say: Say | None = None,
    ) -> UpdateReport:
        """Follow the files: read what changed, and let both indexes follow the catalog.

        With nothing to do it costs one walk and writes nothing. With *only*, paths of files or
        folders relative to the journal, it looks there alone, and nothing elsewhere is taken for gone.
        A deletion of most of the journal is followed when a commit that was checked out explains
        it, or with *accept_deletions*. What another process is writing is waited for, or with *wait* off
        left to it; with *say* as long as it gets on, and said when that is long.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError, CannotCreateError: the index cannot be written.
        """
        report = UpdateReport()
        self._close_to_others()
        look = _Look(only, accept_deletions)
        if self._has_work(look, report, now_ns=now_ns):
            with self.locked(wait=wait, say=say):
                report = self._follow(look, now_ns=now_ns, progress=self.shown(progress))
        report.no_vectors = report.no_vectors or self.no_vectors
        return report

    def prove(
        self,
        *,
        now_ns: int,
        progress: ProgressCallback = lambda *_: None,
        wait: bool = True,
        say: Say | None = None,
    ) -> UpdateReport:
        """Read the session files whole whose growth was taken on trust; see ``growth``.

        Raises:
            IndexDamagedError: the catalog cannot be read.
            LockedError: another process kept the index for too long.
            StorageError, CannotCreateError: the index cannot be written.
        """
        report = UpdateReport()
        try:
            with contextlib.closing(self.read_catalog()) as catalog:
                if not catalog.unproven():
                    return report
        except NoIndexError:
            return report  # another process builds it anew, and reads all of every file
        with (
            self.locked(wait=wait, say=say),
            contextlib.closing(self.write_catalog()) as catalog,
        ):
            progress = self.shown(progress)
            prove(catalog, self.root, report, now_ns=now_ns, progress=progress)
            self._let_both_follow(catalog, Workers(1), report, progress)
        return report

    def rebuild(
        self,
        *,
        now_ns: int,
        progress: ProgressCallback = lambda *_: None,
        say: Say | None = None,
    ) -> UpdateReport:
        """Build everything from the files, as if there had been no index.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError, CannotCreateError: the index cannot be written.
        """
        with self.locked(say=say):
            self.remove_derived()
            report = self._follow(_Look(None, True), now_ns=now_ns, progress=self.shown(progress))
        report.no_vectors = report.no_vectors or self.no_vectors
        return report

    def rebuild_part(self, target: Target, *, progress: ProgressCallback = lambda *_: None) -> None:
        """Build one of the two indexes anew from the files that the catalog knows.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError, CannotCreateError: the index cannot be written.
            IndexDamagedError: the catalog cannot be read.
            VectorsUnavailableError: what makes the vectors cannot be asked now.
        """
        if target == "vector" and self.embedder() is None:
            return
        with (
            self.locked(),
            contextlib.closing(self.write_catalog()) as catalog,
            contextlib.closing(Workers(self.options.n_workers)) as workers,
        ):
            self.start_anew(catalog, target)
            self._apply_pending(catalog, target, workers, UpdateReport(), self.shown(progress))

    def _has_work(self, look: _Look, report: UpdateReport, *, now_ns: int) -> bool:
        try:
            with contextlib.closing(self.read_catalog()) as catalog:
                plan, unreadable = plan_update(
                    catalog,
                    self.root,
                    now_ns=now_ns,
                    only=look.only,
                    is_meant=self._is_meant(look),
                )
                report.note_withheld(plan.withheld)
                report.failures.extend(unreadable)
                return (
                    bool(plan)
                    or self._is_behind(catalog, "keyword")
                    or self._is_behind(catalog, "vector")
                )
        except (NoIndexError, IndexDamagedError):
            return True

    def _is_meant(self, look: _Look) -> IsMeant:
        """Whether the files that are gone were meant to go: somebody says so, or git took them."""

        def is_meant(missing: Sequence[str]) -> bool:
            environ = self.options.git_environ
            if look.accept_deletions or environ is None:
                return look.accept_deletions
            try:
                return git.left_behind(self.root, missing, environ=environ) == set(missing)
            except (StorageError, UnavailableError):
                return False

        return is_meant

    def _is_behind(self, catalog: Catalog, target: Target) -> bool:
        """Whether an index has work to do, and can do it."""
        is_behind = catalog.outbox.count(target) > 0 or not self.is_current(catalog, target)
        return is_behind and (target == "keyword" or self.embedder() is not None)

    def _follow(self, look: _Look, *, now_ns: int, progress: ProgressCallback) -> UpdateReport:
        """Read what changed and let the indexes follow; a catalog that is damaged is made anew."""
        report = UpdateReport()
        try:
            self._follow_with(look, report, now_ns=now_ns, progress=progress)
        except IndexDamagedError as error:
            if error.name != "catalog":
                raise
            report = UpdateReport(remarks=[f"{error.what}; everything is being rebuilt"])
            self.remove_derived()
            self._follow_with(_Look(None, True), report, now_ns=now_ns, progress=progress)
        return report

    def _follow_with(
        self, look: _Look, report: UpdateReport, *, now_ns: int, progress: ProgressCallback
    ) -> None:
        with (
            contextlib.closing(self.write_catalog()) as catalog,
            contextlib.closing(Workers(self.options.n_workers)) as workers,
        ):
            if not catalog.n_files():  # of a catalog that is empty, a part would pass for the whole
                look = _Look(None, look.accept_deletions)
            reconcile(
                catalog,
                self.root,
                report,
                now_ns=now_ns,
                only=look.only,
                is_meant=self._is_meant(look),
                read_whole=lambda files: read_together(workers, self.root, files, now_ns=now_ns),
                progress=progress,
            )
            self._let_both_follow(catalog, workers, report, progress)

    def _let_both_follow(
        self,
        catalog: Catalog,
        workers: Workers,
        report: UpdateReport,
        progress: ProgressCallback,
    ) -> None:
        if catalog.outbox.has_left():
            with catalog.transaction():
                catalog.outbox.recover()
        for target in TARGETS:
            try:
                self._apply_pending(catalog, target, workers, report, progress)
            except IndexDamagedError as error:
                if error.name == "catalog":
                    raise
                report.remarks.append(f"{error.what}; it is being rebuilt")
                self.start_anew(catalog, target)
                self._apply_pending(catalog, target, workers, report, progress)
            except VectorsUnavailableError as error:
                self.rest_vectors(error)

    def _apply_pending(
        self,
        catalog: Catalog,
        target: Target,
        workers: Workers,
        report: UpdateReport,
        progress: ProgressCallback,
    ) -> None:
        if target == "vector" and self.embedder() is None:
            return
        if fault := self.fault_of(catalog, target):
            if catalog.stamp(target):
                report.remarks.append(f"the {target} index {fault}; it was rebuilt")
            self.start_anew(catalog, target)
        if catalog.outbox.count(target):
            from .upkeep.following import follow

            follow(self, catalog, target, workers, progress=progress)

    # --- entries ----------------------------------------------------------------------------

    def read(self, row: Row) -> Stored | None:
        """The entry of *row* as it stands in its file; None if other bytes or none stand there now.

        Raises:
            StorageError: the file cannot be read.
        """
        return read_entry(self.root, row)

    def read_body(self, row: Row) -> str | None:
        """The text of the entry of *row*, which costs less than reading all of it; None if other
        bytes or none stand there now.

        Raises:
            StorageError: the file cannot be read.
        """
        return read_body(self.root, row)

    def line_of(self, row: Row) -> int:
        """The line of its file, from 1, that *row* begins in.

        Raises:
            NotFoundError: there is no such file any more.
            StorageError: the file cannot be read.
        """
        path = self.root / row.path
        try:
            with files.open_regular(path) as stream:
                return stream.read(row.offset).count(b"\n") + 1
        except OSError as error:
            if is_missing(error):
                raise NotFoundError("no such file", where=str(path)) from error
            raise files.as_storage_error(error, path) from error

    def passages(self, row: Row, body: str) -> list[Passage]:
        """The pieces of an entry that have a vector each."""
        from .text.chunking import passages

        text = indexed_text(row, body)
        return passages(
            text.heading,
            text.embedded,
            max_tokens=self.options.chunk_tokens,
            overlap=self.options.chunk_overlap_tokens,
        )

    def passage_start(self, row: Row, body: str, place: int) -> int:
        """Where in its *body* an entry's passage number *place* begins, in characters."""
        found = self.passages(row, body)
        return found[place].start if place < len(found) else 0

    def verify(self) -> list[str]:
        """What is wrong with the index: files against catalog, catalog against both indexes.

        Every file is read again; an empty list means that all agree.

        Raises:
            NoIndexError: there is no index.
            IndexDamagedError: a part of it cannot be read.
        """
        from .upkeep.verifying import find_differences

        with contextlib.closing(self.read_catalog()) as catalog:
            return find_differences(self, catalog)
