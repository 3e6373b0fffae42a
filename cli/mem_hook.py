"""The entry point of ``mem-hook AGENT EVENT``: what assistants run, with a payload on stdin.

It prints what the assistant is to read and nothing else, and its exit code is 0 whatever happens, for any
other would be shown, or stop the assistant. What went wrong stands in the log. It never takes longer
than its budget: a signal ends the work then, except where it would tear a record that is being written.

``MEMJOURNAL_HOOKS=off`` in the environment turns it off, for a session that is itself run by a hook.
"""

from __future__ import annotations

import os
import sys
import time

from ..hooks import thin
from .version import VERSION

TYPE_CHECKING = False  # `typing` loads `re`: 9 ms, as much as Python itself
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType
    from typing import NoReturn

BUDGET_VARIABLE = "MEMJOURNAL_HOOK_BUDGET_S"
_BUDGET_S = 2.5
_LAST_BUDGET_S = 1.1  # an assistant that ends kills its hooks after 1.5 s, their start included
_LAST = "end"  # how every assistant calls it: SessionEnd, session_end, session-end
_MAX_BUDGET_S = 600.0
_STDIN_SHARE = 0.5  # of the budget: then what has come is taken for the whole
_DAEMON_SHARE = 0.6  # then it is done without it
_LOGGING_S = 0.2  # after the budget, for the line in the log
_APPENDING_S = 0.01  # an append takes so long at most, unless the disk hangs
_CHUNK_BYTES = 1 << 20
_NAME_CHARS = 40  # of an event, in the log
_STD = (0, 1, 2)


class OutOfTimeError(BaseException):
    """The budget is used up, or somebody wants this process to end; *is_alarm* says which."""

    def __init__(self, *, is_alarm: bool) -> None:
        super().__init__()
        self.is_alarm = is_alarm


def main() -> NoReturn:
    """Run ``mem-hook``; the process ends in here, with 0."""
    try:
        _Process().run(sys.argv[1:])
    finally:  # whatever it is: none of it may reach the assistant
        os._exit(0)  # without Python's own way to end, which takes 2 ms and may complain


def run(
    arguments: list[str],
    *,
    read: Callable[[float], bytes],
    write: Callable[[str], None],
    environ: Mapping[str, str],
    started: float,
) -> None:
    """What ``mem-hook`` does with *arguments*; failures go to the log.

    *read* gives the payload, of what has come by a time of ``time.monotonic``; *started* is one.
    """
    budget_s = budget_of(arguments[1] if len(arguments) > 1 else "", environ)
    try:
        payload = read(started + budget_s * _STDIN_SHARE)
        if environ.get(thin.MODE_VARIABLE, "").lower() == "off":
            return
        _run(arguments, payload, write, environ, started=started, budget_s=budget_s)
    except OutOfTimeError as error:
        from .log import write_line

        what = f"out of time after {budget_s:g} s" if error.is_alarm else "ended by a signal"
        write_line(f"hook: {what}", is_plain=True)  # there is no time for more
    except Exception as error:  # noqa: BLE001  # the top of the process
        _report_failure(arguments, error)


def _run(
    arguments: list[str],
    payload: bytes,
    write: Callable[[str], None],
    environ: Mapping[str, str],
    *,
    started: float,
    budget_s: float,
) -> None:
    if len(arguments) != 2:
        _report("usage: mem-hook AGENT EVENT, with a payload on stdin")
        return
    agent, event = arguments
    if len(payload) > thin.MAX_PAYLOAD_BYTES:
        size = f"{thin.MAX_PAYLOAD_BYTES:,}"
        _report(f"{event[:_NAME_CHARS]}: a payload of more than {size} bytes is left out")
        return
    given = thin.passed_on(environ)
    deadline = started + budget_s * _DAEMON_SHARE
    try:
        answer = _ask(agent, event, payload, given, environ, deadline=deadline)
    except thin.NoAnswerError as error:
        why = error
    else:
        write(answer)
        return
    if not isinstance(why, thin.NoDaemonError) and not why.is_other:
        _report(f"{event[:_NAME_CHARS]}: {why}; done without it")
    import gc

    gc.disable()  # what is loaded now stays to the end: looking through it again and again takes 4 ms
    from .hook_alone import Alone

    alone = Alone(deadline=started + budget_s, report=_report)
    write(alone.handle(agent, event, payload, given, is_other=why.is_other))
    alone.leave_daemon()


def _ask(
    agent: str,
    event: str,
    payload: bytes,
    given: Mapping[str, str],
    environ: Mapping[str, str],
    *,
    deadline: float,
) -> str:
    """What the daemon answers; "" where there is no journal.

    Raises:
        NoAnswerError: it does not. What is in the way of a journal is said by whoever looks for it next.
    """
    try:
        root = thin.find_journal(environ, _cwd())
    except thin.PlaceError as error:
        raise thin.NoDaemonError("no journal that it could be of") from error
    if not root:
        return ""
    return thin.ask(
        run_folder(environ),
        root,
        version=VERSION,
        agent=agent,
        event=event,
        payload=payload,
        environ=given,
        deadline=deadline,
    )


