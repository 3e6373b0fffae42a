"""A time in the words of a question is a filter where it clearly is a time, and a word elsewhere."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.search.asked_dates import take_period

from .world import NOW as WORLD_NOW
from .world import World, pick

SEOUL = timezone(timedelta(hours=9))
NOW = datetime(2026, 11, 30, 9, 14, tzinfo=SEOUL)  # a Monday
Day = tuple[int, int, int]


def day(date: Day | None) -> datetime | None:
    return datetime(*date, tzinfo=SEOUL) if date else None


@pytest.mark.parametrize(
    ("text", "rest", "start", "end"),
    [
        ("what did we decide last week", "what did we decide", (2026, 11, 23), (2026, 11, 30)),
        ("Last week we chose a queue", "we chose a queue", (2026, 11, 23), (2026, 11, 30)),
        ("yesterday's deploy", "deploy", (2026, 11, 29), (2026, 11, 30)),
        ("what broke in October?", "what broke ?", (2026, 10, 1), (2026, 11, 1)),
        ("decisions 2026-11", "decisions", (2026, 11, 1), (2026, 12, 1)),
        ("decisions in 2026-11 on pools", "decisions on pools", (2026, 11, 1), (2026, 12, 1)),
        ("what changed since last week", "what changed", (2026, 11, 23), None),
        ("pool size before 2026-11-02", "pool size", None, (2026, 11, 2)),
        ("지난주에 결정한 배포 규칙", "결정한 배포 규칙", (2026, 11, 23), (2026, 11, 30)),
        ("어제 정한 것", "정한 것", (2026, 11, 29), (2026, 11, 30)),
        ("10월에 정한 규칙", "정한 규칙", (2026, 10, 1), (2026, 11, 1)),
        ("지난달부터 바뀐 것", "바뀐 것", (2026, 10, 1), None),
        ("2026년 11월 28일에 뭐 했지", "뭐 했지", (2026, 11, 28), (2026, 11, 29)),
    ],
)
def test_a_time_is_taken_out_of_the_question(
    text: str, rest: str, start: Day | None, end: Day | None
) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert dated.text == rest
    assert (dated.period.start, dated.period.end) == (day(start), day(end))


@pytest.mark.parametrize("text", ["3일 전에 결정한 것", "what did we decide 3 days ago"])
def test_so_long_ago_reaches_until_now(text: str) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert (dated.period.start, dated.period.end) == (day((2026, 11, 27)), NOW)


@pytest.mark.parametrize(
    "text",
    [
        *("Last Week Tonight episode", "version 2026.11 of the app", "todayButton color"),
        *("migration-2026-11-30.sql", "2026-11-30-migration", "API version 2026-11-01"),
        *(
            "last month filter in the dashboard",
            "report by last month",
            "the last week of a sprint",
        ),
        *("who is on Friday duty", "May we delete it", "see /logs/2026-11-28/app.log"),
        *("만료 3일 전 알림", "이번 주 회의 언제", "오늘의 할 일", "저번 주랑 이번 주 중에 언제"),
        *(
            "what happens in December 2027",
            "last week or this week",
        ),
    ],
)
def test_what_may_be_a_name_is_no_time(text: str) -> None:
    assert take_period(text, now=NOW) is None


@given(st.text(max_size=40))
def test_any_text_may_be_looked_at(text: str) -> None:
    take_period(text, now=NOW)


# Searching


@pytest.fixture
def dated(world: World) -> World:
    for days, title in ((8, "Pool of last week"), (60, "Pool of long ago"), (1, "풀 어제")):
        world.memory(title, "pool timeout 풀 고갈", created=WORLD_NOW - timedelta(days=days))
    world.update()
    return world


def test_a_search_stays_within_the_time(dated: World) -> None:
    answer = dated.ask("pool timeout last week")
    assert [hit.row.title for hit in answer.hits] == ["Pool of last week"]
    assert answer.period is not None
    assert (answer.period.words, answer.period.is_used) == ("last week", True)
    assert dated.found("어제 고갈된 풀") == ["풀 어제"]


def test_a_time_in_which_nothing_is_found_is_dropped_and_named(dated: World) -> None:
    answer = dated.ask("pool timeout 2 years ago, in the order service before 2020-01-01")
    assert answer.period is None  # two times
    answer = dated.ask("pool timeout before 2020-01-01")
    assert answer.hits
    assert answer.period is not None
    assert not answer.period.is_used


def test_a_filter_or_the_switch_keeps_the_words_as_they_are(dated: World) -> None:
    since = WORLD_NOW - timedelta(days=90)
    assert dated.ask("pool timeout last week", wanted=pick(since=since)).period is None
    assert len(dated.ask("pool timeout last week", dates_in_words=False).hits) == 3


@pytest.mark.parametrize("text", ["yesterday", "어제", "2026-11", "오늘", "this week", "지난주"])
def test_a_time_alone_asks_for_whatever_there_is_of_it(text: str) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert dated.text == ""


@pytest.mark.parametrize(
    "text", ["[2026-03-10 04:12:11] payment pod OOMKilled", "2026-03-10 04:12 WARN pool is empty"]
)
def test_the_time_stamp_of_a_log_line_is_no_time(text: str) -> None:
    assert take_period(text, now=NOW) is None
