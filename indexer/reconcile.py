"""Comparing the files with the catalog: what has to be read again, and what is gone.

The plan is pure and costs one walk; a watcher can only make it happen sooner. A place that could
not be looked into is never taken for empty, and a journal without any file is never taken for one
whose files were all deleted: its disk may just not be mounted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ..journal.files import as_storage_error
from ..journal.reading import (
    JournalFile,
    Listing,
    Oddity,
    Stored,
    is_missing,
    list_files,
    read_entries,
)
from .catalog import Catalog, Described, FileChange
from .report import ProgressCallback, UpdateReport

_UNSETTLED_NS: Final = 50_000_000
"""A file that changed less than 50 ms before it was read may change again within the same tick of
the file system's clock (4 ms on ext4); it is noted as unsettled and read once more next time."""
_OTHER_CLOCK_NS: Final = 86_400 * 10**9
"""A file whose time lies a day ahead was not written by this clock; its time says nothing of now."""
_FILES_PER_TRANSACTION: Final = 200


@dataclass(frozen=True, slots=True)
class Plan:
    """What one walk found."""

    changed: tuple[JournalFile, ...]
    removed: tuple[str, ...]
    withheld: tuple[str, ...] = ()  # gone, all at once, and therefore kept in the index

    def __bool__(self) -> bool:
        return bool(self.changed or self.removed)


def plan_reconcile(listing: Listing, known: Mapping[str, JournalFile]) -> Plan:
    """What differs between the files and the catalog, in the order of the paths."""
    changed = tuple(file for file in listing.files if known.get(file.path) != file)
    present = {file.path for file in listing.files}
    hidden = tuple(place.path for place in listing.unreadable)
    missing = tuple(
        path
        for path in sorted(known)
        if path not in present
        and not any(path == place or path.startswith(f"{place}/") for place in hidden)
    )
    if missing and not present:
        return Plan(changed, (), withheld=missing)
    return Plan(changed, missing)


def reconcile(
    catalog: Catalog,
    root: Path,
    report: UpdateReport,
    *,
    now_ns: int,
    progress: ProgressCallback = lambda *_: None,
) -> None:
    """Let *catalog* follow the files below *root*; *report* says how it changed.

    What is known of a file that cannot be read now is kept.

    Raises:
        IndexDamagedError: the catalog is not as it was left.
        LockedError, StorageError: it cannot be written now.
    """
    listing = list_files(root)
    plan = plan_reconcile(listing, catalog.known_files())
    report.note_withheld(plan.withheld)
    report.failures.extend(listing.unreadable)
    n_all = len(plan.changed)
    for start in range(0, len(plan.removed), _FILES_PER_TRANSACTION):
        with catalog.transaction():
            for path in plan.removed[start : start + _FILES_PER_TRANSACTION]:
                report.change += catalog.apply(FileChange.gone(path))
    for start in range(0, n_all, _FILES_PER_TRANSACTION):
        with catalog.transaction():
            for file in plan.changed[start : start + _FILES_PER_TRANSACTION]:
                try:
                    change = read_change(root, file, now_ns=now_ns)
                except OSError as error:
                    if oddity := describe_failure(file, error):
                        report.failures.append(oddity)
                    continue
                report.change += catalog.apply(change)
                report.n_files += 1
        progress("files", min(start + _FILES_PER_TRANSACTION, n_all), n_all)


def read_change(root: Path, file: JournalFile, *, now_ns: int) -> FileChange:
    """Everything that *file* holds now.

    Raises:
        OSError: the file cannot be read now; what the catalog knows of it should stay.
    """
    described: list[Described] = []
    oddities: list[Oddity] = []
    for found in read_entries(root, file):
        if isinstance(found, Oddity):
            oddities.append(found)
        else:
            described.append(describe(found))
    if now_ns - _UNSETTLED_NS < file.mtime_ns < now_ns + _OTHER_CLOCK_NS:
        file = file._replace(mtime_ns=-1)
    return FileChange(file, tuple(described), tuple(oddities))


def describe(stored: Stored) -> Described:
    """*stored* as the catalog keeps it."""
    return Described(
        entry=replace(stored.entry, body=""),
        path=stored.path,
        offset=stored.offset,
        length=stored.length,
        digest=digest_of(stored.raw),
        n_chars=len(stored.entry.body),
    )


def digest_of(raw: bytes) -> bytes:
    """What tells whether an entry's bytes are the same."""
    return hashlib.blake2b(raw, digest_size=16).digest()


def describe_failure(file: JournalFile, error: OSError) -> Oddity | None:
    """What to say about a file that could not be read; None if it has just gone."""
    return None if is_missing(error) else Oddity(file.path, as_storage_error(error, "").what)
