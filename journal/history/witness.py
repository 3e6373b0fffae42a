"""Which commits this machine has seen a journal's history stand at: kept outside of the journal.

A history that is rewritten everywhere contradicts at least what somebody remembers of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from .. import files
from ..errors import NotFoundError

_NAME: Final = "heads"
_MOST_LINES: Final = 200
_KEPT_LINES: Final = 100
_TIMEOUT_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A commit at which the history stood, and when that was noted."""

    at: datetime
    commit: str


def note_head(folder: Path, commit: str, at: datetime) -> None:
    """Remember that the history stood at *commit*.

    Raises:
        LockedError, StorageError, CannotCreateError: it cannot be kept.
    """
    path = folder / _NAME
    with files.locked(path, timeout_s=_TIMEOUT_S) as fd:
        seen = _parse(files.read(path))
        if seen and seen[-1].commit == commit:
            return
        line = _render([Seen(at, commit)])
        if len(seen) < _MOST_LINES:
            files.append(fd, line, path, durable=False)
        else:
            files.replace(path, _render(seen[-_KEPT_LINES:]) + line)


def seen_heads(folder: Path) -> list[Seen]:
    """What is remembered, the oldest first; nothing where nothing is.

    Raises:
        StorageError: it cannot be read.
    """
    try:
        return _parse(files.read(folder / _NAME))
    except NotFoundError:
        return []


def rewrite(folder: Path, commits: Mapping[str, str]) -> None:
    """Remember, of commits that were rewritten on purpose, what became of them; "" is nothing.

    Raises:
        StorageError, CannotCreateError: it cannot be kept.
    """
    seen = [Seen(one.at, commits.get(one.commit, one.commit)) for one in seen_heads(folder)]
    if seen:
        files.replace(folder / _NAME, _render([one for one in seen if one.commit]))


def _render(seen: list[Seen]) -> bytes:
    return "".join(f"{one.at.isoformat()} {one.commit}\n" for one in seen).encode()


def _parse(data: bytes) -> list[Seen]:
    """The lines that are whole and mean something."""
    seen: list[Seen] = []
    for line in data.decode("ascii", "replace").splitlines():
        at, _, commit = line.partition(" ")
        try:
            seen.append(Seen(datetime.fromisoformat(at), commit))
        except ValueError:
            continue
    return seen
