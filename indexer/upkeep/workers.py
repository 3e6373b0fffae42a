"""Processes that help when there is much to index: each does one task after the other, in step.

Reading, analysis and embedding are Python's own work and hold its lock, so that threads do not help.
The workers are started from a module of ours and not by ``multiprocessing``, which would import the
program that called us once more in each of them.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar

if TYPE_CHECKING:
    import subprocess
    from concurrent.futures import Future, ThreadPoolExecutor

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD: Final = 2  # tasks a worker has waiting, so that it need not wait for us
_SIZE_BYTES: Final = 8
_ENDING_S: Final = 5.0


class WorkerLostError(Exception):
    """A worker ended in the middle of a task: it was killed, or a task brought it down."""


class Workers:
    """*count* processes, started when they are first needed; with one or none, all is done here.

    Use it from one thread, and close it.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._executor: ThreadPoolExecutor | None = None
        self._own = threading.local()  # each thread has one process
        self._processes: list[subprocess.Popen[bytes]] = []

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """What *function*, which a module must define, returns for each of *tasks*, in their order.

        *tasks* are taken as they are needed, a few ahead.

        Raises:
            WorkerLostError: a worker ended; call again, and there is a new one.
            Exception: whatever *function* raised.
        """
        if self.count < 2:
            yield from map(function, tasks)
            return
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor  # nearly every command starts nothing

            self._executor = ThreadPoolExecutor(self.count, "worker")
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(self._executor.submit(self._ask, function, task))
                if len(waiting) > _AHEAD * self.count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        """End the processes; what they are doing is not waited for."""
        for process in self._processes:
            process.kill()
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)
        for process in self._processes:
            _end(process)
        self._processes.clear()
        self._executor = None

    def _ask(self, function: Callable[[Task], Result], task: Task) -> Result:
        process: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if process is None:
            process = self._own.process = self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            _send(process.stdin, (function, task))
            is_done, result = _receive(process.stdout)
        except (OSError, EOFError) as error:
            self._own.process = None
            _end(process)
            raise WorkerLostError(f"a worker ended with {process.returncode}") from error
        if not is_done:
            raise result
        return result  # type: ignore[no-any-return]  # a pickle has no type

    def _start(self) -> subprocess.Popen[bytes]:
        import subprocess

        process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"{__package__}.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._processes.append(process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    from subprocess import TimeoutExpired

    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    try:
        process.wait(_ENDING_S)
    except TimeoutExpired:
        process.kill()
        process.wait()


def _send(stream: BinaryIO | Any, value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(_SIZE_BYTES, "little"))
    stream.write(data)
    stream.flush()


def _receive(stream: BinaryIO | Any) -> Any:
    size = stream.read(_SIZE_BYTES)
    if len(size) < _SIZE_BYTES:
        raise EOFError
    n_bytes = int.from_bytes(size, "little")
    data = stream.read(n_bytes)
    if len(data) < n_bytes:
        raise EOFError
    return pickle.loads(data)


def serve(stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Do the tasks that come in, one after the other, until no more can come."""
    while True:
        try:
            function, task = _receive(stdin)
        except EOFError:
            return
        try:
            answer: tuple[bool, object] = (True, function(task))
        except Exception as error:  # noqa: BLE001  # it is raised where the task came from
            answer = (False, error)
        try:
            _send(stdout, answer)
        except BrokenPipeError:  # whoever asked is gone
            return
