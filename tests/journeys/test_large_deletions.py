"""When most of a journal is gone at once, git or a person must say that it was meant; nothing else waits."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..git_by_hand import git
from ..waiting import wait_until
from .daemons import started, status

if TYPE_CHECKING:
    from ..ran import Ran
    from .conftest import World

N_NOTES = 30
N_KEPT = 3


def note(world: World, number: int) -> Path:
    return world.journal / "notes" / f"{number}.md"


def all_but_some(world: World) -> list[Path]:
    """The notes that a test does away with."""
    return [note(world, number) for number in range(N_KEPT, N_NOTES)]


def found(world: World, word: str) -> set[str]:
    """The files of what is found by *word*."""
    rows = world.ok("search", "--json", "--all", "--limit", "100", "--by", "keyword", word).objects
    return {str(row["path"]) for row in rows if row["object"] == "hit"}


def said(ran: Ran) -> list[str]:
    """What a command says of files that are gone at once."""
    return [line for line in ran.err.splitlines() if "gone at once" in line]


def line_of(ran: Ran, start: str) -> str:
    (line,) = [line for line in ran.out.splitlines() if line.startswith(start)]
    return line


@pytest.fixture
def indexed(den: World) -> World:
    """Thirty notes, indexed before git knows of any of them."""
    for number in range(N_NOTES):
        note(den, number).write_text(f"# 얼룩말 {number}\n\n줄무늬 stripe{number}\n", "utf-8")
    den.ok("index")
    return den


@pytest.mark.parametrize("way", ["git rm", "rm", "reset"])
def test_what_a_commit_took_away_is_followed_though_the_index_is_older_than_the_first_commit(
    indexed: World, way: str
) -> None:
    git(indexed.journal, "add", "notes")
    git(indexed.journal, "commit", "-qm", "메모")
    if way == "git rm":
        git(indexed.journal, "rm", "-q", *(str(path) for path in all_but_some(indexed)))
        git(indexed.journal, "commit", "-qm", "치우기")
    elif way == "rm":
        for path in all_but_some(indexed):
            path.unlink()
        git(indexed.journal, "commit", "-qam", "치우기")
    else:  # the commit is in no branch any more
        git(indexed.journal, "reset", "-q", "--hard", "HEAD~1")
    ran = indexed.ok("search", "얼룩말")
    assert said(ran) == []
    kept = set() if way == "reset" else {f"notes/{number}.md" for number in range(N_KEPT)}
    assert found(indexed, "얼룩말") == kept
    assert "follows the files" in line_of(indexed.ok("status"), "index")
    assert "agrees" in indexed.ok("index", "--verify").out


def test_a_removal_that_git_has_staged_is_followed_before_it_is_committed(indexed: World) -> None:
    git(indexed.journal, "add", "notes")
    git(indexed.journal, "commit", "-qm", "메모")
    git(indexed.journal, "rm", "-q", *(str(path) for path in all_but_some(indexed)))
    assert said(indexed.ok("search", "얼룩말")) == []
    assert found(indexed, "얼룩말") == {f"notes/{number}.md" for number in range(N_KEPT)}


def delete_most_and_edit_the_rest(world: World) -> None:
    for path in all_but_some(world):
        path.unlink()
    for number in range(N_KEPT):
        note(world, number).write_text(f"# 코끼리 {number}\n\ntrunk{number}\n", "utf-8")
    (world.journal / "notes" / "새 메모.md").write_text("# 기린\n\n목이 길다\n", "utf-8")


@pytest.mark.parametrize("beside", ["alone", "beside a daemon"])
def test_what_was_only_deleted_waits_for_a_yes_and_edits_do_not_wait_for_it(
    indexed: World, beside: str
) -> None:
    git(indexed.journal, "add", "notes")
    git(indexed.journal, "commit", "-qm", "메모")
    if beside == "beside a daemon":
        started(indexed)
    delete_most_and_edit_the_rest(indexed)
    n_gone = N_NOTES - N_KEPT
    ran = indexed.ok("search", "코끼리")
    assert len(said(ran)) == 1
    assert said(ran)[0].startswith(f"mem: {n_gone} indexed files are gone at once")
    assert "mem index --accept-deletions" in said(ran)[0]
    assert found(indexed, "코끼리") == {f"notes/{number}.md" for number in range(N_KEPT)}
    assert found(indexed, "기린") == {"notes/새 메모.md"}
    assert found(indexed, "얼룩말") == {f"notes/{n}.md" for n in range(N_KEPT, N_NOTES)}
    assert said(indexed.ok("history")) == said(ran)
    assert "gone at once" in line_of(indexed.ok("status"), "index")
    doctor = indexed.mem("doctor")
    assert doctor.code == 1
    assert "--accept-deletions" in line_of(doctor, "wrong  index")
    indexed.ok("index", "--accept-deletions")
    assert said(indexed.ok("search", "얼룩말")) == []
    assert found(indexed, "얼룩말") == set()
    assert found(indexed, "기린") == {"notes/새 메모.md"}
    assert "follows the files" in line_of(indexed.ok("status"), "index")
    assert "agrees" in indexed.ok("index", "--verify").out
    if beside == "beside a daemon":
        assert status(indexed)["withheld"] == 0


def test_what_is_gone_at_once_is_said_while_edits_wait_to_be_read_as_well(indexed: World) -> None:
    delete_most_and_edit_the_rest(indexed)
    assert "gone at once" in line_of(indexed.ok("status"), "index")
    assert "--accept-deletions" in line_of(indexed.mem("doctor"), "wrong  index")


@pytest.mark.parametrize("beside", ["alone", "beside a daemon"])
def test_when_the_files_come_back_nothing_is_left_over(indexed: World, beside: str) -> None:
    if beside == "beside a daemon":
        started(indexed)
    away = indexed.home / "갔다"
    shutil.move(indexed.journal / "notes", away)
    (indexed.journal / "notes").mkdir()
    # A folder that was moved away is seen half a second later: the system waits for the other half.
    wait_until(lambda: len(said(indexed.ok("search", "얼룩말"))) == 1)
    shutil.rmtree(indexed.journal / "notes")
    shutil.move(away, indexed.journal / "notes")
    note(indexed, 0).write_text("# 하마\n\n돌아와서 고쳤다\n", "utf-8")
    ran = indexed.ok("search", "하마")
    assert said(ran) == []
    assert found(indexed, "하마") == {"notes/0.md"}
    assert found(indexed, "얼룩말") == {f"notes/{number}.md" for number in range(1, N_NOTES)}
    assert said(indexed.ok("history")) == []
    assert "follows the files" in line_of(indexed.ok("status"), "index")
    assert indexed.mem("doctor").code == 0
    assert "agrees" in indexed.ok("index", "--verify").out
    assert json.loads(indexed.ok("index", "--json").out)["removed"] == 0
    if beside == "beside a daemon":
        assert status(indexed)["withheld"] == 0


@pytest.mark.parametrize(
    "command",
    [("show",), ("source",), ("forget", "--yes"), ("edit", "--set", "title=다른 제목")],
    ids=lambda command: command[0],
)
def test_an_entry_that_the_index_kept_without_its_file_is_named_with_what_to_do(
    indexed: World, command: tuple[str, ...]
) -> None:
    entry = indexed.ok("search", "--ids", "stripe9").out.split()[0]
    before = found(indexed, "얼룩말")
    for path in all_but_some(indexed):
        path.unlink()
    first, *options = command
    ran = indexed.mem(first, entry, *options)
    assert ran.code == 74
    (line,) = [line for line in ran.err.splitlines() if "gone at once" not in line]
    assert line.startswith(f"mem: notes/9.md: the file of {entry} is gone")
    assert "mem index --accept-deletions" in line
    assert found(indexed, "얼룩말") == before
    timeline = indexed.ok("timeline", entry).out
    assert "얼룩말 9" in timeline
