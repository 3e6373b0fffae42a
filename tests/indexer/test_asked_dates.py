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


@pytest.mark.parametrize(
    ("texts", "start", "end"),
    [
        ("yesterday the build broke|Yesterday, deploy failed", (2026, 11, 29), (2026, 11, 30)),
        ("yesterday deploys failed|어제 빌드가 깨졌다", (2026, 11, 29), (2026, 11, 30)),
        ("last Friday deploys failed|지난 금요일 회의", (2026, 11, 27), (2026, 11, 28)),
        ("지난주에 고친 버그|지난주 고친 버그", (2026, 11, 23), (2026, 11, 30)),
        ("this week we broke the build|이번 주에 고친 버그", (2026, 11, 30), (2026, 12, 7)),
        ("today we broke the build|오늘 고친 버그", (2026, 11, 30), (2026, 12, 1)),
        ("two weeks ago deploys failed|2주 전 배포", (2026, 11, 16), (2026, 11, 23)),
    ],
)
def test_a_time_may_begin_a_question(texts: str, start: Day, end: Day) -> None:
    for text in texts.split("|"):
        dated = take_period(text, now=NOW)
        assert dated is not None, text
        assert dated.text, text
        assert (dated.period.start, dated.period.end) == (day(start), day(end)), text


@pytest.mark.parametrize(
    ("texts", "length"),
    [
        (
            (
                "last 3 days|the past three days|what changed last 3 days|last 3 days deploys failed|"
                "최근 3일|지난 3일|최근 3일간 고친 버그|최근 3일 고친 버그|배포 오류 최근 3일|지난 사흘 동안 바뀐 것"
            ),
            timedelta(days=3),
        ),
        (
            "past two weeks|what broke in the past 2 weeks|최근 2주|지난 두 주 동안 바뀐 것|최근 2주 사이 고친 것",
            timedelta(weeks=2),
        ),
        ("last 24 hours|최근 24시간|지난 24시간 동안 뭐 했지", timedelta(hours=24)),
        ("최근 일주일|지난 일주일간 뭐 했지", timedelta(weeks=1)),
    ],
)
def test_so_long_reaches_until_now(texts: str, length: timedelta) -> None:
    for text in texts.split("|"):
        dated = take_period(text, now=NOW)
        assert dated is not None, text
        start, end = dated.period.start, dated.period.end
        assert start is not None
        assert end is not None
        assert end - start == length, text


@pytest.mark.parametrize(
    ("texts", "start", "end"),
    [
        ("what did we decide 3 days ago|3일 전에 결정한 것", (2026, 11, 27), (2026, 11, 28)),
        ("a week ago we chose a queue|일주일 전에 정한 것", (2026, 11, 23), (2026, 11, 30)),
        ("what broke two weeks ago|2주 전에 깨진 것", (2026, 11, 16), (2026, 11, 23)),
        ("about two weeks ago we chose|2주 전쯤 정한 것", (2026, 11, 9), (2026, 11, 30)),
        ("what broke a month ago|한 달 전에 깨진 것", (2026, 10, 1), (2026, 11, 1)),
        ("what broke a year ago|1년 전에 깨진 것", (2025, 1, 1), (2026, 1, 1)),
        ("what changed since 3 days ago|3일 전부터 바뀐 것", (2026, 11, 27), None),
    ],
)
def test_so_long_ago_is_that_day_week_month_or_year(
    texts: str, start: Day, end: Day | None
) -> None:
    for text in texts.split("|"):
        dated = take_period(text, now=NOW)
        assert dated is not None, text
        assert (dated.period.start, dated.period.end) == (day(start), day(end)), text


@pytest.mark.parametrize("text", ["what broke 3 hours ago", "3시간 전에 깨진 것"])
def test_so_many_hours_ago_has_an_hour_on_each_side(text: str) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert dated.period.start == NOW - timedelta(hours=4)
    assert dated.period.end == NOW - timedelta(hours=2)


@pytest.mark.parametrize(
    ("texts", "date"),
    [
        (
            (
                "11월 12일|11월 12일 장애 원인|11월 12일에 정한 것|장애 원인 11월 12일|Nov 12|Nov. 12 outage|"
                "what broke nov 12|Nov 12 was a bad day|on November 12 we chose|12 November outage|12 Nov|on the 12th of November|"
                "November 12th, 2026"
            ),
            (2026, 11, 12),
        ),
        ("11월 30일|what did we decide on Nov 30", (2026, 11, 30)),  # today
        ("12월 25일에 정한 것|what broke on Dec 25|25 Dec", (2025, 12, 25)),
        ("May 5, 2025|2025년 5월 5일", (2025, 5, 5)),
    ],
)
def test_a_month_and_a_day_are_the_last_that_are_not_to_come(texts: str, date: Day) -> None:
    for text in texts.split("|"):
        dated = take_period(text, now=NOW)
        assert dated is not None, text
        assert dated.period.start == day(date), text


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
        *("may 5 retries be enough", "May we retry", "march the array", "March 3 steps forward"),
        *("Sep 2 files changed", "jan 12 users", "oct 12 to hex", "Nov 12-14 outage", "Feb 30"),
        *("Nov 12 and 14", "11월 12일 ~ 14일 장애", "11월 12일자 로그", "매년 11월 12일 점검"),
        *("keep logs for the last 3 days", "the last 7 days in the chart", "last 3 days chart"),
        *(
            "retention of the last 30 days",
            "last 10 commits",
            "최근 3일 로그 보관",
            "최근 10개 커밋",
        ),
        *("지난 3일에 정한 것", "지난 3일 정한 것", "최근 3일치 로그", "며칠 전에 고친 것"),
        *("less than 3 days ago", "over a year ago", "yesterday button", "recently fixed"),
        *("Mar 10 12:00:01 sshd: pool failed", "what is due this week", "we need it this week"),
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
