"""Reading one transcript: a quick look for its outline, then its events, one by one.

Two passes over the file; see `outline` for why. Neither holds more than one line, and the second
stops where the first did: a session that goes on meanwhile is read on next time.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final

from ...journal.event import Event, SessionHeader
from ...journal.redaction import KnownSecrets
from ..json_lines import MAX_LINE_BYTES, Broken, Line, decode, read_lines
from ..source import NoRecordsError, Peek, Tally, Transcript
from .compose import Composer, in_zone
from .lines import RECORD_START, may_shape_outline, skip_reason
from .options import AGENT, ReadOptions
from .outline import Outline, OutlineBuilder
from .records import Record, Skipped, narrow
from .unseen import Unseen

PEEK_BYTES: Final = 256 * 1024
"""Of the head: a session may begin with dozens of titles of others and a long first prompt."""


class TranscriptReading:
    """One transcript, being read; a `source.Reading`.

    Raises:
        NoRecordsError: the file holds nothing of Claude Code.
        OSError: the file cannot be read.
    """

    def __init__(
        self,
        transcript: Transcript,
        options: ReadOptions,
        *,
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        self.tally, self.secrets = Tally(), KnownSecrets()
        self.n_bytes_done = 0
        self._unseen = Unseen(options, known=self.secrets)
        self._path = transcript.path
        self._options = options
        self._max_line_bytes = max_line_bytes
        self._end = 0
        self._outline = self._read_outline()
        if not self._outline.is_ours:
            raise NoRecordsError("no Claude Code records in this file", where=str(self._path))
        outline = self._outline
        started = in_zone(outline.started or transcript.modified, options.tz)
        self.header = SessionHeader(
            session=session_of(transcript, outline),
            project=options.project_of(outline.cwd) if outline.cwd else "",
            agent=AGENT,
            started=started or transcript.modified,
        )

    def events(self, known: Container[str] = frozenset()) -> Iterator[Event]:
        """The events in file order, without those whose keys are all *known*. Once only."""
        composer = Composer(
            self._outline,
            started=self.header.started,
            project=self.header.project,
            known=known,
            options=self._options,
            tally=self.tally,
            unseen=self._unseen,
        )
        with self._path.open("rb") as file:
            for line in read_lines(file, max_bytes=self._max_line_bytes):
                if line.offset >= self._end:
                    break
                for offset, record, raw in self._records(line):
                    yield from composer.add(offset, record, raw)
                self.n_bytes_done = min(file.tell(), self._end)
        yield from composer.finish()
        self.n_bytes_done = self._end

    def pass_over(self, event: Event) -> None:
        """Leave *event* out; what it gives away is known all the same."""
        self._unseen.learn(event.text)

    def _read_outline(self) -> Outline:
        builder = OutlineBuilder()
        with self._path.open("rb") as file:
            for line in read_lines(file, max_bytes=self._max_line_bytes):
                if builder.outline.needs_head or may_shape_outline(line.raw):
                    for offset, record, _ in records_of(line):
                        builder.add(offset, record)
            self._end = file.tell()
        return builder.finish()

    def _records(self, line: Line) -> Iterator[tuple[int, Record, bytes]]:
        reason = skip_reason(line.raw)
        if reason:
            yield line.offset, Skipped(reason=reason), line.raw
        else:
            yield from records_of(line)


def records_of(line: Line) -> Iterator[tuple[int, Record, bytes]]:
    """The records on a line: a place of its own for each, the record, its bytes."""
    for n, found in enumerate(decode(line, object_start=RECORD_START)):
        if isinstance(found, Broken):
            yield line.offset + n, Skipped(reason=found.reason, is_ours=False), b""
        else:
            value, raw = found
            yield line.offset + n, narrow(value), raw


def peek(transcript: Transcript, options: ReadOptions) -> Peek:
    """What the first lines tell.

    Raises:
        OSError: the file cannot be read.
    """
    builder = OutlineBuilder()
    outline = builder.outline
    with transcript.path.open("rb") as file:
        for line in read_lines(file, max_bytes=PEEK_BYTES):
            for offset, record, _ in records_of(line):
                builder.add(offset, record)
            if not outline.needs_head or file.tell() > PEEK_BYTES:
                break
    return Peek(
        session=session_of(transcript, outline),
        project=options.project_of(outline.cwd) if outline.cwd else "",
        cwd=outline.cwd,
        started=in_zone(outline.started, options.tz) if outline.started else None,
    )


def session_of(transcript: Transcript, outline: Outline) -> str:
    """The session's id: the file's name if it is a uuid, else what the records say."""
    if is_uuid(transcript.path.stem):
        return transcript.path.stem
    return outline.session or transcript.path.stem


def is_uuid(text: str) -> bool:
    """Whether *text* has the form 8-4-4-4-12 of hex digits."""
    parts = text.split("-")
    if [len(part) for part in parts] != [8, 4, 4, 4, 12]:
        return False
    return all(char in "0123456789abcdefABCDEF" for part in parts for char in part)
