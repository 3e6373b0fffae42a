"""Files against catalog: what is planned is pure, and what cannot be seen is never taken for gone."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.changes import FileChange
from memjournal.indexer.upkeep.comparing import differences
from memjournal.indexer.upkeep.reconcile import (
    Plan,
    describe_failure,
    plan_reconcile,
    plan_update,
    read_change,
)
from memjournal.journal import file_walk
from memjournal.journal.reading import JournalFile, Oddity, list_files, stat_file

from ..git_by_hand import git
from ..odd_paths import ODD_PATHS
from .world import World

DAY_NS = 86_400 * 10**9


def file(path: str, size: int = 1, mtime_ns: int = 1) -> JournalFile:
    return JournalFile(path, size, mtime_ns)


def plan(
    present: Sequence[JournalFile],
    known: Sequence[JournalFile],
    *,
    unreadable: tuple[str, ...] = (),
) -> Plan:
    return plan_reconcile(
        differences([sorted(present)], [sorted(known)]),
        n_known=lambda: len(known),
        unreadable=[(path, "permission denied") for path in unreadable],
    )


def test_nothing_changed_is_no_plan() -> None:
    a = file("notes/a.md")
    assert not plan([a], [a])


@pytest.mark.parametrize("other", [{"size_bytes": 2}, {"mtime_ns": 2}, {"mtime_ns": 0}])
def test_another_size_or_time_is_a_change(other: dict[str, int]) -> None:
    a = file("notes/a.md")
    changed = a._replace(**other)  # type: ignore[arg-type]  # test data
    assert plan([changed], [a]).changed == (changed,)


def test_a_renamed_file_is_one_more_and_one_less() -> None:
    found = plan([file("notes/b.md")], [file("notes/a.md")])
    assert (found.changed, found.removed) == ((file("notes/b.md"),), ("notes/a.md",))


@pytest.mark.parametrize("place", ["notes/deep", "notes", "notes/deep/a.md"])
def test_what_lies_below_a_place_that_cannot_be_read_stays(place: str) -> None:
    present, hidden = file("memories/b.md"), file("notes/deep/a.md")
    assert not plan([present], [present, hidden], unreadable=(place,))


def test_what_only_begins_like_an_unreadable_place_goes() -> None:
    present, gone = file("memories/b.md"), file("notes/deeper.md")
    found = plan([present], [present, gone], unreadable=("notes/deep",))
    assert found.removed == ("notes/deeper.md",)


def test_a_journal_without_any_file_is_not_emptied() -> None:
    found = plan([], [file("notes/a.md"), file("notes/b.md")])
    assert (found.removed, found.withheld) == ((), ("notes/a.md", "notes/b.md"))
    assert not found


FILES = st.dictionaries(
    st.sampled_from(["notes/a.md", "notes/b/c.md", "memories/d.md", "sessions/e.md"]),
    st.integers(1, 3),
)


@given(FILES, FILES)
def test_following_a_plan_leads_to_what_is_there(
    before: dict[str, int], after: dict[str, int]
) -> None:
    catalog = {path: file(path, size) for path, size in before.items()}
    present = [file(path, size) for path, size in after.items()]
    found = plan(present, list(catalog.values()))
    for path in found.removed:
        del catalog[path]
    catalog |= {one.path: one for one in found.changed}
    assert sorted(catalog.values()) == sorted(present) or (found.withheld and not present)
    assert not plan(present, list(catalog.values()))


@pytest.mark.parametrize(
    ("age_ns", "is_settled"),
    [(10**9, True), (51_000_000, True), (49_000_000, False), (-(10**9), False), (-DAY_NS, True)],
)
def test_a_file_that_just_changed_is_read_once_more(
    world: World, age_ns: int, is_settled: bool
) -> None:
    path = world.note("notes/a.md", "text")
    moment = path.stat().st_mtime_ns
    found = stat_file(world.root, "notes/a.md")
    assert found is not None
    change = read_change(world.root, found, now_ns=moment + age_ns)
    assert (change.file == found) == is_settled


def test_a_file_that_has_just_gone_is_no_failure(world: World) -> None:
    gone = file("notes/a.md")
    with pytest.raises(FileNotFoundError) as caught:
        read_change(world.root, gone, now_ns=0)
    assert describe_failure(gone, caught.value) is None
    assert describe_failure(gone, PermissionError(13, "no")) == Oddity(
        "notes/a.md", "permission denied"
    )


def test_an_unreadable_folder_keeps_its_entries(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.note("notes/private/a.md", "pool timeout")
    world.note("notes/b.md", "pool")
    world.update()
    whole = file_walk._opened

    def guarded(folder: Path) -> object:
        if folder.name == "private":
            raise PermissionError(13, "Permission denied")
        return whole(folder)

    monkeypatch.setattr(file_walk, "_opened", guarded)
    assert list_files(world.root).unreadable
    report = world.update()
    world.note("notes/b.md", "pool edited")
    report = world.update()
    assert [one.path for one in report.failures] == ["notes/private"]
    assert {hit.row.path for hit in world.ask("pool").hits} == {"notes/private/a.md", "notes/b.md"}


def with_git(world: World) -> World:
    return World(world.root, world.options.model, git_environ={"PATH": os.environ["PATH"]})


def many_notes(world: World, count: int = 30) -> None:
    for number in range(count):
        world.note(f"notes/many/{number}.md", f"pool timeout {number}")
    world.note("notes/one.md", "the pool that stays")


def test_a_deletion_of_most_of_a_journal_waits_for_a_yes(world: World) -> None:
    many_notes(world)
    world.update()
    shutil.rmtree(world.root / "notes/many")
    report = world.update()
    assert (report.n_withheld, report.change.n_removed) == (30, 0)
    assert world.update().n_withheld == 30
    assert world.index.update(now_ns=0, accept_deletions=True).change.n_removed == 30
    world.check_against_a_rebuild()


def test_a_checkout_that_takes_most_files_away_is_followed(world: World) -> None:
    world = with_git(world)
    many_notes(world)
    git(world.root, "init", "-q", "-b", "main")
    git(world.root, "add", "notes/one.md")
    git(world.root, "commit", "-qm", "one")
    git(world.root, "checkout", "-qb", "many")
    git(world.root, "add", "notes")
    git(world.root, "commit", "-qm", "many")
    world.update()
    git(world.root, "checkout", "-q", "main")
    report = world.update()
    assert (report.n_withheld, report.change.n_removed) == (0, 30)
    world.check_against_a_rebuild()


def test_what_git_still_knows_is_not_taken_for_deleted(world: World) -> None:
    world = with_git(world)
    many_notes(world)
    git(world.root, "init", "-q")
    git(world.root, "add", "notes")
    git(world.root, "commit", "-qm", "many")
    world.update()
    shutil.rmtree(world.root / "notes/many")
    assert world.update().n_withheld == 30


def test_a_renamed_folder_is_no_deletion(world: World) -> None:
    many_notes(world)
    world.update()
    (world.root / "notes/many").rename(world.root / "notes/renamed")
    report = world.update()
    assert (report.n_withheld, report.change.n_removed) == (0, 30)
    world.check_against_a_rebuild()


def test_an_update_of_named_places_looks_nowhere_else(world: World) -> None:
    world.note("notes/a.md", "pool")
    world.note("notes/b/c.md", "cookie")
    world.note("notes/b/d.md", "invoice")
    world.update()
    (world.root / "notes/a.md").unlink()
    world.note("notes/b/c.md", "cookie edited")
    (world.root / "notes/b/d.md").unlink()
    world.note("notes/b/new.md", "queue")
    change = world.index.update(now_ns=0, only=["notes/b"]).change
    assert (change.n_added, change.n_changed, change.n_removed) == (1, 1, 1)
    assert world.found("pool", by="keyword")  # it is gone, but nobody looked
    assert world.index.update(now_ns=0, only=["notes/a.md"]).change.n_removed == 1
    world.check_against_a_rebuild()


@pytest.mark.parametrize(
    "place",
    ["", ".", "..", "../notes", "/notes", "index", "notes/../notes/a.md", "notes/.hidden", "notes//a",
     "notes/none.md", "notes/link/a.md", "notes/a.md/x", "notes/a\n.md", "NOTES/a.md"],
)  # fmt: skip
def test_places_that_a_walk_would_not_reach_are_not_looked_at(world: World, place: str) -> None:
    world.note("notes/a.md", "pool")
    elsewhere = world.note("elsewhere/a.md", "secret")
    (world.root / "notes/link").symlink_to(elsewhere.parent)
    (world.root / "notes/.hidden").mkdir()
    world.note("notes/.hidden/b.md", "hidden")
    world.update()
    change = world.index.update(now_ns=0, only=[place]).change
    assert not change
    world.check_against_a_rebuild()


def test_places_on_an_empty_index_are_not_taken_for_the_whole(world: World) -> None:
    world.note("notes/a.md", "pool")
    world.note("notes/b.md", "cookie")
    assert world.index.update(now_ns=0, only=["notes/a.md"]).change.n_added == 2


@given(st.lists(st.sampled_from(["a.md", "b/c.md", "b", "d.md", "b/e/f.md", "."]), max_size=6))
def test_naming_places_or_walking_all_is_the_same_in_the_end(
    new_world: Callable[[], World], hints: list[str]
) -> None:
    world = new_world()
    for path in ("a.md", "b/c.md", "b/e/f.md"):
        world.note(f"notes/{path}", f"pool {path}")
    world.update()
    (world.root / "notes/a.md").unlink()
    world.note("notes/b/c.md", "cookie")
    world.note("notes/d.md", "queue")
    world.index.update(now_ns=0, only=[f"notes/{hint}" for hint in hints])
    world.update()
    assert world.index.verify() == []
    assert world.found("queue", by="keyword") == ["d"]


def test_a_file_that_another_one_of_its_size_and_time_replaced_is_read(world: World) -> None:
    kept, other = world.note("notes/a.md", "pool one\n"), world.note("notes/b.md", "pool two\n")
    for path in (kept, other):
        os.utime(path, ns=(10**18, 10**18))
    world.update(later_s=5)
    other.replace(kept)
    world.update(later_s=5)
    world.check_against_a_rebuild(("one", "two"))
    with world.catalog() as catalog:
        assert [row.title for row in catalog.by_path("notes/a.md")] == ["a"]
    assert "two" in world.ask("two", by="keyword").hits[0].snippet.text


def test_a_place_with_a_nul_in_its_name_is_not_looked_at(world: World) -> None:
    world.note("notes/a.md", "pool")
    world.update()
    assert not world.index.update(now_ns=0, only=["notes/a\0.md"]).change


def write_all(root: Path, files: Mapping[str, int]) -> None:
    """Files with as many bytes as is said."""
    for path, size in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"x" * size)


def note_all(catalog: Catalog, root: Path, paths: Iterable[str]) -> None:
    """Let *catalog* know the files at *paths* as they are now."""
    with catalog.transaction():
        for path in paths:
            found = stat_file(root, path)
            assert found is not None
            catalog.apply(FileChange(found, ()))


FILES_OF_ODD_NAMES = st.dictionaries(st.sampled_from(ODD_PATHS), st.integers(1, 3))
PLACES = st.none() | st.sets(
    st.sampled_from(["notes", "notes/a", "notes/a.md", "notes/a-b", "memories", "notes/A/x.md"])
)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere two of these names are one")
@given(FILES_OF_ODD_NAMES, FILES_OF_ODD_NAMES, PLACES, st.integers(1, 5))
def test_real_folders_differ_from_the_catalog_as_two_dictionaries_would(
    new_world: Callable[[], World],
    before: dict[str, int],
    after: dict[str, int],
    only: set[str] | None,
    at_once: int,
) -> None:
    root = new_world().root
    with (
        contextlib.closing(Catalog.in_memory()) as catalog,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("memjournal.indexer.catalog.catalog._FILES_AT_ONCE", at_once)
        patch.setattr("memjournal.indexer.upkeep.comparing._STRETCH", at_once)
        write_all(root, before)
        note_all(catalog, root, before)
        for path in before.keys() - after.keys():
            (root / path).unlink()
        write_all(root, {path: n for path, n in after.items() if before.get(path) != n})
        found, unreadable = plan_update(catalog, root, only=only, is_meant=lambda _: True)

    def is_looked_at(path: str) -> bool:
        places = ("notes", "memories", "sessions") if only is None else only
        return any(f"{path}/".startswith(f"{place}/") for place in places)

    changed = [path for path, n in after.items() if before.get(path) != n and is_looked_at(path)]
    assert [one.path for one in found.changed] == sorted(changed)
    assert list(found.removed) == sorted(filter(is_looked_at, before.keys() - after.keys()))
    assert unreadable == ()


def test_what_another_process_moves_meanwhile_is_not_taken_for_gone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The catalog is not locked while it is compared: its first part may be older than its last."""
    there = [f"notes/z/{number:02}.md" for number in range(30)]
    write_all(world.root, {path: 1 for path in ("memories/m.md", *there)})
    world.update(later_s=5)
    (world.root / "notes/z").rename(world.root / "notes/a")
    world.update(later_s=5)
    (world.root / "notes/a").rename(world.root / "notes/z")
    monkeypatch.setattr("memjournal.indexer.catalog.catalog._FILES_AT_ONCE", 10)
    whole = file_walk._opened
    moved: list[bool] = []

    def moving(folder: Path) -> object:
        if folder.name == "z" and not moved:
            moved.append(True)
            monkeypatch.setattr(file_walk, "_opened", whole)
            assert world.update(later_s=5).change.n_removed == 30
            monkeypatch.setattr(file_walk, "_opened", moving)
        return whole(folder)

    monkeypatch.setattr(file_walk, "_opened", moving)
    with world.catalog() as catalog:
        found, _ = plan_update(catalog, world.root)
    assert moved
    assert (found.changed, found.removed, found.withheld) == ((), (), ())


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems know no such times")
def test_a_file_from_a_far_future_is_not_read_again_and_again(world: World) -> None:
    path = world.note("notes/a.md", "pool")
    os.utime(path, ns=(10**19, 10**19))  # in the year 2286; SQLite's integers end in 2262
    assert world.update().n_files == 1
    assert world.update().n_files == 0
    os.utime(path, ns=(10**19 + 1, 10**19 + 1))
    assert world.update().n_files == 1
    world.check_against_a_rebuild()
