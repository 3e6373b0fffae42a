"""Journals with a history, as debounced commits make it: of any size, and the same for the same number.

A commit comes with every twenty events of a session: it holds the session's file, longer by these, two
memories, and the month's ledger. Half of the texts are Korean or mixed. Most sessions have some sixty
events, one in fifty has two thousand, one in two thousand twenty thousand.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import numpy as np
from make_memories import PROJECTS, make_event, make_memory
from speed import MEM

from memjournal.journal.event import SessionHeader
from memjournal.journal.file_names import memory_path
from memjournal.journal.ids import mint
from memjournal.journal.ledger_records import Told, render_record
from memjournal.journal.memory_file import render_memory
from memjournal.journal.session_file import event_key, render_event, render_header
from memjournal.journal.session_files import session_path

EVENTS_PER_COMMIT: Final = 20  # what a busy session brings in the time until it is committed
EVENTS_PER_MEMORY: Final = 10
EVENTS_PER_LEDGER_LINE: Final = 5
_START: Final = datetime(2018, 1, 1, tzinfo=UTC)
_PACE: Final = timedelta(minutes=4)  # between events: some 360 memories a project and month
_USUAL_EVENTS: Final = (20, 81)  # the shortest session, and how many lengths there are
_LONG: Final = ((2_000, 300, 20_000), (50, 10, 2_000))  # every …th, from the …th on: so many events
MACHINE: Final = "laptop-3f2a"
_LEDGER_MARKS: Final = 10**8  # marks from there on are those of ledgers


def make_journal(root: Path) -> None:
    """What `mem init` makes, with git's settings of a journal."""
    home = {"HOME": str(root.parent), "XDG_STATE_HOME": str(root.parent / "state")}
    command = [*MEM, "--journal", str(root), "init", "--git"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **home})


def session_length(number: int) -> int:
    """How many events the session of that *number* has."""
    for every, first, length in _LONG:
        if number % every == first:
            return length
    least, n_lengths = _USUAL_EVENTS
    return least + number * 37 % n_lengths


