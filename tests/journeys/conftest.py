"""A small world with verbs: a home of its own, a journal in it, and ``mem`` as a real process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..ran import Ran

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class World:
    """A home folder, and ``mem`` run in it."""

    home: Path
    environ: Mapping[str, str]

    @property
    def journal(self) -> Path:
        return self.home / "memjournal"

    def mem(
        self,
        *arguments: str,
        stdin: str = "",
        cwd: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Ran:
        """Run ``mem`` to its end."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", "memjournal.cli", *arguments],
            input=stdin.encode(),
            capture_output=True,
            env={**self.environ, **(environ or {})},
            cwd=cwd or self.home,
            check=False,
            timeout=300,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def ok(self, *arguments: str, **options: object) -> Ran:
        """Run ``mem``, which must succeed without a word on stderr that looks like trouble."""
        ran = self.mem(*arguments, **options)  # type: ignore[arg-type]  # passed on as they are
        assert ran.code == 0, ran.err
        assert "Traceback" not in ran.err
        return ran

    def files(self, folder: Path | None = None) -> dict[str, bytes]:
        """Every file below *folder* (the journal) outside of git, with its bytes."""
        top = folder or self.journal
        return {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in sorted(top.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(top).parts
        }


def new_world(home: Path) -> World:
    """An empty home at *home*."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    home.mkdir()
    environ = {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_STATE_HOME": str(home / ".state"),
        "LANG": "C.UTF-8",
        "TZ": "Asia/Seoul",
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
    }
    return World(home, environ)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An empty home; its path is Korean and has a blank, for not every path is plain."""
    return new_world(tmp_path / "집 home")


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The example journal, imported and indexed once; tests get copies."""
    made = new_world(tmp_path_factory.mktemp("prepared") / "집 home")
    made.ok("init")
    shutil.copytree(EXAMPLES / "journal", made.journal, dirs_exist_ok=True)
    made.ok("import", "--all", "--from", str(EXAMPLES / "transcripts" / "projects"))
    return made


@pytest.fixture
def example(world: World, prepared: World) -> World:
    """A home whose journal holds the example memories and the imported example transcripts."""
    shutil.copytree(prepared.home, world.home, dirs_exist_ok=True)  # keeps modification times
    return world


def _with_short_state(world: World, state: Path) -> World:
    """*world* with its state in *state*: the path to a socket must be short."""
    return World(world.home, {**world.environ, "XDG_STATE_HOME": str(state)})


@pytest.fixture
def home(example: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The example journal, with a path to its socket that is short enough; no daemon of it is left."""
    state = tmp_path_factory.mktemp("s")
    shutil.copytree(example.home / ".state", state, dirs_exist_ok=True)
    made = _with_short_state(example, state)
    yield made
    made.mem("daemon", "stop")


@pytest.fixture
def den(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A new journal in a repository of its own, of which no daemon is left."""
    made = _with_short_state(world, tmp_path_factory.mktemp("s"))
    made.ok("init")
    yield made
    made.mem("daemon", "stop")
