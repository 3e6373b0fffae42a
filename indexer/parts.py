"""What the index of one journal is made of: its folder, the catalog, both indexes, the model.

Each index carries a stamp that the catalog knows; one that does not fit is begun anew. Opened are
things as they are now, and what is open already and has not changed is used again.
"""

from __future__ import annotations

import contextlib
import math
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..journal import files
from ..journal.errors import CannotCreateError, StorageError
from ..journal.obstacle import find_obstacle
from .catalog.catalog import Catalog
from .catalog.outbox import TARGETS, Target
from .errors import IndexDamagedError, VectorsUnavailableError
from .keywords import mark as keyword_mark
from .options import IndexOptions
from .patience import LOOK_S, Patience, Say, show_progress
from .rest import Rest
from .stamps import STAMP_FILE, Recipe, make_stamp, read_stamp, stamp_fault
from .text.analysis import ANALYZER_VERSION
from .text.content import CONTENT_VERSION
from .vectors import mark as vector_mark

if TYPE_CHECKING:
    from .embedding.embedders import Embedder
    from .keywords.index import KeywordIndex
    from .keywords.snapshot import Snapshot
    from .upkeep.report import ProgressCallback
    from .vectors.index import VectorIndex

_KEYWORD_FORMAT: Final = "3"
_VECTOR_FORMAT: Final = "4"
_REACHES: Final = {"keyword": keyword_mark.reaches, "vector": vector_mark.reaches}
_FOLDERS: Final[dict[Target, str]] = {"keyword": "whoosh", "vector": "faiss"}


