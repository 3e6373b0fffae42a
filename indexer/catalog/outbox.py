"""The outbox: which entries each index has yet to look at, and how that went.

A row says *look at this entry*, not what to do with it, so doing it twice is harmless. Rows are
noted in the transaction that changes the catalog, marked as being processed before the index is
touched, and ticked off after it was changed.

    pending -> processing -> (ticked off)
                          -> failed -> processing ... -> quarantined, after a few attempts

There is one writer at a time, so a row that a new writer finds processing was left by one that
ended in the middle. If it was alone in its batch, that counts as a failed attempt: an entry that brings
the process down must not do so for ever. If not, nobody knows which it was; the rows are then
taken in smaller and smaller batches until it is alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from .database import Database

Target = Literal["keyword", "vector"]
State = Literal["pending", "processing", "failed", "quarantined"]

TARGETS: Final[tuple[Target, ...]] = ("keyword", "vector")
STATES: Final[tuple[State, ...]] = ("pending", "processing", "failed", "quarantined")
MAX_ATTEMPTS: Final = 3  # then the row is quarantined: shown, and not tried again by itself
MAX_ENDINGS: Final = 8
"""The same where the process ended. That may be the entry's fault, or that of whoever killed it: a few
times at the same entry happens to somebody who kills all day, and then it would be missing."""
_NARROWING: Final = 16  # a batch of 10,000 that ended badly is down to single rows in four more
_LEFT: Final = "the process ended while it was being indexed"

OUTBOX_SCHEMA: Final = """
CREATE TABLE outbox(
    target TEXT NOT NULL, docno INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
    together INTEGER, PRIMARY KEY(target, docno)
) WITHOUT ROWID;
CREATE INDEX outbox_by_state ON outbox(state, target);
"""
"""``together`` is how many rows may be taken at once with this one; NULL: as many as usual."""


class Failure(NamedTuple):
    """An entry that was given up."""

    target: Target
    docno: int
    error: str


class Outbox:
    """The work of both indexes; what changes it stands inside a transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, docnos: Sequence[int]) -> None:
        """Note work; what was noted before starts anew, for the entry has changed since."""
        pairs = [(target, docno) for target in TARGETS for docno in docnos]
        self._database.change_each(
            "INSERT OR REPLACE INTO outbox(target, docno) VALUES (?, ?)", pairs
        )

    def note_all(self, target: Target) -> None:
        """Note every entry for *target*."""
        self._database.change("DELETE FROM outbox WHERE target = ?", (target,))
        self._database.change(
            "INSERT INTO outbox(target, docno) SELECT ?, docno FROM entries", (target,)
        )

    def waiting(self, target: Target, *, limit: int, after: int = 0) -> list[int]:
        """The entries that *target* has yet to look at, ascending, those above *after* only.

        No more than may be taken together.
        """
        found = self._database.query(
            "SELECT docno, together FROM outbox WHERE target = ? AND docno > ?"
            " AND state != 'quarantined' ORDER BY docno LIMIT ?",
            (target, after, limit),
        )
        if not found or limit < 0:
            return [docno for docno, _ in found]
        together = found[0][1]
        n_alike = next((n for n, row in enumerate(found) if row[1] != together), len(found))
        return [docno for docno, _ in found[: min(n_alike, together or limit)]]

    def count(self, target: Target) -> int:
        """How many entries *target* has yet to look at."""
        query = "SELECT count(*) FROM outbox WHERE target = ? AND state != 'quarantined'"
        ((count,),) = self._database.query(query, (target,))
        return int(count)

    def counts(self) -> dict[Target, dict[State, int]]:
        """How many rows of each index are in which state."""
        counts: dict[Target, dict[State, int]] = {
            target: dict.fromkeys(STATES, 0) for target in TARGETS
        }
        query = "SELECT target, state, count(*) FROM outbox GROUP BY 1, 2"
        for target, state, n in self._database.query(query):
            counts[target][state] = int(n)
        return counts

    def begin(self, target: Target, docnos: Iterable[int]) -> None:
        """Note that *target* is looking at these now."""
        self._database.change_each(
            "UPDATE outbox SET state = 'processing' WHERE target = ? AND docno = ?",
            [(target, docno) for docno in docnos],
        )

    def settle(self, target: Target, docnos: Iterable[int]) -> None:
        """Tick off what *target* has done."""
        self._database.change_each(
            "DELETE FROM outbox WHERE target = ? AND docno = ?", [(target, n) for n in docnos]
        )

    def fail(self, target: Target, docno: int, error: str, *, at_most: int = MAX_ATTEMPTS) -> None:
        """Note that an attempt failed; the last of *at_most*."""
        self._database.change(
            "UPDATE outbox SET attempts = attempts + 1, error = ?,"
            " state = CASE WHEN attempts + 1 < ? THEN 'failed' ELSE 'quarantined' END"
            " WHERE target = ? AND docno = ?",
            (error, at_most, target, docno),
        )

    def put_back(self, target: Target) -> None:
        """Note that what was being processed was not, by no fault of an entry."""
        self._database.change(
            "UPDATE outbox SET state = 'pending' WHERE target = ? AND state = 'processing'",
            (target,),
        )

    def recover(self) -> None:
        """Take back what a writer left that ended in the middle; only the one writer may call it."""
        for target in TARGETS:
            left = [
                docno
                for (docno,) in self._database.query(
                    "SELECT docno FROM outbox WHERE target = ? AND state = 'processing'", (target,)
                )
            ]
            if len(left) == 1:
                self.fail(target, left[0], _LEFT, at_most=MAX_ENDINGS)
                self._database.change(
                    "UPDATE outbox SET together = 1 WHERE target = ? AND docno = ?",
                    (target, left[0]),
                )
            elif left:
                self._database.change(
                    "UPDATE outbox SET state = 'pending', together = ?"
                    " WHERE target = ? AND state = 'processing'",
                    (max(1, len(left) // _NARROWING), target),
                )

    def has_left(self) -> bool:
        """Whether a writer ended in the middle of its work, or is at it."""
        return bool(self._database.query("SELECT 1 FROM outbox WHERE state = 'processing' LIMIT 1"))

    def given_up(self) -> list[Failure]:
        """What failed repeatedly: the index, the entry, the last error."""
        query = "SELECT target, docno, error FROM outbox WHERE state = 'quarantined'"
        return [Failure(row[0], row[1], row[2]) for row in self._database.query(query)]
