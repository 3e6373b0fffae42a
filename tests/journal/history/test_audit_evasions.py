"""Ways to tamper that are meant to look like something else are found all the same."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memjournal.journal.history.witness import Seen

from ...git_by_hand import git as by_hand
from .audited_world import NOW, AuditedWorld, only


def test_a_second_record_with_a_known_id_is_an_insertion(world: AuditedWorld) -> None:
    first, second = (one.raw for one in world.stored()[:2])
    forged = first.replace("로그인 버그 고쳐줘".encode(), "로그인은 그대로 둬".encode())
    world.path.write_bytes(world.path.read_bytes().replace(second, forged + second))
    sha = world.commit_by_hand()
    found = only(world.found())
    assert (found.what, found.entry_id) == ("inserted an event before others", world.ids()[0])
    assert found.commit is not None and found.commit.sha == sha
    assert found.line == world.line_of("그대로 둬") - 1


def test_a_line_that_is_put_twice_into_a_ledger_is_an_insertion(world: AuditedWorld) -> None:
    (ledger,) = (world.root / "ledger").rglob("2026-*.jsonl")
    world.edit(lambda text: text.replace("\n", f"\n{text.splitlines()[0]}\n", 1), ledger)
    world.commit_by_hand()
    found = only(world.found())
    assert (found.what, found.line) == ("inserted a line before others", 2)


def test_what_is_restored_must_be_what_was_forgotten(world: AuditedWorld) -> None:
    before, entry_id = world.path.read_bytes(), world.ids()[1]
    world.forget(entry_id)
    world.commit("forget: 1 entry")
    world.path.write_bytes(before.replace(b"the pool is exhausted", b"the pool was never full"))
    world.announce("restored", entry_id)
    sha = world.commit("restore: 1 entry")
    found = only(world.found())
    assert found.what == "put something in place of a forgotten event"
    assert (found.entry_id, found.line) == (entry_id, world.line_of("never full") - 1)
    assert found.commit is not None and found.commit.sha == sha


def test_what_is_restored_may_hide_more_than_before(world: AuditedWorld) -> None:
    before, entry_id = world.path.read_bytes(), world.ids()[1]
    world.forget(entry_id)
    world.commit("forget: 1 entry")
    world.path.write_bytes(before.replace(b"the pool is", b"[REDACTED] is"))
    world.announce("restored", entry_id)
    world.commit("restore: 1 entry")
    assert world.found() == []


def test_a_forgotten_event_keeps_its_keys(world: AuditedWorld) -> None:
    entry_id = world.ids()[1]
    world.forget(entry_id)
    world.edit(lambda text: text.replace("toolu_0000000003", "toolu_9999999999"))
    world.commit("forget: 1 entry")
    found = only(world.found())
    assert (found.what, found.entry_id) == ("changed the keys of a forgotten event", entry_id)


def test_a_session_that_is_renamed_out_of_sight_counts_as_deleted(world: AuditedWorld) -> None:
    hidden = world.path.with_suffix(".txt")
    world.path.rename(hidden)
    sha = world.commit_by_hand()
    world.edit(lambda text: text.replace("done", "undone"), hidden)
    world.commit_by_hand()
    hidden.rename(world.path)
    world.commit_by_hand()
    found = only(world.found())
    assert found.what == "the file was deleted"
    assert found.commit is not None and found.commit.sha == sha


def test_a_session_in_whose_place_a_link_is_put_counts_as_deleted(world: AuditedWorld) -> None:
    data = world.path.read_bytes()
    elsewhere = world.root / "kept.md"
    elsewhere.write_bytes(data)
    world.path.unlink()
    world.path.symlink_to(elsewhere)
    world.commit_by_hand()
    found = only(world.found())
    assert (found.what, found.line) == ("the file was deleted", 1)


def test_a_submodule_in_place_of_a_session_does_not_end_the_audit(world: AuditedWorld) -> None:
    path = world.path.relative_to(world.root).as_posix()
    sha = by_hand(world.root, "rev-parse", "HEAD")
    world.path.unlink()
    by_hand(world.root, "update-index", "--cacheinfo", f"160000,{sha},{path}")
    by_hand(world.root, "commit", "--quiet", "--message", "x")
    assert {one.what for one in world.found()} == {"the file was deleted"}


def test_history_that_git_shows_in_place_of_another_is_named(world: AuditedWorld) -> None:
    world.edit(lambda text: text.replace("done", "undone"))
    tampered = world.commit_by_hand()
    world.edit(lambda text: text.replace("undone", "done"))
    honest = by_hand(world.root, "rev-parse", "HEAD~1")
    world.commit_by_hand()
    by_hand(world.root, "replace", tampered, honest)
    whats = [one.what for one in world.found()]
    assert f"rewritten history: another is shown in place of {tampered[:8]}" in whats


def test_a_good_signature_by_an_unknown_key_is_no_proof(
    world: AuditedWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    allowed = tmp_path / "allowed"
    config = tmp_path / "gitconfig"
    for name in ("ours", "theirs"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(command, check=True)
    allowed.write_text(f"* {(tmp_path / 'ours.pub').read_text('utf-8')}", "utf-8")
    for name, value in {
        "gpg.format": "ssh",
        "user.signingKey": str(tmp_path / "theirs"),
        "commit.gpgSign": "true",
        "gpg.ssh.allowedSignersFile": str(allowed),
    }.items():
        by_hand(world.root, "config", "--file", str(config), name, value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    world.say("서명된 것")
    world.commit()
    report = world.audit()
    assert (report.found, report.n_signed, report.n_unknown) == ([], 0, 1)


def test_the_users_way_of_showing_signatures_is_no_matter(world: AuditedWorld) -> None:
    by_hand(world.root, "config", "log.showSignature", "true")
    by_hand(world.root, "config", "log.showRoot", "false")
    by_hand(world.root, "config", "log.follow", "true")
    assert world.found() == []


def test_a_file_with_a_line_end_in_its_name_is_looked_at_on_disk(world: AuditedWorld) -> None:
    odd = world.path.with_name("shop\n--0f6d0c0e.md")
    world.path.rename(odd)
    world.commit_by_hand("rename")
    world.edit(lambda text: text.replace("done", "undone"), odd)
    assert only(world.found()).what == "changed an event"


def test_what_is_in_place_of_a_file_on_disk_does_not_end_the_audit(world: AuditedWorld) -> None:
    world.path.unlink()
    world.path.mkdir()
    (world.path / "x").write_text("x", "utf-8")
    assert {one.what for one in world.found()} == {"the file was deleted"}


def test_an_event_that_is_dated_back_between_new_ones_is_found(world: AuditedWorld) -> None:
    world.say("지금 한 말")
    (forged,) = world.say("진작 한 말", later=-timedelta(days=2))
    world.say("다음 말")
    world.commit()
    found = only(world.found())
    assert (found.what, found.entry_id) == (
        "backdated: it is dated before what stood there",
        forged,
    )
    assert found.line == world.line_of("진작 한 말") - 1


@pytest.mark.parametrize("is_by_hand", [True, False])
def test_two_hours_are_too_much_for_one_clock(world: AuditedWorld, is_by_hand: bool) -> None:
    (forged,) = world.say("두 시간 전에 한 말", later=-timedelta(hours=2))
    sha = world.commit_by_hand() if is_by_hand else world.commit()
    found = only(world.found())
    assert found.entry_id == forged
    assert found.commit is not None and found.commit.sha == sha


def test_two_days_are_too_much_for_another_machine(world: AuditedWorld) -> None:
    world.switch("desk", start="HEAD")
    (forged,) = world.say("이틀 전에 한 말", later=-timedelta(hours=48))
    world.commit()
    assert only(world.found()).entry_id == forged


def test_what_a_machine_wrote_before_a_merge_binds_it_behind_it(world: AuditedWorld) -> None:
    world.switch("desk", start="HEAD~1")
    world.say("책상에서")
    world.commit()
    world.switch("main")
    world.merge("desk")
    (forged,) = world.say("두 시간 전에 한 말", later=-timedelta(hours=2))
    world.commit()
    assert only(world.found()).entry_id == forged


def test_a_rewriting_that_leaves_trailers_out_is_found_by_what_was_seen(
    world: AuditedWorld,
) -> None:
    seen = Seen(NOW, by_hand(world.root, "rev-parse", "HEAD"))
    by_hand(world.root, "reset", "--quiet", "--soft", "HEAD~3")
    by_hand(world.root, "commit", "--quiet", "--message", "all in one")
    assert world.found() == []
    assert "rewritten history" in only(world.found(seen)).what


def test_a_rebase_contradicts_the_trailers(world: AuditedWorld) -> None:
    by_hand(world.root, "rebase", "--quiet", "--no-ff", "--root")
    found = world.found()
    assert found and {one.what.partition(":")[0] for one in found} == {"rewritten history"}
