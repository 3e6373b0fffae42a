"""Commands that can be killed: ``mem`` as a process of its own, or forked from this one.

A fork has everything imported, so that a random moment falls into the work and not into the start. What
a command prints is read through a pipe: as long as anybody that it has started holds the other end, the
pipe is open, so that a process that was left behind is noticed.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Final, NoReturn

MEM: Final = (sys.executable, "-P", "-m", "memjournal.cli")
_TICK_S: Final = 0.05
_ORPHANS_S: Final = 60.0  # after a death, for those that it had started to end
_FOLDERS: Final = ("journal", "indexer", "hooks", "cli")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int  # negative: the signal
    out: str
    err: str
    wall_s: float
    has_left_others: bool = False  # processes that it had started, and that live on

    @property
    def is_killed(self) -> bool:
        return self.code == -signal.SIGKILL


@dataclass(frozen=True, slots=True)
class Mortals:
    """``mem`` in a home of its own."""

    cwd: Path
    environ: Mapping[str, str]

    def prepare(self) -> None:
        """Import all that there is, so that forks have it."""
        for folder in _FOLDERS:
            package = import_module(f"memjournal.{folder}")
            for module in walk_packages(package.__path__, f"{package.__name__}."):
                if not module.name.endswith("__main__"):
                    import_module(module.name)

    def run(
        self,
        *arguments: str,
        kill_after_s: float | None = None,
        own_process: bool = False,
        meanwhile: Callable[[], None] | None = None,
    ) -> Ended:
        """Run ``mem`` to its end, or to its death; *meanwhile* is done again and again."""
        if own_process:
            return self._follow(
                lambda errors: self._start(arguments, errors), kill_after_s, meanwhile
            )
        from memjournal.cli.app import main

        return self.do(lambda: main(list(arguments)), kill_after_s, meanwhile)

    def do(
        self,
        act: Callable[[], int],
        kill_after_s: float | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> Ended:
        """Do this in a child, to its end or to its death."""
        return self._follow(lambda errors: self._fork(act, errors), kill_after_s, meanwhile)

    def _follow(
        self,
        start: Callable[[int], tuple[int, int]],
        kill_after_s: float | None,
        meanwhile: Callable[[], None] | None,
    ) -> Ended:
        started_at = time.perf_counter()
        with tempfile.TemporaryFile() as errors:
            pid, out = start(errors.fileno())
            said = b""
            while meanwhile and kill_after_s and time.perf_counter() - started_at < kill_after_s:
                said += _read_until(out, _TICK_S)
                meanwhile()
            if kill_after_s is None:
                said += _read_until(out, None)
                is_open = False
            else:
                said += _read_until(out, kill_after_s - (time.perf_counter() - started_at))
                os.kill(pid, signal.SIGKILL)  # harmless where it has ended: nobody waited for it
                said += _read_until(out, _ORPHANS_S)
                is_open = not select.select([out], [], [], 0)[0]
            os.close(out)
            _, status = os.waitpid(pid, 0)
            errors.seek(0)
            return Ended(
                os.waitstatus_to_exitcode(status),
                said.decode("utf-8", "replace"),
                errors.read().decode("utf-8", "replace"),
                time.perf_counter() - started_at,
                has_left_others=is_open,
            )

    def _start(self, arguments: Sequence[str], errors: int) -> tuple[int, int]:
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [*MEM, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=errors,
            env=self.environ,
            cwd=self.cwd,
        )
        os.close(writing)
        process.returncode = 0  # it is waited for here, not by the object
        return process.pid, reading

    def _fork(self, act: Callable[[], int], errors: int) -> tuple[int, int]:
        reading, writing = os.pipe()
        if child := os.fork():
            os.close(writing)
            return child, reading
        self._become(act, writing, errors)

    def _become(self, act: Callable[[], int], out: int, errors: int) -> NoReturn:
        code = 70
        try:
            for fd, target in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (errors, 2)):
                os.dup2(fd, target)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # kept open
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            os.environ.clear()
            os.environ.update(self.environ)
            os.chdir(self.cwd)
            code = act()
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:  # noqa: BLE001  # the end of a process
            traceback.print_exc()
        finally:
            os._exit(code)


def _read_until(fd: int, seconds: float | None) -> bytes:
    """What comes out of *fd* until it is closed, or for so long."""
    said = b""
    deadline = None if seconds is None else time.monotonic() + seconds
    while True:
        left_s = None if deadline is None else max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select([fd], [], [], left_s)
        if not ready:
            return said
        data = os.read(fd, 65536)
        if not data:
            return said
        said += data
