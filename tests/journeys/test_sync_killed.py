"""A commit, merge or push that is killed at any step is finished or undone by the next command.

The steps are found from outside: before and after each git that is started, and each time that bytes are
about to last. ``MEM_ALL_POINTS=1`` tries every one of them.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memjournal.journal.git.program import Git
from memjournal.journal.reading import Stored

from ..git_by_hand import git
from ..indexer.world import make_model
from .clones import Clone

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no fork, no SIGKILL")

NOON = 1_796_000_000.0
STEP = 1 if os.environ.get("MEM_ALL_POINTS") else 5
SYSTEM_CALLS = ("replace", "link", "unlink", "fsync", "ftruncate")


@dataclass
class Machines:
    """Two machines that have both changed the same, before the second of them syncs."""

    folder: Path

    def clone(self, name: str) -> Clone:
        return Clone(
            self.folder / name,
            f"{name}-1a2b3c",
            self.folder / "model",
            skew=timedelta(0),
            time_of=lambda: NOON,  # two runs make the same commits, and so the same labels
        )

    def copy(self, target: Path) -> Machines:
        shutil.copytree(self.folder, target, symlinks=True)
        return Machines(target)


@pytest.fixture(scope="module")
def diverged(tmp_path_factory: pytest.TempPathFactory) -> Machines:
    folder = tmp_path_factory.mktemp("diverged")
    make_model(folder / "model")
    bare = folder / "remote.git"
    bare.mkdir()
    git(bare, "init", "--quiet", "--bare", "--initial-branch=main")
    machines = Machines(folder)
    from memjournal.cli.app import main

    for name in ("desk", "laptop"):
        assert main(["init", str(folder / name)]) == 0
        git(folder / name, "remote", "add", "origin", "../remote.git")
    desk, laptop = machines.clone("desk"), machines.clone("laptop")
    paths = [desk.world.memory(f"결정 {n}", "첫째 줄\n-\n둘째 줄") for n in range(4)]
    desk.world.events(["먼저 한 말"], session="s1")
    for clone in (desk, laptop):
        clone.sync()

    def edit(clone: Clone, path: str, before: str, after: str) -> None:
        target = clone.root / path
        target.write_text(target.read_text("utf-8").replace(before, after), "utf-8")

    edit(desk, paths[0], "첫째", "처음")
    edit(desk, paths[1], "둘째", "desk")
    desk.world.events(["책상에서"], session="s1")
    (desk.root / paths[2]).unlink()
    desk.world.memory("새 결정", "")
    desk.sync()
    edit(laptop, paths[0], "둘째", "두 번째")
    edit(laptop, paths[1], "둘째", "laptop")
    laptop.world.events(["노트북에서", "more"], session="s1")
    laptop.world.note("notes/메모.md", "# 메모\n")
    return machines


def killed_at(point: int, task: Callable[[], None]) -> tuple[bool, int]:
    """Run *task* in a process that dies at that point; whether it did, and how many points it met."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        met = 0

        def meet() -> None:
            nonlocal met
            met += 1
            if met == point:
                os.kill(os.getpid(), signal.SIGKILL)

        def watched(call: Callable[..., Any]) -> Callable[..., Any]:
            def run(*arguments: Any, **named: Any) -> Any:
                meet()
                result = call(*arguments, **named)
                meet()
                return result

            return run

        for name in SYSTEM_CALLS:
            setattr(os, name, watched(getattr(os, name)))
        for name in ("run_bytes", "run_slowly"):
            setattr(Git, name, watched(getattr(Git, name)))
        status = 1
        try:
            task()
            status = 0
        finally:
            os.write(writing, str(met).encode())
            os._exit(status)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    told = os.read(reading, 20)
    os.close(reading)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL), code
    return code != 0, int(told or 0)


def words_of(clone: Clone) -> list[str]:
    return sorted(one.entry.title for one in clone.entries() if isinstance(one, Stored))


@pytest.mark.parametrize("command", ["sync", "commit"])
def test_the_next_sync_makes_good_whatever_was_killed(
    command: str, diverged: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    unharmed = diverged.copy(tmp_path / "unharmed")
    laptop = unharmed.clone("laptop")
    died, n_points = killed_at(0, getattr(laptop, command))
    assert not died and n_points > (60 if command == "sync" else 12)
    laptop.sync()
    expected = words_of(laptop)
    tree = git(laptop.root, "rev-parse", "HEAD^{tree}")
    n_killed = 0
    for point in range(1, n_points + 1, STEP):
        machines = diverged.copy(tmp_path / "harmed")
        laptop = machines.clone("laptop")
        died, _ = killed_at(point, getattr(laptop, command))
        n_killed += died
        (laptop.root / "notes/나중.md").write_text("# 나중에\n", "utf-8")  # life goes on
        laptop.commit()
        laptop.sync()
        (laptop.root / "notes/나중.md").unlink()
        laptop.commit()
        laptop.sync()
        assert git(laptop.root, "status", "--porcelain", "--untracked-files=no") == "", point
        assert words_of(laptop) == expected, point
        assert git(laptop.root, "rev-parse", "HEAD^{tree}") == tree, point
        assert git(machines.folder / "remote.git", "rev-parse", "main^{tree}") == tree, point
        assert not (laptop.root / ".git/memjournal/pending.json").exists()
        shutil.rmtree(machines.folder)
    assert n_killed >= n_points // STEP - 1


def test_a_purge_that_is_killed_is_finished_by_the_next_command(
    diverged: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memjournal.cli.app import main

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("MEMJOURNAL_DAEMON_AUTOSTART", "never")
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))

    def purge(machines: Machines) -> Callable[[], None]:
        laptop = machines.clone("laptop")
        (entry,) = (one.entry for one in laptop.entries() if one.entry.title == "결정 3")
        arguments = ["--journal", str(laptop.root), "forget", str(entry.id), "--purge", "--yes"]

        def run() -> None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            assert main(arguments) == 0

        return run

    unharmed = diverged.copy(tmp_path / "unharmed")
    unharmed.clone("laptop").sync()
    shutil.rmtree(tmp_path / "harmed", ignore_errors=True)
    died, n_points = killed_at(0, purge(unharmed.copy(tmp_path / "counted")))
    assert not died and n_points > 150
    n_killed = n_undone = 0
    for point in range(1, n_points + 1, 6 * STEP):
        machines = unharmed.copy(tmp_path / "harmed")
        died, _ = killed_at(point, purge(machines))
        n_killed += died
        laptop = machines.clone("laptop")
        laptop.commit()
        laptop.sync()
        held = _holds(laptop.root, "결정 3")
        titles = words_of(laptop)
        if "결정 3" in titles:  # killed before it had begun: nothing was done
            n_undone += 1
            assert held
        else:
            assert not held, point
            assert "결정 2" in titles or "결정 0" in titles
            assert not (laptop.root / ".git/memjournal/purge.json").exists()
            git(machines.folder / "remote.git", "gc", "--quiet", "--prune=now")
            assert not _holds(machines.folder / "remote.git", "결정 3"), point
        shutil.rmtree(machines.folder)
    assert n_killed >= n_points // (6 * STEP) - 1
    assert n_undone < n_killed / 2


def _holds(repository: Path, text: str) -> bool:
    listed = git(
        repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"
    )
    blobs = [line.split()[0] for line in listed.splitlines() if line.endswith("blob")]
    return any(text in git(repository, "cat-file", "-p", sha) for sha in blobs)
