"""The outbox: which entries each index has yet to look at.

A row says *look at this entry*, not what to do with it, so doing it twice is harmless. Rows are
noted in the transaction that changes the catalog and ticked off after the index was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from .database import Database

Target = Literal["keyword", "vector"]

TARGETS: Final[tuple[Target, ...]] = ("keyword", "vector")
MAX_ATTEMPTS: Final = 3  # then the row is quarantined: shown, and not tried again by itself


class Outbox:
    """The pending work of both indexes; what changes it stands inside a transaction."""

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
        """The entries that *target* has yet to look at, ascending, those above *after* only."""
        found = self._database.query(
            "SELECT docno FROM outbox WHERE target = ? AND docno > ? AND attempts < ?"
            " ORDER BY docno LIMIT ?",
            (target, after, MAX_ATTEMPTS, limit),
        )
        return [docno for (docno,) in found]

    def count(self, target: Target) -> int:
        """How many entries *target* has yet to look at."""
        query = "SELECT count(*) FROM outbox WHERE target = ? AND attempts < ?"
        ((count,),) = self._database.query(query, (target, MAX_ATTEMPTS))
        return int(count)

    def settle(self, target: Target, docnos: Iterable[int]) -> None:
        """Tick off what *target* has done."""
        self._database.change_each(
            "DELETE FROM outbox WHERE target = ? AND docno = ?", [(target, n) for n in docnos]
        )

    def fail(self, target: Target, docno: int, error: str) -> None:
        """Note that an attempt failed."""
        self._database.change(
            "UPDATE outbox SET attempts = attempts + 1, error = ? WHERE target = ? AND docno = ?",
            (error, target, docno),
        )

    def given_up(self) -> list[tuple[Target, int, str]]:
        """What failed repeatedly: the index, the entry, the last error."""
        query = "SELECT target, docno, error FROM outbox WHERE attempts >= ?"
        return [(row[0], row[1], row[2]) for row in self._database.query(query, (MAX_ATTEMPTS,))]
