"""Whether what was added to a session is dated as it can be.

Commits of imports bring the past and are not asked; nor are events against each other that came into
the history with their file, for nothing was there before that they could contradict. That a commit is
later than its events proves nothing either: it may come at any time after.

Each machine has a clock of its own. What one adds is held against what itself has added before; against
the others' events, only as far as two clocks may differ.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from ..event import SessionHeader
from ..session_file import parse_event, record_id, scan
from .growth import Suspicion

MAX_BACKWARDS: Final = timedelta(minutes=75)
"""How much earlier than what stands before it an event may be: a clock that is set back for summer time
by hand, and hooks that finish in another order, are no tampering."""
MAX_APART: Final = timedelta(hours=36)
"""How much two clocks may differ, those of two machines or of an event and its commit: a zone that was set
wrong, in the worst place of the world, is 26 hours."""
_NO_HEADER: Final = SessionHeader(
    session="", project="", agent="", started=datetime.fromisoformat("1970-01-01T00:00:00+00:00")
)


@dataclass(frozen=True, slots=True)
class Dated:
    """An event of a session, and where it stands."""

    id: str
    raw: bytes
    at: datetime
    line: int  # from 1


def dated_events(data: bytes, *, line: int = 1) -> Iterator[Dated]:
    """The events in *data*, which begins in *line* of its file."""
    for part in scan(io.BytesIO(data)):
        if part.kind == "event":
            at = parse_event(part.raw, _NO_HEADER).created
            yield Dated(record_id(part.raw), part.raw.rstrip(b"\r\n\0"), at, line)
        line += part.raw.count(b"\n")


@dataclass(frozen=True, slots=True)
class Newest:
    """The time of the newest event in a version of a session, of each machine that added to it.

    Under "" stands what is not known to be of a certain one.
    """

    by_machine: Mapping[str, datetime] = field(default_factory=dict)

    def earliest_for(self, machine: str) -> datetime | None:
        """How early what *machine* adds may be dated; None if nothing stands there to compare with."""
        bounds = [
            at - (MAX_BACKWARDS if machine in ("", name) else MAX_APART)
            for name, at in self.by_machine.items()
        ]
        return max(bounds, default=None)

    def with_events(self, machine: str, events: Iterable[Dated]) -> Newest:
        """The same when *machine* has added *events*."""
        return self.joined(Newest({machine: one.at}) for one in events)

    def joined(self, others: Iterable[Newest]) -> Newest:
        """The same for a version that holds what others do, too."""
        found = dict(self.by_machine)
        for other in others:
            for name, at in other.by_machine.items():
                found[name] = max(at, found.get(name, at))
        return Newest(found)


def misdated(
    added: Iterable[Dated], *, before: Newest | None, machine: str, committed: datetime
) -> Iterator[Suspicion]:
    """Events that *machine* added and that are dated before what stood there, or long after their commit.

    *before* is what stood there; None if nothing: then none is dated before another.
    """
    newest = before
    for one in added:
        earliest = newest.earliest_for(machine) if newest is not None else None
        if earliest is not None and one.at < earliest:
            yield Suspicion("backdated: it is dated before what stood there", one.line, one.id)
        elif one.at > committed + MAX_APART:
            yield Suspicion("dated after its commit", one.line, one.id)
        if newest is not None:
            newest = newest.with_events(machine, [one])