def budget_of(event: str, environ: Mapping[str, str]) -> float:
    """Seconds that a hook of *event* may take in all."""
    try:
        wanted = float(environ.get(BUDGET_VARIABLE, ""))
    except ValueError:
        wanted = 0.0
    if wanted > 0.0:
        return min(wanted, _MAX_BUDGET_S)
    return _LAST_BUDGET_S if event.lower().endswith(_LAST) else _BUDGET_S


def run_folder(environ: Mapping[str, str]) -> str:
    """The folder of the daemon's socket, as ``daemon_link.place_of`` has it."""
    if sys.platform in ("win32", "darwin"):
        from .user_folders import state_folder

        return os.path.join(state_folder(), "run")
    named = environ.get("XDG_STATE_HOME", "")  # by hand, as loading that module costs 12 ms
    base = named if os.path.isabs(named) else os.path.expanduser("~/.local/state")
    return os.path.join(base, "memjournal", "run")


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is gone: only the user's own journal can be meant
        return ""


def _report(what: str) -> None:
    from .log import write_line

    write_line(f"hook: {what}")


def _report_failure(arguments: list[str], error: Exception) -> None:
    from ..journal.errors import MemjournalError

    if isinstance(error, MemjournalError):
        _report(f"{arguments[-1][:_NAME_CHARS]}: {error}")
    else:  # a bug: the traceback says where
        from .log import write_traceback

        write_traceback()


class _Process:
    """What surrounds a run: three open files, a limit of time, and nothing printed by chance."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._is_ending = False
        self._out = -1

    def run(self, arguments: list[str]) -> None:
        _open_std()
        self._limit(budget_of(arguments[1] if len(arguments) > 1 else "", os.environ))
        self._out = os.dup(1)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        run(
            arguments,
            read=_read_stdin,
            write=self._write,
            environ=os.environ,
            started=self._started,
        )

    def _write(self, text: str) -> None:
        left = memoryview(text.encode("utf-8", "replace"))
        try:
            while left:
                left = left[os.write(self._out, left) :]
            os.close(self._out)  # whoever reads to the end need not wait for ours
        except OSError:
            pass  # nobody reads it

    def _limit(self, budget_s: float) -> None:
        """End this process when its time is up, or when it is told to."""
        import _signal as signal  # type: ignore[import-not-found]  # `signal` loads `enum`, 4 ms

        if not hasattr(signal, "setitimer"):
            import _thread

            _thread.start_new_thread(_end_in, (budget_s + _LOGGING_S,))
            return
        for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        signal.setitimer(signal.ITIMER_REAL, budget_s, _LOGGING_S)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """Leave off what is being done; the second time, the process.

        Signals are handled between two steps of Python, and the system does not break off a write to
        a file for one that is handled: so it is known here whether a record is half written.
        """
        import _signal as signal  # pyright: ignore[reportMissingImports]

        if _is_appending(frame):
            signal.setitimer(signal.ITIMER_REAL, _APPENDING_S, _APPENDING_S)
            return
        if self._is_ending:
            os._exit(0)
        self._is_ending = True
        signal.setitimer(signal.ITIMER_REAL, _LOGGING_S, _LOGGING_S)
        raise OutOfTimeError(is_alarm=number == signal.SIGALRM)


def _is_appending(frame: FrameType | None) -> bool:
    """Whether *frame* or one that called it is in the middle of writing a file."""
    files = sys.modules.get("memjournal.journal.files")
    if files is None:
        return False
    writers = (files.append.__code__, files.replace.__code__)
    while frame is not None:
        if frame.f_code in writers:
            return True
        frame = frame.f_back
    return False


def _end_in(seconds: float) -> None:
    time.sleep(seconds)
    os._exit(0)


def _open_std() -> None:
    """Give what was closed a place to go, or the next file that is opened would take its number."""
    for number in _STD:
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _read_stdin(until: float) -> bytes:
    """What comes on stdin until its end, or until *until*."""
    chunks: list[bytes] = []
    size = 0
    try:
        while _has_come(until) and (chunk := os.read(0, _CHUNK_BYTES)):
            size += len(chunk)
            if size <= thin.MAX_PAYLOAD_BYTES + _CHUNK_BYTES:  # the rest is read, and not kept
                chunks.append(chunk)
    except OSError:  # a folder, or what cannot be read
        pass
    return b"".join(chunks)


def _has_come(until: float) -> bool:
    """Whether something can be read without waiting longer than *until*; on Windows it cannot be told."""
    if os.name == "nt":
        return True
    from select import select

    left = until - time.monotonic()
    return left > 0 and bool(select([0], [], [], left)[0])
