"""A merge holds what its sides hold and nothing else; who tampered is named once, where it was done."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memjournal.journal.git.objects import reading_objects
from memjournal.journal.sync.hand_merge import mend_hand_merges
from memjournal.journal.sync.merge_commits import CommitMerger
from memjournal.journal.values import replace

from ...git_by_hand import git as by_hand
from ..world import HEADER, make_event
from .audited_world import AuditedWorld, only

OTHER_SESSION = "sessions/2026/11/30/shop--11111111.md"


def say_elsewhere(world: AuditedWorld, key: str, text: str) -> str:
    """Something said in another session, which stands in a file of its own."""
    header = replace(HEADER, session="11111111-1f0b-4b7e-9d3e-1c2b7f0a9c11")
    (entry_id,) = world.append(make_event(key, text), header=header)
    return entry_id


def test_a_merge_that_leaves_out_a_session_of_one_side_is_found(world: AuditedWorld) -> None:
    world.switch("desk", start="HEAD~2")
    say_elsewhere(world, "toolu_elsewhere01", "다른 기계에서")
    world.commit()
    world.switch("main")
    by_hand(world.root, "merge", "--quiet", "--strategy", "ours", "--no-edit", "desk")
    found = only(world.found())
    assert (found.what, found.path) == ("the file was deleted", OTHER_SESSION)


def test_a_deletion_is_named_where_it_was_done_and_not_at_the_merge(world: AuditedWorld) -> None:
    say_elsewhere(world, "toolu_elsewhere01", "다른 기계에서")
    world.commit()
    world.switch("desk", start="HEAD~1")
    world.say("desk says")
    world.commit()
    world.switch("main")
    (world.root / OTHER_SESSION).unlink()
    sha = world.commit()
    world.merge("desk")
    found = only(world.found())
    assert found.what == "the file was deleted"
    assert found.commit is not None and found.commit.sha == sha


def test_an_edit_is_named_where_it_was_done_and_not_at_the_merge(world: AuditedWorld) -> None:
    world.switch("desk", start="HEAD~1")
    world.say("desk says")
    world.commit()
    world.switch("main")
    world.edit(lambda text: text.replace("the pool is exhausted", "the pool is fine"))
    sha = world.commit_by_hand()
    world.merge("desk")
    found = only(world.found())
    assert found.what == "changed an event"
    assert found.commit is not None and found.commit.sha == sha


def test_a_merge_cannot_undo_a_forgetting(world: AuditedWorld) -> None:
    before, entry_id = world.path.read_bytes(), world.ids()[1]
    world.switch("desk", start="HEAD~1")
    world.use()
    world.commit()
    world.switch("main")
    world.forget(entry_id)
    world.commit("forget: 1 entry")
    sha = world.merge_by_hand("desk", lambda: world.path.write_bytes(before))
    found = only(world.found())
    assert found.what == "put something in place of a forgotten event"
    assert found.commit is not None and found.commit.sha == sha


def test_a_merge_puts_nothing_in_place_of_what_both_have_forgotten(world: AuditedWorld) -> None:
    entry_id = world.ids()[1]
    raw = world.stored()[1].raw
    world.forget(entry_id)
    world.commit("forget: 1 entry")
    left = next(line for line in world.path.read_text("utf-8").split("\n") if "forgotten" in line)
    world.switch("desk", start="HEAD~1")
    world.forget(entry_id)
    world.commit("forget: 1 entry")
    world.switch("main")
    forged = raw.decode().replace("exhausted", "never full").rstrip("\n")
    sha = world.merge_by_hand("desk", lambda: world.edit(lambda text: text.replace(left, forged)))
    found = only(world.found())
    assert (found.what, found.entry_id) == ("put something in place of a forgotten event", entry_id)
    assert found.commit is not None and found.commit.sha == sha


def test_markers_of_a_conflict_hide_nothing(world: AuditedWorld) -> None:
    world.switch("desk", start="HEAD~1")
    world.use()
    world.commit()
    world.switch("main")
    forged = """<<<<<<< laptop-3f2a 2026-11-30 09:12
