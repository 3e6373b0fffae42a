"""Transcripts come in once, of the project that was asked for, and a report says what did not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memjournal.cli import output
from memjournal.hooks.masking import CountingMask
from memjournal.journal.redaction import Redactor

if TYPE_CHECKING:
    from .conftest import World

OTHER = "11111111-0000-4000-8000-000000000002"
SECRET = "Zx81-kl2Qp9vB"


@pytest.fixture(autouse=True)
def journal(world: World) -> Path:
    return world.init()


# list


def test_list_shows_what_is_new_imported_and_grown(world: World) -> None:
    def states() -> list[object]:
        return [one["status"] for one in world.ok("list", "--json").objects]

    assert world.ok("list").err == f"no transcripts in {world.home}/.claude/projects\n"
    world.transcript("질문입니다", "답입니다")
    assert states() == ["new"]
    world.ok("import")
    assert states() == ["imported"]
    world.transcript("한 번 더 질문", "그리고 답")
    assert states() == ["grown"]


def test_list_names_sessions_projects_and_dates(world: World) -> None:
    world.transcript("질문", "답", cwd="/srv/결제")
    (one,) = world.ok("list", "--json").objects
    assert (one["session"], one["project"]) == (
        "0b1f6c1e-0000-4000-8000-000000000001",
        "root/srv/결제",
    )
    assert one["started"] == "2026-11-28T10:00:00+09:00"
    assert world.ok("list", "--project", "결제").out.startswith("new       2026-11-28 10:00  – ")
    ran = world.run("list", "--project", "nobody")
    assert (ran.code, ran.error) == (66, "mem: no project nobody; `mem stats` lists the projects")


def test_the_table_fits_the_terminal_with_wide_letters_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.transcript(
        "질문", "답", cwd="/srv/아주-긴-이름의-한국어-결제-프로젝트-폴더/그-안의-서비스"
    )
    for n_columns in (40, 50, 70, 80, 90):
        monkeypatch.setattr(output, "columns", lambda n_columns=n_columns: n_columns)
        (line,) = world.ok("list").out.splitlines()
        assert output.width(line) <= n_columns
        assert line.endswith("서비스")


# import


def test_by_default_the_current_folders_project_comes_in(world: World) -> None:
    world.transcript("the shop's question", "the shop's answer")
    world.transcript(
        "another question", "another answer", session=OTHER, cwd="/srv/other", name="x"
    )
    done = world.ok("import")
    assert done.out == (
        "imported 2 events of 1 session\n"
        "  events: 1 user_prompt, 1 assistant_response\n"
        "  files skipped: 1 another project\n"
    )
    (session,) = world.root.glob("sessions/**/*.md")
    assert session.relative_to(world.root).as_posix() == "sessions/2026/11/28/shop--0b1f6c1e.md"
    assert "## 10:00:00 user_prompt [mem:" in session.read_text("utf-8")


def test_where_there_is_nothing_it_says_how_to_get_the_rest(world: World) -> None:
    world.transcript(
        "another question", "another answer", session=OTHER, cwd="/srv/other", name="x"
    )
    done = world.ok("import")
    assert done.out == "nothing new\n  files skipped: 1 another project\n"
    assert done.err == (
        "only local/work/shop was asked for; `mem import --all` takes all projects\n"
    )
    assert "imported 2 events" in world.ok("import", "--all").out


def test_a_second_run_adds_nothing_and_opens_nothing(world: World) -> None:
    path = world.transcript("질문입니다", "답입니다")
    world.ok("import")
    before = world.tree()
    path.chmod(0)
    again = world.ok("import")
    path.chmod(0o600)
    assert again.out == "nothing new\n  files skipped: 1 unchanged\n"
    assert world.tree() == before


def test_a_second_run_loads_nothing_that_is_heavy(world: World) -> None:
    world.transcript("질문입니다", "답입니다")
    world.ok("import")
    code = (
        "import sys\nfrom memjournal.cli.app import main\n"
        "try: main(['import', '--all'])\nexcept SystemExit: pass\n"
        "heavy = {'sqlite3', 'whoosh', 'numpy', 'yaml', 'git', 'jinja2', 'tomlkit', 'rich',"
        " 'memjournal.journal.redaction', 'memjournal.journal.store'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["nothing new", "  files skipped: 1 unchanged", "[]"]


def test_what_was_said_since_comes_in_alone(world: World) -> None:
    world.transcript("질문입니다", "답입니다")
    world.ok("import")
    world.transcript("그 뒤의 질문", "그 뒤의 답")
    assert world.ok("import").out.startswith("imported 2 events of 1 session\n")
    assert len(world.ok("history", "--json").objects) == 4


def test_what_came_in_is_found_by_the_next_search(world: World) -> None:
    world.transcript("결제 모듈이 자꾸 멈춰", "The payment worker waits for a lock.")
    world.ok("import", "--no-index")
    assert not (world.root / "index" / "catalog.sqlite").exists()
    assert "payment worker" in world.ok("search", "payment worker lock").out
    assert "결제" in world.ok("search", "결제").out


def test_one_session_one_file_or_another_folder_is_taken_on_request(world: World) -> None:
    world.transcript("first question", "first answer")
    other = world.transcript(
        "other question", "other answer", session=OTHER, cwd="/srv/x", name="x"
    )
    assert "imported 2 events" in world.ok("import", "--session", OTHER[:6]).out
    elsewhere = other.parents[2] / "elsewhere" / "p"
    elsewhere.mkdir(parents=True)
    for path in (other, world.transcript("more", "and more")):
        path.rename(elsewhere / path.name)
    assert (
        "imported 4 events of 1 session" in world.ok("import", "--from", str(elsewhere.parent)).out
    )
    assert world.ok("import", str(elsewhere / other.name)).out.startswith("nothing new\n")


def test_claude_codes_own_variable_says_where_transcripts_are(world: World) -> None:
    path = world.transcript("질문입니다", "답입니다")
    config = world.home / "다른 곳"
    (config / "projects").mkdir(parents=True)
    path.parent.rename(config / "projects" / "p")
    assert world.ok("import").out == "nothing new\n"
    world.set_env(CLAUDE_CONFIG_DIR=str(config))
    assert "imported 2 events" in world.ok("import").out


def test_since_leaves_out_what_is_older(world: World) -> None:
    world.transcript("질문입니다", "답입니다")
    assert "2 before the date asked for" in world.ok("import", "--since", "2026-11-29").out
    assert "imported 2 events" in world.ok("import", "--since", "2026-11-28").out


def test_a_dry_run_writes_nothing(world: World) -> None:
    world.transcript("질문입니다", "답입니다")
    before = world.tree()
    done = world.ok("import", "--dry-run", "-v")
    assert done.out.startswith("would read 1 transcript, ")
    assert done.err.endswith(".jsonl: would be read\n")
    (plan,) = world.ok("import", "--dry-run", "--json").objects
    assert (plan["n_files"], plan["skipped_files"]) == (1, {})
    assert world.tree() == before


def test_limit_takes_the_newest(world: World) -> None:
    world.transcript("first", "one")
    world.transcript("second", "two", session=OTHER)
    done = world.ok("import", "--limit", "1")
    assert "  files skipped: 1 over the limit\n" in done.out


def test_secrets_are_hidden_and_counted(world: World) -> None:
    world.transcript(
        f"비밀번호: {SECRET}", f"I set password={SECRET}", "<private>급여</private> 끝"
    )
    done = world.ok("import")
    assert "  hidden: 2 secrets, 1 private parts\n" in done.out
    everything = b"".join(
        data for name, data in world.tree().items() if name.startswith("memjournal/")
    )
    assert SECRET.encode() not in everything and "급여".encode() not in everything


def test_a_secret_is_hidden_where_it_stands_bare_later_in_the_session(world: World) -> None:
    world.transcript("mysql -pHunterXX9 shop 로 접속해 줘", "HunterXX9 was refused", "HunterXX9?")
    world.transcript("HunterXX9 is a car", "a fine one", session=OTHER)
    done = world.ok("import", "--json").objects[0]
    assert (done["n_secrets"], done["n_written"]) == (3, 5)
    sessions = {
        name: data for name, data in world.tree().items() if name.startswith("memjournal/sessions")
    }
    assert sorted(data.count(b"HunterXX9") for data in sessions.values()) == [0, 1]
    assert world.ok("import", "--force").out.startswith("nothing new\n")
    assert {name: world.tree()[name] for name in sessions} == sessions


def test_a_bad_transcript_is_named_and_the_rest_comes_in(world: World) -> None:
    good = world.transcript("질문입니다", "답입니다")
    bad = good.with_name(f"{OTHER}.jsonl")
    bad.write_text('{"some": "other program"}\n')
    done = world.run("import", "--all")
    assert done.code == 1
    assert "imported 2 events of 1 session\n" in done.out
    assert done.err == f"mem: {bad}: no Claude Code records in this file\n"


def test_a_file_that_is_no_transcript_is_all_that_is_told(world: World) -> None:
    world.write("../other.jsonl", '{"some": "other program"}\n')
    done = world.run("import", str(world.home / "other.jsonl"))
    assert (done.code, done.out) == (1, "nothing new\n")
    assert done.err == f"mem: {world.home}/other.jsonl: no Claude Code records in this file\n"


def test_what_contradicts_itself_is_refused(world: World) -> None:
    assert world.run("import", "--all", "--project", "x").code == 2
    missing = world.home / "none.jsonl"
    ran = world.run("import", str(missing))
    assert (ran.code, ran.error) == (66, f"mem: {missing}: no such file")


def test_json_reports_the_same(world: World) -> None:
    world.transcript("질문입니다", "답입니다")
    (report,) = world.ok("import", "--json").objects
    assert report["object"] == "import"
    assert report["n_written"] == 2
    assert report["events"] == {"user_prompt": 1, "assistant_response": 1}
    assert report["errors"] == []


def test_an_import_is_one_commit_that_says_what_came_in(world: World) -> None:
    world.ok("init", "--git")
    world.set_env(MEMJOURNAL_JOURNAL_COMMIT="true")
    world.transcript("질문입니다", "답입니다")
    world.ok("import")
    assert world.git("log", "-1", "--format=%s") == "import: 1 session, 2 events (work/shop)"
    assert world.git("status", "--porcelain") == ""


def test_what_a_reader_masks_is_counted() -> None:
    mask = CountingMask(Redactor)
    given = {
        "command": f"login --password={SECRET}",
        "note": "[REDACTED]",
        "api_key": SECRET,
        "text": "<private>급여</private>",
    }
    masked = mask(given)
    assert SECRET not in json.dumps(masked)
    assert (mask.n_secrets, mask.n_private) == (2, 1)
