"""The index of one journal: brought up to date, rebuilt, verified, and opened for search.

It lives in one folder that can be deleted at any time. One process writes at a time, by a lock; any
number read beside it. Whatever is damaged, outdated or made by another version is rebuilt from the
files by itself, and the report says so.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import stat
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..journal import files, git
from ..journal.entry import Entry
from ..journal.errors import CannotCreateError, NotFoundError, StorageError, UnavailableError
from ..journal.reading import Stored, is_missing
from .analysis import ANALYZER_VERSION
from .catalog import Catalog
from .content import CONTENT_VERSION, indexed_text
from .errors import (
    IndexDamagedError,
    NoIndexError,
    ServiceUnavailableError,
    VectorsUnavailableError,
)
from .outbox import TARGETS, Target
from .place import Place, read_place
from .reading_together import read_together
from .reconcile import IsMeant, plan_update, prove, reconcile
from .report import ProgressCallback, UpdateReport
from .row import Row
from .stamps import STAMP_FILE, holds, make_stamp, read_stamp
from .vector_mark import reaches
from .workers import Workers

if TYPE_CHECKING:
    from .chunking import Passage
    from .embedding import Embedder
    from .endpoint_options import EndpointOptions
    from .keyword import KeywordIndex
    from .snapshot import Snapshot
    from .vectors import VectorIndex

_KEYWORD_FORMAT: Final = "3"
_VECTOR_FORMAT: Final = "3"
_REST_S: Final = 30.0  # after which a service that could not be asked is asked again
_FOLDERS: Final[dict[Target, str]] = {"keyword": "whoosh", "vector": "faiss"}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """What decides what is in an index, where a change means building it anew, and who makes it."""

    vectors: bool
    model: str  # as `load_embedder` takes it; a folder with its whole path
    chunk_tokens: int
    chunk_overlap_tokens: int
    machine: str  # a secret of this machine: an index that was not made with it is not read
    lock_timeout_s: float
    n_workers: int = 1  # processes that may help when there is much to index
    git_environ: Mapping[str, str] | None = None  # what git is run with; None: it is not asked
    endpoint: EndpointOptions | None = None  # where the model is, if a service has it

    def __post_init__(self) -> None:
        if not self.machine:
            raise ValueError("without a token of the machine any index would pass for its own")


@dataclass(frozen=True, slots=True)
class _Look:
    """Where an update looks, and whether what is gone was meant to go."""

    only: Collection[str] | None
    accept_deletions: bool


class JournalIndex:
    """The index of the journal at *root*, kept in *folder*."""

    def __init__(self, root: Path, folder: Path, options: IndexOptions) -> None:
        self.root, self.folder, self.options = root, folder, options
        self._embedder: Embedder | None = None
        self._vectors: tuple[str, VectorIndex] | None = None  # and the stamp it was opened with
        self._snapshot: Snapshot | None = None
        self._opening, self._loading = threading.Lock(), threading.Lock()
        self._no_vectors = "" if options.vectors else "vectors are switched off"
        self._ask_again_at = math.inf  # when what stands there may have passed

    # --- what it is made of -----------------------------------------------------------------

    @property
    def catalog_path(self) -> Path:
        return self.folder / "catalog.sqlite"

    def read_catalog(self) -> Catalog:
        """The catalog, for reading.

        Raises:
            NoIndexError: there is no index yet.
            IndexDamagedError: it cannot be read.
            LockedError, StorageError: it cannot be read now.
        """
        return Catalog(self.catalog_path, write=False)

    def open_keyword(self) -> KeywordIndex:
        """The keyword index.

        Raises:
            IndexDamagedError: there is none, it was not made here, or it cannot be read.
        """
        self._require_stamp("keyword")
        from .keyword import KeywordIndex

        return KeywordIndex(self.folder_of("keyword"))

    def snapshot(self) -> Snapshot:
        """The keyword index as it is now; what was open of it and has not changed stays open.

        Raises:
            IndexDamagedError: there is none, it was not made here, or it cannot be read.
        """
        with self._opening:
            self._snapshot = self.open_keyword().snapshot(self._snapshot)
            return self._snapshot

    def open_vectors(self) -> VectorIndex | None:
        """The vector index as it is now, or None where there are no vectors; ``no_vectors`` says why.

        Always the same object until the index is built anew: whoever writes and whoever searches
        share the vectors, which are most of what the process holds in memory.

        Raises:
            IndexDamagedError: it is missing, was not made here, or cannot be read.
        """
        with self._opening:
            embedder = self.embedder()
            if embedder is None:
                return None
            stamp = self._require_stamp("vector")
            from .vectors import VectorIndex

            if self._vectors is not None and self._vectors[0] == stamp:
                self._vectors[1].refresh()
                return self._vectors[1]
            self._vectors = None  # both at once would take twice the memory
            vectors = VectorIndex(
                self.folder_of("vector"),
                fingerprint=embedder.fingerprint,
                dimension=embedder.dimension,
            )
            self._vectors = (stamp, vectors)
            return vectors

    def embedder(self) -> Embedder | None:
        """What makes vectors, loaded when first asked for; None where there can be no vectors."""
        with self._loading:
            if time.monotonic() >= self._ask_again_at:
                self._no_vectors, self._ask_again_at = "", math.inf
            if self._embedder is None and not self._no_vectors:
                try:
                    from . import vectors  # noqa: F401  # without FAISS a model is of no use
                    from .embedding import load_embedder

                    self._embedder = load_embedder(self.options.model, self.options.endpoint)
                except VectorsUnavailableError as error:
                    self.rest_vectors(error)
            return self._embedder

    def rest_vectors(self, error: VectorsUnavailableError) -> None:
        """Do without vectors, for a while if what *error* says may pass."""
        self._no_vectors, self._embedder = str(error), None
        if isinstance(error, ServiceUnavailableError):
            self._ask_again_at = time.monotonic() + _REST_S

    @property
    def no_vectors(self) -> str:
        """Why there are no vectors, as far as is known yet; "" if nothing speaks against them."""
        return self._no_vectors

    # --- bringing it up to date -------------------------------------------------------------

    def update(
        self,
        *,
        now_ns: int,
        only: Collection[str] | None = None,
        accept_deletions: bool = False,
        progress: ProgressCallback = lambda *_: None,
        wait: bool = True,
    ) -> UpdateReport:
        """Follow the files: read what changed, and let both indexes follow the catalog.

        With nothing to do it costs one walk and writes nothing. With *only*, paths of files or
        folders relative to the journal, it looks there alone, and nothing elsewhere is taken for gone.
        A deletion of most of the journal is followed when a commit that was checked out explains
        it, or with *accept_deletions*. What another process is writing is waited for, or with *wait* off
        left to it.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError: the index cannot be written.
        """
        report = UpdateReport()
        self._close_to_others()
        look = _Look(only, accept_deletions)
        if self._has_work(look, report):
            with self.locked(wait=wait):
                report = self._follow(look, now_ns=now_ns, progress=progress)
        report.no_vectors = report.no_vectors or self._no_vectors
        return report

    def prove(
        self, *, now_ns: int, progress: ProgressCallback = lambda *_: None, wait: bool = True
    ) -> UpdateReport:
        """Read the session files whole whose growth was taken on trust; see ``growth``.

        Raises:
            NoIndexError: there is no index yet.
            IndexDamagedError: the catalog cannot be read.
            LockedError: another process kept the index for too long.
            StorageError: the index cannot be written.
        """
        report = UpdateReport()
        with contextlib.closing(self.read_catalog()) as catalog:
            if not catalog.unproven():
                return report
        with (
            self.locked(wait=wait),
            contextlib.closing(Catalog(self.catalog_path, write=True)) as catalog,
        ):
            prove(catalog, self.root, report, now_ns=now_ns, progress=progress)
            self._let_both_follow(catalog, Workers(1), report, progress)
        return report

    def rebuild(self, *, now_ns: int, progress: ProgressCallback = lambda *_: None) -> UpdateReport:
        """Build everything from the files, as if there had been no index.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError: the index cannot be written.
        """
        with self.locked():
            self._remove_derived()
            report = self._follow(_Look(None, True), now_ns=now_ns, progress=progress)
        report.no_vectors = report.no_vectors or self._no_vectors
        return report

    def rebuild_part(self, target: Target, *, progress: ProgressCallback = lambda *_: None) -> None:
        """Build one of the two indexes anew from the files that the catalog knows.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError: the index cannot be written.
        """
        if target == "vector" and self.embedder() is None:
            return
        with (
            self.locked(),
            contextlib.closing(Catalog(self.catalog_path, write=True)) as catalog,
            contextlib.closing(Workers(self.options.n_workers)) as workers,
        ):
            self._start_anew(catalog, target)
            self._apply_pending(catalog, target, workers, UpdateReport(), progress)

    @contextlib.contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[None]:
        """The right to write the index, in a folder for its owner alone: titles and words are in it.

        Raises:
            LockedError: another process kept the index for too long, or at all with *wait* off.
            StorageError, CannotCreateError: the index cannot be written.
        """
        if not self.root.is_dir():  # it was moved; its index must not stay behind
            raise StorageError("the journal's folder is gone", where=str(self.root))
        if self.folder.is_symlink():  # a journal from elsewhere may bring one along
            raise CannotCreateError(
                "a symbolic link, not followed", where=str(self.folder), mend="put a folder there"
            )
        try:
            files.make_folder(self.folder.parent)
            self.folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise files.as_storage_error(error, self.folder) from error
        self._close_to_others()
        timeout_s = self.options.lock_timeout_s if wait else 0.0
        with files.locked(self.folder / "writer.lock", timeout_s=timeout_s):
            yield

    def _close_to_others(self) -> None:
        """Take away what others may do in the folder: older versions made it as the umask said."""
        with contextlib.suppress(OSError):  # somebody else's, or none yet
            status = self.folder.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o077:
                self.folder.chmod(0o700)

    def _has_work(self, look: _Look, report: UpdateReport) -> bool:
        try:
            with contextlib.closing(self.read_catalog()) as catalog:
                plan, _ = plan_update(
                    catalog, self.root, only=look.only, is_meant=self._is_meant(catalog, look)
                )
                report.note_withheld(plan.withheld)
                return (
                    bool(plan)
                    or self._is_behind(catalog, "keyword")
                    or self._is_behind(catalog, "vector")
                )
        except (NoIndexError, IndexDamagedError):
            return True

    def _is_meant(self, catalog: Catalog, look: _Look) -> IsMeant:
        """Whether the files that are gone were meant to go: somebody says so, or git took them."""

        def is_meant(missing: Sequence[str]) -> bool:
            since, environ = catalog.git_head(), self.options.git_environ
            if look.accept_deletions or environ is None or not since:
                return look.accept_deletions
            try:
                return git.left_behind(self.root, missing, since=since, environ=environ) == set(
                    missing
                )
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
            self._remove_derived()
            self._follow_with(_Look(None, True), report, now_ns=now_ns, progress=progress)
        return report

    def _follow_with(
        self, look: _Look, report: UpdateReport, *, now_ns: int, progress: ProgressCallback
    ) -> None:
        with (
            contextlib.closing(Catalog(self.catalog_path, write=True)) as catalog,
            contextlib.closing(Workers(self.options.n_workers)) as workers,
        ):
            head = git.head_commit(self.root)
            if not catalog.n_files():  # of a catalog that is empty, a part would pass for the whole
                look = _Look(None, look.accept_deletions)
            reconcile(
                catalog,
                self.root,
                report,
                now_ns=now_ns,
                only=look.only,
                is_meant=self._is_meant(catalog, look),
                read_whole=lambda files: read_together(workers, self.root, files, now_ns=now_ns),
                progress=progress,
            )
            if look.only is None and not report.n_withheld and catalog.git_head() != head:
                with catalog.transaction():
                    catalog.set_git_head(head)
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
                self._start_anew(catalog, target)
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
        if not self.is_current(catalog, target):
            if catalog.stamp(target):
                report.remarks.append(
                    f"the {target} index was missing or made in another way; it was rebuilt"
                )
            self._start_anew(catalog, target)
        if catalog.outbox.count(target):
            from .following import follow

            follow(self, catalog, target, workers, progress=progress)

    # --- whether an index belongs to this catalog -------------------------------------------

    def _version(self, target: Target) -> str:
        if target == "keyword":
            return f"{_KEYWORD_FORMAT}/{CONTENT_VERSION}/{ANALYZER_VERSION}"
        options = self.options
        return "/".join(
            (
                _VECTOR_FORMAT,
                CONTENT_VERSION,
                options.model,
                str(options.chunk_tokens),
                str(options.chunk_overlap_tokens),
            )
        )

    def folder_of(self, target: Target) -> Path:
        """Where the files of one index are."""
        return self.folder / _FOLDERS[target]

    def _holds(self, stamp: str, target: Target) -> bool:
        return holds(stamp, version=self._version(target), machine=self.options.machine)

    def _require_stamp(self, target: Target) -> str:
        stamp = read_stamp(self.folder_of(target))
        if not self._holds(stamp, target):
            raise IndexDamagedError(target, "it is missing, or was made elsewhere")
        return stamp

    def is_current(self, catalog: Catalog, target: Target) -> bool:
        """Whether an index is there, made as it would be made now, and all of what the catalog knows."""
        found = read_stamp(self.folder_of(target))
        if found != catalog.stamp(target) or not self._holds(found, target):
            return False
        if target == "keyword":
            return True
        if not reaches(self.folder_of("vector"), catalog.vector_mark()):
            return False
        return self._embedder is None or f" {self._embedder.fingerprint} " in found

    def _start_anew(self, catalog: Catalog, target: Target) -> None:
        """Empty one index and note every entry for it.

        The stamp is written last: an index without its stamp is begun again.
        """
        folder = self.folder_of(target)
        _remove_place(folder)
        fingerprint = "-"
        if target == "keyword":
            from .keyword import KeywordIndex

            KeywordIndex.create(folder)
        else:
            from .vectors import VectorIndex

            embedder = self._embedder
            assert embedder is not None  # the caller's condition
            fingerprint = embedder.fingerprint
            VectorIndex.create(folder, fingerprint=fingerprint, dimension=embedder.dimension)
        stamp = make_stamp(self._version(target), fingerprint, machine=self.options.machine)
        with catalog.transaction():
            catalog.outbox.note_all(target)
            catalog.set_stamp(target, stamp)
            if target == "vector":
                catalog.set_vector_mark("")
        files.replace(folder / STAMP_FILE, stamp.encode("utf-8"))

    def _remove_derived(self) -> None:
        # The catalog before its journal: SQLite would play a journal back into a new catalog.
        for name in ("catalog.sqlite", "catalog.sqlite-journal"):
            _remove_place(self.folder / name)
        for target in TARGETS:
            _remove_place(self.folder_of(target))

    # --- entries ----------------------------------------------------------------------------

    def read(self, row: Row) -> Stored | None:
        """The entry of *row* as it stands in its file; None if other bytes or none stand there now.

        Raises:
            StorageError: the file cannot be read.
        """
        return read_place(self.root, Place.of(row))

    def line_of(self, row: Row) -> int:
        """The line of its file, from 1, that *row* begins in.

        Raises:
            NotFoundError: there is no such file any more.
            StorageError: the file cannot be read.
        """
        path = self.root / row.path
        try:
            with open(path, "rb") as stream:
                return stream.read(row.offset).count(b"\n") + 1
        except OSError as error:
            if is_missing(error):
                raise NotFoundError("no such file", where=str(path)) from error
            raise files.as_storage_error(error, path) from error

    def passages(self, entry: Entry) -> list[Passage]:
        """The pieces of *entry* that have a vector each."""
        from .chunking import passages

        text = indexed_text(entry)
        if not text.heading.strip() and not text.embedded.strip():
            return []
        return passages(
            text.heading,
            text.embedded,
            max_tokens=self.options.chunk_tokens,
            overlap=self.options.chunk_overlap_tokens,
        )

    def passage_start(self, entry: Entry, place: int) -> int:
        """Where in the body of *entry* its passage number *place* begins, in characters."""
        found = self.passages(entry)
        return found[place].start if place < len(found) else 0

    def verify(self) -> list[str]:
        """What is wrong with the index: files against catalog, catalog against both indexes.

        Every file is read again; an empty list means that all agree.

        Raises:
            NoIndexError: there is no index.
            IndexDamagedError: a part of it cannot be read.
        """
        from .verifying import find_differences

        with contextlib.closing(self.read_catalog()) as catalog:
            return find_differences(self, catalog)


def _remove_place(place: Path) -> None:
    """Remove a file or folder; of a link, which a journal may bring along, only the link."""
    if place.is_symlink() or not place.is_dir():
        files.remove(place)
    else:
        shutil.rmtree(place, ignore_errors=True)
