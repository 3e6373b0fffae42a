"""The catalog: one row for each entry, and the outbox of what the indexes have yet to follow.

A change of the catalog and its outbox rows are one transaction; the indexes are changed after it
and ticked off after that. A crash anywhere leaves work to be done again, which is harmless, for an
outbox row says *look at this entry*, not what to do with it.

SQLite is touched here alone. The file is derived: a format number that is not ours means rebuild.
It keeps a rollback journal, not a write-ahead log: readers of a log leave files beside it.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from ..journal.entry import Entry, format_time, parse_time
from ..journal.errors import LockedError, MemjournalError, StorageError
from ..journal.reading import JournalFile, Oddity, kind_of
from .errors import IndexDamagedError

CATALOG_FORMAT: Final = "2"
TARGETS: Final = ("keyword", "vector")
MAX_ATTEMPTS: Final = 3  # then the row is quarantined: shown, and not tried again by itself
_BUSY_S: Final = 10.0

Target = Literal["keyword", "vector"]

_SCHEMA: Final = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
    path TEXT PRIMARY KEY, kind TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE oddities(path TEXT NOT NULL, place TEXT NOT NULL, what TEXT NOT NULL);
CREATE INDEX oddities_by_path ON oddities(path);
CREATE TABLE entries(
    docno INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, path TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
    digest BLOB NOT NULL, kind TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
    project TEXT NOT NULL, session TEXT NOT NULL, turn INTEGER, agent TEXT NOT NULL,
    tool TEXT NOT NULL, privacy TEXT NOT NULL, created TEXT NOT NULL, created_us INTEGER NOT NULL,
    outcome TEXT NOT NULL, branch TEXT NOT NULL, level INTEGER NOT NULL DEFAULT 0,
    n_chars INTEGER NOT NULL, tags TEXT NOT NULL, files TEXT NOT NULL
);
CREATE INDEX entries_by_id ON entries(id);
CREATE INDEX entries_by_path ON entries(path);
CREATE INDEX entries_by_session ON entries(session, created_us);
CREATE INDEX entries_by_project ON entries(project, created_us);
CREATE INDEX entries_by_time ON entries(created_us);
CREATE TABLE tags(tag TEXT NOT NULL, docno INTEGER NOT NULL, PRIMARY KEY(tag, docno)) WITHOUT ROWID;
CREATE INDEX tags_by_docno ON tags(docno);
CREATE TABLE mentions(file TEXT NOT NULL, docno INTEGER NOT NULL, PRIMARY KEY(file, docno))
    WITHOUT ROWID;
CREATE INDEX mentions_by_docno ON mentions(docno);
CREATE TABLE outbox(
    target TEXT NOT NULL, docno INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '', PRIMARY KEY(target, docno)
) WITHOUT ROWID;
"""

