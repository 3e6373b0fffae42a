"""Small worlds to test the journal in: a session that can be written to, and a disk that is full."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.reading import JournalFile, Oddity, Stored, read_entries, stat_file
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

SEOUL = timezone(timedelta(hours=9))
HEADER = SessionHeader(
    session="0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
    project="github.com/acme/shop",
    agent="claude-code",
    started=datetime(2026, 11, 30, 9, 12, 4, tzinfo=SEOUL),
)


def make_event(key: str, text: str = "로그인 버그 고쳐줘", **more: object) -> Event:
    event = {"keys": (key,), "type": "user_prompt", "at": HEADER.started, "text": text}
    return Event(**{**event, **more})  # type: ignore[arg-type]  # test helper


class World:
    """A journal and what can be seen of it from outside."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.journal = self.open()
        self.path = folder / "sessions/2026/11/30/shop--0f6d0c0e.md"

    def open(self, **more: object) -> Journal:
        """The journal as another process sees it."""
        return Journal(self.root, redactor=Redactor(), **more)  # type: ignore[arg-type]

    def append(self, *events: Event, header: SessionHeader = HEADER) -> tuple[str, ...]:
        return self.open().open_session(header).append(events).ids

    def write(self, path: str, data: bytes | str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return target

    def file(self, path: str = "") -> JournalFile:
        found = stat_file(self.root, path or self.path.relative_to(self.root).as_posix())
        assert found is not None
        return found

    def read(self, path: str = "") -> list[Stored | Oddity]:
        return list(read_entries(self.root, self.file(path)))

    def stored(self, path: str = "") -> list[Stored]:
        return [one for one in self.read(path) if isinstance(one, Stored)]

    def oddities(self, path: str = "") -> list[str]:
        return [one.what for one in self.read(path) if isinstance(one, Oddity)]

    def keys(self) -> list[str]:
        """The dedupe keys of all whole records of the session, in order."""
        return [
            key
            for one in self.stored()
            if one.entry.kind == "event" and not one.torn
            for key in one.entry.extra["keys"]  # type: ignore[attr-defined]
        ]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture(scope="session")
def new_world(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], World]:
    """A fresh world for each example of a property."""
    return lambda: World(tmp_path_factory.mktemp("world"))


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mount a tmpfs with options; the test is skipped where that is not allowed."""
    made: list[Path] = []

    def mount(options: str) -> Path:
        folder = tmp_path / f"disk{len(made)}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        if os.name == "nt" or os.geteuid() != 0 or shutil.which("mount") is None:
            pytest.skip("only root can mount a file system")
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("this machine does not allow mounting")
        made.append(folder)
        return folder

    yield mount
    for folder in made:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def run_unprivileged(tmp_path: Path) -> Callable[[str, Iterable[str]], str]:
    """Run Python code in the test's folder as somebody whom file modes stop."""

    def run(code: str, arguments: Iterable[str] = ()) -> str:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        nobody: dict[str, int] = {}
        if os.geteuid() == 0:
            nobody = {"user": 65534, "group": 65534}
        probe = [sys.executable, "-c", "import memjournal.journal.store"]
        try:
            subprocess.run(probe, env=environment, check=True, capture_output=True, **nobody)  # type: ignore[call-overload]
        except (subprocess.CalledProcessError, PermissionError):
            pytest.skip("the package cannot be imported by an unprivileged user here")
        command = [sys.executable, "-c", code, *arguments]
        done = subprocess.run(  # type: ignore[call-overload]
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, **nobody
        )
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    return run
