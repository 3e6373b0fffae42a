"""An entry is followed through its history wherever it stood, and brought back to where it belongs."""

from __future__ import annotations

from pathlib import Path

from memjournal.journal.history.entry_history import Version, find_paths, read_versions
from memjournal.journal.history.restoring import restore
from memjournal.journal.session_file import parse_header

from ...git_by_hand import git as by_hand
from .audited_world import AuditedWorld


def versions_of(world: AuditedWorld, entry_id: str, now: str = "") -> list[Version]:
    return read_versions(world.git, find_paths(world.git, entry_id, now=now), entry_id)


def changes_of(world: AuditedWorld, entry_id: str, now: str = "") -> list[tuple[str, str]]:
    return [(one.change, Path(one.path).name) for one in versions_of(world, entry_id, now)]


def bring_back(world: AuditedWorld, entry_id: str, now: str = "") -> list[str]:
    versions = versions_of(world, entry_id, now)
    chosen = next(one for one in versions[1:] if one.is_there)
    return restore(
        world.root, chosen, entry_id, now=versions[0], redact=lambda data: data, lock_timeout_s=5
    )


def path_of(world: AuditedWorld, path: Path) -> str:
    return path.relative_to(world.root).as_posix()


def test_an_event_is_followed_when_its_session_is_renamed(world: AuditedWorld) -> None:
    entry_id, old = world.ids()[1], world.path
    moved = old.with_name("moved.md")
    old.rename(moved)
    world.commit("edit: 2 files changed by hand")
    world.path = moved
    expected = [("moved", "moved.md"), ("added", old.name)]
    assert changes_of(world, entry_id, path_of(world, moved)) == expected
    world.journal.forget([one for one in world.stored(path_of(world, moved))][1:2])
    world.commit("forget: 1 entry")
    assert changes_of(world, entry_id) == [("forgotten", "moved.md"), *expected]


def test_an_event_is_followed_when_the_rename_is_not_committed(world: AuditedWorld) -> None:
    entry_id, old = world.ids()[1], world.path
    moved = old.with_name("moved.md")
    old.rename(moved)
    expected = [("moved", "moved.md"), ("added", old.name)]
    assert changes_of(world, entry_id, path_of(world, moved)) == expected


def test_an_event_that_was_forgotten_and_then_renamed_comes_back_to_where_its_place_is(
    world: AuditedWorld,
) -> None:
    before, entry_id, old = world.path.read_bytes(), world.ids()[1], world.path
    world.forget(entry_id)
    world.commit("forget: 1 entry")
    moved = old.with_name("moved.md")
    old.rename(moved)
    world.commit("edit: 2 files changed by hand")
    assert bring_back(world, entry_id) == [path_of(world, moved)]
    assert moved.read_bytes() == before
    assert not old.exists()


def test_an_event_of_a_session_that_is_gone_comes_back_with_its_header(world: AuditedWorld) -> None:
    entry_id, raw = world.ids()[1], world.stored()[1].raw
    head = world.path.read_bytes().partition(b"## ")[0]
    world.path.unlink()
    world.commit("edit: 1 file changed by hand")
    assert bring_back(world, entry_id) == [path_of(world, world.path)]
    assert world.path.read_bytes() == head + raw
    header, problem = parse_header(head.decode())
    assert (header.session[:8], problem) == ("0f6d0c0e", "")


def test_a_merge_counts_only_where_its_version_is_none_of_its_parents(world: AuditedWorld) -> None:
    entry_id = world.ids()[1]
    world.switch("desk", start="HEAD~1")
    world.edit(lambda text: text.replace("the pool is exhausted", "the pool is full"))
    desk = world.commit_by_hand()
    world.switch("main")
    world.say("meanwhile")
    world.commit()
    world.merge("desk")
    now = path_of(world, world.path)
    assert [one.commit and one.commit.sha for one in versions_of(world, entry_id, now)][:1] == [
        desk
    ]
    assert [one.change for one in versions_of(world, entry_id, now)] == ["changed", "added"]
    world.edit(lambda text: text.replace("the pool is full", "the pool is gone"))
    one = world.commit_by_hand()
    world.switch("desk")
    world.edit(lambda text: text.replace("the pool is full", "the pool is new"))
    two = world.commit_by_hand()
    world.switch("main")
    merge = world.merge("desk")
    shas = [version.commit.sha for version in versions_of(world, entry_id, now) if version.commit]
    assert shas[0] == merge
    assert set(shas[1:3]) == {one, two}


def test_a_memory_is_followed_by_its_id_through_any_rename(world: AuditedWorld) -> None:
    first = world.write("memories/shop/2026-11/쿠키--a7Bc3x.md", "---\nid: a7Bc3x\n---\n# 쿠키\n")
    world.commit("add: lesson")
    second = world.root / "memories/shop/2026-12/쿠키 둘--a7Bc3x.md"
    second.parent.mkdir()
    first.rename(second)
    world.commit("edit: 2 files changed by hand")
    second.unlink()
    world.commit("edit: 1 file changed by hand")
    assert changes_of(world, "a7Bc3x") == [
        ("deleted", second.name),
        ("moved", second.name),
        ("added", first.name),
    ]
    assert bring_back(world, "a7Bc3x") == [path_of(world, second)]
    assert by_hand(world.root, "status", "--porcelain", "-uno") == ""
