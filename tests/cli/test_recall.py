"""`mem recall` shows what an assistant would be told here, says why it is nothing, and leaves no trace."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path

import pytest

from memjournal.hooks.recall.tokens import count_tokens

from .conftest import World

PROMPT = "커넥션 풀 크기를 얼마로 하기로 했지?"


@pytest.fixture
def journal(world: World) -> World:
    """Two memories, with their vectors: by words alone next to nothing is sure enough to be told."""
    world.set_env(MEMJOURNAL_EMBEDDING_ENABLED="true")
    world.init()
    world.add(
        "커넥션 풀은 20으로 하기로 했다\n\n한도가 100이고 인스턴스가 5개이기 때문이다.",
        "--type",
        "decision",
    )
    world.add("Tests are named after what must hold", "--type", "convention")
    return world


def state_of(folder: Path) -> dict[str, tuple[int, str]]:
    """Every file below *folder*: when it was changed, and what is in it."""
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def test_it_leaves_no_trace(journal: World) -> None:
    before = state_of(journal.home)
    for arguments in (
        ("--brief",),
        (PROMPT,),
        (PROMPT, "--brief", "--explain"),
        ("continue", "--json"),
        ("이어서 하자",),
        ("--session", "0f6d"),
    ):
        journal.ok("recall", *arguments)
        assert state_of(journal.home) == before


def test_it_leaves_no_trace_where_the_index_is_behind(journal: World) -> None:
    note = journal.root / "notes" / "late.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("# 늦은 메모\n", "utf-8")
    before = state_of(journal.home)
    journal.ok("recall")
    journal.ok("recall", PROMPT)
    assert state_of(journal.home) == before


def test_without_a_prompt_it_is_what_a_session_begins_with(journal: World) -> None:
    said = journal.ok("recall")
    assert said.out.startswith("<memory-context>\n")
    assert said.out.endswith("</memory-context>\n")
    assert "커넥션 풀은 20으로 하기로 했다" in said.out
    assert "Tests are named after what must hold" in said.out
    assert said.err == ""
    assert journal.ok("recall", "--brief").out == said.out


def test_a_prompt_is_told_what_is_known_of_it(journal: World) -> None:
    said = journal.ok("recall", PROMPT)
    assert "커넥션 풀은 20으로 하기로 했다" in said.out
    assert "Tests are named" not in said.out


def test_what_the_brief_told_is_not_told_with_the_prompt(journal: World) -> None:
    assert journal.ok("recall", "--brief", PROMPT).out.count("커넥션 풀은 20으로") == 1


def test_nothing_is_told_and_it_is_said_why(journal: World) -> None:
    for prompt in ("고마워", "thanks!", "Write a haiku about the sea in spring."):
        said = journal.ok("recall", prompt)
        assert said.out == ""
        assert said.err.startswith("prompt of local/work/shop: ")


def test_an_empty_journal_tells_nothing(world: World) -> None:
    world.init()
    said = world.ok("recall")
    assert (said.out, said.err) == ("", "brief of local/work/shop: nothing is known of it yet\n")


def test_json_says_what_and_why(journal: World) -> None:
    brief, prompt = journal.ok("recall", "--brief", "--json", "고마워").objects
    assert (brief["object"], brief["event"], brief["reason"]) == ("recalled", "brief", "brief")
    assert brief["project"] == "local/work/shop"
    assert brief["tokens"] == count_tokens(str(brief["text"]))
    assert len(list(brief["ids"])) == 2  # pyright: ignore[reportArgumentType]
    assert (prompt["event"], prompt["reason"], prompt["text"]) == ("prompt", "not asked", "")
    assert prompt["ids"] == []


def test_what_was_chosen_is_explained_beside_the_text(journal: World) -> None:
    said = journal.ok("recall", "--explain")
    assert said.out == journal.ok("recall").out
    first, *chosen = said.err.splitlines()
    assert first.startswith("brief of local/work/shop: what a session begins with; ")
    assert first.endswith(" of at most 1,500 tokens")
    assert [line.split(":")[2] for line in chosen] == [
        " Tests are named after what must hold",
        " 커넥션 풀은 20으로 하기로 했다",
    ]


def test_what_was_considered_for_a_prompt_is_explained_beside_the_text(journal: World) -> None:
    said = journal.ok("recall", "--explain", PROMPT)
    assert said.out == journal.ok("recall", PROMPT).out
    why, *considered = said.err.splitlines()
    assert why.startswith("prompt of local/work/shop: found, and sure enough; ")
    assert re.fullmatch(
        r"  (?:0\.[4-9]\d|1\.00)  told: mem:\w+  decision: 커넥션 풀은 20으로 하기로 했다",
        considered[0],
    )
    assert all("  not sure enough: mem:" in line for line in considered[1:])
    told_before = journal.ok("recall", "--explain", "--brief", PROMPT).err
    assert "  told already: mem:" in told_before


def test_nothing_is_told_and_what_came_nearest_is_explained(journal: World) -> None:
    said = journal.ok("recall", "--explain", "리뷰어는 커넥션을 몇 명 잡아야 하지?")
    why, *considered = said.err.splitlines()
    assert (said.out, "sure enough to be told" in why) == ("", True)
    assert considered and all("  not sure enough: mem:" in line for line in considered)
    asked_nothing = journal.ok("recall", "--explain", "고마워").err
    assert len(asked_nothing.splitlines()) == 1


def test_json_explains_what_was_considered(journal: World) -> None:
    brief, prompt = journal.ok("recall", "--brief", "--explain", "--json", PROMPT).objects
    assert (brief["considered"], prompt["ids"]) == ([], [])
    (alone,) = journal.ok("recall", "--explain", "--json", PROMPT).objects
    first, *others = alone["considered"]  # type: ignore[misc]  # JSON
    assert {**first, "id": [first["id"]], "probability": first["probability"] >= 0.4} == {
        "id": alone["ids"],
        "title": "커넥션 풀은 20으로 하기로 했다",
        "probability": True,
        "verdict": "told",
    }
    assert {one["verdict"] for one in others} <= {"not sure enough"}
    assert "considered" not in journal.ok("recall", "--json", PROMPT).objects[0]


def test_another_project_is_told_of_by_its_name(journal: World) -> None:
    journal.add(
        "결제는 해외 카드를 받지 않는다", "--type", "constraint", "--project", "acme/payments"
    )
    assert "해외 카드" in journal.ok("recall", "--project", "payments").out
    assert "해외 카드" not in journal.ok("recall").out
    assert journal.run("recall", "--project", "nowhere").code == 66


@pytest.mark.parametrize(
    "setting", ["recall.enabled=false", "recall.brief_tokens=0", 'capture.skip_projects=["*"]']
)
def test_what_is_switched_off_is_said_to_be(journal: World, setting: str) -> None:
    said = journal.ok("--set", setting, "recall")
    assert said.out == ""
    assert "the settings say that nothing is told" in said.err


def test_a_prompt_may_come_by_standard_input(journal: World) -> None:
    assert journal.ok("recall", "-", stdin=PROMPT).out == journal.ok("recall", PROMPT).out
    assert journal.run("recall", "-", stdin="  ").code == 64


def test_a_budget_of_the_settings_is_kept(journal: World) -> None:
    said = journal.ok("--set", "recall.brief_tokens=160", "recall").out
    assert 0 < count_tokens(said) <= 160


@pytest.mark.parametrize("part", ["faiss", "whoosh"])
def test_it_leaves_no_trace_where_a_part_of_the_index_is_gone(journal: World, part: str) -> None:
    journal.ok("search", "커넥션")
    folder = next((journal.root / "index").rglob(part))
    shutil.rmtree(folder)
    before = state_of(journal.home)
    said = journal.run("recall", PROMPT)
    assert "Traceback" not in said.err
    assert state_of(journal.home) == before
