"""Work that would keep searches waiting, done by a process of its own that never outlives this one."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from ...journal.errors import LockedError, StorageError

_TETHER: Final = Path(__file__).with_name("tether.py")
_TAIL_BYTES: Final = 2_000
_ENDING_S: Final = 5.0
_STEP_S: Final = 1.0


class BulkWork:
    """One command, run when there is much to do."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def __bool__(self) -> bool:
        return bool(self._command)

    @property
    def pid(self) -> int | None:
        """The process that holds the command on its tether, while it runs."""
        running = self._running
        return running.pid if running else None

    def run(self, *, meanwhile: Callable[[], object] = lambda: None) -> tuple[str, ...]:
        """Run the command to its end, and *meanwhile* once a second; the remarks that it made.

        They are those of a JSON object, as ``mem index --json`` prints it.

        Raises:
            LockedError: another process was writing.
            StorageError: it failed; its last words say why.
        """
        with tempfile.TemporaryFile() as results, tempfile.TemporaryFile() as errors:
            with self._lock:
                if self._is_closed:
                    return ()
                process = self._running = _start(self._command, results, errors)
            try:
                code = _wait(process, meanwhile)
            finally:
                self._running = None
                _let_go(process)
            words = _last_line(errors).removeprefix("mem: ") or f"exit code {code}"
            remarks = _remarks_in(results)
        if code == 0 or self._is_closed:
            return remarks
        if code == LockedError.exit_code:
            raise LockedError(words)
        raise StorageError(f"indexing in a process of its own failed: {words}")

    def close(self) -> None:
        """End the command if it runs; it is not run again."""
        with self._lock:
            self._is_closed = True
            process = self._running
        if process is None:
            return
        _let_go(process)
        try:
            process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            process.kill()


def _start(
    command: Sequence[str], results: IO[bytes], errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    """*command* on its tether; what it prints and complains of goes to *results* and *errors*."""
    argv = [sys.executable, "-I", "-S", "-X", "utf8", str(_TETHER)]  # words come in UTF-8
    try:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=results, stderr=errors)
    except OSError as error:
        raise StorageError(f"no process can be started: {error.strerror}") from error
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # it has ended, and its exit code says how
        process.stdin.write(json.dumps(command).encode() + b"\n")
        process.stdin.flush()
    return process


def _let_go(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe that keeps it alive."""
    with contextlib.suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()


def _last_line(stream: IO[bytes]) -> str:
    stream.seek(max(0, stream.seek(0, os.SEEK_END) - _TAIL_BYTES))
    lines = stream.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def _remarks_in(stream: IO[bytes]) -> tuple[str, ...]:
    stream.seek(0)
    try:
        match json.loads(stream.readline()):
            case {"remarks": list(remarks)}:
                return tuple(map(str, remarks))
    except ValueError:  # it printed something else
        pass
    return ()


def _wait(process: subprocess.Popen[bytes], meanwhile: Callable[[], object]) -> int:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_STEP_S)
        meanwhile()
