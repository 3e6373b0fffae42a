"""What git keeps of a memory can be listed, compared, blamed and brought back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..git_by_hand import git
from .conftest import ROOT, World, new_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = new_world(tmp_path / "home")
    world.ok("init")
    return world


def add(world: World, text: str, *more: str) -> str:
    added = json.loads(world.ok("add", text, "--project", "shop", "--json", *more).out)
    return str(added["id"])


def changes(world: World, ref: str) -> list[str]:
    return [json.loads(line)["change"] for line in world.ok("log", ref, "--json").out.splitlines()]


def test_the_log_says_who_remembered_what_and_when(world: World) -> None:
    first = add(world, "서명된 쿠키를 쓴다")
    subjects = [json.loads(line)["subject"] for line in world.ok("log", "--json").out.splitlines()]
    assert subjects == [f"add: note [{first}] in shop", "init: make the journal"]
    machine = json.loads(world.ok("log", "--json").out.splitlines()[0])["machine"]
    assert world.ok("log", "--machine", machine, "--project", "shop").out.count("\n") == 1
    assert world.ok("log", "--project", "elsewhere").out == ""


def test_the_log_of_a_project_is_not_that_of_one_with_a_longer_name(world: World) -> None:
    add(world, "서명된 쿠키를 쓴다")
    world.ok("add", "카트", "--project", "shop.api")
    world.ok("add", "카트 둘", "--project", "shopxapi")
    assert world.ok("log", "--project", "shop").out.count("\n") == 1
    assert world.ok("log", "--project", "shop.api").out.count("\n") == 1


def test_the_log_counts_files_and_lines_when_asked(world: World) -> None:
    ref = add(world, "서명된 쿠키를 쓴다")
    world.ok("edit", ref, "--set", "importance=0.9")
    first, second, _ = map(json.loads, world.ok("log", "--stat", "--json").out.splitlines())
    (path,) = (world.journal / "memories").rglob("*.md")
    n_lines = path.read_text("utf-8").count("\n")
    assert first["files"] == second["files"] == 1
    assert (second["added"], second["removed"]) == (n_lines - first["added"] + first["removed"], 0)
    assert f"1 file, +{second['added']} −0 lines" in world.ok("log", "--stat").out


def test_a_memory_has_a_history_of_its_own(world: World) -> None:
    ref, other = add(world, "서명된 쿠키를 쓴다"), add(world, "use Postgres")
    world.ok("edit", ref, "--set", "tags=인증")
    world.ok("forget", ref, "--yes")
    assert changes(world, ref) == ["forgotten", "changed", "added"]
    assert changes(world, other) == ["added"]


def test_a_diff_shows_what_an_edit_did_and_what_is_not_committed(world: World) -> None:
    ref = add(world, "서명된 쿠키를 쓴다")
    world.ok("edit", ref, "--set", "importance=0.9")
    assert "+importance: 0.9\n" in world.ok("diff", ref).out
    (path,) = (world.journal / "memories").rglob("*.md")
    path.write_text(path.read_text("utf-8") + "\n한 줄 더\n", "utf-8")
    assert "+한 줄 더\n" in world.ok("diff", ref).out
    assert "+한 줄 더\n" in world.ok("diff").out
    (world.journal / "notes/새 메모.md").write_text("아직 없던 것\n", "utf-8")
    assert "+++ notes/새 메모.md\n@@ -0,0 +1 @@\n+아직 없던 것\n" in world.ok("diff").out
    assert "-importance: 0.9" in world.ok("diff", ref, "--from", "HEAD", "--to", "HEAD~1").out


def test_blame_names_the_commit_of_each_line(world: World) -> None:
    ref = add(world, "서명된 쿠키를 쓴다")
    world.ok("edit", ref, "--set", "importance=0.9")
    lines = [json.loads(line) for line in world.ok("blame", ref, "--json").out.splitlines()]
    by_text = {line["text"]: line["commit"] for line in lines}
    log = [json.loads(line)["commit"] for line in world.ok("log", ref, "--json").out.splitlines()]
    assert by_text["importance: 0.9"] == log[0]
    assert by_text["# 서명된 쿠키를 쓴다"] == log[1]


def test_a_forgotten_memory_is_brought_back_and_stays(world: World) -> None:
    ref = add(world, "서명된 쿠키를 쓴다")
    world.ok("edit", ref, "--set", "tags=인증")
    before = {path: data for path, data in world.files().items() if path.startswith("memories/")}
    world.ok("forget", ref, "--yes")
    assert world.ok("restore", ref, "--dry-run").err == ""
    assert not list((world.journal / "memories").rglob("*.md"))
    world.ok("restore", ref)
    assert before.items() <= world.files().items()
    assert ref in world.ok("search", "쿠키", "--ids").out
    assert changes(world, ref)[0] == "restored"
    assert "they only ever grew" in world.ok("audit").out


def test_an_older_version_is_brought_back_by_commit_or_time(world: World) -> None:
    ref = add(world, "서명된 쿠키를 쓴다")
    (path,) = (world.journal / "memories").rglob("*.md")
    first = path.read_bytes()
    world.ok("edit", ref, "--set", "importance=0.9")
    sha = git(world.journal, "rev-parse", "HEAD~1")
    path.write_bytes(path.read_bytes() + b"\nnot committed yet\n")
    world.ok("restore", ref, "--at", sha)
    assert path.read_bytes() == first
    assert "not committed yet" in git(
        world.journal, "show", f"HEAD~1:{path.relative_to(world.journal)}"
    )
    assert world.mem("restore", ref, "--at", "1999-01-01").code == 66
    assert "it says that already" in world.ok("restore", ref, "--at", sha).err


def test_what_was_said_in_a_session_is_brought_back_in_its_place(example: World) -> None:
    world = example
    listed = world.ok("search", "the", "--kind", "event", "--ids", "--all").out.split()
    ref = listed[0]
    before = {path: data for path, data in world.files().items() if path.startswith("sessions/")}
    world.ok("forget", ref, "--yes")
    world.ok("restore", ref)
    after = {path: data for path, data in world.files().items() if path.startswith("sessions/")}
    assert after == before
    assert world.ok("blame", ref).out.count("\n") >= 3
    assert "they only ever grew" in world.ok("audit").out


def test_tampering_ends_with_exit_code_1(example: World) -> None:
    world = example
    (session, *_) = (world.journal / "sessions").rglob("*.md")
    text = session.read_text("utf-8")
    session.write_text(text.replace("\n<!-- mem:", " 조작\n<!-- mem:", 1), "utf-8")
    git(world.journal, "commit", "--quiet", "--all", "--message", "typo")
    ran = world.mem("audit")
    assert ran.code == 1
    assert "changed an event" in ran.out and "by kim@example.org" in ran.out


def test_what_memjournal_does_to_a_session_is_no_tampering(example: World) -> None:
    """Imported, forgotten, imported once more, restored, torn and mended, renamed by hand."""
    world = example
    transcripts = str(ROOT / "examples/transcripts/projects")
    ref = world.ok("search", "the", "--kind", "event", "--ids", "--all").out.split()[0]
    world.ok("forget", ref, "--yes")
    world.ok("import", "--all", "--from", transcripts, "--force")
    world.ok("restore", ref)
    (session, *_) = (world.journal / "sessions").rglob("*.md")
    with session.open("ab") as stream:
        stream.write(b"## 10:11:12 user_prompt [mem:Torn42]\nhalf a sen")
    world.ok("add", "손으로 고친 것도 커밋된다")
    world.mem("doctor", "--fix")
    session.rename(session.with_name("moved.md"))
    ran = world.ok("audit")
    assert "they only ever grew" in ran.out
    assert "rewritten on every machine" in ran.err


def test_an_audit_begins_where_it_is_told_to(example: World) -> None:
    world = example
    (session, *_) = (world.journal / "sessions").rglob("*.md")
    text = session.read_text("utf-8")
    session.write_text(text.replace("\n<!-- mem:", " 조작\n<!-- mem:", 1), "utf-8")
    git(world.journal, "commit", "--quiet", "--all", "--message", "typo")
    sha = git(world.journal, "rev-parse", "HEAD")
    add(world, "그 뒤")
    assert world.mem("audit", "--since", f"{sha}~1").code == 1
    ran = world.ok("audit", "--since", sha, "--json")
    report = json.loads(ran.out.splitlines()[-1])
    assert (report["commits"], report["found"]) == (1, 0)
    assert report["begins_at"] == git(world.journal, "rev-parse", "HEAD")
    assert world.ok("audit", "--since", "2999-01-01").out.startswith("0 commits")
    assert world.mem("audit", "--since", "no time").code == 2


def test_commits_that_no_signature_proves_are_named_when_asked(world: World) -> None:
    ref = add(world, "서명된 쿠키를 쓴다")
    lines = [
        json.loads(line) for line in world.ok("audit", "--signatures", "--json").out.splitlines()
    ]
    named = {line["subject"] for line in lines if line["object"] == "unproven"}
    assert named == {f"add: note [{ref}] in shop", "init: make the journal"}
    assert {line["what"] for line in lines[:-1]} == {"not signed"}
    assert "unproven" not in world.ok("audit", "--json").out


def test_without_a_history_commands_say_so(tmp_path: Path) -> None:
    world = new_world(tmp_path / "home")
    world.ok("init", "--no-git")
    for command in (["log"], ["audit"], ["sync"], ["remote", "show"]):
        ran = world.mem(*command)
        assert (ran.code, ran.out) == (69, ""), command
        assert "not a repository of its own" in ran.err
