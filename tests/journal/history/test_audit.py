"""Each tampering is found, where it was done and by whom; what memjournal itself does never counts as one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from memjournal.journal.history.witness import Seen

from ...git_by_hand import git as by_hand
from ..world import make_event
from .audited_world import NOW, AuditedWorld, only


def test_a_history_that_only_grew_is_accepted(world: AuditedWorld) -> None:
    report = world.audit()
    assert report.found == []
    assert (report.n_commits, report.n_changes, report.n_unsigned) == (5, 10, 5)


def test_an_edited_event_is_found_with_its_line_and_commit(world: AuditedWorld) -> None:
    world.edit(lambda text: text.replace("커넥션 풀을 20으로", "커넥션 풀을 200으로"))
    sha = world.commit_by_hand()
    found = only(world.found())
    assert (found.what, found.path) == (
        "changed an event",
        "sessions/2026/11/30/shop--0f6d0c0e.md",
    )
    assert found.line == world.line_of("200으로") - 1  # its heading
    assert found.commit is not None and found.commit.sha == sha
    assert found.commit.author == "kim@example.org"
    assert found.entry_id == [one.entry.id for one in world.stored()][2]


def test_a_removed_event_is_found(world: AuditedWorld) -> None:
    gone = world.stored()[1]
    world.path.write_bytes(world.path.read_bytes().replace(gone.raw, b""))
    world.commit()
    found = only(world.found())
    assert (found.what, found.entry_id) == ("removed an event", gone.entry.id)


def test_a_removed_line_of_an_event_and_of_a_ledger_is_found(world: AuditedWorld) -> None:
    world.edit(lambda text: text.replace("the pool is exhausted\n", ""))
    (ledger,) = (world.root / "ledger").rglob("2026-*.jsonl")
    world.edit(lambda text: "".join(text.splitlines(keepends=True)[1:]), ledger)
    world.commit_by_hand()
    assert [(one.what, one.path.partition("/")[0], one.line) for one in world.found()] == [
        ("removed a line", "ledger", 1),
        ("changed an event", "sessions", 14),
    ]


def test_reordered_events_are_found(world: AuditedWorld) -> None:
    first, second = (one.raw for one in world.stored()[1:3])
    data = world.path.read_bytes()
    world.path.write_bytes(data.replace(first + second, second + first))
    world.commit()
    assert only(world.found()).what == "reordered events"


def test_an_event_that_is_put_before_others_is_found(world: AuditedWorld) -> None:
    raw = world.stored()[0].raw
    forged = raw.replace(world.stored()[0].entry.id.encode(), b"Forged")
    world.path.write_bytes(world.path.read_bytes().replace(raw, forged + raw))
    world.commit()
    found = only(world.found())
    assert (found.what, found.entry_id) == ("inserted an event before others", "Forged")


def test_a_backdated_event_is_found_and_an_import_is_not_one(world: AuditedWorld) -> None:
    world.say("어제 한 일", later=-timedelta(days=1))
    world.commit("import: 1 session, 1 event")
    assert world.found() == []
    (forged,) = world.say("어제 이미 말했다", later=-timedelta(days=1))
    world.commit()
    found = only(world.found())
    assert (found.what, found.entry_id) == (
        "backdated: it is dated before what stood there",
        forged,
    )


def test_a_clock_that_is_set_back_by_an_hour_is_no_tampering(world: AuditedWorld) -> None:
    world.say("한 시간 전", later=-timedelta(hours=1))
    world.commit()
    assert world.found() == []


def test_an_event_that_is_dated_after_its_commit_is_found(world: AuditedWorld) -> None:
    world.say("내일", later=timedelta(days=3650))
    world.commit()
    assert only(world.found()).what == "dated after its commit"


def test_a_deleted_session_is_found_and_a_renamed_one_is_not(world: AuditedWorld) -> None:
    elsewhere = world.root / "sessions/2026/11/30/other.md"
    world.path.rename(elsewhere)
    world.commit()
    assert world.found() == []
    elsewhere.unlink()
    world.commit()
    found = only(world.found())
    assert (found.what, found.path) == ("the file was deleted", "sessions/2026/11/30/other.md")


def test_an_announced_forget_is_no_tampering_and_a_silent_one_is(world: AuditedWorld) -> None:
    first, second = (str(one.entry.id) for one in world.stored()[:2])
    world.forget(first)
    world.commit("forget: 1 entry")
    assert world.found() == []
    world.forget(second, is_announced=False)
    world.commit("forget: 1 entry")
    found = only(world.found())
    assert (found.what, found.entry_id) == ("forgot an event without announcing it", second)


def test_a_forgotten_event_that_was_restored_is_no_tampering(world: AuditedWorld) -> None:
    before = world.path.read_bytes()
    entry_id = str(world.stored()[0].entry.id)
    world.forget(entry_id)
    world.commit("forget: 1 entry")
    world.path.write_bytes(before)
    world.announce("restored", entry_id)
    world.commit("restore: 1 entry")
    assert world.found() == []


def test_words_that_a_person_adds_between_events_are_no_tampering(world: AuditedWorld) -> None:
    raw = world.stored()[1].raw.decode()
    world.edit(lambda text: text.replace(raw, raw + "나중에 덧붙인 말\n\n"))
    world.commit("edit: 1 file changed by hand")
    assert world.found() == []


def test_an_amended_commit_contradicts_what_follows_it(world: AuditedWorld) -> None:
    seen = Seen(NOW, by_hand(world.root, "rev-parse", "HEAD~2"))
    by_hand(world.root, "reset", "--quiet", "--hard", "HEAD~2")
    by_hand(world.root, "commit", "--quiet", "--amend", "--message", "capture: 1 prompt")
    later = world.git.run(["rev-parse", "ORIG_HEAD"])
    by_hand(world.root, "cherry-pick", f"{seen.commit}..{later}")
    found = world.found()
    assert [one.what.partition(":")[0] for one in found] == ["rewritten history"] * 2
    assert found[0].commit is not None and found[0].commit.subject.startswith("capture: 1 prompt")
    assert f"it was made after {seen.commit[:8]}" in found[0].what
    with_witness = world.found(seen)
    assert "where it stood on 2026-12-01 09:00, is not in it" in with_witness[-1].what


def test_what_this_machine_has_seen_tells_of_a_history_that_agrees_with_itself(
    world: AuditedWorld,
) -> None:
    seen = Seen(NOW, by_hand(world.root, "rev-parse", "HEAD"))
    by_hand(world.root, "reset", "--quiet", "--hard", "HEAD~1")
    assert world.found() == []
    assert "rewritten history" in only(world.found(seen)).what


def test_tampering_inside_of_a_merge_is_found(world: AuditedWorld) -> None:
    by_hand(world.root, "switch", "--quiet", "--create", "other", "HEAD~2")
    (world.root / "notes").mkdir()
    (world.root / "notes/a.md").write_text("메모\n", "utf-8")
    world.commit("add: note")
    by_hand(world.root, "switch", "--quiet", "main")
    by_hand(world.root, "merge", "--quiet", "--no-commit", "--no-ff", "other")
    world.edit(lambda text: text.replace("the pool is exhausted", "the pool is fine"))
    sha = world.commit_by_hand("merge")
    found = only(world.found())
    assert found.what == "changed an event"
    assert found.commit is not None and found.commit.sha == sha


def test_a_merge_that_leaves_out_one_side_is_found(world: AuditedWorld) -> None:
    by_hand(world.root, "switch", "--quiet", "--create", "other", "HEAD~2")
    (said,) = world.append(make_event("toolu_elsewhere01", "다른 기계에서"))
    world.commit()
    by_hand(world.root, "switch", "--quiet", "main")
    by_hand(world.root, "merge", "--quiet", "--strategy", "ours", "--no-edit", "other")
    found = only(world.found())
    assert (found.what, found.entry_id) == ("removed an event", said)


def test_an_edit_that_is_not_committed_yet_is_found(world: AuditedWorld) -> None:
    world.edit(lambda text: text.replace("done", "nothing done"))
    found = only(world.found())
    assert (found.what, found.commit) == ("changed an event", None)


def test_all_of_it_at_once_is_found(world: AuditedWorld) -> None:
    events = world.stored()
    world.edit(lambda text: text.replace("done", "never done"))
    first = world.commit_by_hand()
    world.path.write_bytes(world.path.read_bytes().replace(events[0].raw, b""))
    second = world.commit_by_hand()
    world.forget(str(events[1].entry.id), is_announced=False)
    third = world.commit_by_hand()
    world.say("어제", later=-timedelta(days=1))
    fourth = world.commit()
    found = [(one.what, one.commit.sha if one.commit else "") for one in world.found()]
    assert found == [
        ("changed an event", first),
        ("removed an event", second),
        ("forgot an event without announcing it", third),
        ("backdated: it is dated before what stood there", fourth),
    ]


def test_signatures_are_verified_where_there_are_any(
    world: AuditedWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"* {key.with_suffix('.pub').read_text('utf-8')}", "utf-8")
    config = tmp_path / "gitconfig"
    for name, value in {
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "commit.gpgSign": "true",
        "gpg.ssh.allowedSignersFile": str(allowed),
    }.items():
        by_hand(world.root, "config", "--file", str(config), name, value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    world.say("서명된 것")
    signed = world.commit()
    report = world.audit()
    assert (report.found, report.n_signed, report.n_unsigned) == ([], 1, 5)
    raw = world.git.run_bytes(["cat-file", "commit", signed])
    forged = world.git.run(
        ["hash-object", "-w", "-t", "commit", "--stdin"],
        stdin=raw.replace(b"1 prompt", b"2 prompt"),
    )
    world.git.run(["update-ref", "HEAD", forged])
    assert [one.what for one in world.found()] == ["its signature is bad"]
