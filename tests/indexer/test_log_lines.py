"""A log line finds the entry that quotes its message, whatever was printed around either."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.search.log_lines import message_of
from memjournal.indexer.search.phrases import find_phrases, phrases_of

from .world import World

WHEN = datetime(2025, 3, 4, tzinfo=UTC)

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
UNPAINTED = [around for around in AROUND if "\x1b" not in around]


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
        "[auth] how do we retry tokens",
        "[auth] 토큰 재시도는 어떻게",
        "[인증] 토큰 재시도는 어떻게",
        "npm install hangs in the CI container",
        "npm 설치가 CI 에서 멈춘다",
        "ERROR handling in the order service",
        "ERROR 처리는 주문 서비스에서 어떻게 하나",
        "WARN levels of the logger in prod",
        "Uncaught exceptions in the order service",
        "why does the build fail in src/pool.py:12",
        "src/pool.py:12 에서 빌드가 왜 깨지나",
        "src/auth.py: why do we retry tokens",
        "2026-11-28 what did we decide",
        "2026-11-28 회의에서 정한 것",
        "커넥션 풀 고갈 원인",
        "오류 처리 규칙은 어떻게 정했지",
        f"{MESSAGE}\nERROR: {MESSAGE}",
        "",
    ],
)
def test_a_question_is_no_log_line(text: str) -> None:
    assert message_of(text) == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[ERROR] handling of the pool failed", "handling of the pool failed"),
        ("2026-03-10 04:12 WARN 풀이 비었다", "풀이 비었다"),
        ("ERROR the pool is empty at src/pool.py:12", "the pool is empty"),
        ("[auth] 오류: 토큰이 만료되었다", "토큰이 만료되었다"),
        ("java.lang.IllegalStateException: pool is closed", "pool is closed"),
        ('File "pool.py", line 12, in acquire: the pool is empty', "the pool is empty"),
        ("ERROR: [main]", ""),  # it says nothing
    ],
)
def test_what_is_around_a_message_is_taken_away(line: str, message: str) -> None:
    assert message_of(line) == message


@pytest.mark.parametrize(
    "text", ["ERROR: pool exhausted", "[main] timeout", "ERROR", "오류: 시간 초과"]
)
def test_a_message_of_two_words_stands_in_too_many_entries(text: str) -> None:
    assert phrases_of(text).message == ""


@given(
    st.sampled_from(UNPAINTED),
    st.text(st.sampled_from("abz é가나")).map(str.strip).filter(bool),
)
def test_words_are_left_as_they_are(around: str, words: str) -> None:
    assert message_of(f"09:12:11 {around.format(words)}") == words


@given(st.text(max_size=60) | st.text(st.sampled_from("$.:/[]() E-aé1\"'"), max_size=1_000))
def test_no_text_breaks_it(text: str) -> None:
    assert len(message_of(text)) <= len(text)


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


@pytest.mark.parametrize("by", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    "message",
    [
        "invoice parser leaked a tenant budget while deploy profile latency webhook signature",
        "환불 결제 서명 쿠키 배포 롤백 캐시 색인 지연 누수",
    ],
)
def test_a_name_beside_the_message_that_stands_nowhere_is_not_surely_answered(
    filled: World, by: str, message: str
) -> None:
    filled.memory("Message", message)
    filled.update()
    assert filled.ask(f"ERROR: {message}", by=by).confidence == "high"
    answer = filled.ask(f"ERROR: {message} [zonedPoolManager]", by=by)
    assert answer.hits[0].row.title == "Message"
    assert answer.confidence == "suggested"
    assert answer.missing_phrases == ()  # each logger and thread would be named


def test_the_whole_line_stands_above_its_message(filled: World) -> None:
    line = f"2026-11-30 09:12:11 ERROR [main] com.acme.Pool - {MESSAGE}"
    filled.memory("Line", f"{'profile ' * 80}\n\n{line}")
    filled.update()
    assert filled.found(line)[:2] == ["Line", "Notes"]


def test_a_line_that_was_only_asked_about_before_is_no_answer(filled: World) -> None:
    filled.events([f"ERROR: {MESSAGE}"])
    filled.update()
    assert filled.found(f"[worker-3] {MESSAGE}")[0] == "Notes"


@pytest.mark.parametrize("by", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    "stamp",
    [
        "2026-10-05 12:00:01.123 ERROR [main] c.z.hikari.Pool - ",
        "2026-10-05T12:00:01Z ",
        "[2026-10-05T12:00:01Z] ",
        "Oct  5 12:00:01 db-1 app[77]: ",
    ],
)
def test_a_time_stamp_decides_nothing(world: World, stamp: str, by: str) -> None:
    """It is no wish for entries of that day, nor a word that entries with such a date have."""
    answering = world.memory("Pool", f"{MESSAGE}: raise the limit", created=WHEN)
    world.memory("회의 2026-10-05", "2026-10-05 12:00 main ERROR 회의", created=WHEN)
    world.memory(
        "Of that day", "a connection, available", created=WHEN.replace(year=2026, month=10)
    )
    world.update()
    answer = world.ask(f"{stamp}{MESSAGE}", by=by)
    assert answer.period is None
    assert answer.hits[0].row.path == answering
    assert answer.confidence != "none"
