"""Adding to the ledger: a line each, in ``ledger/<machine>/YYYY-MM.jsonl``.

A machine writes its own files alone, so that they never conflict; its processes take turns by a lock.
A use is no memory: unless asked, a line is not waited for to be on the disk, and the last ones may be
lost with the power. What is never lost to it is another line: one write holds whole lines, and what
was torn is ended before the next.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from . import files
from .errors import CannotCreateError, NoJournalError
from .ledger_reader import FOLDER, MAX_LINE_BYTES, BadLine, read_ledger
from .ledger_records import NotTold, Record, Told, render_record

_MACHINE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


class Ledger:
    """The ledger of a journal, open for appending by this machine. Any number of processes may have it."""

    def __init__(
        self,
        root: Path,
        *,
        machine: str,
        redact: Callable[[str], str],
        lock_timeout_s: float = 10.0,
    ) -> None:
        """*machine* names this one, in small letters, digits and ``-``; *redact* takes secrets out of
        the names of sessions, projects and agents, as it does in the journal's own files."""
        if not _MACHINE.fullmatch(machine):
            raise ValueError(f"no name for a machine's folder: {machine!r}")
        self._root, self._machine = root, machine
        self._redact, self._lock_timeout_s = redact, lock_timeout_s

    def append(self, *records: Record, durable: bool = False) -> None:
        """Add *records*, in their order; those of a month in one write.

        On return every reader sees them; with *durable* they are on disk (fsync) too.

        Raises:
            LockedError: another process kept the file for too long.
            NoJournalError: the journal was moved or removed meanwhile.
            StorageError, CannotCreateError: the disk refused; the file ends where it ended before.
        """
        lines: dict[Path, list[bytes]] = {}
        for record in records:
            line = render_record(self._without_secrets(record))
            if len(line) > MAX_LINE_BYTES:
                raise ValueError(f"a line of {len(line)} bytes")
            lines.setdefault(self._path_of(record.at), []).append(line)
        self._check_place()
        for path, listed in lines.items():
            with files.locked(path, timeout_s=self._lock_timeout_s) as fd:
                start = b"" if _ends_whole(fd) else b"\n"
                data = start + b"".join(listed)
                files.append(fd, data, path, durable=durable)

    def read(
        self,
        since: datetime | None = None,
        *,
        failed: Callable[[BadLine], None] = lambda _: None,
    ) -> Iterator[Record]:
        """What all machines wrote, as ``read_ledger`` gives it."""
        return read_ledger(self._root, since=since, failed=failed)

    def _without_secrets(self, record: Record) -> Record:
        session = self._redact(record.session)
        match record:
            case Told() | NotTold():
                project, agent = self._redact(record.project), self._redact(record.agent)
                return replace(record, session=session, project=project, agent=agent)
        return replace(record, session=session)

    def _path_of(self, at: datetime) -> Path:
        month = f"{at.astimezone(UTC):%Y-%m}"
        return self._root / FOLDER / self._machine / f"{month:0>7}.jsonl"

    def _check_place(self) -> None:
        """Refuse to write where the journal is no more, or through a link out of it."""
        if not self._root.is_dir():
            raise NoJournalError(
                "the journal is not there any more", where=str(self._root), mend="was it moved?"
            )
        for folder in (self._root / FOLDER, self._root / FOLDER / self._machine):
            if folder.is_symlink():
                what = "a symbolic link, and links are not followed"
                raise CannotCreateError(what, where=str(folder), mend="put a folder there")


def _ends_whole(fd: int) -> bool:
    """Whether the next line may begin at once: the last one has its end, or there is none."""
    if os.fstat(fd).st_size == 0:
        return True
    os.lseek(fd, -1, os.SEEK_END)
    return os.read(fd, 1) == b"\n"
