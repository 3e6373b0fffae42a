"""Comparing the files with the catalog: what has to be read again, and what is gone.

The plan is pure and costs one walk; a watcher can only make it happen sooner, by naming the places
that it should look at. A place that could not be looked into is never taken for empty. When most of a
journal is gone at once, its disk may just not be mounted: the index keeps it until a commit that was
checked out proves the deletion, or a person says that it was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from ...journal.file_walk import FileWalk, FoundFile
from ...journal.files import as_storage_error
from ...journal.reading import (
    JournalFile,
    Oddity,
    Stored,
    as_oddities,
    is_missing,
    list_files,
    read_entries,
    stat_file,
    walk_files,
)
from ..catalog.catalog import Catalog
from ..catalog.changes import Described, FileChange
from ..catalog.extent import digest_of
from .comparing import Difference, differences
from .growth import WINDOW_BYTES, extent_of, read_growth
from .report import ProgressCallback, UpdateReport

UNSETTLED_NS: Final = 50_000_000
"""A file that changed less than 50 ms before it was read may change again within the same tick of
the file system's clock (4 ms on ext4); it is noted as unsettled and read once more next time."""
_OTHER_CLOCK_NS: Final = 86_400 * 10**9
"""A file whose time lies a day ahead was not written by this clock; its time says nothing of now."""
_FILES_PER_TRANSACTION: Final = 1_000
_ENTRIES_PER_TRANSACTION: Final = 2_000
"""Ids are random, so that each transaction rewrites much of their table, whatever it adds to it; beyond
these numbers nothing is gained."""
_QUIET_NS: Final = 60 * 10**9  # a session that is not written to for so long may be over
_MANY: Final = 20  # files; fewer are deleted by hand every day
_TRIES: Final = 3  # while others write to the catalog
_SHARED_FROM: Final = 1_000  # files; to start a process costs as much as to read about so many

_UNLIKE_ANY: Final = (-1, 0, 0)  # bytes and times that no file has

IsMeant = Callable[[Sequence[str]], bool]
Reading = FileChange | Oddity | None
ReadWhole = Callable[[Sequence[JournalFile]], Iterator[Reading]]


@dataclass(frozen=True, slots=True)
class Plan:
    """What one walk found."""

    changed: tuple[JournalFile, ...]
    removed: tuple[str, ...]
    withheld: tuple[str, ...] = ()  # gone, most of all at once, and therefore kept in the index

    def __bool__(self) -> bool:
        return bool(self.changed or self.removed)


def plan_reconcile(
    differing: Iterable[Difference],
    *,
    n_known: Callable[[], int],
    unreadable: Sequence[tuple[str, str]] = (),
    is_meant: IsMeant = lambda _: False,
) -> Plan:
    """What to do about *differing*, in the order of the paths.

    *n_known* tells how many files the catalog knows in all. *unreadable* are the places that could not be
    looked into, and may be found while *differing* is: what is known of them stays. *is_meant* is asked about a deletion of most of the journal.
    """
    changed: list[JournalFile] = []
    missing: list[str] = []
    n_new = 0
    for found, before in differing:
        if found is not None:
            changed.append(JournalFile._make(found))
            n_new += before is None
        elif before is not None:
            missing.append(before[0])
    changed.sort()
    missing = sorted(path for path in missing if not _lies_below(path, unreadable))
    n_before = n_known() if missing else 0
    n_after = n_before - len(missing) + n_new  # a renamed folder is not gone
    if is_most(len(missing), n_before=n_before, n_after=n_after) and not is_meant(missing):
        return Plan(tuple(changed), (), withheld=tuple(missing))
    return Plan(tuple(changed), tuple(missing))


def _lies_below(path: str, places: Iterable[tuple[str, str]]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place, _ in places)


def is_most(n_missing: int, *, n_before: int, n_after: int) -> bool:
    """Whether so many files are gone that they may not have been deleted, but only not be there."""
    return n_missing > 0 and (not n_after or (n_missing > _MANY and 2 * n_after < n_before))


def plan_update(
    catalog: Catalog,
    root: Path,
    *,
    now_ns: int | None = None,
    only: Collection[str] | None = None,
    is_meant: IsMeant = lambda _: False,
) -> tuple[Plan, tuple[Oddity, ...]]:
    """The plan for the journal at *root*, or for the places named in *only*, and what could not be
    looked into.

    With *now_ns*, files whose growth was taken on trust are read whole when they have been quiet. While
    others write to the catalog without a pause, nothing is said to be gone: it may have moved from
    where the catalog was read already to where it was not yet.

    Raises:
        IndexDamagedError: the catalog is not as it was left.
    """
    n_left = _TRIES
    while True:
        n_left -= 1
        version = catalog.data_version()
        walk = walk_files(root, below=only)
        plan = plan_reconcile(
            _differing(catalog, walk, now_ns=now_ns, is_whole=only is None),
            n_known=catalog.n_files,
            unreadable=walk.unreadable,
            is_meant=is_meant,
        )
        is_gone = plan.removed or plan.withheld
        if not is_gone or catalog.data_version() == version:
            break
        if not n_left:
            plan = Plan(plan.changed, ())
            break
    return plan, as_oddities(walk.unreadable)


