"""The index of one journal: brought up to date, rebuilt, verified, and opened for search.

It lives in one folder that can be deleted at any time. One process writes at a time, by a lock; any
number read beside it. Whatever is damaged, outdated or made by another version is rebuilt from the
files by itself, and the report says so.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from ..journal import files
from ..journal.entry import Entry
from ..journal.reading import Listing, Oddity, Stored, list_files, read_at
from .analysis import ANALYZER_VERSION
from .catalog import TARGETS, Catalog, Change, EntryFilter, FileChange, Pending, Row, Target
from .content import CONTENT_VERSION, indexed_text
from .errors import IndexDamagedError, VectorsUnavailableError
from .reconcile import Plan, describe_failure, digest_of, plan_reconcile, read_change

if TYPE_CHECKING:
    from .chunking import Passage
    from .embedding import Embedder
    from .keyword import KeywordIndex, TermDocument
    from .vectors import VectorDocument, VectorIndex

_KEYWORD_FORMAT: Final = "2"
_VECTOR_FORMAT: Final = "2"
_FILES_PER_TRANSACTION: Final = 200
_KEYWORD_BATCH: Final = 10_000
_VECTOR_BATCH: Final = 250  # their texts are in memory at once
_VECTOR_SAVE_EVERY: Final = 20_000
_STAMP: Final = "stamp"  # a file beside each index: proves that it belongs to this catalog

ProgressCallback = Callable[[str, int, int], None]  # what, how many done, of how many


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """What decides what is in an index; a change of it means building it anew."""

    vectors: bool = True
    model: str = "memjournal-static-v1"
    chunk_tokens: int = 320
    chunk_overlap_tokens: int = 40
    lock_timeout_s: float = 10.0


@dataclass(slots=True)
class UpdateReport:
    """What an update did, and what a person should know about it."""

    change: Change = field(default_factory=Change)
    n_files: int = 0
    remarks: list[str] = field(default_factory=list)
    failures: list[Oddity] = field(default_factory=list)  # files that could not be read now
    no_vectors: str = ""  # why there are none; "" if there are


class JournalIndex:
    """The index of the journal at *root*, kept in *folder*."""

    def __init__(self, root: Path, folder: Path, options: IndexOptions) -> None:
        self.root, self.folder, self.options = root, folder, options
        self._embedder: Embedder | None = None
        self._no_vectors = "" if options.vectors else "vectors are switched off"

    # --- what it is made of -----------------------------------------------------------------

    @property
    def catalog_path(self) -> Path:
        return self.folder / "catalog.sqlite"

    def read_catalog(self) -> Catalog:
        """The catalog, for reading.

        Raises:
            FileNotFoundError: there is no index yet.
            IndexDamagedError: it cannot be read.
            LockedError, StorageError: it cannot be read now.
        """
        return Catalog(self.catalog_path, write=False)

    def open_keyword(self) -> KeywordIndex:
        """The keyword index.

        Raises:
            IndexDamagedError: there is none, or it cannot be read.
        """
        from .keyword import KeywordIndex

        return KeywordIndex(self.folder / "whoosh")

    def open_vectors(self) -> VectorIndex | None:
        """The vector index, or None where there are no vectors; ``no_vectors`` says why.

        Raises:
            IndexDamagedError: it is missing, or cannot be read.
        """
        embedder = self.embedder()
        if embedder is None:
            return None
        from .vectors import VectorIndex

        return VectorIndex(
            self.folder / "faiss",
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
        )

    def embedder(self) -> Embedder | None:
        """What makes vectors, loaded when first asked for; None where there can be no vectors."""
        if self._embedder is None and not self._no_vectors:
            try:
                from . import vectors  # noqa: F401  # without FAISS a model is of no use
                from .embedding import load_embedder

                self._embedder = load_embedder(self.options.model)
            except VectorsUnavailableError as error:
                self._no_vectors = str(error)
        return self._embedder

    @property
    def no_vectors(self) -> str:
        """Why there are no vectors, as far as is known yet; "" if nothing speaks against them."""
        return self._no_vectors

    # --- bringing it up to date -------------------------------------------------------------

    def update(
        self, *, now_ns: int, progress: ProgressCallback = lambda *_: None, wait: bool = True
    ) -> UpdateReport:
        """Follow the files: read what changed, and let both indexes follow the catalog.

        With nothing to do it costs one walk and writes nothing. What another process is writing is
        waited for, or with *wait* off left to it.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError: the index cannot be written.
        """
        report = UpdateReport()
        listing = list_files(self.root)
        if self._has_work(listing, report):
            timeout_s = self.options.lock_timeout_s if wait else 0.0
            with files.locked(self.folder / "writer.lock", timeout_s=timeout_s):
                report = self._follow(now_ns=now_ns, progress=progress)
        report.no_vectors = self._no_vectors
        return report

    def rebuild(self, *, now_ns: int, progress: ProgressCallback = lambda *_: None) -> UpdateReport:
        """Build everything from the files, as if there had been no index.

        Raises:
            LockedError: another process kept the index for too long.
            StorageError: the index cannot be written.
        """
        with files.locked(self.folder / "writer.lock", timeout_s=self.options.lock_timeout_s):
            self._remove_derived()
            report = self._follow(now_ns=now_ns, progress=progress)
        report.no_vectors = self._no_vectors
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
            files.locked(self.folder / "writer.lock", timeout_s=self.options.lock_timeout_s),
            contextlib.closing(Catalog(self.catalog_path, write=True)) as catalog,
        ):
            self._start_anew(catalog, target)
            self._apply_pending(catalog, target, UpdateReport(), progress)

    def _has_work(self, listing: Listing, report: UpdateReport) -> bool:
        try:
            with contextlib.closing(self.read_catalog()) as catalog:
                plan = plan_reconcile(listing, catalog.known_files())
                _report_withheld(plan, report)
                return (
                    bool(plan)
                    or self._is_behind(catalog, "keyword")
                    or self._is_behind(catalog, "vector")
                )
        except (FileNotFoundError, IndexDamagedError):
            return True

    def _is_behind(self, catalog: Catalog, target: Target) -> bool:
        """Whether an index has work to do, and can do it."""
        is_behind = catalog.n_pending(target) > 0 or not self._is_current(catalog, target)
        return is_behind and (target == "keyword" or self.embedder() is not None)

    def _follow(self, *, now_ns: int, progress: ProgressCallback) -> UpdateReport:
        """Read what changed and let the indexes follow; a catalog that is damaged is made anew."""
        report = UpdateReport()
        try:
            self._follow_with(report, now_ns=now_ns, progress=progress)
        except IndexDamagedError as error:
            if error.name != "catalog":
                raise
            report = UpdateReport(remarks=[f"{error.what}; everything is being rebuilt"])
            self._remove_derived()
            self._follow_with(report, now_ns=now_ns, progress=progress)
        return report

    def _follow_with(
        self, report: UpdateReport, *, now_ns: int, progress: ProgressCallback
    ) -> None:
        with contextlib.closing(Catalog(self.catalog_path, write=True)) as catalog:
            self._read_files(catalog, report, now_ns=now_ns, progress=progress)
            for target in TARGETS:
                try:
                    self._apply_pending(catalog, target, report, progress)
                except IndexDamagedError as error:
                    if error.name == "catalog":
                        raise
                    report.remarks.append(f"{error.what}; it is being rebuilt")
                    self._start_anew(catalog, target)
                    self._apply_pending(catalog, target, report, progress)

    def _read_files(
        self,
        catalog: Catalog,
        report: UpdateReport,
        *,
        now_ns: int,
        progress: ProgressCallback,
    ) -> None:
        listing = list_files(self.root)
        plan = plan_reconcile(listing, catalog.known_files())
        _report_withheld(plan, report)
        report.failures.extend(listing.unreadable)
        n_all = len(plan.changed)
        gone = [FileChange.gone(path) for path in plan.removed]
        for start in range(0, len(gone), _FILES_PER_TRANSACTION):
            with catalog.transaction():
                for change in gone[start : start + _FILES_PER_TRANSACTION]:
                    report.change += catalog.apply(change)
        for start in range(0, n_all, _FILES_PER_TRANSACTION):
            with catalog.transaction():
                for file in plan.changed[start : start + _FILES_PER_TRANSACTION]:
                    try:
                        change = read_change(self.root, file, now_ns=now_ns)
                    except OSError as error:
                        if oddity := describe_failure(file, error):
                            report.failures.append(oddity)
                        continue
                    report.change += catalog.apply(change)
                    report.n_files += 1
            progress("files", min(start + _FILES_PER_TRANSACTION, n_all), n_all)

    def _apply_pending(
        self,
        catalog: Catalog,
        target: Target,
        report: UpdateReport,
        progress: ProgressCallback,
    ) -> None:
        if target == "vector" and self.embedder() is None:
            return
        if not self._is_current(catalog, target):
            if catalog.meta(f"{target}_stamp"):
                report.remarks.append(
                    f"the {target} index was missing or made in another way; it was rebuilt"
                )
            self._start_anew(catalog, target)
        n_all = catalog.n_pending(target)
        if not n_all:
            return
        if target == "keyword":
            self._follow_keyword(catalog, n_all, progress)
        else:
            self._follow_vectors(catalog, n_all, progress)

    # --- stamps: does an index belong to this catalog ---------------------------------------

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

    def _stamp_path(self, target: Target) -> Path:
        return self.folder / ("whoosh" if target == "keyword" else "faiss") / _STAMP

    def _is_current(self, catalog: Catalog, target: Target) -> bool:
        expected = catalog.meta(f"{target}_stamp")
        try:
            found = self._stamp_path(target).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return False
        if not expected or found != expected or not found.startswith(f"{self._version(target)} "):
            return False
        if target == "vector" and self._embedder is not None:
            return f" {self._embedder.fingerprint} " in found
        return True

    def _start_anew(self, catalog: Catalog, target: Target) -> None:
        """Empty one index and note every entry for it.

        The stamp is written last: an index without its stamp is begun again.
        """
        stamp_path = self._stamp_path(target)
        shutil.rmtree(stamp_path.parent, ignore_errors=True)
        fingerprint = "-"
        if target == "keyword":
            from .keyword import KeywordIndex

            KeywordIndex.create(stamp_path.parent)
        else:
            from .vectors import VectorIndex

            embedder = self._embedder
            assert embedder is not None  # the caller's condition
            fingerprint = embedder.fingerprint
            VectorIndex.create(
                stamp_path.parent, fingerprint=fingerprint, dimension=embedder.dimension
            )
        stamp = f"{self._version(target)} {fingerprint} {token_hex(8)}"
        with catalog.transaction():
            catalog.note_all(target)
            catalog.set_meta(f"{target}_stamp", stamp)
        files.replace(stamp_path, stamp.encode("utf-8"))

    def _remove_derived(self) -> None:
        # The catalog before its journal: SQLite would play a journal back into a new catalog.
        for name in ("catalog.sqlite", "catalog.sqlite-journal"):
            files.remove(self.folder / name)
        for name in ("whoosh", "faiss"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    # --- following the catalog --------------------------------------------------------------

    def _batches(self, catalog: Catalog, target: Target, size: int) -> Iterator[list[Pending]]:
        """All work of *target*, each piece once, whatever became of it."""
        after = 0
        while pending := catalog.pending(target, limit=size, after=after):
            yield pending
            after = pending[-1].docno

    def _follow_keyword(self, catalog: Catalog, n_all: int, progress: ProgressCallback) -> None:
        index = self.open_keyword()
        n_done = 0
        for pending in self._batches(catalog, "keyword", _KEYWORD_BATCH):
            settled: list[int] = []
            index.apply(
                self._term_documents(pending, settled, n_done, n_all, progress),
                replaced=[one.docno for one in pending],
            )
            self._tick_off(catalog, "keyword", [one.docno for one in pending], settled)
            n_done += len(pending)
            progress("keyword", n_done, n_all)

    def _term_documents(
        self,
        pending: Sequence[Pending],
        settled: list[int],
        n_before: int,
        n_all: int,
        progress: ProgressCallback,
    ) -> Iterator[TermDocument]:
        from .analysis import document_terms, scripts
        from .keyword import TermDocument

        for number, (one, stored) in enumerate(self._read_pending(pending)):
            settled.append(one.docno)
            if stored is None:
                continue
            text = indexed_text(stored.entry)
            yield TermDocument(
                docno=one.docno,
                title=document_terms(text.title),
                body=document_terms(text.body),
                scripts=scripts(text.body or text.title),
            )
            if number % 200 == 199:
                progress("keyword", n_before + number + 1, n_all)

    def _follow_vectors(self, catalog: Catalog, n_all: int, progress: ProgressCallback) -> None:
        index = self.open_vectors()
        if index is None:
            return
        n_done = 0
        unsaved: list[int] = []
        settled: list[int] = []
        for pending in self._batches(catalog, "vector", _VECTOR_BATCH):
            docnos = [one.docno for one in pending]
            index.apply(self._vector_documents(pending, settled), replaced=docnos)
            unsaved += docnos
            n_done += len(docnos)
            if n_done == n_all or len(unsaved) >= _VECTOR_SAVE_EVERY:
                index.save()
                self._tick_off(catalog, "vector", unsaved, settled)
                unsaved, settled = [], []
            progress("vector", n_done, n_all)

    def _vector_documents(
        self, pending: Sequence[Pending], settled: list[int]
    ) -> list[VectorDocument]:
        from .ranking import in_context
        from .vectors import VectorDocument

        embedder = self.embedder()
        assert embedder is not None  # there is an index only where there is an embedder
        docnos: list[int] = []
        texts: list[str] = []
        for one, stored in self._read_pending(pending):
            settled.append(one.docno)
            for passage in self._passages(stored.entry) if stored else ():
                docnos.append(one.docno)
                texts.append(passage.text)
        vectors = embedder.encode(texts)
        documents = []
        start = 0
        for docno, group in groupby(docnos):
            end = start + sum(1 for _ in group)
            documents.append(VectorDocument(docno=docno, vectors=in_context(vectors[start:end])))
            start = end
        return documents

    def _read_pending(self, pending: Sequence[Pending]) -> Iterator[tuple[Pending, Stored | None]]:
        """Each piece of work with its entry (None: take it out); what cannot be read is left out."""
        for one in pending:
            if one.row is None:
                yield one, None
                continue
            try:
                stored = self.read(one.row)
            except OSError:
                continue
            if stored is not None:
                yield one, stored

    @staticmethod
    def _tick_off(
        catalog: Catalog, target: Target, docnos: Sequence[int], settled: Sequence[int]
    ) -> None:
        with catalog.transaction():
            catalog.settle(target, settled)
            for docno in sorted(set(docnos).difference(settled)):
                catalog.fail(target, docno, "the file changed or could not be read")

    def read(self, row: Row) -> Stored | None:
        """The entry of *row* as it stands in its file; None if other bytes stand there now.

        Raises:
            OSError: the file cannot be read.
        """
        stored = read_at(self.root, row.path, row.offset, row.length, row.created_us * 1000)
        return stored if stored and digest_of(stored.raw) == row.digest else None

    def _passages(self, entry: Entry) -> list[Passage]:
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
        found = self._passages(entry)
        return found[place].start if place < len(found) else 0

    def line_of(self, row: Row) -> int:
        """The line of its file, from 1, that *row* begins in.

        Raises:
            OSError: the file cannot be read.
        """
        with open(self.root / row.path, "rb") as stream:
            return stream.read(row.offset).count(b"\n") + 1

    # --- verifying --------------------------------------------------------------------------

    def verify(self) -> list[str]:
        """What is wrong with the index: files against catalog, catalog against both indexes.

        Every file is read again; an empty list means that all agree.

        Raises:
            FileNotFoundError: there is no index.
            IndexDamagedError: a part of it cannot be read.
        """
        with contextlib.closing(self.read_catalog()) as catalog:
            if found := catalog.check():
                return [f"catalog: {found}"]
            living: dict[int, Row] = {}
            wrong = list(self._verify_files(catalog, living))
            wrong += self._verify_keyword(catalog, living)
            wrong += self._verify_vectors(catalog, living)
        return wrong

    def _verify_files(self, catalog: Catalog, living: dict[int, Row]) -> Iterator[str]:
        """Compare the files with the catalog; the rows go into *living*, by number."""
        listing = list_files(self.root)
        plan = plan_reconcile(listing, catalog.known_files())
        for path in (*plan.removed, *plan.withheld):
            yield f"{path}: in the index, not on disk"
        for place in listing.unreadable:
            yield f"{place.path}: {place.what}"
        for row in catalog.find(EntryFilter(), limit=-1):
            living[row.docno] = row
        by_path: dict[str, list[tuple[str, int, bytes]]] = {}
        for row in living.values():
            by_path.setdefault(row.path, []).append((row.id, row.offset, row.digest))
        for file in listing.files:
            try:
                change = read_change(self.root, file, now_ns=0)
            except OSError as error:
                if oddity := describe_failure(file, error):
                    yield f"{oddity.path}: {oddity.what}"
                continue
            on_disk = sorted((one.entry.id, one.offset, one.digest) for one in change.entries or ())
            if sorted(by_path.get(file.path, ())) != on_disk:
                yield f"{file.path}: differs from the index"

    def _verify_keyword(self, catalog: Catalog, living: Mapping[int, Row]) -> Iterator[str]:
        waiting = {one.docno for one in catalog.pending("keyword", limit=-1)}
        with self.open_keyword().snapshot() as snapshot:
            found = snapshot.docnos[snapshot.alive].tolist()
        if len(found) != len(set(found)):
            yield "keyword index: an entry stands twice"
        if set(found) - waiting != living.keys() - waiting:
            yield "keyword index: other entries than in the catalog"

    def _verify_vectors(self, catalog: Catalog, living: Mapping[int, Row]) -> Iterator[str]:
        vectors = self.open_vectors()
        if vectors is None:
            return
        waiting = {one.docno for one in catalog.pending("vector", limit=-1)}
        found = set(vectors.docnos.tolist()) - waiting
        if not found <= living.keys():
            yield "vector index: entries that are not in the catalog"
        without = [Pending(n, living[n]) for n in sorted(living.keys() - found - waiting)]
        for start in range(0, len(without), _VECTOR_BATCH):  # those that say nothing have none
            for document in self._vector_documents(without[start : start + _VECTOR_BATCH], []):
                if document.vectors.any():
                    yield f"vector index: mem:{living[document.docno].id} is missing"


def _report_withheld(plan: Plan, report: UpdateReport) -> None:
    if plan.withheld:
        report.remarks.append(
            f"no file is left of the {len(plan.withheld)} that were indexed; the index is kept in"
            " case the folder is only not mounted (`mem index --rebuild` empties it)"
        )
