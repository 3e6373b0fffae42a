"""What contains the question word for word stands first, however its print differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.search.phrases import find_phrases, phrases_of

from .world import World

ERROR = "ERROR HikariPool-1 - Connection is not available, request timed out after 30000ms"


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        (
            ERROR,
            f"We saw this:\n\n    2026-11-28T09:14:02.113Z {ERROR.replace('30000', '30117')}\n",
        ),
        (f"\x1b[31m{ERROR}\x1b[0m", ERROR),
        (f"2026-11-30 10:00:00 {ERROR}", ERROR.replace(" ", "\n")),
        ("segfault at 0x7f3a12bc9000 in libfoo", "segfault at 0x7f0000001230 in libfoo.so"),
        ("ERR_PNPM_PEER_DEP_ISSUES", "it says ERR_PNPM_PEER_DEP_ISSUES  Unmet peers"),
        ("error 0x80070005 access denied", "Error 0x80070005: access denied!"),
        ("ORA-00600: internal error code", "ORA-00600: internal error code, arguments: [1]"),
        ("세션 토큰을 쿠키로 옮겼다", "지난주에 세션  토큰을 쿠키로 옮겼다."),
    ],
)
def test_a_line_is_found_however_it_was_printed(asked: str, stored: str) -> None:
    assert find_phrases(phrases_of(asked), stored).whole


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("error 0x80070005 access denied", "error 0x80070006 access denied"),
        ("ORA-00600: internal error code", "ORA-00604: internal error code"),
        ("the pool is full", "the pool is fuller"),
        ("E0308", "E03081"),
        ("pool timeout", "pool timeout"),  # two words stand together by chance
    ],
)
def test_another_line_is_another_line(asked: str, stored: str) -> None:
    assert not find_phrases(phrases_of(asked), stored).whole


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("reserveStock", "it calls reserve_stock() twice"),
        ("reserve_stock", "it calls reserveStock() twice"),
        ("max-pool-size", "set maxPoolSize to 30"),
        ("결제서버", "우리 결제 서버는 둘이다"),
        ("배포파이프라인", "배포 파이프 라인을 옮긴다"),
    ],
)
def test_a_name_or_a_compound_is_the_same_however_it_is_joined(asked: str, stored: str) -> None:
    assert find_phrases(phrases_of(asked), stored).whole


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("reserveStock", "it preserve_stocks"),
        ("결제서버", "결제 요청을 서버로"),
        ("reserveStock", "reserve the stock"),
    ],
)
def test_the_parts_apart_are_not_the_name(asked: str, stored: str) -> None:
    assert not find_phrases(phrases_of(asked), stored).whole


def test_a_question_asked_before_does_not_answer_itself() -> None:
    sought = phrases_of("why did the pool time out")
    assert find_phrases(sought, "why did the pool time out").whole
    assert not find_phrases(sought, "why did the pool time out?", is_question=True).whole
    assert find_phrases(sought, "why did the pool time out? " * 3, is_question=True).whole


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_compared(asked: str, stored: str) -> None:
    sought = phrases_of(asked)
    found = find_phrases(sought, stored + asked)
    assert 0 <= found.worth(sought) <= 1


# Searching


@pytest.fixture
def filled(world: World) -> World:
    for number in range(5):
        world.memory(
            f"Pool timeout {number}", "pool timeout connection order queue " * (number + 1)
        )
    world.memory(
        "Notes", f"Among much else about the budget.\n\n{ERROR}\n\n" + "invoice tenant " * 80
    )
    world.update()
    return world


@pytest.mark.parametrize("by", ["hybrid", "keyword"])
def test_a_pasted_line_ranks_first_and_is_never_called_unknown(filled: World, by: str) -> None:
    answer = filled.ask(ERROR.replace("30000", "29871"), by=by)
    assert answer.hits[0].row.title == "Notes"
    assert answer.confidence != "none"
    assert "timed out" in answer.hits[0].snippet.text


def test_quoted_words_come_first_or_are_named_as_missing(filled: World) -> None:
    answer = filled.ask('pool timeout "connection is not available"')
    assert answer.hits[0].row.title == "Notes"
    assert answer.missing_phrases == ()
    answer = filled.ask('pool timeout "no such words"')
    assert answer.missing_phrases == ("no such words",)
    assert answer.hits


def test_what_only_differs_between_two_prints_is_not_missed(world: World) -> None:
    world.memory("HikariPool-1 - Connection is not available", "pool timeout")
    world.update()
    line = "2026-11-30T03:12:44.123Z ERROR HikariPool-1 - Connection is not available after 30001ms (total=10)"
    assert world.ask(line).missing_phrases == ()


def test_what_is_a_part_of_a_longer_name_or_an_id_is_not_missed(world: World) -> None:
    path = world.memory("/home/dev/shop-api/src/db.py", "커넥션 풀의 크기")
    world.update()
    assert world.ask("src/db.py").missing_phrases == ()
    with world.catalog() as catalog:
        (row,) = catalog.by_path(path)
    assert world.ask(f"mem:{row.id}").missing_phrases == ()
    assert world.ask(row.id).missing_phrases == ()
    assert world.ask("src/none.py").missing_phrases == ("src/none.py",)


@pytest.mark.parametrize("text", ["reserveStock", "결제서버"])
def test_a_name_joined_otherwise_surely_is_there(filled: World, text: str) -> None:
    filled.memory("Stock", "reserve_stock holds the row; 결제 서버 둘")
    filled.update()
    answer = filled.ask(text)
    assert answer.hits[0].row.title == "Stock"
    assert answer.confidence != "none"


def test_a_path_in_quotes_may_stand_among_the_files_of_an_entry(filled: World) -> None:
    filled.memory("Retry", "three attempts", files=("src/billing/retry.py",))
    filled.update()
    assert filled.ask('"src/billing/retry.py"').missing_phrases == ()
