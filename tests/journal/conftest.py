"""Fixtures of the journal's tests: worlds, file systems and users that are not the usual ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .world import World


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
def run_bound_by_modes(tmp_path: Path) -> Callable[..., str]:
    """Run Python code in the test's folder as somebody whom file modes stop, which root is not."""
    prefix: list[str] = []
    if os.name == "nt":
        pytest.skip("modes stop nobody there")
    if os.geteuid() == 0:
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if (
            shutil.which("setpriv") is None
            or subprocess.run([*prefix, "true"], check=False).returncode
        ):
            pytest.skip("root cannot give up its rights here")

    def run(code: str, *arguments: str) -> str:
        done = subprocess.run(
            [*prefix, sys.executable, "-P", "-c", code, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