class History:
    """The history of *n_events*, and what it comes to."""

    def __init__(self, n_events: int) -> None:
        self.n_events = n_events
        self.n_commits = self.n_memories = self.n_sessions = 0
        self.written_mb = 0.0  # of all versions of all files, uncompressed
        self._ledger: tuple[str, bytes] = ("", b"")  # the month's path and content
        self._mark = 0

    @property
    def end(self) -> datetime:
        """When the last of it happened."""
        return _START + self.n_events * _PACE

    def write(self, root: Path) -> None:
        """Make the journal at *root*, and let it have this history."""
        make_journal(root)
        feed(root, self._stream(root))

    def _stream(self, root: Path) -> Iterator[bytes]:
        n_done = 0
        while n_done < self.n_events:
            length = min(session_length(self.n_sessions), self.n_events - n_done)
            yield from self._session(root, range(n_done, n_done + length))
            n_done += length
            self.n_sessions += 1

    def _session(self, root: Path, numbers: range) -> Iterator[bytes]:
        """The versions of the session's file, one after the other, so that git stores of each but what is
        new; then those of the ledger; then the commits."""
        header = session_header(self.n_sessions, _START + numbers.start * _PACE)
        path = path_of(root, header)
        content = bytearray(render_header(header).encode())
        ledger: list[bytes] = []
        commits: list[bytes] = []
        for begin in range(numbers.start, numbers.stop, EVENTS_PER_COMMIT):
            several = range(begin, min(begin + EVENTS_PER_COMMIT, numbers.stop))
            for number in several:
                content += rendered_event(number, number - numbers.start, header)
            yield self._blob(content)
            files: dict[str, bytes | int] = {path: self._mark}
            for number in several:
                if number % EVENTS_PER_MEMORY == 0:
                    files.update(self._memory(number // EVENTS_PER_MEMORY, header))
            where, lines = self._ledger_lines(several, header)
            ledger.append(lines)
            files[where] = _LEDGER_MARKS + self.n_commits
            commits.append(
                rendered_commit(_START + several.stop * _PACE, files, is_first=not self.n_commits)
            )
            self.n_commits += 1
        for n, lines in enumerate(ledger):
            yield self._blob(lines, mark=_LEDGER_MARKS + self.n_commits - len(ledger) + n)
        yield from commits

    def _blob(self, content: bytes | bytearray, *, mark: int = 0) -> bytes:
        if not mark:
            self._mark += 1
        self.written_mb += len(content) / 1e6
        return b"blob\nmark :%d\ndata %d\n%b\n" % (mark or self._mark, len(content), content)

    def _memory(self, number: int, header: SessionHeader) -> dict[str, bytes]:
        self.n_memories += 1
        created = _START + number * EVENTS_PER_MEMORY * _PACE
        files = rendered_memory(number, created=created, project=header.project)
        self.written_mb += sum(map(len, files.values())) / 1e6
        return files

    def _ledger_lines(self, numbers: range, header: SessionHeader) -> tuple[str, bytes]:
        at = _START + numbers.start * _PACE
        path = f"ledger/{MACHINE}/{at:%Y-%m}.jsonl"
        written = self._ledger[1] if path == self._ledger[0] else b""
        for number in numbers:
            if number % EVENTS_PER_LEDGER_LINE == 0:
                written += render_record(
                    Told(
                        at=_START + number * _PACE,
                        session=header.session,
                        project=header.project,
                        agent=header.agent,
                        event="prompt",
                        ids=tuple(mint(f"bench:{number // k}") for k in (11, 13, 17)),
                    )
                )
        self._ledger = (path, written)
        return self._ledger


def session_header(number: int, started: datetime) -> SessionHeader:
    return SessionHeader(
        session=str(UUID(int=(number + 1) << 96 | 0x40008000000000000000)),
        project=PROJECTS[number % len(PROJECTS)],
        agent="claude-code",
        started=started,
    )


def path_of(root: Path, header: SessionHeader) -> str:
    """Where the store puts a session that is new."""
    project = header.project.rsplit("/", 1)[-1]
    path = session_path(root, header, written=header.session, project=project, is_new=True)
    return path.relative_to(root).as_posix()


def rendered_event(number: int, place: int, header: SessionHeader) -> bytes:
    event = make_event(np.random.default_rng((1, number)), number, place, header)
    return render_event(event, mint(event_key(header.session, event)))


def rendered_memory(number: int, *, created: datetime, project: str) -> dict[str, bytes]:
    entry = make_memory(np.random.default_rng((2, number)), number)
    entry = replace(entry, created=created, project=project)
    return {memory_path(entry): render_memory(entry).encode()}


def memories_in_folders(n_memories: int, *, per_folder: int) -> Iterator[dict[str, bytes]]:
    """Memories of which so many stand in each folder."""
    for number in range(n_memories):
        months = 12 * _START.year + number // per_folder
        created = datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
        yield rendered_memory(number, created=created, project=PROJECTS[0])


def rendered_commit(at: datetime, files: Mapping[str, bytes | int], *, is_first: bool) -> bytes:
    """A commit, as `git fast-import` reads it; the first one follows that of `mem init`.

    A number stands for content that git was given under that mark.
    """
    who = f"{MACHINE} <{MACHINE}@memjournal.invalid> {int(at.timestamp())} +0000"
    message = f"capture: {EVENTS_PER_COMMIT} events\n\nMachine: {MACHINE}\n".encode()
    parts = [
        f"commit refs/heads/main\nauthor {who}\ncommitter {who}\ndata {len(message)}\n".encode(),
        message,
        b"from refs/heads/main^0\n" if is_first else b"",
    ]
    for path, content in files.items():
        if isinstance(content, int):
            parts.append(f"M 100644 :{content} {path}\n".encode())
        else:
            parts += (f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n")
    return b"".join(parts)


def feed(root: Path, stream: Iterator[bytes]) -> None:
    """Let git have the commits of *stream*, and write their files."""
    importing = ["git", "-C", str(root), "fast-import", "--quiet"]
    with subprocess.Popen(importing, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for part in stream:
            process.stdin.write(part)
    if process.returncode:
        raise SystemExit(f"git fast-import ended with {process.returncode}")
    subprocess.run(["git", "-C", str(root), "reset", "--quiet", "--hard"], check=True)