_COLUMNS: Final = (
    "docno, id, path, offset, length, digest, kind, type, title, project, session, turn, agent,"
    " tool, privacy, created, created_us, outcome, branch, level, n_chars, tags, files"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the catalog knows of one entry; the text itself stays in its file."""

    docno: int
    id: str
    path: str
    offset: int
    length: int
    digest: bytes
    kind: str
    type: str
    title: str
    project: str
    session: str
    turn: int | None
    agent: str
    tool: str
    privacy: str
    created: datetime
    created_us: int  # microseconds since 1970, UTC
    outcome: str
    branch: str
    level: int  # 0-4
    n_chars: int
    tags: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Described:
    """An entry as it stands in its file, its body left out: a whole file of them is in memory."""

    entry: Entry
    path: str
    offset: int
    length: int
    digest: bytes
    n_chars: int  # of the body


@dataclass(frozen=True, slots=True)
class FileChange:
    """What reconcile found in one file: everything it holds now; ``None`` when it is gone."""

    file: JournalFile
    entries: tuple[Described, ...] | None
    oddities: tuple[Oddity, ...] = ()

    @classmethod
    def gone(cls, path: str) -> FileChange:
        """There is no file at *path* any more."""
        return cls(JournalFile(path, kind_of(path), 0, 0), None)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which entries are wanted; empty means all."""

    projects: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()  # ids or their beginnings
    files: tuple[str, ...] = ()  # paths or their ends
    agents: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    min_level: int = 0
    turn: int | None = None
    branches: bool = True  # include what a rewind abandoned
    exclude_sessions: tuple[str, ...] = ()


class Catalog:
    """The catalog of one journal. Readers never write; one writer, which the caller ensures."""

    def __init__(self, path: Path, *, write: bool) -> None:
        """Open the catalog at *path*; made if need be when *write*.

        Raises:
            IndexDamagedError: it cannot be read, or has another format.
            FileNotFoundError: there is none, and *write* is off.
            LockedError: another process kept it for too long.
            StorageError: it cannot be opened.
        """
        self._path = path
        if not write and not path.exists():
            raise FileNotFoundError(str(path))
        with self._translated():
            self._db = self._connect(write)
        try:
            with self._translated():
                self._prepare(write)
        except BaseException:
            self._db.close()
            raise

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """What SQLite says in our words: busy and refused are not damaged."""
        try:
            yield
        except sqlite3.Error as error:
            raise _as_our_error(error, self._path) from error

    def _connect(self, write: bool) -> sqlite3.Connection:
        if str(self._path) == ":memory:":
            return sqlite3.connect(":memory:", isolation_level=None)
        if write:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        uri = f"{self._path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}"
        return sqlite3.connect(uri, uri=True, timeout=_BUSY_S, isolation_level=None)

    def _prepare(self, write: bool) -> None:
        if write:
            self._db.execute("PRAGMA journal_mode = DELETE")
            self._db.execute("PRAGMA cache_spill = OFF")  # readers go on until the commit
        has_meta = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
        if has_meta is None:
            if not write or self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise IndexDamagedError("catalog", "it holds no catalog")
            with self.transaction():
                for statement in _SCHEMA.split(";\n"):
                    if statement.strip():
                        self._db.execute(statement)
                self.set_meta("format", CATALOG_FORMAT)
        if self.meta("format") != CATALOG_FORMAT:
            raise IndexDamagedError("catalog", "it was made by another version")

    @classmethod
    def in_memory(cls) -> Catalog:
        """An empty catalog that no other process sees."""
        return cls(Path(":memory:"), write=True)

    @classmethod
    def copy_of(cls, path: Path) -> Catalog:
        """What the catalog at *path* holds, in memory.

        Raises:
            FileNotFoundError: there is none.
            IndexDamagedError: it cannot be read, or has another format.
        """
        with contextlib.closing(cls(path, write=False)) as source:
            copy = cls.in_memory()
            try:
                with source._translated():
                    source._db.backup(copy._db)
                copy._prepare(write=False)
            except BaseException:
                copy.close()
                raise
        return copy

    def check(self) -> str:
        """What SQLite finds wrong with its file; "" if nothing."""
        ((found, *_), *_) = self._query("PRAGMA quick_check(1)")
        return "" if found == "ok" else str(found)

    def compact(self) -> None:
        """Leave no byte of what was removed in the file; outside a transaction.

        Raises:
            IndexDamagedError: SQLite cannot carry it out.
        """
        with self._translated():
            self._db.execute("VACUUM")

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is done inside.

        Raises:
            IndexDamagedError: the file is not as SQLite left it.
            LockedError, StorageError: SQLite cannot carry it out now.
        """
        with self._translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has rolled back already
                    self._db.execute("ROLLBACK")
                raise

    def _query(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """All rows at once: a statement left half read would keep the file locked."""
        with self._translated():
            return self._db.execute(query, values).fetchall()

    def meta(self, key: str) -> str:
        """A remark about the index as a whole, "" if there is none."""
        found = self._query("SELECT value FROM meta WHERE key = ?", (key,))
        return str(found[0][0]) if found else ""

    def set_meta(self, key: str, value: str) -> None:
        """Set a remark; inside a transaction."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # --- files ------------------------------------------------------------------------------

    def known_files(self) -> dict[str, JournalFile]:
        """Each file as it was when it was read last."""
        rows = self._query("SELECT path, kind, size, mtime_ns FROM files")
        return {path: JournalFile(path, kind, size, int(mtime)) for path, kind, size, mtime in rows}

    def oddities(self) -> list[Oddity]:
        """What was odd about the files, in the order of their paths."""
        rows = self._query("SELECT place, what FROM oddities ORDER BY path, rowid")
        return [Oddity(place, what) for place, what in rows]

    def apply(self, change: FileChange) -> Change:
        """Bring the rows of one file up to date and note what the indexes must look at.

        Inside a transaction. Rows whose bytes are the same keep their numbers, wherever in the file
        they have moved.
        """
        path = change.file.path
        self._db.execute("DELETE FROM oddities WHERE path = ?", (path,))
        self._db.executemany(
            "INSERT INTO oddities VALUES (?, ?, ?)",
            [(path, oddity.path, oddity.what) for oddity in change.oddities],
        )
        if change.entries is None:
            self._db.execute("DELETE FROM files WHERE path = ?", (path,))
        else:
            self._db.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)",
                # As text: times after 2262 do not fit into SQLite's integers.
                (path, change.file.kind, change.file.size_bytes, str(change.file.mtime_ns)),
            )
        return self._apply_entries(path, change.entries or ())

    def _apply_entries(self, path: str, entries: tuple[Described, ...]) -> Change:
        stale: dict[tuple[str, bytes], list[int]] = {}
        by_id: dict[str, list[int]] = {}
        for docno, entry_id, digest in self._db.execute(
            "SELECT docno, id, digest FROM entries WHERE path = ? ORDER BY docno", (path,)
        ):
            stale.setdefault((entry_id, digest), []).append(docno)
            by_id.setdefault(entry_id, []).append(docno)
        touched: list[int] = []
        waiting: list[Described] = []
        n_added = 0
        for described in entries:  # the same entry with the same bytes first ...
            same = stale.get((str(described.entry.id), described.digest))
            if same:
                docno = same.pop(0)
                by_id[described.entry.id].remove(docno)
                self._write(docno, described)
            else:
                waiting.append(described)
        for described in waiting:  # ... then the same entry with other bytes, then new ones
            candidates = by_id.get(described.entry.id)
            if candidates:
                docno = candidates.pop(0)
                self._write(docno, described)
            else:
                docno = self._write(None, described)
                n_added += 1
            touched.append(docno)
        gone = [docno for left in by_id.values() for docno in left]
        for docno in gone:
            self._delete(docno)
        self._note([*touched, *gone])
        return Change(n_added, len(waiting) - n_added, len(gone))

    def _write(self, docno: int | None, described: Described) -> int:
        entry = described.entry
        values = (
            str(entry.id),
            described.path,
            described.offset,
            described.length,
            described.digest,
            entry.kind,
            entry.type,
            entry.title,
            entry.project,
            entry.session,
            entry.turn,
            entry.agent,
            entry.tool,
            entry.privacy,
            format_time(entry.created),
            round(entry.created.timestamp() * 1e6),
            str(entry.extra.get("outcome", "")),
            str(entry.extra.get("branch", "")),
            0,
            described.n_chars,
            json.dumps(entry.tags, ensure_ascii=False),
            json.dumps(entry.files, ensure_ascii=False),
        )
        marks = ", ".join("?" * (len(values) + 1))
        cursor = self._db.execute(
            f"INSERT OR REPLACE INTO entries({_COLUMNS}) VALUES ({marks})", (docno, *values)
        )
        number = docno if docno is not None else int(cursor.lastrowid or 0)
        if docno is not None:
            self._db.execute("DELETE FROM tags WHERE docno = ?", (number,))
            self._db.execute("DELETE FROM mentions WHERE docno = ?", (number,))
        self._db.executemany(
            "INSERT OR IGNORE INTO tags VALUES (?, ?)", [(_folded(t), number) for t in entry.tags]
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO mentions VALUES (?, ?)",
            [(_composed(file), number) for file in entry.files],
        )
        return number

    def _delete(self, docno: int) -> None:
        for table in ("entries", "tags", "mentions"):
            self._db.execute(f"DELETE FROM {table} WHERE docno = ?", (docno,))

    # --- outbox -----------------------------------------------------------------------------

    def _note(self, docnos: Sequence[int]) -> None:
        """Note work; what was noted before starts anew, for the entry has changed since."""
        pairs = [(target, docno) for target in TARGETS for docno in docnos]
        self._db.executemany("INSERT OR REPLACE INTO outbox(target, docno) VALUES (?, ?)", pairs)

    def note_all(self, target: Target) -> None:
        """Note every entry for *target*; inside a transaction."""
        self._db.execute("DELETE FROM outbox WHERE target = ?", (target,))
        self._db.execute(
            "INSERT INTO outbox(target, docno) SELECT ?, docno FROM entries", (target,)
        )

    def pending(self, target: Target, *, limit: int, after: int = 0) -> list[Pending]:
        """Work that *target* has yet to do, by the entries' numbers, those above *after* only."""
        docnos = [
            docno
            for (docno,) in self._query(
                "SELECT docno FROM outbox WHERE target = ? AND docno > ? AND attempts < ?"
                " ORDER BY docno LIMIT ?",
                (target, after, MAX_ATTEMPTS, limit),
            )
        ]
        rows = {row.docno: row for row in self.rows(docnos)}
        return [Pending(docno, rows.get(docno)) for docno in docnos]

    def n_pending(self, target: Target) -> int:
        """How much work *target* has yet to do."""
        query = "SELECT count(*) FROM outbox WHERE target = ? AND attempts < ?"
        ((count,),) = self._query(query, (target, MAX_ATTEMPTS))
        return int(count)

    def settle(self, target: Target, docnos: Iterable[int]) -> None:
        """Tick off what *target* has done; inside a transaction."""
        self._db.executemany(
            "DELETE FROM outbox WHERE target = ? AND docno = ?", [(target, n) for n in docnos]
        )

    def fail(self, target: Target, docno: int, error: str) -> None:
        """Note that an attempt failed; inside a transaction."""
        self._db.execute(
            "UPDATE outbox SET attempts = attempts + 1, error = ? WHERE target = ? AND docno = ?",
            (error, target, docno),
        )

    def quarantined(self) -> list[tuple[str, Row, str]]:
        """What was given up after repeated failures: the index, the entry, the last error."""
        found = self._query(
            "SELECT target, docno, error FROM outbox WHERE attempts >= ?", (MAX_ATTEMPTS,)
        )
        rows = {row.docno: row for row in self.rows([docno for _, docno, _ in found])}
        return [(target, rows[docno], error) for target, docno, error in found if docno in rows]

    # --- entries ----------------------------------------------------------------------------

    def rows(self, docnos: Sequence[int]) -> list[Row]:
        """The rows of *docnos* that there are, in no order."""
        found: list[Row] = []
        for start in range(0, len(docnos), 500):
            part = docnos[start : start + 500]
            marks = ", ".join("?" * len(part))
            found += self._select(f"docno IN ({marks})", tuple(part))
        return found

    def in_order(self, docnos: Sequence[int]) -> list[int]:
        """Those of *docnos* that there are, newest first, and in the same order after a rebuild."""
        query = (
            "SELECT docno FROM entries WHERE docno IN (SELECT value FROM json_each(?))"
            " ORDER BY created_us DESC, id, path, offset"
        )
        return [docno for (docno,) in self._query(query, (json.dumps(list(docnos)),))]

    def _select(self, where: str, values: tuple[object, ...], tail: str = "") -> list[Row]:
        found = self._query(f"SELECT {_COLUMNS} FROM entries WHERE {where} {tail}", values)
        try:
            return [_row(values) for values in found]
        except (TypeError, ValueError) as error:  # not what was written
            raise IndexDamagedError("catalog", str(error)) from error

    def by_prefix(self, prefix: str, *, limit: int = 20) -> list[Row]:
        """Entries whose id begins with *prefix*; those that have it whole come first."""
        end = prefix + "\x7f"
        rows = self._select(
            "id >= ? AND id < ?",
            (prefix, end),
            f"ORDER BY length(id), id, created_us LIMIT {limit}",
        )
        return [row for row in rows if row.id == prefix] or rows

    def has_id(self, entry_id: str) -> bool:
        """Whether an entry has exactly this id."""
        query = "SELECT 1 FROM entries WHERE id = ? LIMIT 1"
        return bool(self._query(query, (entry_id,)))

    def by_path(self, path: str) -> list[Row]:
        """The entries of one file, in their order."""
        return self._select("path = ?", (path,), "ORDER BY offset")

    def find(
        self, wanted: EntryFilter, *, limit: int, newest_first: bool = True, skip: int = 0
    ) -> list[Row]:
        """The entries that pass *wanted*, by time."""
        where, values = _where(wanted)
        order = "DESC" if newest_first else "ASC"
        tail = f"ORDER BY created_us {order}, offset {order}, id LIMIT ? OFFSET ?"
        return self._select(where, (*values, limit, skip), tail)

    def count(self, wanted: EntryFilter) -> int:
        """How many entries pass *wanted*."""
        where, values = _where(wanted)
        ((count,),) = self._query(f"SELECT count(*) FROM entries WHERE {where}", values)
        return int(count)

    def docnos(self, wanted: EntryFilter) -> list[int]:
        """The numbers of the entries that pass *wanted*."""
        where, values = _where(wanted)
        return [n for (n,) in self._query(f"SELECT docno FROM entries WHERE {where}", values)]

    def answers_to(self, docnos: Sequence[int]) -> list[int]:
        """The answers in the turns of those of *docnos* that are questions, each once."""
        query = (
            "SELECT DISTINCT answer.docno FROM entries AS asked JOIN entries AS answer"
            " ON answer.session = asked.session AND answer.turn = asked.turn"
            " WHERE asked.docno IN (SELECT value FROM json_each(?)) AND asked.type = 'user_prompt'"
            " AND asked.session != '' AND answer.type = 'assistant_response'"
        )
        return [docno for (docno,) in self._query(query, (json.dumps(list(docnos)),))]

    def neighbours(self, row: Row, *, before: int, after: int) -> tuple[list[Row], list[Row]]:
        """What stands before and after *row* in its session (or else its project), oldest first."""
        column = "session" if row.session else "project"
        place = f"{column} = ? AND (created_us, offset, docno)"
        values = (row.session or row.project, row.created_us, row.offset, row.docno)
        order = "ORDER BY created_us {0}, offset {0}, docno {0} LIMIT {1}"
        earlier = self._select(f"{place} < (?, ?, ?)", values, order.format("DESC", before))
        later = self._select(f"{place} > (?, ?, ?)", values, order.format("ASC", after))
        return earlier[::-1], later

    def tally(
        self, column: Literal["kind", "type", "project", "agent", "session"]
    ) -> dict[str, int]:
        """How many entries there are of each value of *column*, most first."""
        query = f"SELECT {column}, count(*) FROM entries GROUP BY 1 ORDER BY 2 DESC, 1"
        return {str(value): int(count) for value, count in self._query(query)}

    def span(self) -> tuple[datetime, datetime] | None:
        """When the oldest and the newest entry were made; None in an empty journal."""
        first = self._select("1", (), "ORDER BY created_us LIMIT 1")
        last = self._select("1", (), "ORDER BY created_us DESC LIMIT 1")
        return (first[0].created, last[0].created) if first else None


