"""How much each memory was of use, counted from the ledger.

Any order of the same lines gives the same counts, and so does asking in between.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from .ledger_reader import LedgerReader, RewrittenError
from .ledger_records import Record, Told, Unused, Used

FREE_TELLINGS: Final = 2
PRIOR_USES: Final = 1.0
PRIOR_TELLINGS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How often a memory was told and used, and in which sessions."""

    n_told: int = 0
    n_used: int = 0
    told_in: frozenset[str] = frozenset()  # sessions
    used_in: frozenset[str] = frozenset()
    unused_in: frozenset[str] = frozenset()  # told there for a prompt, and no answer used it
    last_told: datetime | None = None
    last_used: datetime | None = None


UNKNOWN: Final = Usage()
"""Of a memory that was never told."""


def sink_factor(usage: Usage) -> float:
    """What to multiply a memory's score by for how it fared, in (0, 1]; 1 until it is told in vain.

    The chance that it is of use when it is told, after what was seen of it, over what was expected::

        min(1, (1 + u) / (5 + u + max(0, n - 2)) / (1 / 5))

    with u sessions that used it and n that saw it in vain. That is the mean of a Beta distribution
    that begins at 1 use in 5: the best stores of the field see 17-25 % of what they inject used. Two
    in vain are free, for at such a rate two in a row come two times in three and tell nothing; so the
    third sinks it to 0.83, the fifth to 0.63, the tenth to 0.38. One use pays for four more: with
    it, a memory stands as high as ever until it was told in vain seven times. What was told and never
    judged counts for nothing: no answer was seen. Nor does what a brief told: it is not chosen for a
    question, and a rule may be kept without a word of it being said.
    """
    n_used = len(usage.used_in)
    n_in_vain = max(0, len(usage.unused_in) - FREE_TELLINGS)
    mean = (PRIOR_USES + n_used) / (PRIOR_TELLINGS + n_used + n_in_vain)
    return min(1.0, mean * PRIOR_TELLINGS / PRIOR_USES)


@dataclass(slots=True)
class _Count:
    n_told: int = 0
    n_used: int = 0
    told_in: set[str] = field(default_factory=set)
    used_in: set[str] = field(default_factory=set)
    asked_in: set[str] = field(default_factory=set)  # told for a prompt; a brief tells unasked
    unused_in: set[str] = field(default_factory=set)
    last_told: datetime | None = None
    last_used: datetime | None = None

    def as_usage(self) -> Usage:
        return Usage(
            n_told=self.n_told,
            n_used=self.n_used,
            told_in=frozenset(self.told_in),
            used_in=frozenset(self.used_in),
            unused_in=frozenset(self.unused_in & self.asked_in - self.used_in),
            last_told=self.last_told,
            last_used=self.last_used,
        )


def _count(counts: dict[str, _Count], records: Iterable[Record]) -> None:
    for record in records:
        match record:
            case Told():
                for one in record.ids:
                    count = counts.setdefault(one, _Count())
                    count.n_told += 1
                    count.told_in.add(record.session)
                    if record.event == "prompt":
                        count.asked_in.add(record.session)
                    count.last_told = _later(count.last_told, record.at)
            case Used():
                count = counts.setdefault(record.id, _Count())
                count.n_used += 1
                count.used_in.add(record.session)
                count.last_used = _later(count.last_used, record.at)
            case Unused():
                counts.setdefault(record.id, _Count()).unused_in.add(record.session)


def _later(one: datetime | None, other: datetime) -> datetime:
    return other if one is None or one < other else one


class LedgerUsage:
    """The usage of memories for one who stays: each ``refresh`` costs what was added meanwhile.

    Any number of threads may ask.
    """

    def __init__(self, root: Path) -> None:
        self._root, self._lock = root, threading.Lock()
        self._reader, self._counts = LedgerReader(root), dict[str, _Count]()

    def refresh(self) -> Callable[[str], Usage]:
        """Take in what the ledger has more than last time; if it was rewritten, all of it anew.

        Returns ``of``, for whoever takes a function.
        """
        with self._lock:
            try:
                _count(self._counts, self._reader.read_new())
            except RewrittenError:
                self._reader, self._counts = LedgerReader(self._root), {}
                _count(self._counts, self._reader.read_new())
        return self.of

    def told_in(self, session: str) -> list[str]:
        """The memories that were told in *session*, as it was at the last ``refresh``."""
        with self._lock:
            return [one for one, count in self._counts.items() if session in count.told_in]

    def of(self, entry_id: str) -> Usage:
        """The usage of a memory, as it was at the last ``refresh``."""
        with self._lock:
            count = self._counts.get(entry_id)
            return count.as_usage() if count else UNKNOWN
