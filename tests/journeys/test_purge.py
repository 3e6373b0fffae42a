"""What is purged on one machine is in no object of any, once they have synced; and never comes back."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ..git_by_hand import git
from .conftest import World, new_world

SECRET = "절대 남으면 안 되는 비밀 문장"
KEPT = "남아 있어야 하는 다른 결정"


class Machines:
    """Machines with a journal each, and a bare repository between them."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder, self.bare = folder, folder / "remote.git"
        self.bare.mkdir()
        git(self.bare, "init", "--quiet", "--bare", "--initial-branch=main")
        self.all = [self._machine(name) for name in names]

    def _machine(self, name: str) -> World:
        world = new_world(self.folder / name)
        world.ok("init")
        world.ok("remote", "add", str(self.bare))
        return world

    def sync(self, times: int = 2) -> None:
        for _ in range(times):
            for world in self.all:
                world.ok("sync")


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    return Machines(tmp_path, "laptop", "desk", "server")


def add(world: World, text: str) -> str:
    return str(json.loads(world.ok("add", text, "--project", "shop", "--json").out)["id"])


def objects_with(repository: Path, text: str) -> list[str]:
    """Objects of a repository, whether anything names them or not, that hold *text*."""
    listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    found = []
    for sha in listed.split():
        command = ["git", "-C", str(repository), "cat-file", "-p", sha]
        content = subprocess.run(command, check=True, capture_output=True).stdout
        if text.encode() in content:
            found.append(sha)
    return found


def files_with(folder: Path, text: str) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return [str(path) for path in found if text.encode() in path.read_bytes()]


def assert_gone(machines: Machines, text: str = SECRET) -> None:
    git(machines.bare, "gc", "--quiet", "--prune=now")
    for world in machines.all:
        git(world.journal, "gc", "--quiet", "--prune=now")
        assert objects_with(world.journal, text) == [], world.home
        assert files_with(world.journal, text) == []
        assert "they only ever grew" in world.ok("audit").out
        assert git(world.journal, "status", "--porcelain") == ""
    assert objects_with(machines.bare, text) == []


def test_a_purged_memory_is_in_no_object_of_any_machine(machines: Machines, tmp_path: Path) -> None:
    laptop, desk, _ = machines.all
    ref, kept = add(laptop, SECRET), add(laptop, KEPT)
    laptop.ok("edit", ref, "--set", "importance=0.9")
    machines.sync()
    export = tmp_path / "export.jsonl"
    laptop.ok("export", "--output", str(export))
    unpushed = add(desk, "책상에서 아직 보내지 않은 것")
    desk.ok("edit", ref, "--set", "importance=0.1")

    dry = laptop.ok("forget", ref, "--purge", "--dry-run").out
    assert "get new hashes" in dry and "takes it out of its history when it syncs next" in dry
    assert objects_with(laptop.journal, SECRET) != []
    assert laptop.mem("forget", ref, "--purge").code == 64  # nobody is asked without a terminal
    ran = laptop.ok("forget", ref, "--purge", "--yes")
    assert "objects of the repository: nothing left" in ran.out
    assert objects_with(laptop.journal, SECRET) == []
    assert SECRET not in export.read_text("utf-8") and KEPT in export.read_text("utf-8")

    machines.sync()
    assert_gone(machines)
    for world in machines.all:
        assert files_with(world.journal / "index", "비밀") == [], world.home
        found = world.ok("search", "결정 보내지", "--ids", "--all").out
        assert {kept, unpushed} <= set(found.split())
        assert world.mem("show", ref).code == 66
    assert laptop.mem("restore", ref).code == 66


def test_the_same_words_may_be_remembered_again(machines: Machines) -> None:
    laptop, desk, _ = machines.all
    ref = add(laptop, SECRET)
    machines.sync()
    laptop.ok("forget", ref, "--purge", "--yes")
    again = add(laptop, SECRET)
    assert again != ref
    machines.sync()
    assert again in desk.ok("search", SECRET, "--ids").out


def test_events_are_purged_and_a_second_import_does_not_bring_them_back(
    example: World, tmp_path: Path
) -> None:
    world = example
    ref = world.ok("search", "the", "--type", "prompt", "--ids", "--all").out.split()[0]
    line = world.ok("show", ref, "--json").out
    body = str(json.loads(line.splitlines()[0])["body"])
    words = max(body.splitlines(), key=len)
    assert objects_with(world.journal, words) != []
    world.ok("forget", ref, "--purge", "--yes")
    before = {path for path in objects_with(world.journal, words)}
    transcripts = Path(__file__).parents[2] / "examples/transcripts/projects"
    world.ok("import", "--all", "--force", "--from", str(transcripts))
    assert world.mem("show", ref).code == 66
    assert set(objects_with(world.journal, words)) == before
    assert "they only ever grew" in world.ok("audit").out


def test_two_purges_at_once_and_an_old_clone_that_syncs_late(machines: Machines) -> None:
    laptop, desk, server = machines.all
    first, second, kept = (
        add(laptop, SECRET),
        add(laptop, "둘째로 지울 아주 긴 비밀"),
        add(laptop, KEPT),
    )
    machines.sync()
    add(server, "늦게 보내는 것")
    away = machines.bare.with_name("away.git")
    machines.bare.rename(away)
    for world, ref in ((laptop, first), (desk, second)):
        ran = world.mem("forget", ref, "--purge", "--yes")
        assert ran.code == 0, ran.err
        assert "the remote still has it, until the next sync" in ran.err
    away.rename(machines.bare)
    for world in (laptop, desk, laptop):
        world.ok("sync")
    machines.sync()
    assert_gone(machines)
    assert_gone(machines, "둘째로 지울 아주 긴 비밀")
    assert kept in server.ok("search", KEPT, "--ids").out


def test_plain_git_that_pushes_it_back_is_made_good(machines: Machines, tmp_path: Path) -> None:
    laptop, *_ = machines.all
    ref = add(laptop, SECRET)
    machines.sync()
    rogue = tmp_path / "rogue"
    git(tmp_path, "clone", "--quiet", str(machines.bare), str(rogue))
    laptop.ok("forget", ref, "--purge", "--yes")
    (rogue / "notes").mkdir()
    (rogue / "notes/남.md").write_text("옛 복제본에서\n", "utf-8")
    git(rogue, "add", "--all")
    git(rogue, "commit", "--quiet", "--message", "old")
    git(rogue, "push", "--quiet", "--force")
    machines.sync()
    assert_gone(machines)
    assert (laptop.journal / "notes/남.md").exists()


def test_a_purge_without_history_says_so(tmp_path: Path) -> None:
    world = new_world(tmp_path / "home")
    world.ok("init", "--no-git")
    ref = add(world, SECRET)
    ran = world.mem("forget", ref, "--purge", "--yes")
    assert ran.code == 69 and "not a repository of its own" in ran.err
    assert world.ok("show", ref).out
