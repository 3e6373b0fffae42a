"""The one module that touches SQLite: a file with a schema, transactions, and errors in our words.

The file is derived: a format number that is not ours means rebuild. It keeps a rollback journal,
not a write-ahead log: readers of a log leave files beside it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ...journal.errors import LockedError, MemjournalError, StorageError
from ...journal.files import Identity, identity_of
from ..errors import IndexDamagedError, NoIndexError

IN_MEMORY: Final = Path(":memory:")
_BUSY_S: Final = 10.0
_CACHE_KIB: Final = (
    65_536  # of a writer: at 100,000 entries the 2 MB that SQLite takes are read anew each time
)


class Database:
    """One SQLite file. Readers never write; one writer, which the caller ensures."""

    def __init__(self, path: Path, *, write: bool, schema: str, version: str) -> None:
        """Open the database at *path*; made with *schema* if need be when *write*.

        Raises:
            IndexDamagedError: it cannot be read, or is not of this *version*.
            NoIndexError: there is none, and *write* is off.
            LockedError: another process kept it for too long.
            StorageError: it cannot be opened.
        """
        self._path, self._schema, self._version = path, schema, version
        if path != IN_MEMORY and any(map(_is_something_else, (path, _rollback_journal(path)))):
            raise IndexDamagedError("catalog", "something else stands in its place")
        if not write and not path.exists():
            raise NoIndexError
        if not write:
            self._finish_what_was_cut_short()
        try:
            with self._translated():
                self._connection = self._connect(write)
        except StorageError as error:
            if write or path.exists():
                raise
            raise NoIndexError from error  # it was there a moment ago
        try:
            with self._translated():
                self._prepare(write)
            self._identity = _identity_at(path)
        except BaseException:
            self._connection.close()
            raise

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """What SQLite says in our words: busy and refused are not damaged."""
        try:
            yield
        except sqlite3.Error as error:
            raise _as_our_error(error, self._path) from error

    def _finish_what_was_cut_short(self) -> None:
        """Undo a write whose process was killed: until then a reader can do nothing, and only a writer can."""
        if not _rollback_journal(self._path).exists():
            return
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(self._connect(write=True)) as one,
        ):
            one.execute("PRAGMA busy_timeout = 0")  # whoever is writing needs no help
            one.execute("SELECT 1 FROM sqlite_master").fetchone()

    def _connect(self, write: bool) -> sqlite3.Connection:
        if self._path == IN_MEMORY:
            return sqlite3.connect(":memory:", isolation_level=None)
        uri = f"{self._path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}"
        return sqlite3.connect(uri, uri=True, timeout=_BUSY_S, isolation_level=None)

    def _prepare(self, write: bool) -> None:
        execute = self._connection.execute
        if write:
            execute("PRAGMA journal_mode = DELETE")
            execute("PRAGMA cache_spill = OFF")  # readers go on until the commit
            execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is None:
            if not write or execute("SELECT 1 FROM sqlite_master").fetchone():
                raise IndexDamagedError("catalog", "it holds no catalog")
            with self.transaction():
                for statement in self._schema.split(";\n"):
                    if statement.strip():
                        execute(statement)
                self.set_meta("format", self._version)
        if self.meta("format") != self._version:
            raise IndexDamagedError("catalog", "it was made by another version")

    def copy_into(self, other: Database) -> None:
        """Let *other* hold what this one holds, whatever it held.

        Raises:
            IndexDamagedError: it cannot be read, or is not of the other's version.
        """
        with self._translated():
            self._connection.backup(other._connection)
            other._prepare(write=False)

    def check(self) -> str:
        """What SQLite finds wrong with its file; "" if nothing."""
        ((found, *_), *_) = self.query("PRAGMA quick_check(1)")
        return "" if found == "ok" else str(found)

    def compact(self) -> None:
        """Leave no byte of what was removed in the file; outside a transaction.

        Raises:
            IndexDamagedError: SQLite cannot carry it out.
        """
        with self._translated():
            self._connection.execute("VACUUM")

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is done inside.

        Raises:
            IndexDamagedError: the file is not as SQLite left it.
            LockedError, StorageError: SQLite cannot carry it out now.
        """
        with self._translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has rolled back already
                    self._connection.execute("ROLLBACK")
                raise

    def query(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows at once: a statement left half read would keep the file locked."""
        with self._translated():
            return self._connection.execute(query, values).fetchall()

    def change(self, statement: str, values: Sequence[object] = ()) -> int:
        """Carry out one change, inside a transaction; the number of the row that was inserted."""
        return int(self._connection.execute(statement, values).lastrowid or 0)

    def change_each(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out one change for each of *rows*, inside a transaction."""
        if rows:
            self._connection.executemany(statement, rows)

    @property
    def is_replaced(self) -> bool:
        """Whether another file, or none, stands where this one was opened: it is being built anew."""
        return self._path != IN_MEMORY and (
            self._identity is None or _identity_at(self._path) != self._identity
        )

    def data_version(self) -> int:
        """A number that changes whenever another connection has committed a change."""
        ((version,),) = self.query("PRAGMA data_version")
        return int(version)

    def meta(self, key: str) -> str:
        """A remark about the index as a whole, "" if there is none."""
        found = self.query("SELECT value FROM meta WHERE key = ?", (key,))
        return str(found[0][0]) if found else ""

    def set_meta(self, key: str, value: str) -> None:
        """Set a remark; inside a transaction."""
        self.change("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _identity_at(path: Path) -> Identity | None:
    with contextlib.suppress(OSError):
        return identity_of(os.stat(path))
    return None


def _rollback_journal(path: Path) -> Path:
    return path.with_name(f"{path.name}-journal")


def _is_something_else(place: Path) -> bool:
    """Whether a link, which a journal from elsewhere may bring along, a pipe or a folder stands there."""
    try:
        return not stat.S_ISREG(os.lstat(place).st_mode)
    except OSError:  # nothing does, or SQLite says what is wrong
        return False


def _as_our_error(error: sqlite3.Error, path: Path) -> MemjournalError:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return LockedError(
            f"another process kept it for {_BUSY_S:g} s", where=str(path), mend="try again"
        )
    if name == "SQLITE_FULL":
        return StorageError("the disk is full", where=str(path), mend="free some space, then retry")
    # A write that was cut short can only be undone by a writer; until then it cannot be read.
    if name != "SQLITE_READONLY_ROLLBACK" and name.startswith(
        ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR")
    ):
        return StorageError(str(error), where=str(path), mend="check owner, mode and disk")
    return IndexDamagedError("catalog", str(error))
