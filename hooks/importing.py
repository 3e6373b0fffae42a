"""Bringing past conversations of any assistant into a journal: what to read, and reading it.

Invariant: a run can be repeated or broken off at any point and adds nothing twice, for the sink
recognises events by their keys; `ImportState` only makes the repetition cheap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol

from ..journal.entry import parse_time
from ..journal.errors import CannotCreateError, MemjournalError, StorageError
from ..journal.event import Event, SessionHeader
from .import_state import Glance, ImportState, Seen
from .source import Peek, Reading, Source, Transcript

if TYPE_CHECKING:
    from ..journal.redaction import KnownSecrets
    from ..journal.session_log import AppendReport

BATCH_EVENTS: Final = 200
BATCH_CHARACTERS: Final = 1_000_000
"""An append waits for the disk once; a batch bounds what a crash costs and what memory holds."""


class EventLog(Protocol):
    """Where the events of one session go."""

    def known_keys(self) -> set[str]: ...

    def append(
        self, events: Sequence[Event], *, secrets: KnownSecrets | None = None
    ) -> AppendReport: ...


class SessionSink(Protocol):
    """Where sessions go."""

    def open_session(self, header: SessionHeader) -> EventLog: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which transcripts, and which of their events, are wanted. Empty means all."""

    sessions: tuple[str, ...] = ()  # ids or their beginnings
    projects: tuple[str, ...] = ()  # exact names
    since: datetime | None = None  # of the event, not of the file
    include_subagents: bool = False
    force: bool = False  # read again what has not changed
    limit: int | None = None  # at most so many transcripts, the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One transcript of a plan: read it, or say why not."""

    transcript: Transcript
    skip: str = ""  # the reason; empty when it is to be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is; for a bar."""

    transcript: Transcript
    n_files_done: int
    n_files: int
    n_bytes_done: int
    n_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileError:
    """A transcript that could not be imported, or not to its end."""

    path: Path
    what: str


@dataclass(slots=True)
class ImportReport:
    """What a run did; filled while it runs."""

    n_files: int = 0  # transcripts read to the end
    n_sessions: int = 0  # of them, those that gave something new
    n_written: int = 0
    n_known: int = 0  # were in the journal already: events, and records of which nothing was new
    n_private: int = 0
    n_secrets: int = 0
    events: Counter[str] = field(default_factory=Counter)  # handed to the journal, by type
    skipped: Counter[str] = field(default_factory=Counter)  # records, by reason
    skipped_files: Counter[str] = field(default_factory=Counter)  # transcripts, by reason
    errors: list[FileError] = field(default_factory=list)


