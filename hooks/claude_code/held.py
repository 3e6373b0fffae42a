"""Events that are not whole yet, and those behind them, in the order in which they were begun.

Invariant: what is released comes in that order, and what is held is bounded: a reply that is still
being written is taken as it is once too much stands behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ...journal.entry import EventType
from ...journal.event import Event, Outcome

MAX_HELD_EVENTS: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where in the conversation something stands; the part that all events share."""

    at: datetime
    turn: int
    branch: str
    extra: dict[str, str]


@dataclass(slots=True)
class _Reply:
    message: str
    place: Position
    keys: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class HeldEvents:
    """A queue of events whose first may be a reply that is still being written."""

    def __init__(self) -> None:
        self._reply: _Reply | None = None
        self._queue: deque[Event | _Reply] = deque()

    def add(
        self,
        keys: tuple[str, ...],
        type_: EventType,
        text: str,
        *,
        place: Position,
        tool: str = "",
        outcome: Outcome = "",
        exit_code: int | None = None,
        files: tuple[str, ...] = (),
    ) -> None:
        """Hold an event that is whole."""
        event = Event(
            keys=keys,
            type=type_,
            at=place.at,
            text=text,
            turn=place.turn,
            tool=tool,
            outcome=outcome,
            exit_code=exit_code,
            files=files,
            branch=place.branch,
            extra=place.extra,
        )
        self._queue.append(event)

    def add_reply_text(
        self, message: str, keys: tuple[str, ...], text: str, *, place: Position
    ) -> None:
        """Add to the reply that is being written, or begin one at *place*."""
        if self._reply is None:
            self._reply = _Reply(message, place)
            self._queue.append(self._reply)
        self._reply.keys += keys
        self._reply.texts.append(text)

    def end_reply(self, *, unless: str = "") -> None:
        """The reply is whole, unless it is the message *unless*."""
        if self._reply is not None and self._reply.message != unless:
            self._reply = None

    def release(self) -> Iterator[Event]:
        """Give what is whole and has nothing before it that is not."""
        if len(self._queue) > MAX_HELD_EVENTS:
            self._reply = None
        while self._queue and self._queue[0] is not self._reply:
            held = self._queue.popleft()
            yield held if isinstance(held, Event) else _as_event(held)


def _as_event(reply: _Reply) -> Event:
    return Event(
        keys=tuple(reply.keys),
        type="assistant_response",
        at=reply.place.at,
        text="\n\n".join(reply.texts),
        turn=reply.place.turn,
        branch=reply.place.branch,
        extra=reply.place.extra,
    )
