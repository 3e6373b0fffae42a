"""A process that dies, by ``SIGKILL``, at the n-th point where bytes are about to last, or have come to.

Such points are found from outside, without a line in the program for it: before and after each
``COMMIT`` of SQLite, rename, fsync, removal and cutting, before each file is opened for writing, and
in the middle of each write. A killed process keeps what it gave to the system, so this is the end of
a process at any moment, not the end of a machine's power.

The process has everything imported and forks for each request, which makes a death cost milliseconds.
It gives up the right to pass over file modes, so that what may not be read cannot be read.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import TracebackType
from typing import Any, Literal, Self

from memjournal.indexer.index import JournalIndex
from memjournal.indexer.options import IndexOptions
from memjournal.journal.entry import Entry, EntryId
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

Act = Literal["update", "rebuild", "prove", "add", "say", "forget"]
STARTED = datetime(2026, 11, 30, 9, 12, 4, tzinfo=UTC)
WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the process is to do, and when it is to die."""

    act: Act
    root: str
    options: dict[str, Any]
    kill_at: int = 0  # the number of the point, from 1; 0 is never
    now_ns: int = 0
    only: list[str] | None = None  # update: the paths of a hint
    texts: list[str] = field(default_factory=list)  # add: title, body; say; forget: ids
    session: str = ""
    number: int = 0  # tells what is written from what was written before


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How far the process came."""

    met: list[str]  # the points, in their order
    is_killed: bool
    result: Any = None  # what it acknowledged
    error: str = ""  # what it ended with else


def can_give_up_rights() -> bool:
    """Whether the process can be one whom file modes stop."""
    if os.geteuid() != 0:
        return True
    return shutil.which(WITHOUT_RIGHTS[0]) is not None and (
        subprocess.run([*WITHOUT_RIGHTS, "true"], check=False).returncode == 0
    )


class Crashing:
    """The process, for tests."""

    def __init__(self) -> None:
        prefix = WITHOUT_RIGHTS if os.geteuid() == 0 and can_give_up_rights() else ()
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-P", "-W", "ignore", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"},
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._process.communicate()

    def run(self, act: Act, root: Path, options: IndexOptions, **more: Any) -> Outcome:
        """Let the process do this, to its end or to its death."""
        assert self._process.stdin is not None and self._process.stdout is not None
        request = Request(act=act, root=str(root), options=asdict(options), **more)
        print(json.dumps(asdict(request)), file=self._process.stdin, flush=True)
        return Outcome(**json.loads(self._process.stdout.readline()))


# --- the process itself -------------------------------------------------------------------------


def serve(requests: Iterable[str]) -> None:
    """Answer each request with how it went."""
    package = import_module("memjournal.indexer")
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)  # so that each fork has it
    for line in requests:
        request = Request(**json.loads(line))
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _live(request, writing)
        os.close(writing)
        with open(reading, encoding="utf-8") as stream:
            said = [json.loads(one) for one in stream]
        _, status = os.waitpid(child, 0)
        last = said.pop() if said and isinstance(said[-1], dict) else {}
        is_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(json.dumps(asdict(Outcome(met=said, is_killed=is_killed, **last))), flush=True)


def _live(request: Request, out: int) -> None:
    """Do what is asked, and say on *out* what was met and what was acknowledged; never returns."""
    say = os.write  # as it is before it is watched
    n_met = 0

    def meet(what: str) -> bool:
        """Count a point; whether it is the last."""
        nonlocal n_met
        n_met += 1
        say(out, f"{json.dumps(what)}\n".encode())
        return n_met == request.kill_at

    _watch(Path(request.root), meet)
    try:
        last = {"result": _ACTS[request.act](request)}
    except Exception as error:  # noqa: BLE001  # told to the test, whatever it is
        last = {"error": f"{type(error).__name__}: {error}"}
    say(out, f"{json.dumps(last)}\n".encode())
    os._exit(0)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()


def _watch(root: Path, meet: Callable[[str], bool]) -> None:
    """Let *meet* be asked at each point from now on, and end the process where it says so."""

    def point(what: str) -> None:
        if meet(what):
            _die()

    for name in ("rename", "replace", "fsync", "unlink", "remove", "ftruncate", "rmdir"):
        setattr(os, name, _around(name, getattr(os, name), point))
    os.write = _in_the_middle(os.write, meet)
    sqlite3.connect = _watched_connect(sqlite3.connect, point)

    def opened(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, bytes)):
            path, flags = os.fsdecode(arguments[0]), arguments[2]
            if flags & (os.O_WRONLY | os.O_RDWR) and path.startswith(str(root)):
                point("before open")

    sys.addaudithook(opened)


def _around(
    name: str, whole: Callable[..., Any], point: Callable[[str], None]
) -> Callable[..., Any]:
    def watched(*arguments: Any, **more: Any) -> Any:
        point(f"before {name}")
        returned = whole(*arguments, **more)
        point(f"after {name}")
        return returned

    return watched


def _in_the_middle(
    write: Callable[[int, Any], int], meet: Callable[[str], bool]
) -> Callable[[int, Any], int]:
    def watched(fd: int, data: Any) -> int:
        if stat.S_ISREG(os.fstat(fd).st_mode) and meet("within write"):
            write(fd, memoryview(data)[: len(data) // 2])
            _die()
        return write(fd, data)

    return watched


def _watched_connect(
    connect: Callable[..., sqlite3.Connection], point: Callable[[str], None]
) -> Any:
    class Watched(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql != "COMMIT":
                return super().execute(sql, *values)
            point("before commit")
            cursor = super().execute(sql)
            point("after commit")
            return cursor

    return lambda *arguments, **more: connect(*arguments, **more, factory=Watched)


# --- what it can be asked for -------------------------------------------------------------------


def _index(request: Request) -> JournalIndex:
    root = Path(request.root)
    return JournalIndex(root, root / "index", IndexOptions(**request.options))


def _journal(request: Request) -> Journal:
    return Journal(Path(request.root), redactor=Redactor())


def _update(request: Request) -> list[str]:
    more: dict[str, Any] = {} if request.only is None else {"only": request.only}
    return _index(request).update(now_ns=request.now_ns, **more).remarks


def _rebuild(request: Request) -> list[str]:
    return _index(request).rebuild(now_ns=request.now_ns).remarks


def _prove(request: Request) -> None:
    _index(request).prove(now_ns=request.now_ns)


def _add(request: Request) -> str:
    title, body = request.texts
    entry = Entry(
        id=EntryId("000000"),
        kind="fact",
        type="note",
        title=title,
        body=body,
        created=STARTED + timedelta(minutes=request.number),
        project="github.com/acme/shop",
    )
    return str(_journal(request).create(entry).entry.id)


def _say(request: Request) -> Sequence[str]:
    header = SessionHeader(
        session=request.session,
        project="github.com/acme/shop",
        agent="claude-code",
        started=STARTED,
    )
    events = [
        Event(
            keys=(f"{request.session}-child-{request.number}-{place}",),
            type="user_prompt",
            at=STARTED + timedelta(seconds=request.number),
            text=text,
            turn=1,
        )
        for place, text in enumerate(request.texts)
    ]
    return _journal(request).open_session(header).append(events).ids


def _forget(request: Request) -> None:
    index = _index(request)
    with contextlib.closing(index.read_catalog()) as catalog:
        rows = [row for entry_id in request.texts for row in catalog.by_id(entry_id)]
    _journal(request).forget([found for row in rows if (found := index.read(row))])


_ACTS: dict[Act, Callable[[Request], Any]] = {
    "update": _update,
    "rebuild": _rebuild,
    "prove": _prove,
    "add": _add,
    "say": _say,
    "forget": _forget,
}


if __name__ == "__main__":
    serve(sys.stdin)
