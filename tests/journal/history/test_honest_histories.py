"""What memjournal and honest people do is accepted by an audit, however it is mixed."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memjournal.journal.announcements import announcements_on_disk
from memjournal.journal.git.trees import is_ancestor
from memjournal.journal.history.restoring import with_record
from memjournal.journal.history.witness import Seen
from memjournal.journal.session_file import record_id
from memjournal.journal.values import replace

from ...git_by_hand import git as by_hand
from ..world import HEADER, make_event
from .audited_world import NOW, AuditedWorld


def test_an_import_that_brings_the_past_spoils_no_later_commit(world: AuditedWorld) -> None:
    world.say("어제 한 일", later=-timedelta(days=1))
    world.commit("import: 1 session, 1 event")
    world.forget(world.ids()[0])
    world.commit("forget: 1 entry")
    world.path.rename(world.path.with_name("moved.md"))
    world.commit("edit: 2 files changed by hand")
    assert world.found() == []


def test_a_journal_that_was_put_into_git_later_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With imports of the past in it, and by a hand that knows no trailers."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    world = AuditedWorld(tmp_path / "journal")
    world.say("오늘", "오늘 더")
    world.say("어제", later=-timedelta(days=1))
    world.use()
    world.commit_by_hand("my memory")
    world.say("그 뒤")
    world.commit_by_hand("more")
    assert world.found() == []


def test_a_session_that_was_renamed_and_grew_before_the_commit_is_accepted(
    world: AuditedWorld,
) -> None:
    world.say("하나 더")
    world.path.rename(world.path.with_name("moved.md"))
    world.commit()
    assert world.found() == []
    (world.path.with_name("moved.md")).rename(world.path)
    assert world.found() == []  # and not committed


def test_a_rename_whose_two_halves_are_committed_apart_is_accepted(world: AuditedWorld) -> None:
    moved = world.path.with_name("moved.md")
    world.path.rename(moved)
    by_hand(world.root, "add", moved.relative_to(world.root).as_posix())
    by_hand(world.root, "commit", "--quiet", "--message", "one half")
    world.commit("edit: 1 file changed by hand")
    assert world.found() == []


def test_two_sessions_that_were_joined_by_hand_are_accepted(world: AuditedWorld) -> None:
    header = replace(HEADER, session="11111111-1f0b-4b7e-9d3e-1c2b7f0a9c11")
    world.append(make_event("toolu_elsewhere01", "다른 창에서"), header=header)
    world.commit()
    other = world.path.with_name("shop--11111111.md")
    records = other.read_bytes().partition(b"\n\n")[2]
    world.path.write_bytes(world.path.read_bytes() + records)
    other.unlink()
    world.commit("edit: 2 files changed by hand")
    assert [one.what for one in world.found()] == []


def test_two_machines_whose_clocks_differ_may_write_one_session(world: AuditedWorld) -> None:
    """Each clock goes by itself: one that is a day behind is no tampering."""
    world.switch("desk", start="HEAD")
    for _ in range(2):
        world.say("책상에서", later=-timedelta(hours=26))
        world.commit()
    world.switch("main")
    world.say("노트북에서")
    world.commit()
    world.merge("desk")
    world.switch("desk")
    by_hand(world.root, "merge", "--quiet", "--ff-only", "main")
    world.say("다시 책상에서", later=-timedelta(hours=26))
    world.commit()
    assert world.found() == []


def test_a_torn_record_is_put_aside_and_may_be_forgotten(world: AuditedWorld) -> None:
    whole = world.path.read_bytes()
    world.path.write_bytes(whole[:-60])
    torn = world.ids()[-1]
    world.path.write_bytes(whole)
    world.say("뒤에 온 말")
    data = world.path.read_bytes()
    world.path.write_bytes(data.replace(b"\n<!-- mem:" + torn.encode(), b"\n<!-- me"))
    broken = world.commit_by_hand("a disk that failed")
    (found,) = world.found()
    assert found.commit is not None and found.commit.sha == broken
    world.forget(torn)
    world.commit("forget: 1 entry")
    assert [one.commit and one.commit.sha for one in world.found()] == [broken]
    world.mend()
    world.commit("doctor: mend 1 file")
    assert [one.commit and one.commit.sha for one in world.found()] == [broken]


def test_a_header_that_was_torn_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    world = AuditedWorld(tmp_path / "journal")
    world.path.parent.mkdir(parents=True)
    world.path.write_text("---\nkind: session\nsess", "utf-8")
    world.commit_by_hand("a power cut")
    world.say("처음")
    world.commit()
    assert world.found() == []


def test_words_of_a_person_that_are_forgotten_are_no_tampering(world: AuditedWorld) -> None:
    raw = world.stored()[1].raw.decode()
    world.edit(lambda text: text.replace(raw, raw + "비밀번호는 책상 밑\n\n"))
    world.commit("edit: 1 file changed by hand")
    (words,) = (
        one for one in world.stored() if "책상 밑" in one.entry.body and one.entry.kind != "event"
    )
    world.forget(str(words.entry.id))
    world.commit("forget: 1 entry")
    assert "책상 밑" not in world.path.read_text("utf-8")
    assert world.found() == []


def test_what_was_tampered_with_and_restored_is_named_once(world: AuditedWorld) -> None:
    entry_id, raw = world.ids()[1], world.stored()[1].raw
    world.edit(lambda text: text.replace("the pool is exhausted", "the pool is fine"))
    changed = world.commit_by_hand()
    world.path.write_bytes(with_record(world.path.read_bytes(), entry_id, raw))
    world.commit(f"restore: [mem:{entry_id}]")
    world.path.write_bytes(world.path.read_bytes().replace(raw, b""))
    removed = world.commit_by_hand()
    world.path.write_bytes(with_record(world.path.read_bytes(), entry_id, raw))
    world.commit(f"restore: [mem:{entry_id}]")
    assert [found.commit and found.commit.sha for found in world.found()] == [changed, removed]


def test_a_shallow_clone_is_audited_from_where_it_begins(world: AuditedWorld) -> None:
    shallow = world.root.parent / "shallow"
    url = world.root.as_uri()
    by_hand(world.root.parent, "clone", "--quiet", "--depth", "3", url, str(shallow))
    clone = AuditedWorld(shallow)
    report = clone.audit()
    assert report.found == []
    assert (report.n_commits, report.begins_at) == (3, by_hand(shallow, "rev-parse", "HEAD~2"))


def test_a_partial_clone_is_audited_as_a_whole(world: AuditedWorld) -> None:
    by_hand(world.root, "config", "uploadpack.allowFilter", "true")
    partial = world.root.parent / "partial"
    filtered = ["clone", "--quiet", "--filter=blob:none", world.root.as_uri(), str(partial)]
    by_hand(world.root.parent, *filtered)
    report = AuditedWorld(partial).audit()
    assert (report.found, report.n_commits, report.begins_at) == ([], 5, "")


class Honest:
    """Machines that do what they may, in any order."""

    def __init__(self, folder: Path) -> None:
        self.world = AuditedWorld(folder / "journal")
        self.world.say("처음", "그다음")
        self.world.commit("import: 1 session, 2 events")
        self.world.switch("desk", start="main")
        self.world.switch("main")
        self.seen: list[Seen] = []
        self._n = 0
        self.originals: dict[str, bytes] = {}

    def do(self, what: str, number: int) -> None:
        action: Callable[[int], object] = getattr(self, what)
        action(number)

    def capture(self, number: int) -> None:
        self.world.say(f"말 {number}")
        self.world.use()
        self.world.commit()

    def write_and_leave(self, number: int) -> None:
        self.world.say(f"아직 {number}")

    def import_(self, number: int) -> None:
        """The same transcript on any machine, of which each may have a part."""
        times = [HEADER.started + timedelta(minutes=n) for n in range(6)]
        some = range(number % 3, 6, 1 + number % 2)
        self.world.append(*(make_event(f"toolu_same_{n}", f"옛 말 {n}", at=times[n]) for n in some))
        self.world.commit("import: 1 session")

    def forget(self, number: int) -> None:
        records = [one for one in self.world.stored() if one.entry.kind == "event"]
        if records:
            chosen = records[number % len(records)]
            entry_id = str(chosen.entry.id)
            self.originals[entry_id] = chosen.raw
            self.world.forget(entry_id)
            self.world.commit("forget: 1 entry")

    def restore(self, number: int) -> None:
        gone = sorted(announcements_on_disk(self.world.root).forgotten & self.originals.keys())
        if gone:
            entry_id = gone[number % len(gone)]
            data = self.world.path.read_bytes()
            raw = self.originals[entry_id]
            self.world.path.write_bytes(with_record(data, entry_id, raw))
            self.world.announce("restored", entry_id)
            self.world.commit(f"restore: [mem:{entry_id}]")

    def tear_and_mend(self, number: int) -> None:
        self.world.commit()
        with self.world.path.open("ab") as stream:
            stream.write(b"## 10:11:12 user_prompt [mem:Torn%02d]\nhalf a sen" % (number % 100))
        self.world.commit("edit: 1 file changed by hand")
        self.world.mend()
        self.world.commit("doctor: mend 1 file")

    def add_words(self, number: int) -> None:
        records = self.world.stored()
        raw = records[number % len(records)].raw if records else b""
        if raw.endswith(b"\n\n"):
            data = self.world.path.read_bytes()
            self.world.path.write_bytes(data.replace(raw, raw + f"덧붙임 {number}\n\n".encode(), 1))
            self.world.commit("edit: 1 file changed by hand")

    def other_machine(self, number: int) -> None:
        self.world.commit()
        branch = by_hand(self.world.root, "branch", "--show-current")
        self.world.switch("desk" if branch == "main" else "main")

    def sync(self, number: int) -> None:
        self.world.commit()
        branch = by_hand(self.world.root, "branch", "--show-current")
        other = "desk" if branch == "main" else "main"
        if by_hand(self.world.root, "rev-list", "-n", "1", other, f"^{branch}"):
            self.world.merge(other)
        self.seen.append(Seen(NOW, by_hand(self.world.root, "rev-parse", "HEAD")))
        by_hand(self.world.root, "push", "--quiet", ".", f"+HEAD:{other}")


ACTIONS = st.sampled_from(
    [
        *("capture", "capture", "write_and_leave", "import_", "forget", "forget", "restore"),
        *("tear_and_mend", "add_words", "other_machine", "other_machine", "sync", "sync"),
    ]
)


HISTORIES = st.lists(st.tuples(ACTIONS, st.integers(0, 20)), min_size=4, max_size=16)


@given(HISTORIES)
@settings(max_examples=30)
def test_whatever_is_honest_is_accepted(actions: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        honest = Honest(Path(folder))
        for action, number in actions:
            honest.do(action, number)
        assert honest.world.found(*honest.seen) == []


def _edit(world: AuditedWorld, raw: bytes, other: bytes) -> None:
    heading, _, rest = raw.partition(b"\n")
    changed = heading + "\n조작 ".encode() + rest
    world.path.write_bytes(world.path.read_bytes().replace(raw, changed, 1))


def _remove(world: AuditedWorld, raw: bytes, other: bytes) -> None:
    world.path.write_bytes(world.path.read_bytes().replace(raw, b"", 1))


def _forget_silently(world: AuditedWorld, raw: bytes, other: bytes) -> None:
    world.forget(record_id(raw), is_announced=False)


def _swap(world: AuditedWorld, raw: bytes, other: bytes) -> None:
    data = world.path.read_bytes().replace(raw, b"\0\0", 1)
    world.path.write_bytes(data.replace(other, raw, 1).replace(b"\0\0", other, 1))


def _insert(world: AuditedWorld, raw: bytes, other: bytes) -> None:
    forged = raw.replace(record_id(raw).encode(), b"Forged")
    world.path.write_bytes(world.path.read_bytes().replace(raw, forged + raw, 1))


def _delete(world: AuditedWorld, raw: bytes, other: bytes) -> None:
    world.path.unlink()


def _backdate(world: AuditedWorld, raw: bytes, other: bytes) -> None:
    world.say("어제 이미 말했다", later=-timedelta(days=30))


TAMPERINGS = {
    _edit: "changed an event",
    _remove: "removed an event",
    _forget_silently: "forgot an event without announcing it",
    _swap: "reordered events",
    _insert: "inserted an event before others",
    _delete: "the file was deleted",
    _backdate: "backdated: it is dated before what stood there",
}


@given(HISTORIES, st.sampled_from(list(TAMPERINGS)), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_in_whatever_is_honest_one_tampering_is_found_where_it_was_done(
    actions: list[tuple[str, int]],
    tamper: Callable[[AuditedWorld, bytes, bytes], None],
    chance: random.Random,
) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        honest = Honest(Path(folder))
        for number in range(3):
            honest.capture(number)
        place = chance.randrange(len(actions))
        for action, number in actions[:place]:
            honest.do(action, number)
        world = honest.world
        world.commit()
        told = announcements_on_disk(world.root).ever_forgotten
        records = [one.raw for one in world.stored() if one.entry.kind == "event"]
        records = [raw for raw in records if record_id(raw) not in told]
        assume(len(records) > 1)
        raw, other = chance.sample(records, 2)
        tamper(world, raw, other)
        sha = world.commit_by_hand()
        if tamper is not _delete:
            for action, number in actions[place:]:
                honest.do(action, number)
        if not is_ancestor(world.git, sha, "HEAD"):
            honest.sync(0)  # it was done on the other machine
        found = [(one.what, one.commit.sha if one.commit else "") for one in world.found()]
        assert (TAMPERINGS[tamper], sha) in found  # pyright: ignore[reportArgumentType]  # hypothesis keys rules by function
        assert {commit for _, commit in found} == {sha}