def _differing(
    catalog: Catalog, walk: FileWalk, *, now_ns: int | None, is_whole: bool
) -> Iterator[Difference]:
    """What the walk finds other than the catalog knows it, and the files that are to be read whole."""
    due = frozenset() if now_ns is None else frozenset(_due_for_proof(catalog, now_ns))
    if is_whole:
        pairs = differences(walk.files(), _known_files(catalog, None, due))
    else:
        pairs = chain.from_iterable(
            differences(walk.below(place), _known_files(catalog, place, due))
            for place in walk.places
        )
    for found, before in pairs:
        if found is None or before is None or found[0] in due:
            yield found, before
            continue
        if catalog.known_file(found[0]) != found:  # the list does not know every time
            yield found, before


def _due_for_proof(catalog: Catalog, now_ns: int) -> Iterator[str]:
    """The files that grew and have been quiet since."""
    for path in catalog.unproven():
        known = catalog.known_file(path)
        if known is not None and now_ns - abs(known.mtime_ns) > _QUIET_NS:
            yield path


def _known_files(
    catalog: Catalog, place: str | None, due: AbstractSet[str]
) -> Iterator[list[FoundFile]]:
    """What *catalog* knows, those in *due* as if they had been other files."""
    for some in catalog.known_files(below=place):
        yield (
            [(file[0], *_UNLIKE_ANY) if file[0] in due else file for file in some] if due else some
        )


def reconcile(
    catalog: Catalog,
    root: Path,
    report: UpdateReport,
    *,
    now_ns: int,
    only: Collection[str] | None = None,
    is_meant: IsMeant = lambda _: False,
    read_whole: ReadWhole | None = None,
    progress: ProgressCallback = lambda *_: None,
) -> None:
    """Let *catalog* follow the files below *root*; *report* says how it changed.

    What is known of a file that cannot be read now is kept. *read_whole* reads files when there are
    many, in whichever way is fast.

    Raises:
        IndexDamagedError: the catalog is not as it was left.
        LockedError, StorageError: it cannot be written now.
    """
    plan, unreadable = plan_update(catalog, root, now_ns=now_ns, only=only, is_meant=is_meant)
    report.note_withheld(plan.withheld)
    report.failures.extend(unreadable)
    for start in range(0, len(plan.removed), _FILES_PER_TRANSACTION):
        with catalog.transaction():
            for path in plan.removed[start : start + _FILES_PER_TRANSACTION]:
                report.change += catalog.apply(FileChange.gone(path))
    growing, whole = _sorted_by_growth(catalog, plan.changed)
    if read_whole is None or len(whole) < _SHARED_FROM:
        changes = read_changes(root, whole, now_ns=now_ns)
    else:
        changes = read_whole(whole)
    grown = (_read_grown(catalog, root, file, now_ns=now_ns) for file in growing)
    changes = (one for one in chain(grown, changes) if not _says_nothing_new(catalog, root, one))
    _take_in(catalog, changes, report, n_all=len(plan.changed), progress=progress)


def prove(
    catalog: Catalog,
    root: Path,
    report: UpdateReport,
    *,
    now_ns: int,
    progress: ProgressCallback = lambda *_: None,
) -> None:
    """Read the files whole whose growth was taken on trust (``growth``).

    Raises:
        IndexDamagedError: the catalog is not as it was left.
        LockedError, StorageError: it cannot be written now.
    """
    unproven = catalog.unproven()
    found = list_files(root, below=unproven).files if unproven else ()
    changes = read_changes(root, found, now_ns=now_ns)
    _take_in(catalog, changes, report, n_all=len(found), progress=progress)


def _take_in(
    catalog: Catalog,
    changes: Iterator[Reading],
    report: UpdateReport,
    *,
    n_all: int,
    progress: ProgressCallback,
) -> None:
    """Bring the catalog up to date with *changes*, some in each transaction."""
    n_done = 0
    while part := _some(changes):
        with catalog.transaction():
            for change in part:
                if isinstance(change, FileChange):
                    report.change += catalog.apply(change)
                    report.n_files += 1
                elif change is not None:
                    report.failures.append(change)
        n_done += len(part)
        progress("files", n_done, n_all)


