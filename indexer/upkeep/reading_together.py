"""Reading many files by several processes: the catalog follows as fast as one can write it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...journal.reading import JournalFile
from .reconcile import Reading, read_changes
from .workers import WorkerLostError, Workers

_FILES: Final = 100  # of a task
_BYTES: Final = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingTask:
    """Files to read whole."""

    root: Path
    files: tuple[JournalFile, ...]
    now_ns: int


def read_together(
    workers: Workers, root: Path, files: Sequence[JournalFile], *, now_ns: int
) -> Iterator[Reading]:
    """What ``reconcile.read_changes`` finds, found by several processes; in the same order."""
    tasks = [ReadingTask(root=root, files=part, now_ns=now_ns) for part in _by_size(files)]
    n_done = 0
    try:
        for readings in workers.map(_read, tasks):
            n_done += 1
            yield from readings
    except WorkerLostError:  # somebody killed it, or a file brought it down: then here it will show
        for task in tasks[n_done:]:
            yield from _read(task)


def _read(task: ReadingTask) -> list[Reading]:
    return list(read_changes(task.root, task.files, now_ns=task.now_ns))


def _by_size(files: Sequence[JournalFile]) -> Iterator[tuple[JournalFile, ...]]:
    """*files* in parts that are worth sending and do not fill the memory."""
    part: list[JournalFile] = []
    n_bytes = 0
    for file in files:
        part.append(file)
        n_bytes += file.size_bytes
        if len(part) == _FILES or n_bytes >= _BYTES:
            yield tuple(part)
            part, n_bytes = [], 0
    if part:
        yield tuple(part)
