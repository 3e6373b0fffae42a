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
from .catalog.catalog import Catalog
from .catalog.outbox import TARGETS, Target
from .errors import IndexDamagedError, ServiceUnavailableError, VectorsUnavailableError
from .keywords import mark as keyword_mark
from .options import IndexOptions
from .stamps import STAMP_FILE, holds, make_stamp, read_stamp
from .text.analysis import ANALYZER_VERSION
from .text.content import CONTENT_VERSION
from .vectors import mark as vector_mark

if TYPE_CHECKING:
    from .embedding.embedders import Embedder
    from .keywords.index import KeywordIndex
    from .keywords.snapshot import Snapshot
    from .vectors.index import VectorIndex

_KEYWORD_FORMAT: Final = "3"
_VECTOR_FORMAT: Final = "4"
_REST_S: Final = 30.0  # after which a service that could not be asked is asked again
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
        self._no_vectors = "" if options.vectors else "vectors are switched off"
        self._ask_again_at = math.inf  # when what stands there may have passed

    @contextlib.contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[None]:
        """The right to write the index, in a folder for its owner alone: titles and words are in it.

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
            raise files.as_storage_error(error, self.folder) from error
        timeout_s = self.options.lock_timeout_s if wait else 0.0
        with files.locked(self.folder / "writer.lock", timeout_s=timeout_s):
            yield

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
            if time.monotonic() >= self._ask_again_at:
                self._no_vectors, self._ask_again_at = "", math.inf
            if self._embedder is None and not self._no_vectors:
                try:
                    from .embedding.embedders import load_embedder
                    from .vectors import index as vectors  # noqa: F401  # without FAISS a model is of no use

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

    def belongs_to(self, catalog: Catalog, target: Target) -> bool:
        """Whether an index is the one that the catalog knows of, and no older or other one in its place."""
        if read_stamp(self.folder_of(target)) != catalog.stamp(target):
            return False
        mark = catalog.mark(target)  # before the files are looked at: they are written first
        return _REACHES[target](self.folder_of(target), mark)

    def is_current(self, catalog: Catalog, target: Target) -> bool:
        """Whether an index is there, made as it would be made now, and all of what the catalog knows."""
        found = read_stamp(self.folder_of(target))
        if not self.belongs_to(catalog, target) or not self._holds(found, target):
            return False
        return (
            target == "keyword"
            or self._embedder is None
            or f" {self._embedder.fingerprint} " in found
        )

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
        stamp = make_stamp(self._version(target), fingerprint, machine=self.options.machine)
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

    def _holds(self, stamp: str, target: Target) -> bool:
        return holds(stamp, version=self._version(target), machine=self.options.machine)

    def _require_stamp(self, target: Target) -> str:
        stamp = read_stamp(self.folder_of(target))
        if not self._holds(stamp, target):
            raise IndexDamagedError(target, "it is missing, or was made elsewhere")
        return stamp


def _remove_place(place: Path) -> None:
    """Remove a file or folder; of a link, which a journal may bring along, only the link."""
    if place.is_symlink() or not place.is_dir():
        files.remove(place)
    else:
        shutil.rmtree(place, ignore_errors=True)