def _some(changes: Iterator[Reading]) -> list[Reading]:
    """The next few of *changes*, for one transaction."""
    part: list[Reading] = []
    n_entries = 0
    for change in islice(changes, _FILES_PER_TRANSACTION):
        part.append(change)
        n_entries += len(change.entries or ()) if isinstance(change, FileChange) else 0
        if n_entries >= _ENTRIES_PER_TRANSACTION:
            break
    return part


def _says_nothing_new(catalog: Catalog, root: Path, reading: Reading) -> bool:
    """Whether a file only may not be read any more: its size and time are those it was read with."""
    if not isinstance(reading, Oddity):
        return False
    now = stat_file(root, reading.path)
    before = catalog.known_file(reading.path)
    return (
        now is not None
        and before is not None
        and (now.size_bytes, now.mtime_ns) == (before.size_bytes, abs(before.mtime_ns))
    )


def _sorted_by_growth(
    catalog: Catalog, files: Sequence[JournalFile]
) -> tuple[list[JournalFile], list[JournalFile]]:
    """The session files that may only have grown, and the others."""
    growing: list[JournalFile] = []
    whole: list[JournalFile] = []
    for file in files:
        extent = catalog.extent(file.path) if file.kind == "session" else None
        may_have_grown = extent is not None and (
            file.size_bytes > extent.end or catalog.known_file(file.path) == _unsettled(file)
        )
        (growing if may_have_grown else whole).append(file)
    return growing, whole


def _read_grown(catalog: Catalog, root: Path, file: JournalFile, *, now_ns: int) -> Reading:
    """What *file* holds more than the catalog knows, or all it holds if it did not only grow."""
    extent = catalog.extent(file.path)
    assert extent is not None  # it was sorted out by that
    before = catalog.placed(file.path, start=max(0, extent.end - WINDOW_BYTES))
    try:
        grown = read_growth(root, file, extent, before)
    except OSError as error:
        return describe_failure(file, error)
    if grown is None:
        return _read_whole(root, file, now_ns=now_ns)
    added, extent = grown
    return FileChange(
        _settled(file, now_ns=now_ns),
        tuple(describe(one) for one in added),
        extent=extent,
        is_growth=True,
    )


def read_changes(root: Path, files: Iterable[JournalFile], *, now_ns: int) -> Iterator[Reading]:
    """Everything that each of *files* holds now, or why it cannot be read; None if it has just gone."""
    return (_read_whole(root, file, now_ns=now_ns) for file in files)


def _read_whole(root: Path, file: JournalFile, *, now_ns: int) -> Reading:
    try:
        return read_change(root, file, now_ns=now_ns)
    except OSError as error:
        return describe_failure(file, error)


def read_change(root: Path, file: JournalFile, *, now_ns: int) -> FileChange:
    """Everything that *file* holds now.

    Raises:
        OSError: the file cannot be read now; what the catalog knows of it should stay.
    """
    described: list[Described] = []
    oddities: list[Oddity] = []
    ends: list[Stored] = []  # the first and the last
    for found in read_entries(root, file):
        if isinstance(found, Oddity):
            oddities.append(found)
        else:
            described.append(describe(found))
            ends = [ends[0], found] if ends else [found]
    return FileChange(
        _settled(file, now_ns=now_ns),
        tuple(described),
        tuple(oddities),
        extent_of(root, file, ends),
    )


def _settled(file: JournalFile, *, now_ns: int) -> JournalFile:
    """*file*, marked by a negative time if it may change once more without changing its time."""
    may_change = now_ns - UNSETTLED_NS < file.mtime_ns < now_ns + _OTHER_CLOCK_NS
    return _unsettled(file) if may_change else file


def _unsettled(file: JournalFile) -> JournalFile:
    return file._replace(mtime_ns=-file.mtime_ns)


def describe(stored: Stored) -> Described:
    """*stored* as the catalog keeps it."""
    return Described(
        entry=replace(stored.entry, body=""),
        path=stored.path,
        offset=stored.offset,
        length=stored.length,
        digest=digest_of(stored.raw),
        n_chars=len(stored.entry.body),
        body=_stretch_of(stored.entry.body.encode("utf-8", "replace"), stored.raw),
    )


def _stretch_of(body: bytes, raw: bytes) -> tuple[int, int] | None:
    """Where *body* stands in *raw*: at its end, before its last line break or after its first; None
    if nowhere of these, because it was escaped or mended."""
    for start in (len(raw) - len(body) - 1, len(raw) - len(body), raw.find(b"\n") + 1):
        if start >= 0 and raw.startswith(body, start):
            return start, len(body)
    return None


def describe_failure(file: JournalFile, error: OSError) -> Oddity | None:
    """What to say about a file that could not be read; None if it has just gone."""
    return None if is_missing(error) else Oddity(file.path, as_storage_error(error, "").what)
