"""The catalog: one row for each entry, and the outbox of what the indexes have yet to follow.

A change of the catalog and its outbox rows are one transaction; the indexes are changed after it
and ticked off after that. A crash anywhere leaves work to be done again, which is harmless.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from ...journal.file_walk import FoundFile, is_utf8
from ...journal.reading import JournalFile, Oddity
from ..errors import IndexDamagedError
from .changes import Change, Described, FileChange, Pending
from .columns import (
    COLUMNS,
    FILED_BY,
    aliases_of,
    as_row,
    entry_values,
    file_values,
    filed_by,
    replaced_by,
)
from .database import IN_MEMORY, Database
from .entry_filter import EntryFilter, compose, condition_of, fold_tag
from .extent import Extent, Placed
from .outbox import OUTBOX_SCHEMA, Outbox, Target
from .row import Outline, Row
from .schema import CATALOG_FORMAT, SCHEMA

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LISTS: Final = (
    "tags",
    "mentions",
    "aliases",
    "superseded",
)  # tables of an entry's texts, one a row
_FILES_AT_ONCE: Final = 2_000  # more are not read sooner
_LAST_US: Final = 2**62  # later than any time


class Catalog:
    """The catalog of one journal. Readers never write; one writer, which the caller ensures."""

    def __init__(
        self, path: Path, *, write: bool, on_commit: Callable[[], object] = lambda: None
    ) -> None:
        """Open the catalog at *path*; made if need be when *write*.

        *on_commit* is called after each transaction that was committed.

        Raises:
            IndexDamagedError: it cannot be read, or has another format.
            NoIndexError: there is none, and *write* is off.
            LockedError: another process kept it for too long.
            StorageError: it cannot be opened.
        """
        self._database = Database(
            path, write=write, schema=SCHEMA + OUTBOX_SCHEMA, version=CATALOG_FORMAT
        )
        self._on_commit = on_commit
        self.outbox = Outbox(self._database)

    @classmethod
    def in_memory(cls) -> Catalog:
        """An empty catalog that no other process sees."""
        return cls(IN_MEMORY, write=True)

    @classmethod
    def copy_of(cls, path: Path) -> Catalog:
        """What the catalog at *path* holds, in memory.

        Raises:
            NoIndexError: there is none.
            IndexDamagedError: it cannot be read, or has another format.
        """
        with contextlib.closing(cls(path, write=False)) as source:
            copy = cls.in_memory()
            try:
                source._database.copy_into(copy._database)
            except BaseException:
                copy.close()
                raise
        return copy

    def check(self) -> str:
        """What is wrong with its file; "" if nothing."""
        return self._database.check()

    def compact(self) -> None:
        """Leave no byte of what was removed in the file; outside a transaction.

        Raises:
            IndexDamagedError: it cannot be carried out.
        """
        self._database.compact()

    def close(self) -> None:
        """Give the file back."""
        self._database.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is done inside.

        Raises:
            IndexDamagedError: the file is not as it was left.
            LockedError, StorageError: it cannot be carried out now.
        """
        with self._database.transaction():
            yield
        self._on_commit()

    def data_version(self) -> int:
        """A number that changes whenever the catalog was changed by way of another one than this."""
        return self._database.data_version()

    def stamp(self, target: Target) -> str:
        """What proves that an index belongs to this catalog; "" before there is one."""
        return self._database.meta(f"{target}_stamp")

    def set_stamp(self, target: Target, stamp: str) -> None:
        """Note which index belongs to it from now on; inside a transaction."""
        self._database.set_meta(f"{target}_stamp", stamp)

    @property
    def is_replaced(self) -> bool:
        """Whether another catalog, or none, has taken its place."""
        return self._database.is_replaced

    def mark(self, target: Target) -> str:
        """How far an index reached when work on it was ticked off last; "" if nothing was."""
        return self._database.meta(f"{target}_mark")

    def set_mark(self, target: Target, mark: str) -> None:
        """Note how far an index reaches; inside the transaction that ticks off."""
        self._database.set_meta(f"{target}_mark", mark)

    # --- files ------------------------------------------------------------------------------

    def known_files(self, *, below: str | None = None) -> Iterator[list[FoundFile]]:
        """Each file as it was when it was read last, in the order of the paths, some at a time.

        With *below*, the one at this path and those below it. Between the parts nothing is locked. A time
        beyond SQLite's integers stands here as their last; ``known_file`` knows it.
        """
        after, end = "", "\U0010ffff"  # a path begins with the name of a folder that is known
        if below is not None:
            yield self._files_where("path = ?", (below,))
            after, end = f"{below}/", f"{below}0"  # 0 comes after the slash
        while some := self._files_where("path > ? AND path < ?", (after, end)):
            yield some
            after = some[-1][0]

    def _files_where(self, where: str, values: tuple[str, ...]) -> list[FoundFile]:
        query = (
            "SELECT path, size, CAST(mtime_ns AS INTEGER), CAST(ctime_ns AS INTEGER) FROM files"
            f" WHERE {where} ORDER BY path LIMIT {_FILES_AT_ONCE}"
        )
        return self._database.query(query, values)

    def known_file(self, path: str) -> JournalFile | None:
        """The file at *path* as it was when it was read last; None if there was none."""
        query = "SELECT size, mtime_ns, ctime_ns FROM files WHERE path = ?"
        for size, mtime, ctime in self._database.query(query, (path,)):
            return JournalFile(path, size, int(mtime), int(ctime))
        return None

    def n_files(self) -> int:
        """How many files there were when they were read last."""
        ((count,),) = self._database.query("SELECT count(*) FROM files")
        return int(count)

    def extent(self, path: str) -> Extent | None:
        """How far the session file at *path* was read, if it may have grown since."""
        rows = self._database.query(
            "SELECT head_end, head, record_end, is_proven FROM files WHERE path = ?"
            " AND record_end IS NOT NULL AND NOT EXISTS (SELECT 1 FROM oddities WHERE path = ?)",
            (path, path),
        )
        for head_end, head, end, is_proven in rows:
            return Extent(head_end=head_end, head=head, end=end, is_proven=bool(is_proven))
        return None

    def placed(self, path: str, *, start: int) -> list[Placed]:
        """The entries of one file that begin at *start* or after it, in their order."""
        query = "SELECT offset, length, digest FROM entries WHERE path = ? AND offset >= ?"
        return [
            Placed(*row) for row in self._database.query(f"{query} ORDER BY offset", (path, start))
        ]

    def unsettled(self, *, limit: int) -> list[str]:
        """The files, at most so many, that were read so soon after they were written that they are read again."""
        query = "SELECT path FROM files WHERE mtime_ns LIKE '-%' LIMIT ?"
        return [path for (path,) in self._database.query(query, (limit,))]

    def unproven(self) -> list[str]:
        """Files whose growth was read without comparing all that was there before."""
        query = "SELECT path FROM files WHERE is_proven = 0 ORDER BY path"
        return [path for (path,) in self._database.query(query)]

    def oddities(self) -> list[Oddity]:
        """What was odd about the files, in the order of their paths."""
        rows = self._database.query("SELECT place, what FROM oddities ORDER BY path, rowid")
        return [Oddity(place, what) for place, what in rows]

    def apply(self, change: FileChange) -> Change:
        """Bring the rows of one file up to date and note what the indexes must look at.

        Inside a transaction. Rows whose bytes are the same keep their numbers, wherever in the file
        they have moved.
        """
        path = change.file.path
        self._database.change("DELETE FROM oddities WHERE path = ?", (path,))
        self._database.change_each(
            "INSERT INTO oddities VALUES (?, ?, ?)",
            [(path, oddity.path, oddity.what) for oddity in change.oddities],
        )
        if change.entries is None:
            self._database.change("DELETE FROM files WHERE path = ?", (path,))
        else:
            self._database.change(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                file_values(change),
            )
        if change.is_growth:
            added = [self._write(None, described) for described in change.entries or ()]
            self.outbox.note(added)
            return Change(n_added=len(added))
        return self._apply_entries(path, change.entries or ())

    def _apply_entries(self, path: str, entries: tuple[Described, ...]) -> Change:
        stale: dict[tuple[str, bytes], list[int]] = {}
        by_id: dict[str, list[int]] = {}
        filed: dict[int, tuple[object, ...]] = {}
        query = f"SELECT docno, id, digest, {FILED_BY} FROM entries WHERE path = ? ORDER BY docno"
        for docno, entry_id, digest, *place in self._database.query(query, (path,)):
            stale.setdefault((entry_id, digest), []).append(docno)
            by_id.setdefault(entry_id, []).append(docno)
            filed[docno] = tuple(place)
        is_refiled = False
        touched: list[int] = []
        waiting: list[Described] = []
        n_added = 0
        for described in entries:  # the same entry with the same bytes first ...
            same = stale.get((str(described.entry.id), described.digest))
            if same:
                docno = same.pop(0)
                by_id[described.entry.id].remove(docno)
                is_refiled |= filed[docno] != filed_by(described.entry)
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
        self.outbox.note([*touched, *gone])
        change = Change(n_added, len(waiting) - n_added, len(gone))
        if is_refiled or change.n_changed or change.n_removed:
            self._database.set_meta("n_refilings", str(self.n_refilings + 1))
        return change

    def _write(self, docno: int | None, described: Described) -> int:
        """Put an entry in, in place of the one numbered *docno* if there is such a one."""
        values = (docno, *entry_values(described))
        marks = ", ".join("?" * len(values))
        number = self._database.change(
            f"INSERT OR REPLACE INTO entries({COLUMNS}) VALUES ({marks})", values
        )
        if docno is not None:
            for table in _LISTS:
                self._database.change(f"DELETE FROM {table} WHERE docno = ?", (number,))
        entry = described.entry
        lists = (
            map(fold_tag, entry.tags),
            map(compose, entry.files),
            aliases_of(entry),
            replaced_by(entry),
        )
        for table, texts in zip(_LISTS, lists, strict=True):
            self._database.change_each(
                f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", [(text, number) for text in texts]
            )
        return number

    def _delete(self, docno: int) -> None:
        for table in ("entries", *_LISTS):
            self._database.change(f"DELETE FROM {table} WHERE docno = ?", (docno,))

    # --- work -------------------------------------------------------------------------------

    def pending(self, target: Target, *, limit: int, after: int = 0) -> list[Pending]:
        """Work that *target* has yet to do, by the entries' numbers, those above *after* only."""
        docnos = self.outbox.waiting(target, limit=limit, after=after)
        rows = {row.docno: row for row in self.rows(docnos)}
        return [Pending(docno, rows.get(docno)) for docno in docnos]

    def quarantined(self) -> list[tuple[Target, Row, str]]:
        """What was given up after repeated failures: the index, the entry, the last error."""
        found = self.outbox.given_up()
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

    def outlines(self, docnos: Sequence[int]) -> list[Outline]:
        """What ordering must know of those of *docnos* that there are, in no order."""
        query = (
            "SELECT docno, kind, type, session, turn, created_us, id, path, offset FROM entries"
            " WHERE docno IN (SELECT value FROM json_each(?))"
        )
        return [Outline(*row) for row in self._database.query(query, (json.dumps(list(docnos)),))]

    def newest(self, docnos: Sequence[int], *, limit: int) -> list[int]:
        """The first *limit* of *docnos* by ``Outline.place_in_time``."""
        query = (
            "SELECT docno FROM entries WHERE docno IN (SELECT value FROM json_each(?))"
            " ORDER BY created_us DESC, id, path, offset LIMIT ?"
        )
        found = self._database.query(query, (json.dumps(list(docnos)), limit))
        return [docno for (docno,) in found]

    def _select(self, where: str, values: tuple[object, ...], tail: str = "") -> list[Row]:
        found = self._database.query(f"SELECT {COLUMNS} FROM entries WHERE {where} {tail}", values)
        try:
            return [as_row(values) for values in found]
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

    def by_id(self, entry_id: str) -> list[Row]:
        """Entries that have exactly this id, or, if none has it now, those that had it once."""
        return self._select("id = ?", (entry_id,), "ORDER BY created_us, path, offset") or (
            self._select(
                "docno IN (SELECT docno FROM aliases WHERE alias = ?)",
                (entry_id,),
                "ORDER BY created_us, path, offset",
            )
        )

    def has_id(self, entry_id: str) -> bool:
        """Whether this id is taken: an entry has it, or had it once and may be cited by it."""
        query = "SELECT 1 FROM entries WHERE id = ? UNION ALL SELECT 1 FROM aliases WHERE alias = ?"
        return bool(self._database.query(f"{query} LIMIT 1", (entry_id, entry_id)))

    def is_superseded(self, row: Row) -> bool:
        """Whether another entry, or *row* itself, says that another has come in its place."""
        query = "SELECT 1 FROM superseded WHERE entry IN (?, ?) LIMIT 1"
        return bool(self._database.query(query, (row.id, row.path)))

    def successors(self, row: Row) -> list[Row]:
        """The entries that say that they replace *row*, the newest first."""
        query = "SELECT docno FROM superseded WHERE entry IN (?, ?) AND docno != ?"
        docnos = [one for (one,) in self._database.query(query, (row.id, row.path, row.docno))]
        return sorted(self.rows(docnos), key=lambda one: (-one.created_us, one.id))

    def by_path(self, path: str) -> list[Row]:
        """The entries of one file, in their order; none where the path is no text."""
        if not is_utf8(path):
            return []
        return self._select("path = ?", (path,), "ORDER BY offset")

    def find(
        self, wanted: EntryFilter, *, limit: int, newest_first: bool = True, skip: int = 0
    ) -> list[Row]:
        """The entries that pass *wanted*, by time."""
        where, values = condition_of(wanted)
        order = "DESC" if newest_first else "ASC"
        tail = f"ORDER BY created_us {order}, offset {order}, id LIMIT ? OFFSET ?"
        return self._select(where, (*values, limit, skip), tail)

    def count(self, wanted: EntryFilter) -> int:
        """How many entries pass *wanted*."""
        where, values = condition_of(wanted)
        ((count,),) = self._database.query(f"SELECT count(*) FROM entries WHERE {where}", values)
        return int(count)

    @property
    def n_refilings(self) -> int:
        """How often an entry that was there has changed or gone: while this stays the same, what passed a
        filter passes it still, and what is new has a higher number than all."""
        return int(self._database.meta("n_refilings") or 0)

    def last_docno(self) -> int:
        """The highest number that an entry has; 0 where there is none."""
        ((last,),) = self._database.query("SELECT max(docno) FROM entries")
        return int(last or 0)

    def docnos(self, wanted: EntryFilter, *, after: int = 0) -> NDArray[np.int64]:
        """The numbers of the entries that pass *wanted*, those above *after* only, ascending."""
        where, values = condition_of(wanted)
        if after:  # of few entries: no index is needed to find those that pass
            return self._numbers(f"entries NOT INDEXED WHERE docno > {after} AND ({where})", values)
        return self._numbers(f"entries WHERE {where}", values)

    def docnos_of_session(self, session: str) -> NDArray[np.int64]:
        """The numbers of the entries of one session, whose whole id is given, ascending."""
        return self._numbers("entries WHERE session = ?", (session,))

    def _numbers(self, which: str, values: tuple[object, ...]) -> NDArray[np.int64]:
        import numpy as np  # only a search needs it, and it loads long

        # As one text: a row for each of ten thousand numbers takes three times as long.
        ((listed,),) = self._database.query(f"SELECT group_concat(docno) FROM {which}", values)
        numbers = np.fromstring(listed, np.int64, sep=",") if listed else np.zeros(0, np.int64)
        numbers.sort()
        return numbers

    def answers_to(self, docnos: Sequence[int]) -> list[int]:
        """The answers in the turns of those of *docnos* that are questions, each once."""
        query = (
            "SELECT DISTINCT answer.docno FROM entries AS asked JOIN entries AS answer"
            " ON answer.session = asked.session AND answer.turn = asked.turn"
            " WHERE asked.docno IN (SELECT value FROM json_each(?)) AND asked.type = 'user_prompt'"
            " AND asked.session != '' AND answer.type = 'assistant_response'"
        )
        return [docno for (docno,) in self._database.query(query, (json.dumps(list(docnos)),))]

    def neighbours(self, row: Row, *, before: int, after: int) -> tuple[list[Row], list[Row]]:
        """What stands before and after *row* in its session (or else its project), oldest first."""
        column = "session" if row.session else "project"
        place = f"{column} = ? AND (created_us, offset, docno)"
        values = (row.session or row.project, row.created_us, row.offset, row.docno)
        order = "ORDER BY created_us {0}, offset {0}, docno {0} LIMIT {1}"
        earlier, later = list[Row](), list[Row]()
        if before:
            earlier = self._select(f"{place} < (?, ?, ?)", values, order.format("DESC", before))
        if after:
            later = self._select(f"{place} > (?, ?, ?)", values, order.format("ASC", after))
        return earlier[::-1], later

    def newest_of_sessions(self, project: str, *, without: str = "") -> Iterator[Row]:
        """The last event of each session of *project*, the newest first, but for that of the session *without*."""
        query = "SELECT count(DISTINCT session) FROM entries WHERE project = ? AND session NOT IN ('', ?)"
        ((n_left,),) = self._database.query(query, (project, without))
        seen, until = ["", without], _LAST_US
        while n_left > 0:
            found = self._select(
                "project = ? AND created_us <= ? AND kind = 'event'"
                " AND session NOT IN (SELECT value FROM json_each(?))",
                (project, until, json.dumps(seen)),
                "ORDER BY created_us DESC, offset DESC, docno DESC LIMIT 1",
            )
            if not found:
                return
            yield found[0]
            seen.append(found[0].session)
            until, n_left = found[0].created_us, n_left - 1

    def last_answer(self, row: Row) -> Row | None:
        """The last answer in the turn of *row* and on its branch, which may be *row* itself; None if
        nothing was answered after it."""
        found = self._select(
            "session = ? AND turn IS ? AND branch = ? AND type = 'assistant_response'"
            " AND (created_us, offset, docno) >= (?, ?, ?)",
            (row.session, row.turn, row.branch, row.created_us, row.offset, row.docno),
            "ORDER BY created_us DESC, offset DESC, docno DESC LIMIT 1",
        )
        return found[0] if found else None

    def tally(
        self, column: Literal["kind", "type", "project", "agent", "session"]
    ) -> dict[str, int]:
        """How many entries there are of each value of *column*, most first."""
        query = f"SELECT {column}, count(*) FROM entries GROUP BY 1 ORDER BY 2 DESC, 1"
        return {str(value): int(count) for value, count in self._database.query(query)}

    def span(self) -> tuple[datetime, datetime] | None:
        """When the oldest and the newest entry were made; None in an empty journal."""
        first = self._select("1", (), "ORDER BY created_us LIMIT 1")
        last = self._select("1", (), "ORDER BY created_us DESC LIMIT 1")
        return (first[0].created, last[0].created) if first else None
