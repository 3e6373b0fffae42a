"""What telling memories was good for, counted from the ledger for people.

The unit is a telling: one memory in one session, however often either is spoken of. It was cited, said
without being cited, not used, or not judged, as no answer was seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from .ledger_records import NotTold, Record, TellingEvent, Told, Unused, Used

Outcome = Literal["cited", "overlap", "unused", "undecided"]


@dataclass(frozen=True, slots=True)
class Tally:
    """Tellings by what became of them."""

    counts: Mapping[Outcome, int]

    @property
    def n_told(self) -> int:
        return sum(self.counts.values())

    @property
    def n_used(self) -> int:
        return self.counts.get("cited", 0) + self.counts.get("overlap", 0)

    @property
    def n_judged(self) -> int:
        return self.n_told - self.counts.get("undecided", 0)

    @property
    def share_used(self) -> float | None:
        """Of those that were judged; None if none was."""
        return self.n_used / self.n_judged if self.n_judged else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTally:
    """How one memory fared."""

    id: str
    tally: Tally
    last_used: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallStatistics:
    """Counts over a part of a ledger."""

    n_sessions: int  # in which anything was told
    n_prompts: int  # for which anything was told
    n_briefs: int
    by_event: Mapping[TellingEvent, Tally]
    not_told: Mapping[str, int]  # prompts, by the reason; the most frequent first
    memories: tuple[MemoryTally, ...]  # by id

    @property
    def all(self) -> Tally:
        """All tellings."""
        counts: Counter[Outcome] = Counter()
        for tally in self.by_event.values():
            counts.update(tally.counts)
        return Tally(counts)

    def most_used(self, limit: int) -> list[MemoryTally]:
        """The memories that were used most, by sessions; none that never was."""
        used = [one for one in self.memories if one.tally.n_used]
        return sorted(used, key=lambda one: (-one.tally.n_used, one.tally.n_told, one.id))[:limit]

    def never_used(self, limit: int) -> list[MemoryTally]:
        """The memories that were told in vain most often, of those that never were of use."""
        vain = [one for one in self.memories if one.tally.n_judged and not one.tally.n_used]
        return sorted(vain, key=lambda one: (-one.tally.n_judged, one.id))[:limit]


@dataclass(slots=True)
class _Telling:
    event: TellingEvent
    outcome: Outcome = "undecided"
    last_used: datetime | None = None

    def learn(self, record: Used | Unused) -> None:
        """Take in a judgement: one use counts more than any number of answers without."""
        if isinstance(record, Unused):
            if self.outcome == "undecided":
                self.outcome = "unused"
            return
        if self.outcome != "cited":
            self.outcome = record.how
        if self.last_used is None or self.last_used < record.at:
            self.last_used = record.at


@dataclass(slots=True)
class _Counting:
    tellings: dict[tuple[str, str], _Telling] = field(default_factory=dict)  # session and id
    n_of: Counter[TellingEvent] = field(default_factory=Counter)
    not_told: Counter[str] = field(default_factory=Counter)

    def add(self, told: Told) -> None:
        self.n_of[told.event] += 1
        for one in told.ids:
            telling = self.tellings.setdefault((told.session, one), _Telling(told.event))
            if told.event == "prompt":  # chosen for it, which says more than to stand in a brief
                telling.event = "prompt"


def summarize_recall(
    records: Iterable[Record], *, projects: Collection[str] = ()
) -> RecallStatistics:
    """The counts over *records*, in any order; with *projects*, over what was told in those alone.

    A judgement counts if its telling is among *records*.
    """
    counting, judged = _Counting(), list[Used | Unused]()
    for record in records:
        match record:
            case Used() | Unused():
                judged.append(record)
            case Told() | NotTold() if projects and record.project not in projects:
                continue
            case Told():
                counting.add(record)
            case NotTold():
                counting.not_told[record.reason] += 1
    for judgement in judged:
        telling = counting.tellings.get((judgement.session, judgement.id))
        if telling is not None:
            telling.learn(judgement)
    return _as_statistics(counting)


def _as_statistics(counting: _Counting) -> RecallStatistics:
    by_event: dict[TellingEvent, Counter[Outcome]] = {"prompt": Counter(), "brief": Counter()}
    by_memory: dict[str, Counter[Outcome]] = {}
    last_used: dict[str, datetime] = {}
    for (_, one), telling in counting.tellings.items():
        by_event[telling.event][telling.outcome] += 1
        by_memory.setdefault(one, Counter())[telling.outcome] += 1
        if telling.last_used:
            last_used[one] = max(telling.last_used, last_used.get(one, telling.last_used))
    not_told = sorted(counting.not_told.items(), key=lambda item: (-item[1], item[0]))
    return RecallStatistics(
        n_sessions=len({session for session, _ in counting.tellings}),
        n_prompts=counting.n_of["prompt"],
        n_briefs=counting.n_of["brief"],
        by_event={event: Tally(counts) for event, counts in by_event.items()},
        not_told=dict(not_told),
        memories=tuple(
            MemoryTally(id=one, tally=Tally(counts), last_used=last_used.get(one))
            for one, counts in sorted(by_memory.items())
        ),
    )
