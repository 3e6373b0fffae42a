"""A log line finds the entry that quotes its message, whatever was printed around either."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.search.log_lines import message_of
from memjournal.indexer.search.phrases import find_phrases, phrases_of

from .world import World

MESSAGE = "Connection is not available, request timed out after 30000ms"
KOREAN = "연결을 가져올 수 없습니다 시간 초과"
AROUND = (
    "ERROR: {}",
    "error: {}",
    "[ERROR] {}",
    "WARN  {}",
    "오류: {}",
    "2026-11-30 09:12:11,123 ERROR [main] com.acme.Pool - {}",
    "[2026-11-30T09:12:11.5Z] [worker-3] {}",
    "09:12:11.500 [pool-1] ERROR c.a.Pool: {}",
    "\x1b[31mERROR\x1b[0m \x1b[1m{}\x1b[0m",
    "Nov 30 09:14:02 web-1 app[123]: {}",
    "src/pool.py:12: error: {}  [pool]",
    "src\\pool.ts:12:8 - error: {}",
    "E   {}",
    "> {}",
    '"{}"',
    "`{}`",
    "npm ERR! {}",
    "Caused by: {}",
    "{} (pool.js:10:5)",
    "Uncaught {} at app.js:10:5",
)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("message", [MESSAGE, KOREAN])
def test_a_log_line_contains_its_message(around: str, message: str) -> None:
    sought = phrases_of(around.format(message))
    found = find_phrases(sought, f"# Pool\n\nIt said `{message}` again.")
    assert found.worth(sought) > 0


@pytest.mark.parametrize(
    "text",
    [
        "why does the pool time out?",
        "info about the pool size",
        "Error handling in the order service",
        "what is at pool.py:12 and why",
        "how do we retry? [auth]",
        "커넥션 풀 고갈 원인",
        "오류 처리 규칙은 어떻게 정했지",
        f"{MESSAGE}\nERROR: {MESSAGE}",
        "",
    ],
)
def test_a_question_is_no_log_line(text: str) -> None:
    assert message_of(text) == ""


@pytest.mark.parametrize(
    "text", ["ERROR: pool exhausted", "[main] timeout", "ERROR", "오류: 시간 초과"]
)
def test_a_message_of_two_words_stands_in_too_many_entries(text: str) -> None:
    assert phrases_of(text).message == ""


@given(st.text(max_size=60) | st.text(st.sampled_from("$.:/[]() E-aé1\"'"), max_size=1_000))
def test_any_text_may_be_a_log_line(text: str) -> None:
    assert message_of(text) in text


@pytest.fixture
def filled(world: World) -> World:
    """Notes about pools and errors, and one that quotes the message among much else."""
    for number in range(20):
        world.memory(
            f"ERROR of com.acme.Pool in main {number}",
            "error main com.acme.Pool app pool worker web connection request timed out 오류 연결 시간 초과 "
            * (number + 1),
        )
    for message in (MESSAGE, KOREAN):
        hay = "invoice tenant budget " * 40
        world.memory("Notes", f"{hay}\n\n{message}\n\n{hay}")
    world.update()
    return world


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("by", ["hybrid", "keyword"])
def test_the_entry_that_has_the_message_stands_first(filled: World, around: str, by: str) -> None:
    for message in (MESSAGE, KOREAN):
        answer = filled.ask(around.format(message), by=by)
        assert answer.hits[0].row.title == "Notes", message
        assert answer.confidence != "none"


def test_the_whole_line_stands_above_its_message(filled: World) -> None:
    line = f"2026-11-30 09:12:11 ERROR [main] com.acme.Pool - {MESSAGE}"
    filled.memory("Line", f"{'profile ' * 80}\n\n{line}")
    filled.update()
    assert filled.found(line)[:2] == ["Line", "Notes"]


def test_a_line_that_was_only_asked_about_before_is_no_answer(filled: World) -> None:
    filled.events([f"ERROR: {MESSAGE}"])
    filled.update()
    assert filled.found(f"[main] {MESSAGE}")[0] == "Notes"
