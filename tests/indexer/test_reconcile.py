"""Files against catalog: what is planned is pure, and what cannot be seen is never taken for gone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.upkeep.reconcile import describe_failure, plan_reconcile, read_change
from memjournal.journal.reading import JournalFile, Listing, Oddity, kind_of, list_files, stat_file

from .world import World

DAY_NS = 86_400 * 10**9


def file(path: str, size: int = 1, mtime_ns: int = 1) -> JournalFile:
    return JournalFile(path, kind_of(path), size, mtime_ns)


def listing(*files: JournalFile, unreadable: tuple[str, ...] = ()) -> Listing:
    return Listing(files, tuple(Oddity(path, "permission denied") for path in unreadable), ())


def known(*files: JournalFile) -> dict[str, JournalFile]:
    return {one.path: one for one in files}


def test_nothing_changed_is_no_plan() -> None:
    a = file("notes/a.md")
    assert not plan_reconcile(listing(a), known(a))


@pytest.mark.parametrize("other", [{"size_bytes": 2}, {"mtime_ns": 2}, {"mtime_ns": 0}])
def test_another_size_or_time_is_a_change(other: dict[str, int]) -> None:
    a = file("notes/a.md")
    changed = a._replace(**other)  # type: ignore[arg-type]  # test data
    assert plan_reconcile(listing(changed), known(a)).changed == (changed,)


def test_a_renamed_file_is_one_more_and_one_less() -> None:
    plan = plan_reconcile(listing(file("notes/b.md")), known(file("notes/a.md")))
    assert (plan.changed, plan.removed) == ((file("notes/b.md"),), ("notes/a.md",))


@pytest.mark.parametrize("place", ["notes/deep", "notes", "notes/deep/a.md"])
def test_what_lies_below_a_place_that_cannot_be_read_stays(place: str) -> None:
    present, hidden = file("memories/b.md"), file("notes/deep/a.md")
    plan = plan_reconcile(listing(present, unreadable=(place,)), known(present, hidden))
    assert not plan


def test_what_only_begins_like_an_unreadable_place_goes() -> None:
    present, gone = file("memories/b.md"), file("notes/deeper.md")
    plan = plan_reconcile(listing(present, unreadable=("notes/deep",)), known(present, gone))
    assert plan.removed == ("notes/deeper.md",)


def test_a_journal_without_any_file_is_not_emptied() -> None:
    plan = plan_reconcile(listing(), known(file("notes/a.md"), file("notes/b.md")))
    assert (plan.removed, plan.withheld) == ((), ("notes/a.md", "notes/b.md"))
    assert not plan


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
    plan = plan_reconcile(listing(*present), catalog)
    for path in plan.removed:
        del catalog[path]
    catalog |= known(*plan.changed)
    assert catalog == known(*present) or (plan.withheld and not present)
    assert not plan_reconcile(listing(*present), catalog)


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
    whole = os.scandir

    def guarded(path: Path) -> object:
        if Path(path).name == "private":
            raise PermissionError(13, "Permission denied")
        return whole(path)

    monkeypatch.setattr(os, "scandir", guarded)
    assert list_files(world.root).unreadable
    report = world.update()
    world.note("notes/b.md", "pool edited")
    report = world.update()
    assert [one.path for one in report.failures] == ["notes/private"]
    assert {hit.row.path for hit in world.ask("pool").hits} == {"notes/private/a.md", "notes/b.md"}


def git(world: World, *arguments: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *arguments],
        cwd=world.root, check=True, capture_output=True,
    )  # fmt: skip


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
    git(world, "init", "-q", "-b", "main")
    git(world, "add", "notes/one.md")
    git(world, "commit", "-qm", "one")
    git(world, "checkout", "-qb", "many")
    git(world, "add", "notes")
    git(world, "commit", "-qm", "many")
    world.update()
    git(world, "checkout", "-q", "main")
    report = world.update()
    assert (report.n_withheld, report.change.n_removed) == (0, 30)
    world.check_against_a_rebuild()


def test_what_git_still_knows_is_not_taken_for_deleted(world: World) -> None:
    world = with_git(world)
    many_notes(world)
    git(world, "init", "-q")
    git(world, "add", "notes")
    git(world, "commit", "-qm", "many")
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
