"""How the catalog changes, and what an index must look at because of it: values."""

from __future__ import annotations

from dataclasses import dataclass

from ...journal.entry import Entry
from ...journal.reading import JournalFile, Oddity
from .extent import Extent
from .row import Row


@dataclass(frozen=True, slots=True)
class Described:
    """An entry as it stands in its file, its body left out: a whole file of them is in memory."""

    entry: Entry
    path: str
    offset: int
    length: int
    digest: bytes
    n_chars: int  # of the body
    body: tuple[int, int] | None = None  # its place and length in the entry's bytes, if it is there


@dataclass(frozen=True, slots=True)
class FileChange:
    """What reconcile found in one file: everything it holds now, or what it holds more than before;
    ``None`` when it is gone."""

    file: JournalFile
    entries: tuple[Described, ...] | None
    oddities: tuple[Oddity, ...] = ()
    extent: Extent | None = None  # of a session file that may grow
    is_growth: bool = False  # the entries are those that were added at its end

    @classmethod
    def gone(cls, path: str) -> FileChange:
        """There is no file at *path* any more."""
        return cls(JournalFile(path, 0, 0), None)


@dataclass(frozen=True, slots=True)
class Pending:
    """One piece of index work."""

    docno: int
    row: Row | None  # None: the entry is gone, take it out


@dataclass(frozen=True, slots=True)
class Change:
    """How the catalog changed: counts, for people."""

    n_added: int = 0
    n_changed: int = 0
    n_removed: int = 0

    def __add__(self, other: Change) -> Change:
        return Change(
            self.n_added + other.n_added,
            self.n_changed + other.n_changed,
            self.n_removed + other.n_removed,
        )

    def __bool__(self) -> bool:
        return bool(self.n_added or self.n_changed or self.n_removed)
