"""A home with a journal, `mem-hook` run in it as assistants do, and daemons that behave oddly."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from memjournal.cli.version import VERSION
from memjournal.hooks.thin import PROTOCOL
from memjournal.indexer.daemon.place import DaemonPlace, DaemonState
from memjournal.indexer.daemon.transport import listen
from memjournal.journal.session_file import parse_header, record_keys, scan

from ..journeys.conftest import World

HOOK = (sys.executable, "-P", "-c", "from memjournal.cli.mem_hook import main; main()")
NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}  # on a full disk, Python would leave half of it
CONTEXT_EVENTS = ("SessionStart", "UserPromptSubmit")
MAX_CONTEXT_UNITS = 10_000  # UTF-16, per string


@dataclass(frozen=True)
class HookRan:
    """What a hook left."""

    code: int
    out: bytes
    err: bytes


@dataclass(frozen=True)
class Hooked:
    """A world whose assistant has hooks."""

    world: World

    @property
    def run_folder(self) -> Path:
        return Path(self.world.environ["XDG_STATE_HOME"]) / "memjournal" / "run"

    @property
    def place(self) -> DaemonPlace:
        return DaemonPlace(self.run_folder, self.world.journal)

    def start(
        self, *words: str, environ: Mapping[str, str] | None = None, **options: object
    ) -> subprocess.Popen[bytes]:
        """A hook that runs, with pipes to it."""
        given = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            (*HOOK, *words),
            env={**self.world.environ, **(environ or {})},
            cwd=self.world.home,
            **{**given, **options},  # type: ignore[call-overload]  # passed on as they are
        )

    def run(
        self,
        event: str,
        payload: bytes | Mapping[str, object],
        *,
        agent: str = "claude-code",
        environ: Mapping[str, str] | None = None,
        **options: object,
    ) -> HookRan:
        """A hook from its start to its end."""
        given = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        with self.start(agent, event, environ=environ, **options) as process:
            out, err = process.communicate(given, timeout=60)
        return HookRan(process.returncode, out or b"", err or b"")

    def ok(self, event: str, payload: bytes | Mapping[str, object], **options: object) -> bytes:
        """What a hook printed that ended as every hook must."""
        ran = self.run(event, payload, **options)  # type: ignore[arg-type]  # passed on as they are
        assert (ran.code, ran.err) == (0, b"")
        check_output(event, ran.out.decode())
        return ran.out

    @property
    def log(self) -> str:
        """What the logs say."""
        paths = (
            self.world.journal / "index" / "mem.log",
            self.run_folder.parent / "log" / "mem.log",
        )
        return "".join(path.read_text("utf-8") for path in paths if path.exists())

    def keys(self) -> list[str]:
        """The keys of everything that was stored; nothing is torn."""
        return [key for path in self.sessions() for key in whole_keys(path)]

    def sessions(self) -> list[Path]:
        return sorted((self.world.journal / "sessions").rglob("*.md"))


def whole_keys(path: Path) -> list[str]:
    """The keys of the records in a session's file, each of which is whole."""
    with open(path, "rb") as stream:
        parts = list(scan(stream))
    assert {part.kind for part in parts} <= {"head", "event"}
    assert not parts or parse_header(parts[0].raw.decode())[1] == ""
    return [key for part in parts if part.kind == "event" for key in record_keys(part.raw)]


def check_output(event: str, text: str) -> None:
    """Whether Claude Code takes *text* of a hook of *event* as it is meant."""
    if not text:
        return
    answer = json.loads(text)
    assert set(answer) == {"hookSpecificOutput"}
    told = answer["hookSpecificOutput"]
    assert set(told) == {"hookEventName", "additionalContext"}
    assert told["hookEventName"] == event
    assert event in CONTEXT_EVENTS
    context = told["additionalContext"]
    assert isinstance(context, str)
    assert len(context.encode("utf-16-le")) // 2 <= MAX_CONTEXT_UNITS


def failure(
    number: int, *, session: str = "0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11"
) -> dict[str, object]:
    """The payload of a command that failed, the *number*-th."""
    return {
        "session_id": session,
        "cwd": "/srv/shop",
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": f"pytest -k 환불_{number}"},
        "tool_use_id": f"toolu_{number:024d}",
        "error": "Exit code 1\n실패: 1 failed",
        "is_interrupt": False,
    }


def key_of(number: int) -> str:
    return f"toolu_{number:024d}"


@dataclass
class OddDaemon:
    """Something that listens where a daemon does, and answers each request in its own way."""

    behave: Callable[[socket.socket], None]
    requests: list[bytes] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._attend, args=(connection,), daemon=True).start()

    def _attend(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            line = connection.makefile("rb").readline()
            if json.loads(line)["method"] == "hook":
                self.requests.append(line)
            self.behave(connection)


@contextlib.contextmanager
def odd_daemon(
    hooked: Hooked, behave: Callable[[socket.socket], None], **changes: object
) -> Iterator[OddDaemon]:
    """A daemon of the journal that behaves in that way; *changes* are in what it says of itself."""
    place = hooked.place
    daemon = OddDaemon(behave)
    state = DaemonState(
        pid=os.getpid(),
        protocol=PROTOCOL,
        version=VERSION,
        started="2026-11-30T09:12:04+09:00",
        root=str(place.root),
        transport="unix",
        port=0,
    )
    with place.held(timeout_s=5):
        listener = listen(place, "unix")
        place.write_state(replace(state, **changes))  # type: ignore[arg-type]
        threading.Thread(target=daemon.serve, args=(listener,), daemon=True).start()
        try:
            yield daemon
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            place.clear()
