"""Whether what was added to a session is dated as it can be.

Commits of imports bring the past and are not asked; nor are events against each other that came into
the history with their file, for nothing was there before that they could contradict. That a commit is
later than its events proves nothing either: it may come at any time after.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ..event import SessionHeader
from ..session_file import parse_event, record_id, scan
from .growth import Suspicion

MAX_BACKWARDS: Final = timedelta(minutes=75)
"""How much earlier than what stands before it an event may be: a clock that is set back for summer time
by hand, and hooks that finish in another order, are no tampering."""
MAX_AHEAD: Final = timedelta(hours=36)
"""How much later than its commit: clocks of two machines, and a zone that was set wrong."""
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


def misdated(
    added: Iterator[Dated] | list[Dated], committed: datetime, *, newest: datetime | None
) -> Iterator[Suspicion]:
    """Events that are dated before *newest*, which stood there, or long after their commit.

    Where nothing stood there, none is dated before another.
    """
    is_known = newest is not None
    for one in added:
        if is_known and newest is not None and one.at < newest - MAX_BACKWARDS:
            yield Suspicion("backdated: it is dated before what stood there", one.line, one.id)
        elif one.at > committed + MAX_AHEAD:
            yield Suspicion("dated after its commit", one.line, one.id)
        newest = max(newest or one.at, one.at)
