"""What every assistant's adapter gives: its transcripts, and the events in one of them.

An adapter is a `Source`. What to read of it, in what portions, and what to say about it is the same
for all of them: that is `importing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from ..journal.errors import FormatError
from ..journal.event import Event, SessionHeader

if TYPE_CHECKING:
    from ..journal.redaction import KnownSecrets

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class NoRecordsError(FormatError):
    """The file holds nothing that its agent's reader knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation's file as found on disk; nothing of it has been read."""

    agent: str
    path: Path
    session: str  # by the file's name; what the records say decides, see `Peek`
    size_bytes: int
    mtime_ns: int
    hint: str = ""  # the folder's name: says something about the project, decides nothing
    is_subagent: bool = False

    @property
    def modified(self) -> datetime:
        """When the file last changed, in UTC."""
        return _EPOCH + timedelta(microseconds=self.mtime_ns // 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek:
    """What the first lines of a transcript tell."""

    session: str
    project: str = ""
    cwd: str = ""
    started: datetime | None = None


@dataclass(slots=True)
class Tally:
    """What became of a transcript's records; filled while its events are read.

    Every record is counted once: ``n_records == n_used + n_known + skipped.total()``.
    """

    n_records: int = 0
    n_used: int = 0  # went into an event, at least in part
    n_known: int = 0  # all that they hold is in the journal already
    skipped: Counter[str] = field(default_factory=Counter)  # by reason


class Reading(Protocol):
    """One transcript, being read. `tally` and `n_bytes_done` are final when `events` ends."""

    @property
    def header(self) -> SessionHeader: ...

    @property
    def tally(self) -> Tally: ...

    @property
    def secrets(self) -> KnownSecrets:
        """What was recognised as a secret so far, to be hidden in the events that come."""
        ...

    @property
    def n_bytes_done(self) -> int: ...

    def events(self, known: Container[str] = frozenset()) -> Iterator[Event]:
        """The events in file order, without those whose keys are all *known*. Once only."""
        ...

    def pass_over(self, event: Event) -> None:
        """Leave *event* out; what it gives away is known all the same."""
        ...


class Source(Protocol):
    """One assistant's transcripts. Reads only; never changes what it reads."""

    @property
    def agent(self) -> str: ...

    @property
    def reader(self) -> str:
        """Names the reader's version and options: when it changes, files are read again."""
        ...

    def project_of(self, cwd: str) -> str:
        """The project of the working directory that a transcript names; "" for none."""
        ...

    def transcripts(self) -> Iterable[Transcript]:
        """All there are, without opening one."""
        ...

    def peek(self, transcript: Transcript) -> Peek:
        """What the first lines tell. A file that says nothing gives the transcript's own name."""
        ...

    def read(self, transcript: Transcript) -> Reading:
        """Start reading.

        Raises:
            NoRecordsError: the file holds nothing of this assistant.
            OSError: the file cannot be read.
        """
        ...
