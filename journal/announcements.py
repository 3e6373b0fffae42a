"""What a machine tells the others of memories that were taken away: in ``ledger/<machine>/forgotten.jsonl``.

A file that is gone, or a record that is cut, says nothing of why. An announcement does: by it a merge
knows that an edit on another machine must not bring the memory back, and an audit that nobody tampered.
Lines hold ids alone, are only ever added, and each machine writes its own file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from . import files
from .errors import MemjournalError
from .ids import is_id

Announced = Literal["forgot", "restored", "purged"]

FOLDER: Final = "ledger"
FILE_NAME: Final = "forgotten.jsonl"
_IDS_IN_A_LINE: Final = 500


@dataclass(frozen=True, slots=True)
class Announcements:
    """What all machines have told."""

    forgotten: frozenset[str] = frozenset()  # and not restored since
    purged: tuple[tuple[str, ...], ...] = ()  # in the order in which they were, each sorted
    ever_forgotten: frozenset[str] = frozenset()  # whether restored since or not
    ever_restored: frozenset[str] = frozenset()
    n_bad: int = 0  # lines that are none

    @property
    def all_purged(self) -> frozenset[str]:
        """Every id that was taken out of the history."""
        return frozenset(one for group in self.purged for one in group)


@dataclass(frozen=True, slots=True)
class _Line:
    kind: Announced
    at: datetime
    ids: tuple[str, ...]


def announce(
    root: Path,
    *,
    machine: str,
    kind: Announced,
    ids: Sequence[str],
    at: datetime,
    lock_timeout_s: float,
) -> str:
    """Tell the others, for good when this returns; the path of the file, relative to *root*.

    Raises:
        LockedError: another process kept the file for too long.
        StorageError, CannotCreateError: the disk refused; the file ends where it ended before.
    """
    path = f"{FOLDER}/{machine}/{FILE_NAME}"
    lines = b""
    for start in range(0, len(ids), _IDS_IN_A_LINE):
        some = list(ids[start : start + _IDS_IN_A_LINE])
        told = {"kind": kind, "at": at.isoformat(), "ids": some}
        lines += json.dumps(told, separators=(",", ":")).encode() + b"\n"
    with files.locked(root / path, timeout_s=lock_timeout_s) as fd:
        size = os.fstat(fd).st_size
        if size and os.pread(fd, 1, size - 1) != b"\n":
            lines = b"\n" + lines  # what was torn is ended first
        files.append(fd, lines, root / path)
    files.sync_folder((root / path).parent)
    return path


def announcements_on_disk(root: Path) -> Announcements:
    """What is told in the files of the journal at *root*; a file that cannot be read tells nothing."""
    found: list[bytes] = []
    for path in sorted((root / FOLDER).glob(f"*/{FILE_NAME}")):
        try:
            found.append(files.read(path))
        except MemjournalError:
            continue
    return read_announcements(found)


def read_announcements(contents: Iterable[bytes]) -> Announcements:
    """What the files with these *contents* tell together; the order of the files does not matter."""
    lines: list[_Line] = []
    n_bad = 0
    for content in contents:
        for raw in filter(None, content.split(b"\n")):
            line = _parse(raw)
            if line is None:
                n_bad += 1
            else:
                lines.append(line)
    last: dict[str, _Line] = {}
    for line in sorted(lines, key=_order):
        last.update(dict.fromkeys(line.ids, line))
    purged = {(line.at, line.ids) for line in lines if line.kind == "purged"}
    return Announcements(
        forgotten=frozenset(one for one, line in last.items() if line.kind != "restored"),
        purged=tuple(ids for _, ids in sorted(purged)),
        ever_forgotten=_ids_told(lines, "forgot", "purged"),
        ever_restored=_ids_told(lines, "restored"),
        n_bad=n_bad,
    )


def _ids_told(lines: Iterable[_Line], *kinds: Announced) -> frozenset[str]:
    return frozenset(one for line in lines if line.kind in kinds for one in line.ids)


def _order(line: _Line) -> tuple[datetime, bool, tuple[str, ...]]:
    """By time; of what was told at the same moment, that it is forgotten counts."""
    return line.at, line.kind != "restored", line.ids


def _parse(raw: bytes) -> _Line | None:
    try:
        found = json.loads(raw)
    except ValueError:
        return None
    match found:
        case {"kind": "forgot" | "restored" | "purged" as kind, "at": str(at), "ids": list(ids)}:
            try:
                moment = datetime.fromisoformat(at)
            except ValueError:
                return None
            if moment.tzinfo is None or not all(isinstance(one, str) and is_id(one) for one in ids):
                return None
            return _Line(kind, moment.astimezone(UTC), tuple(sorted(ids)))
    return None
