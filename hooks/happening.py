"""What hooks tell, whichever assistant calls them: one value for each kind of thing that happens.

An adapter turns its assistant's payload into one of these; what is done about it is the same for all.
Texts are as the assistant sent them: nothing is redacted yet, so they are never logged.
"""

from __future__ import annotations

from typing import Literal

from ..journal.event import Outcome
from ..journal.values import dataclass

StartSource = Literal["startup", "resume", "clear", "compact", "fork"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happening:
    session: str  # the assistant's own id
    cwd: str  # an absolute path on this machine; "" where the assistant does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(_Happening):
    """A conversation begins, or goes on."""

    source: StartSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted(_Happening):
    """A person said something; what machines say in their place is no happening."""

    text: str
    key: str = ""  # "" where the assistant names none: then the turn and the text make one


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUsed(_Happening):
    """A tool call that has ended."""

    name: str
    given: object  # its input, decoded JSON
    result: str  # its output as text
    data: object = None  # its output as the assistant structures it
    outcome: Outcome
    exit_code: int | None = None
    key: str
    by_subagent: str = ""  # the sub-agent that called it; "" for the main conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(_Happening):
    """The assistant has finished a turn."""

    text: str
    key: str = ""  # "" where the assistant names none: then the turn and the text make one
    subagent: str = ""  # whose answer it is; "" for the assistant's own
    subagent_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacting(_Happening):
    """The assistant is about to shorten its context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(_Happening):
    """It has; ``summary`` is what it goes on with, where it tells."""

    summary: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(_Happening):
    """A conversation is over, or is left; it may go on some day."""


Happening = SessionStarted | Prompted | ToolUsed | Answered | Compacting | Compacted | SessionEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A payload that is understood, and about which nothing is to be done."""

    reason: str