Status = Literal["new", "imported", "grown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTranscript:
    """A transcript as ``mem list`` shows it."""

    transcript: Transcript
    peek: Peek
    status: Status


def list_transcripts(source: Source, state: ImportState) -> Iterator[ListedTranscript]:
    """Every transcript of *source*, newest first, with what its first lines tell."""
    for transcript in _newest_first(source.transcripts()):
        seen = state.find(transcript.path)
        status: Status = "new"
        if seen is not None:
            status = "imported" if _is_unchanged(transcript, seen) else "grown"
        try:
            peek = source.peek(transcript)
        except OSError:
            peek = Peek(session=transcript.session)
        yield ListedTranscript(transcript=transcript, peek=peek, status=status)


def plan_import(
    transcripts: Iterable[Transcript],
    already: ImportState,
    filters: Filters,
    *,
    source: Source,
) -> list[Step]:
    """Decide for each transcript whether to read it, newest first.

    *source* is asked for a peek only when a project or a session that is no file's name is wanted,
    and never about a transcript that has not changed: *already* keeps what the last peek told, on
    disk after its ``save``.
    """
    steps = []
    n_taken = 0
    for transcript in _newest_first(transcripts):
        skip = _reason_to_skip(transcript, already, filters, source)
        if not skip and filters.limit is not None and n_taken >= filters.limit:
            skip = "over the limit"
        n_taken += not skip
        steps.append(Step(transcript=transcript, skip=skip))
    return steps


def run_import(
    steps: Sequence[Step],
    source: Source,
    sink: SessionSink,
    *,
    state: ImportState,
    report: ImportReport,
    since: datetime | None = None,
) -> Generator[Progress, None, None]:
    """Carry out a plan, filling *report* and *state*; nothing happens until it is iterated.

    A transcript that cannot be read is named in the report and the next one is taken.

    Raises:
        StorageError, CannotCreateError: the journal itself cannot be written.
    """
    wanted = [step.transcript for step in steps if not step.skip]
    report.skipped_files.update(step.skip for step in steps if step.skip)
    n_bytes, n_before = sum(each.size_bytes for each in wanted), 0
    try:
        for n_done, transcript in enumerate(wanted):
            for n_read in _import_one(transcript, source, sink, state, report, since):
                yield Progress(
                    transcript=transcript,
                    n_files_done=n_done,
                    n_files=len(wanted),
                    n_bytes_done=n_before + min(n_read, transcript.size_bytes),
                    n_bytes=n_bytes,
                )
            n_before += transcript.size_bytes
            yield Progress(
                transcript=transcript,
                n_files_done=n_done + 1,
                n_files=len(wanted),
                n_bytes_done=n_before,
                n_bytes=n_bytes,
            )
    finally:
        state.save()


def _import_one(
    transcript: Transcript,
    source: Source,
    sink: SessionSink,
    state: ImportState,
    report: ImportReport,
    since: datetime | None,
) -> Iterator[int]:
    """Read one transcript into the sink; yields the number of bytes done after each batch."""
    n_before = report.n_written
    try:
        reading = source.read(transcript)
        log = sink.open_session(reading.header)
        events = reading.events(log.known_keys())
        try:
            for batch in _batches(_wanted(events, since, reading, report)):
                _count(log.append(batch, secrets=reading.secrets), batch, report)
                yield reading.n_bytes_done
        finally:
            report.skipped.update(reading.tally.skipped)
            report.n_known += reading.tally.n_known
            report.n_sessions += report.n_written > n_before
    except (StorageError, CannotCreateError):
        raise  # the journal's disk, not this file: the next one would fare no better
    except MemjournalError as error:
        report.errors.append(FileError(path=transcript.path, what=error.what))
    except OSError as error:
        what = error.strerror or type(error).__name__
        report.errors.append(FileError(path=transcript.path, what=what))
    else:
        report.n_files += 1
        state.record(transcript.path, _as_seen(transcript, reading.header, source.reader, since))


def _wanted(
    events: Iterator[Event], since: datetime | None, reading: Reading, report: ImportReport
) -> Iterator[Event]:
    for event in events:
        if since is not None and event.at < since:
            report.skipped["before the date asked for"] += 1
            reading.pass_over(event)
        else:
            yield event


def _batches(events: Iterator[Event]) -> Iterator[list[Event]]:
    batch: list[Event] = []
    n_characters = 0
    for event in events:
        batch.append(event)
        n_characters += len(event.text)
        if len(batch) >= BATCH_EVENTS or n_characters >= BATCH_CHARACTERS:
            yield batch
            batch, n_characters = [], 0
    if batch:
        yield batch


def _count(appended: AppendReport, batch: Sequence[Event], report: ImportReport) -> None:
    report.n_written += appended.n_written
    report.n_known += appended.n_known
    report.n_private += appended.n_private
    report.n_secrets += appended.n_secrets
    report.events.update(event.type for event in batch)


def _reason_to_skip(
    transcript: Transcript,
    already: ImportState,
    filters: Filters,
    source: Source,
) -> str:
    """Why *transcript* is not to be read; "" if it is. The cheap questions come first."""
    seen = already.find(transcript.path)
    if transcript.is_subagent and not filters.include_subagents:
        return "sub-agent"
    if filters.since is not None and transcript.modified < filters.since:
        return "before the date asked for"
    if seen and not filters.force and _is_imported(transcript, seen, filters, reader=source.reader):
        return "unchanged"
    if not filters.sessions and not filters.projects:
        return ""
    if not filters.projects and transcript.session.startswith(filters.sessions):
        return ""
    try:
        told = _glance(transcript, already, source)
    except OSError:
        return ""  # reading it will fail too, and then it is named as an error
    if filters.sessions and not told.session.startswith(filters.sessions):
        return "another session"
    if filters.projects and source.project_of(told.cwd) not in filters.projects:
        return "another project"
    return ""


def _glance(transcript: Transcript, already: ImportState, source: Source) -> Glance:
    """What the first lines of *transcript* tell, read only if it changed since they were.

    The folder is kept and not the project: which project that is may change without the file.
    """
    known = already.glance(transcript.path)
    if known and known.reader == source.reader and _is_unchanged(transcript, known):
        return known
    told = source.peek(transcript)
    glance = Glance(
        size_bytes=transcript.size_bytes,
        mtime_ns=transcript.mtime_ns,
        session=told.session,
        cwd=told.cwd,
        reader=source.reader,
    )
    already.note_glance(transcript.path, glance)
    return glance


def _newest_first(transcripts: Iterable[Transcript]) -> list[Transcript]:
    return sorted(transcripts, key=lambda each: (-each.mtime_ns, each.path))


def _is_unchanged(transcript: Transcript, seen: Seen | Glance) -> bool:
    return (seen.size_bytes, seen.mtime_ns) == (transcript.size_bytes, transcript.mtime_ns)


def _is_imported(transcript: Transcript, seen: Seen, filters: Filters, *, reader: str) -> bool:
    """Whether reading the transcript again could bring nothing that is asked for."""
    if seen.reader != reader or not _is_unchanged(transcript, seen):
        return False
    left_out = parse_time(seen.since) if seen.since else None
    return left_out is None or (filters.since is not None and filters.since >= left_out)


def _as_seen(
    transcript: Transcript, header: SessionHeader, reader: str, since: datetime | None
) -> Seen:
    """Size and time as they were before reading: what was added meanwhile is read next time."""
    return Seen(
        size_bytes=transcript.size_bytes,
        mtime_ns=transcript.mtime_ns,
        session=header.session,
        reader=reader,
        since=since.isoformat() if since else "",
    )
