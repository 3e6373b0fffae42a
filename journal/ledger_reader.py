"""Reading the ledger, of all machines: no lock, and what is no line is passed over and told of."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from . import files
from .ledger_records import Record, parse_record

FOLDER: Final = "ledger"
MAX_LINE_BYTES: Final = 1 << 20
_TAIL_BYTES: Final = 256  # more than most lines have, and no two lines are the same
_FILE: Final = re.compile(r"(\d{4}-\d{2})\.jsonl")
_Signature = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is none of a ledger, or a file or folder of it that cannot be read."""

    path: str  # in the journal
    offset: int  # where it begins, in bytes
    what: str
    is_line: bool = True


def read_ledger(
    root: Path,
    *,
    since: datetime | None = None,
    failed: Callable[[BadLine], None] = lambda _: None,
) -> Iterator[Record]:
    """What is in the ledger of *root*, of all machines, none of it older than *since*.

    Month by month, in each machine by machine, in each as it was written. *failed* hears of what is
    passed over.
    """
    return LedgerReader(root, since=since, failed=failed).read_new()


class RewrittenError(Exception):
    """What was read of a ledger does not stand there any more as it did: a merge, or a hand."""


@dataclass(frozen=True, slots=True)
class _Place:
    """How far a file was read, and what tells whether it is still the same up to there."""

    signature: _Signature  # of a file in which nothing is new
    offset: int
    tail: bytes  # what stands before the offset


class LedgerReader:
    """Reads a ledger on from where it ended last time: asking again costs what was added."""

    def __init__(
        self,
        root: Path,
        *,
        since: datetime | None = None,
        failed: Callable[[BadLine], None] = lambda _: None,
    ) -> None:
        self._root, self._since, self._failed = root, since, failed
        self._places: dict[Path, _Place] = {}

    def read_new(self) -> Iterator[Record]:
        """What was added since the last time; a line that is still being written is left for the next.

        Raises:
            RewrittenError: what was read earlier is not as it was; a new reader begins anew.
        """
        found = self._find_files()
        if not self._places.keys() <= found.keys():
            raise RewrittenError
        for path, signature in found.items():
            place = self._places.get(path)
            if place is None or place.signature != signature:
                yield from self._read_on(path, place or _Place(signature, 0, b""), signature)

    def _find_files(self) -> dict[Path, _Signature]:
        """The files of the ledger that may hold what is asked for, in order."""
        first = f"{self._since.astimezone(UTC):%Y-%m}".zfill(7) if self._since else ""
        found: list[tuple[str, str, Path, _Signature]] = []
        for folder in self._scan(self._root / FOLDER):
            if not folder.is_dir(follow_symlinks=False):
                continue
            for file in self._scan(Path(folder.path)):
                month = _FILE.fullmatch(file.name)
                if month and month[1] >= first and file.is_file(follow_symlinks=False):
                    path = Path(file.path)
                    found.append((month[1], folder.name, path, _signature(path)))
        return {path: signature for _, _, path, signature in sorted(found)}

    def _scan(self, folder: Path) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return list(entries)
        except FileNotFoundError:
            return []
        except OSError as error:
            self._fail(folder, 0, error)
            return []

    def _read_on(self, path: Path, place: _Place, signature: _Signature) -> list[Record]:
        """What stands in a file after *place*; nothing of it, and all later, if the disk refuses."""
        records: list[Record] = []
        try:
            with files.open_regular(path) as stream:
                if _tail(stream, place.offset) != place.tail:
                    raise RewrittenError
                for start, line in _lines(stream):
                    record = self._parse(path, start, line)
                    if record is not None:
                        records.append(record)
                offset = stream.tell()
                self._places[path] = _Place(signature, offset, _tail(stream, offset))
        except OSError as error:
            self._fail(path, place.offset, error)
            return []
        return records

    def _parse(self, path: Path, start: int, line: bytes) -> Record | None:
        try:
            record = parse_record(line)
        except ValueError as error:
            self._fail(path, start, error)
            return None
        is_old = record is not None and self._since is not None and record.at < self._since
        return None if is_old else record

    def _fail(self, path: Path, offset: int, error: OSError | ValueError) -> None:
        """Tell of what is passed over; of a line not what it says, for it is anybody's."""
        name = path.relative_to(self._root).as_posix()
        if isinstance(error, OSError):
            self._failed(BadLine(name, offset, error.strerror or "cannot be read", is_line=False))
        else:
            self._failed(BadLine(name, offset, "not a line of a ledger"))


def _signature(path: Path) -> _Signature:
    try:
        status = os.stat(path, follow_symlinks=False)  # that of a listing has no inode on Windows
    except OSError:
        return 0, -1, 0  # opening it says why
    return status.st_ino, status.st_size, status.st_mtime_ns


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines from where *stream* stands, each with its offset; it then stands where to go on.

    One without an end counts if it is whole all the same. One that is too long comes as a zero byte.
    """
    while line := stream.readline(MAX_LINE_BYTES):
        start = stream.tell() - len(line)
        if line.endswith(b"\n"):
            yield start, line
        elif len(line) == MAX_LINE_BYTES:
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_LINE_BYTES)
            yield start, b"\0"
        elif _is_whole(line):
            yield start, line
        else:
            stream.seek(start)
            return


def _is_whole(line: bytes) -> bool:
    """Whether a line without an end says all that it was to say: what is cut off is no JSON."""
    try:
        parse_record(line)
    except ValueError:
        return False
    return True


def _tail(stream: BinaryIO, offset: int) -> bytes:
    """What stands before *offset*, where *stream* stands afterwards."""
    start = max(0, offset - _TAIL_BYTES)
    stream.seek(start)
    return stream.read(offset - start)