def _where(wanted: EntryFilter) -> tuple[str, tuple[object, ...]]:
    """The SQL condition that *wanted* is; each list is an *or*, all lists together an *and*."""
    parts: list[str] = []
    values: list[object] = []

    def one_of(condition: str, wanted_values: Sequence[str]) -> None:
        if wanted_values:  # as one value: SQLite limits their number and the depth of conditions
            parts.append(condition.format("(SELECT value FROM json_each(?))"))
            values.append(json.dumps(wanted_values))

    one_of("project IN {}", wanted.projects)
    one_of("kind IN {}", wanted.kinds)
    one_of("type IN {}", wanted.types)
    one_of("agent IN {}", wanted.agents)
    one_of(
        "EXISTS (SELECT 1 FROM {} WHERE substr(session, 1, length(value)) = value)", wanted.sessions
    )
    one_of("docno IN (SELECT docno FROM tags WHERE tag IN {})", [_folded(t) for t in wanted.tags])
    one_of(
        "docno IN (SELECT docno FROM mentions, {} WHERE file = value"
        " OR substr(file, -1 - length(value)) = '/' || value)",
        [_composed(file) for file in wanted.files],
    )
    one_of("session NOT IN {}", wanted.exclude_sessions)
    if wanted.since is not None:
        parts.append("created_us >= ?")
        values.append(round(wanted.since.timestamp() * 1e6))
    if wanted.until is not None:
        parts.append("created_us < ?")
        values.append(round(wanted.until.timestamp() * 1e6))
    if wanted.min_level:
        parts.append("level >= ?")
        values.append(wanted.min_level)
    if wanted.turn is not None:
        parts.append("turn = ?")
        values.append(wanted.turn)
    if not wanted.branches:
        parts.append("branch = ''")
    return " AND ".join(parts) or "1", tuple(values)


def _composed(text: str) -> str:
    """*text* in the form that it is compared in: some file systems hand out names decomposed."""
    return unicodedata.normalize("NFC", text)


def _folded(tag: str) -> str:
    return _composed(_composed(tag).casefold())


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


def _row(values: Sequence[object]) -> Row:
    names = [name.strip() for name in _COLUMNS.split(",")]
    known = dict(zip(names, values, strict=True))
    known["created"] = parse_time(str(known["created"]))
    known["tags"] = tuple(json.loads(str(known["tags"])))
    known["files"] = tuple(json.loads(str(known["files"])))
    return Row(**known)  # type: ignore[arg-type]  # the columns are declared beside the fields