the pool is fine
=======
there is no pool
>>>>>>> desk-9c1b 2026-11-30 09:12"""
    world.merge_by_hand(
        "desk", lambda: world.edit(lambda text: text.replace("the pool is exhausted", forged))
    )
    assert only(world.found()).what == "changed an event"


def test_both_texts_of_a_true_conflict_are_no_tampering_of_the_merge(world: AuditedWorld) -> None:
    world.switch("desk", start="HEAD~1")
    world.edit(lambda text: text.replace("the pool is exhausted", "the pool is full"))
    one = world.commit_by_hand()
    world.switch("main")
    world.edit(lambda text: text.replace("the pool is exhausted", "the pool is empty"))
    two = world.commit_by_hand()
    world.merge("desk")
    assert "<<<<<<<" in world.path.read_text("utf-8")
    shas = {found.commit.sha for found in world.found() if found.commit}
    assert shas == {one, two}
    text = world.path.read_text("utf-8")
    kept = text[: text.index("<<<<<<<")] + text[text.index("\n", text.index("<<<<<<<")) + 1 :]
    kept = kept[: kept.index("=======")] + kept[kept.index("\n", kept.index(">>>>>>>")) + 1 :]
    world.path.write_text(kept, "utf-8")
    world.commit("resolve: 1 place")
    assert {found.commit.sha for found in world.found() if found.commit} == {one, two}


def test_events_that_the_sides_have_in_other_orders_are_no_reordering(world: AuditedWorld) -> None:
    """The same transcript, of which one machine had captured a part before it was imported."""
    events = [
        make_event(f"toolu_imported_{n}", f"말 {n}", at=HEADER.started + timedelta(minutes=n))
        for n in range(4)
    ]
    world.switch("desk", start="HEAD")
    world.append(*events)
    world.commit("import: 1 session, 4 events")
    world.switch("main")
    world.append(events[2])
    world.commit()
    world.append(*events)
    world.commit("import: 1 session, 3 events")
    world.merge("desk")
    assert world.found() == []


def test_what_no_side_contradicts_may_not_be_reordered_by_a_merge(world: AuditedWorld) -> None:
    world.switch("desk", start="HEAD~1")
    world.use()
    world.commit()
    world.switch("main")
    first, second = (one.raw for one in world.stored()[1:3])
    data = world.path.read_bytes()
    world.merge_by_hand(
        "desk", lambda: world.path.write_bytes(data.replace(first + second, second + first))
    )
    assert only(world.found()).what == "reordered events"


def test_headers_of_two_journals_that_were_one_session_are_no_tampering(
    world: AuditedWorld,
) -> None:
    """Machines that began on their own, and have no commit in common."""
    head = by_hand(world.root, "rev-parse", "HEAD")
    by_hand(world.root, "switch", "--quiet", "--orphan", "desk")
    world.machine = "desk-9c1b"
    later = replace(HEADER, started=HEADER.started + timedelta(minutes=3))
    world.append(make_event("toolu_desk0000001", "책상에서"), header=later)
    world.commit("import: 1 session")
    world.merge(head)
    assert world.found() == []


def test_a_rename_on_one_side_and_words_on_the_other_are_no_tampering(
    world: AuditedWorld,
) -> None:
    """Git follows the rename by itself; a sync keeps both names."""
    moved = world.path.with_name("moved.md")
    world.switch("desk", start="HEAD~1")
    world.say("said meanwhile")
    world.commit()
    world.switch("main")
    world.path.rename(moved)
    world.commit("edit: 2 files changed by hand")
    head = by_hand(world.root, "rev-parse", "HEAD")
    world.merge("desk")
    assert world.found() == []
    by_hand(world.root, "reset", "--quiet", "--hard", head)
    by_hand(world.root, "merge", "--quiet", "--no-edit", "desk", may_fail=True)
    assert world.found() == []


@pytest.mark.parametrize("text", ["desk says", "the pool is exhausted"])
def test_a_merge_by_plain_git_and_what_mends_it_are_no_tampering(
    world: AuditedWorld, text: str
) -> None:
    """Lines that both sides have alike are joined by git: then records are torn until a sync mends them."""
    attributes = "sessions/** merge=union\nledger/** merge=union\n"
    (world.root / ".git/info/attributes").write_text(attributes, "utf-8")
    world.switch("desk", start="HEAD")
    world.say(text, "```\nand more\n```")
    world.use()
    world.commit()
    world.switch("main")
    world.say("the pool is exhausted", "```\nand else\n```")
    world.use()
    world.commit()
    by_hand(world.root, "merge", "--quiet", "--no-edit", "desk")
    mend_as_a_sync(world)
    assert len(world.ids()) == 9
    assert world.found() == []


def mend_as_a_sync(world: AuditedWorld) -> None:
    head = by_hand(world.root, "rev-parse", "HEAD")
    with reading_objects(world.git) as reader:
        mended = mend_hand_merges(world.git, reader, CommitMerger(world.git, reader), head)
    for path, data in mended.items():
        assert isinstance(data, bytes)
        (world.root / path).write_bytes(data)
    if mended:
        world.commit("merge: mend what plain git joined")
