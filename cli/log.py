"""Where the details of a failure go: to a file, never to the terminal, and never with a secret.

Writing the log must not fail in turn, for it runs when something already has.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ..journal.errors import MemjournalError
from .context import Context

LOG_FILE: Final = "mem.log"
MAX_BYTES: Final = 1_000_000  # then the older half goes
_CAREFUL: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""A journal from elsewhere may bring a link or a pipe along: neither is followed nor waited for."""


def write_traceback() -> Path:
    """Append the exception that is being handled to the log; the file that it went to."""
    import platform  # 5 ms, which a line of a hook need not pay for
    import traceback

    text = redacted("".join(traceback.format_exc()))
    where = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    record = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S%z} mem, {where}\n{text}\n"
    if (path := _write(record)) is not None:
        return path
    sys.stderr.write(record)  # nowhere to write it: better here than nowhere
    return Path(os.devnull)


def write_line(text: str, *, is_plain: bool = False) -> None:
    """Append *text* to the log, on one line; where no log can be written, nothing is said.

    What *is_plain* has words of ours alone, and is not redacted: that takes longer than it may.
    """
    line = " ".join((text if is_plain else redacted(text)).split())
    _write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S%z} {line}\n")


def _write(record: str) -> Path | None:
    """Append *record* to the first log that takes it; None if none does."""
    for path in log_paths():
        try:
            append_record(path, record)
        except (OSError, MemjournalError):
            continue
        return path
    return None


def log_paths() -> Iterator[Path]:
    """Where the log may be, the preferred place first: the journal's, then the user's."""
    if (folder := _index_folder()) is not None:
        yield folder / LOG_FILE
    from .user_folders import log_folder

    yield log_folder() / LOG_FILE


def read_log_tail(path: Path, *, n_lines: int) -> list[str]:
    """The last lines of the log; none when there is none.

    Raises:
        StorageError, CannotCreateError: it cannot be read, or something is there that is no log.
    """
    from ..journal.errors import StorageError
    from ..journal.files import as_storage_error, open_regular
    from ..journal.obstacle import kind_at

    try:
        with open_regular(path) as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - MAX_BYTES))
            text = stream.read().decode("utf-8", "replace")
    except OSError as error:
        if (kind := kind_at(path)) not in ("", "a file"):
            what = f"it is {kind}, and no log"
            raise StorageError(what, where=str(path), mend="remove it") from error
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return []
        raise as_storage_error(error, path) from error
    return text.splitlines()[-n_lines:]


def _index_folder() -> Path | None:
    with contextlib.suppress(Exception):  # no journal, or the very failure that is to be logged
        return Context.latest.index_folder if Context.latest else None
    return None


def redacted(text: str) -> str:
    """*text* as it may be written into a log."""
    from ..journal.redaction import Redactor

    with contextlib.suppress(Exception):  # broken settings; the built-in rules remain
        if Context.latest is not None:
            return Context.latest.redactor.redact(text).text
    return Redactor().redact(text).text


def append_record(path: Path, record: str) -> None:
    """Add *record* to the log at *path*, of which the older half goes when it is long.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        if path.lstat().st_size > MAX_BYTES:
            from ..journal.files import replace

            replace(path, path.read_bytes()[-MAX_BYTES // 2 :])
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _CAREFUL, 0o600)
    with open(fd, "a", encoding="utf-8", errors="backslashreplace", newline="") as stream:
        if not stat.S_ISREG(os.fstat(fd).st_mode):  # what a device takes is nowhere
            raise FileExistsError(errno.EEXIST, "something else is in its place", str(path))
        stream.write(record)