class IndexParts:
    """The parts of the index of the journal at *root*, kept in *folder*."""

    def __init__(self, root: Path, folder: Path, options: IndexOptions) -> None:
        self.root, self.folder, self.options = root, folder, options
        self._embedder: Embedder | None = None
        self._vectors: tuple[str, VectorIndex] | None = None  # and the stamp it was opened with
        self._snapshot: Snapshot | None = None
        self._opening, self._loading = threading.Lock(), threading.Lock()
        self._held: int | None = None  # the lock, open, while this has it
        # Of what makes vectors; set as a whole, for threads look at it unlocked.
        self._rest = None if options.vectors else Rest("vectors are switched off", math.inf)

    @contextlib.contextmanager
    def locked(self, *, wait: bool = True, say: Say | None = None) -> Iterator[None]:
        """The right to write the index, in a folder for its owner alone: titles and words are in it.

        With *say* another process is waited for as long as it gets on, and a long wait is said.

        Raises:
            LockedError: another process kept the index for too long, or at all with *wait* off.
            StorageError, CannotCreateError: the index cannot be written.
        """
        if not self.root.is_dir():  # it was moved; its index must not stay behind
            raise StorageError(
                "the journal's folder is gone",
                where=str(self.root),
                mend="mount it or move it back",
            )
        if self.folder.is_symlink():  # a journal from elsewhere may bring one along
            raise CannotCreateError(
                "a symbolic link, not followed", where=str(self.folder), mend="put a folder there"
            )
        try:
            files.make_private_folder(self.folder)
        except OSError as error:
            refused = find_obstacle(self.folder) or files.as_storage_error(error, self.folder)
            raise refused from error
        with self._lock(self.options.lock_timeout_s if wait else 0.0, say if wait else None) as fd:
            self._held = fd
            try:
                self.show_progress()
                yield
            finally:
                self._held = None

    def _lock(self, timeout_s: float, say: Say | None) -> contextlib.AbstractContextManager[int]:
        if say is None:
            return files.locked(self._lock_path, timeout_s=timeout_s)
        patience = Patience(self._lock_path, quiet_s=timeout_s, say=say)
        return files.locked(
            self._lock_path,
            timeout_s=min(LOOK_S, timeout_s),
            wait_on=patience.is_left,
            what=f"another process keeps it and has not got on for {timeout_s:g} s",
            mend="end that process, or try again",
        )

    @property
    def _lock_path(self) -> Path:
        return self.folder / "writer.lock"

    def show_progress(self) -> None:
        """Let those who wait for the lock know that this process gets on, if it has the lock."""
        if (fd := self._held) is not None:
            show_progress(self._lock_path, fd)

    def shown(self, progress: ProgressCallback) -> ProgressCallback:
        """*progress*, which those who wait for the lock see as well."""

        def report(what: str, n_done: int, n_all: int) -> None:
            self.show_progress()
            progress(what, n_done, n_all)

        return report

    def _close_to_others(self) -> None:
        """Take away what others may do in the folder: older versions made it as the umask said."""
        files.close_to_others(self.folder)

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

    def write_catalog(self) -> Catalog:
        """The catalog, for whoever has the lock; made if need be.

        Raises:
            IndexDamagedError: it cannot be read.
            LockedError, StorageError: it cannot be opened now.
        """
        return Catalog(self.catalog_path, write=True, on_commit=self.show_progress)

    def folder_of(self, target: Target) -> Path:
        """Where the files of one index are."""
        return self.folder / _FOLDERS[target]

    def open_keyword(self) -> KeywordIndex:
        """The keyword index.

        Raises:
            IndexDamagedError: there is none, it was not made here, or it cannot be read.
        """
        self._require_stamp("keyword")
        from .keywords.index import KeywordIndex

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
            from .vectors.index import VectorIndex

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
            rest = self._rest
            is_worth_trying = rest is None or rest.is_over(time.monotonic())
            if self._embedder is None and is_worth_trying:
                try:
                    from .embedding.embedders import load_embedder
                    from .vectors import index as vectors  # noqa: F401  # without FAISS a model is of no use

                    self._embedder = load_embedder(self.options.model, self.options.endpoint)
                    self._rest = None
                except VectorsUnavailableError as error:
                    self.rest_vectors(error)
            return self._embedder

    def rest_vectors(self, error: VectorsUnavailableError) -> None:
        """Do without vectors for a while: a service may answer by then, or a model be there."""
        # The rest first: another thread would load what is not there.
        self._rest = Rest.begin(str(error), time.monotonic())
        self._embedder = None

    @property
    def no_vectors(self) -> str:
        """Why there are no vectors, as far as is known yet; "" if nothing speaks against them."""
        rest = self._rest
        return rest.reason if rest is not None else ""

    def belongs_to(self, catalog: Catalog, target: Target) -> bool:
        """Whether an index is the one that the catalog knows of, and no older or other one in its place."""
        if read_stamp(self.folder_of(target)) != catalog.stamp(target):
            return False
        mark = catalog.mark(target)  # before the files are looked at: they are written first
        return _REACHES[target](self.folder_of(target), mark)

    def is_current(self, catalog: Catalog, target: Target) -> bool:
        """Whether an index is there, made as it would be made now, and all of what the catalog knows."""
        return not self.fault_of(catalog, target)

    def fault_of(self, catalog: Catalog, target: Target) -> str:
        """What an index was instead of current, after "the index"; "" if it is."""
        stamp = read_stamp(self.folder_of(target))
        if fault := self._stamp_fault(stamp, target):
            return fault
        if not self.belongs_to(catalog, target):
            return "was not the one that the catalog knows of"
        embedder = self._embedder if target == "vector" else None
        if embedder is not None and f" {embedder.fingerprint} " not in stamp:
            return "was made with another model of the same name"
        return ""

    def start_anew(self, catalog: Catalog, target: Target) -> None:
        """Empty one index and note every entry for it.

        The stamp is written last: an index without its stamp is begun again.
        """
        folder = self.folder_of(target)
        _remove_place(folder)
        fingerprint = "-"
        if target == "keyword":
            from .keywords.index import KeywordIndex

            KeywordIndex.create(folder)
        else:
            from .vectors.index import VectorIndex

            embedder = self._embedder
            assert embedder is not None  # the caller's condition
            fingerprint = embedder.fingerprint
            VectorIndex.create(folder, fingerprint=fingerprint, dimension=embedder.dimension)
        stamp = make_stamp(self._recipe(target), fingerprint, machine=self.options.machine)
        with catalog.transaction():
            catalog.outbox.note_all(target)
            catalog.set_stamp(target, stamp)
            catalog.set_mark(target, "")
        files.replace(folder / STAMP_FILE, stamp.encode("utf-8"))

    def remove_derived(self) -> None:
        """Remove all that is derived."""
        # The catalog before its journal: SQLite would play a journal back into a new catalog.
        for name in ("catalog.sqlite", "catalog.sqlite-journal"):
            _remove_place(self.folder / name)
        for target in TARGETS:
            _remove_place(self.folder_of(target))

    def _recipe(self, target: Target) -> Recipe:
        if target == "keyword":
            return {
                "format": _KEYWORD_FORMAT,
                "content": CONTENT_VERSION,
                "analyzer": ANALYZER_VERSION,
            }
        return {
            "format": _VECTOR_FORMAT,
            "content": CONTENT_VERSION,
            "embedding.model": self.options.model,
            "index.chunk_tokens": str(self.options.chunk_tokens),
            "index.chunk_overlap_tokens": str(self.options.chunk_overlap_tokens),
        }

    def _stamp_fault(self, stamp: str, target: Target) -> str:
        return stamp_fault(stamp, recipe=self._recipe(target), machine=self.options.machine)

    def _require_stamp(self, target: Target) -> str:
        stamp = read_stamp(self.folder_of(target))
        if fault := self._stamp_fault(stamp, target):
            raise IndexDamagedError(target, f"it {fault}")
        return stamp


def _remove_place(place: Path) -> None:
    """Remove a file or folder; of a link, which a journal may bring along, only the link."""
    if place.is_symlink() or not place.is_dir():
        files.remove(place)
    else:
        shutil.rmtree(place, ignore_errors=True)
