"""Which file of a journal holds a session: found by its name, and decided by what it says of itself.

Nothing is remembered between calls: other processes make session files too.
"""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import Final

from . import files
from .event import SessionHeader
from .file_names import slug
from .frontmatter import MAX_FRONTMATTER_BYTES
from .ids import mint
from .session_file import is_torn_header, parse_header, session_in
from .values import dataclass

_MAX_HEAD_BYTES: Final = MAX_FRONTMATTER_BYTES + 1024
_TAIL_BYTES: Final = 1_000_000
_TURN: Final = re.compile(rb"^<!-- mem:\w+ [^\n]*?\bturn=(\d{1,9})\b", re.MULTILINE)
_UUID_START: Final = re.compile(r"[0-9a-f]{8}(?=-[0-9a-f]{4}-)")


@dataclass(frozen=True, slots=True)
class FoundSession:
    """What the file of a session says of it."""

    path: str
    header: SessionHeader
    last_turn: int  # 0 where nobody has asked anything yet


def find_session(root: Path, session: str, *, written: str) -> FoundSession | None:
    """The session with that id, wherever its file stands below *root*; None if there is none.

    *written* is the id as a file has it, without what is hidden.

    Raises:
        StorageError: its file cannot be read.
    """
    for path in _named_as(root, short_session(session)):
        if session_in(_head_of(path) or b"") != written:
            continue
        header, _ = parse_header((_head_of(path) or b"").decode("utf-8", "replace"))
        return FoundSession(path.relative_to(root).as_posix(), header, _last_turn_in(path))
    return None


def _last_turn_in(path: Path) -> int:
    """The highest turn of the last records: a session of days has megabytes of older ones.

    Raises:
        StorageError: the file cannot be read.
    """
    try:
        with files.open_regular(path) as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL_BYTES))
            return max((int(found) for found in _TURN.findall(stream.read())), default=0)
    except OSError as error:
        raise files.as_storage_error(error, path) from error


def session_path(
    root: Path, header: SessionHeader, *, written: str, project: str, is_new: bool = False
) -> Path:
    """The file that says it holds the session, else the first free name on its first day.

    *written* and *project* are its id and its project's name as a file may have them. One that *is_new* is not
    looked for on other days than its first. An empty file counts as free: whoever made it may be
    about to write this very session's header, and if not, ``SessionLog`` finds another session's
    there and asks again.
    """
    short = short_session(header.session)
    name = slug(project) or "session"
    folder = root / "sessions" / f"{header.started:%Y/%m/%d}"
    free: Path | None = None
    for n in itertools.count(1):
        path = folder / (f"{name}--{short}.md" if n == 1 else f"{name}-{n}--{short}.md")
        head = _head_of(path)
        if head is not None and session_in(head) == written:
            return path
        if not head or is_torn_header(head):
            free = free or path
        if head is None:
            break
    for path in () if is_new else _named_as(root, short):
        if session_in(_head_of(path) or b"") == written:
            return path
    assert free is not None
    return free


def short_session(session: str) -> str:
    """A few characters that stand for a session in its file's name."""
    found = _UUID_START.match(session)
    return found.group() if found else mint(f"session:{session}")


def _named_as(root: Path, short: str) -> list[Path]:
    """The session files that end with *short*, the oldest first."""
    end = f"--{short}.md"
    folders = [str(root / "sessions")]
    for _ in range(3):  # years, months, days
        folders = [one.path for folder in folders for one in _listed(folder) if one.is_dir()]
    found = (one.path for folder in folders for one in _listed(folder))
    return [Path(path) for path in sorted(found) if path.endswith(end)]


def _listed(folder: str) -> list[os.DirEntry[str]]:
    """What is in *folder*; nothing where there is none, or none that can be read."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _head_of(path: Path) -> bytes | None:
    """The beginning of a session file, long enough for any header; None if there is no file."""
    try:
        with open(path, "rb") as stream:
            return stream.read(_MAX_HEAD_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise files.as_storage_error(error, path) from error
