"""What people, scripts and machines do to a program: each test is named after what went wrong once."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import World


@pytest.mark.parametrize(
    "arguments",
    [
        ("forget", "--session", "", "--yes"),
        ("forget", "--query", " ", "--yes"),
        ("forget", "--project", "", "--yes"),
        ("forget", "", "--yes"),
        ("history", "--tag", " "),
        ("timeline", "--session", ""),
        ("search", "x", "--file", ""),
    ],
)
def test_an_empty_filter_does_not_stand_for_everything(
    example: World, arguments: tuple[str, ...]
) -> None:
    before = {path for path in example.files() if path.endswith(".md")}
    ran = example.mem(*arguments)
    assert ran.code in (2, 64), ran.out
    assert before == {path for path in example.files() if path.endswith(".md")}


def test_forgetting_twice_does_not_forget_another_entry(example: World) -> None:
    added = example.ok("add", "the one that goes", "--json").objects[0]
    other = example.journal / "notes" / "other.md"
    other.write_text(f"---\nid: {str(added['id'])[4:]}Q\n---\nthe one that stays\n", "utf-8")
    example.ok("forget", str(added["id"]), "--yes")
    assert example.mem("forget", str(added["id"]), "--yes").code == 66
    assert example.mem("show", str(added["id"])).code == 66
    assert other.exists()


def test_a_day_counts_whole_in_since_and_until(example: World) -> None:
    note = example.journal / "notes" / "dated.md"
    note.write_text("---\ndate: 2026-11-20T10:00:00+09:00\n---\nwhole-day-word\n", "utf-8")
    day = ("--since", "2026-11-20", "--until", "2026-11-20")
    assert "whole-day-word" in example.ok("search", "whole-day-word", *day).out
    before = ("--until", "2026-11-19")
    assert "whole-day-word" not in example.ok("search", "whole-day-word", *before, "--all").out


def test_one_date_at_the_end_of_the_calendar_stops_nothing(example: World) -> None:
    for name, date in (
        ("first", "0001-01-01T00:00:00+14:00"),
        ("last", "9999-12-31T23:59:59-12:00"),
    ):
        note = example.journal / "notes" / f"{name}.md"
        note.write_text(f"---\ncreated: {date}\n---\ncalendar-word {name}\n", "utf-8")
    for command in (("history",), ("stats",), ("search", "calendar-word"), ("timeline",)):
        example.ok(*command)


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", ">/dev/full"])
@pytest.mark.parametrize("command", ["search refund", "add -", "--version", "stats"])
def test_a_closed_or_full_stream_is_no_bug(example: World, command: str, redirection: str) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -P -m memjournal.cli {command} {redirection}'],
        input=b"words from a pipe",
        capture_output=True,
        env=dict(example.environ),
        cwd=example.home,
        check=False,
    )
    said = (done.stdout + done.stderr).decode()
    assert "Traceback" not in said and "a bug in" not in said and "ignored" not in said
    assert done.returncode in (0, 64, 74)


def test_the_terminal_is_not_acted_on_by_what_a_memory_says(example: World) -> None:
    note = example.journal / "notes" / "odd.md"
    note.write_text("escape-word \x1b[31m red \x9b31m \u202e turned \x07 bell\n", "utf-8")
    for command in (("search", "escape-word"), ("show", "notes/odd.md"), ("history", "-n", "3")):
        for option in ((), ("--json",)):
            out = example.ok(*command, *option).out
            assert not set("\x1b\x9b\u202e\x07").intersection(out), command
    assert not set("\x1b\x9b\u202e").intersection(example.ok("export").out)


@pytest.mark.parametrize("part", ["catalog.sqlite", "whoosh", "faiss"])
def test_something_else_in_the_place_of_an_index_is_replaced(example: World, part: str) -> None:
    import shutil

    path = example.journal / "index" / part
    if path.is_dir():
        shutil.rmtree(path)
        path.write_text("a file where a folder was")
    else:
        path.unlink()
        path.mkdir()
        (path / "in the way").write_text("x")
    assert "Idempotency keys" in example.ok("search", "why were refunds swallowed").out
    example.ok("index", "--verify")


def test_words_of_grammar_alone_are_not_answered_with_confidence(example: World) -> None:
    for question in ("why", "the", "왜", "어떻게 뭐였지"):
        answer = example.ok("search", question, "--json").objects[-1]
        assert answer["confidence"] == "none", question


def test_labels_that_lists_show_can_be_asked_for(example: World) -> None:
    rows = example.ok("history", "--type", "prompt", "--json").objects
    assert {row["type"] for row in rows} == {"user_prompt"}
