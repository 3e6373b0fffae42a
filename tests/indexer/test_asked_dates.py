"""A time in the words of a question is a filter where it clearly is a time, and a word elsewhere."""

from __future__ import annotations

import unicodedata
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
        ("what broke in the past week", "what broke", (2026, 11, 23), (2026, 11, 30)),
        ("pool size before 2026-11-02", "pool size", None, (2026, 11, 2)),
        ("지난주에 결정한 배포 규칙", "결정한 배포 규칙", (2026, 11, 23), (2026, 11, 30)),
        ("어제 정한 것", "정한 것", (2026, 11, 29), (2026, 11, 30)),
        ("10월에 정한 규칙", "정한 규칙", (2026, 10, 1), (2026, 11, 1)),
        ("지난달부터 바뀐 것", "바뀐 것", (2026, 10, 1), None),
        ("decisions from last week", "decisions", (2026, 11, 23), (2026, 11, 30)),
        ("lessons from October", "lessons", (2026, 10, 1), (2026, 11, 1)),
        ("changes from Wednesday onwards", "changes", (2026, 11, 25), None),
        ("지난주 화요일에 결정한 것", "결정한 것", (2026, 11, 24), (2026, 11, 25)),
        ("deploys on Friday last week", "deploys", (2026, 11, 27), (2026, 11, 28)),
        ("last week Friday's outage", "outage", (2026, 11, 27), (2026, 11, 28)),
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
    ("text", "start", "end"),
    [
        ("yesterday the build broke", (2026, 11, 29), (2026, 11, 30)),
        ("Yesterday, deploy failed", (2026, 11, 29), (2026, 11, 30)),
        ("yesterday deploys failed", (2026, 11, 29), (2026, 11, 30)),
        ("어제 빌드가 깨졌다", (2026, 11, 29), (2026, 11, 30)),
        ("last Friday deploys failed", (2026, 11, 27), (2026, 11, 28)),
        ("지난 금요일 회의", (2026, 11, 27), (2026, 11, 28)),
        ("지난주에 고친 버그", (2026, 11, 23), (2026, 11, 30)),
        ("지난주 고친 버그", (2026, 11, 23), (2026, 11, 30)),
        ("this week we broke the build", (2026, 11, 30), (2026, 12, 7)),
        ("이번 주에 고친 버그", (2026, 11, 30), (2026, 12, 7)),
        ("today we broke the build", (2026, 11, 30), (2026, 12, 1)),
        ("오늘 고친 버그", (2026, 11, 30), (2026, 12, 1)),
        ("two weeks ago deploys failed", (2026, 11, 16), (2026, 11, 23)),
        ("2주 전 배포", (2026, 11, 16), (2026, 11, 23)),
        ("yesterday outage", (2026, 11, 29), (2026, 11, 30)),
        ("3 days ago outage", (2026, 11, 27), (2026, 11, 28)),
        ("last week the parser broke", (2026, 11, 23), (2026, 11, 30)),
    ],
)
def test_a_time_may_begin_a_question(text: str, start: Day, end: Day) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert dated.text
    assert (dated.period.start, dated.period.end) == (day(start), day(end))


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("last 3 days", timedelta(days=3)),
        ("the past three days", timedelta(days=3)),
        ("what changed last 3 days", timedelta(days=3)),
        ("last 3 days deploys failed", timedelta(days=3)),
        ("최근 3일", timedelta(days=3)),
        ("지난 3일", timedelta(days=3)),
        ("최근 3일간 고친 버그", timedelta(days=3)),
        ("최근 3일 고친 버그", timedelta(days=3)),
        ("배포 오류 최근 3일", timedelta(days=3)),
        ("지난 사흘 동안 바뀐 것", timedelta(days=3)),
        ("past two weeks", timedelta(weeks=2)),
        ("what broke in the past 2 weeks", timedelta(weeks=2)),
        ("최근 2주", timedelta(weeks=2)),
        ("지난 두 주 동안 바뀐 것", timedelta(weeks=2)),
        ("최근 2주 사이 고친 것", timedelta(weeks=2)),
        ("last 24 hours", timedelta(hours=24)),
        ("최근 24시간", timedelta(hours=24)),
        ("지난 24시간 동안 뭐 했지", timedelta(hours=24)),
        ("최근 일주일", timedelta(weeks=1)),
        ("지난 일주일간 뭐 했지", timedelta(weeks=1)),
    ],
)
def test_so_long_reaches_until_now(text: str, length: timedelta) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    start, end = dated.period.start, dated.period.end
    assert start is not None
    assert end is not None
    assert end - start == length


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what did we decide 3 days ago", (2026, 11, 27), (2026, 11, 28)),
        ("3일 전에 결정한 것", (2026, 11, 27), (2026, 11, 28)),
        ("a week ago we chose a queue", (2026, 11, 23), (2026, 11, 30)),
        ("일주일 전에 정한 것", (2026, 11, 23), (2026, 11, 30)),
        ("what broke two weeks ago", (2026, 11, 16), (2026, 11, 23)),
        ("2주 전에 깨진 것", (2026, 11, 16), (2026, 11, 23)),
        ("about two weeks ago we chose", (2026, 11, 9), (2026, 11, 30)),
        ("2주 전쯤 정한 것", (2026, 11, 9), (2026, 11, 30)),
        ("what broke a month ago", (2026, 10, 1), (2026, 11, 1)),
        ("한 달 전에 깨진 것", (2026, 10, 1), (2026, 11, 1)),
        ("what broke a year ago", (2025, 1, 1), (2026, 1, 1)),
        ("1년 전에 깨진 것", (2025, 1, 1), (2026, 1, 1)),
        ("what changed since 3 days ago", (2026, 11, 27), None),
        ("3일 전부터 바뀐 것", (2026, 11, 27), None),
    ],
)
def test_so_long_ago_is_that_day_week_month_or_year(text: str, start: Day, end: Day | None) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert (dated.period.start, dated.period.end) == (day(start), day(end))


@pytest.mark.parametrize("text", ["what broke 3 hours ago", "3시간 전에 깨진 것"])
def test_so_many_hours_ago_has_an_hour_on_each_side(text: str) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert dated.period.start == NOW - timedelta(hours=4)
    assert dated.period.end == NOW - timedelta(hours=2)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("11월 12일", (2026, 11, 12)),
        ("11월 12일 장애 원인", (2026, 11, 12)),
        ("11월 12일에 정한 것", (2026, 11, 12)),
        ("장애 원인 11월 12일", (2026, 11, 12)),
        ("Nov 12", (2026, 11, 12)),
        ("Nov. 12 outage", (2026, 11, 12)),
        ("what broke nov 12", (2026, 11, 12)),
        ("Nov 12 was a bad day", (2026, 11, 12)),
        ("on November 12 we chose", (2026, 11, 12)),
        ("12 November outage", (2026, 11, 12)),
        ("12 Nov", (2026, 11, 12)),
        ("on the 12th of November", (2026, 11, 12)),
        ("November 12th, 2026", (2026, 11, 12)),
        ("11월 30일", (2026, 11, 30)),
        ("what did we decide on Nov 30", (2026, 11, 30)),
        ("12월 25일에 정한 것", (2025, 12, 25)),
        ("what broke on Dec 25", (2025, 12, 25)),
        ("outage 2026/11/12", (2026, 11, 12)),
        ("2026/11/12에 정한 것", (2026, 11, 12)),
        ("May 5, 2025", (2025, 5, 5)),
        ("2025년 5월 5일", (2025, 5, 5)),
    ],
)
def test_a_month_and_a_day_are_the_last_that_are_not_to_come(text: str, date: Day) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert (dated.period.start, dated.period.end) == (
        day(date),
        datetime(*date, tzinfo=SEOUL) + timedelta(days=1),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Last Week Tonight episode",
        "version 2026.11 of the app",
        "todayButton color",
        "migration-2026-11-30.sql",
        "2026-11-30-migration",
        "API version 2026-11-01",
        "last month filter in the dashboard",
        "report by last month",
        "the last week of a sprint",
        "who is on Friday duty",
        "May we delete it",
        "see /logs/2026-11-28/app.log",
        "만료 3일 전 알림",
        "이번 주 회의 언제",
        "오늘의 할 일",
        "저번 주랑 이번 주 중에 언제",
        "may 5 retries be enough",
        "May we retry",
        "march the array",
        "March 3 steps forward",
        "Sep 2 files changed",
        "jan 12 users",
        "oct 12 to hex",
        "Nov 12-14 outage",
        "Feb 30",
        "Nov 12 and 14",
        "11월 12일 ~ 14일 장애",
        "11월 12일자 로그",
        "매년 11월 12일 점검",
        "keep logs for the last 3 days",
        "the last 7 days in the chart",
        "last 3 days chart",
        "retention of the last 30 days",
        "last 10 commits",
        "최근 3일 로그 보관",
        "최근 10개 커밋",
        "지난 3일에 정한 것",
        "지난 3일 정한 것",
        "최근 3일치 로그",
        "며칠 전에 고친 것",
        "less than 3 days ago",
        "over a year ago",
        "yesterdayButton color",
        "last week of a sprint that failed",
        "recently fixed",
        "Mar 10 12:00:01 sshd: pool failed",
        "what is due this week",
        "we need it this week",
        "what happens in December 2027",
        "last week or this week",
    ],
)
def test_what_may_be_a_name_is_no_time(text: str) -> None:
    assert take_period(text, now=NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "rotate the signing keys before Dec 5",
        "rotate keys until Dec 25",
        "12월 25일까지 할 일",
        "rotate keys on Dec 5",
        "12월 5일 마감",
        "due on Friday",
        "what is planned on Friday",
        "deadline on Friday",
        "how long until Friday",
        "25 Dec",
        "release in December",
        "what did we decide before December",
        "what is due today",
        "what is due in November",
        "today's todo",
    ],
)
def test_what_may_be_still_to_come_is_no_time(text: str) -> None:
    assert take_period(text, now=NOW) is None


@pytest.mark.parametrize(
    "text",
    [
        "in March and April",
        "last week webhook yesterday",
        "last week webhook last week",
        "in October or November",
        "on Friday or Saturday",
        "what broke on Friday or Saturday",
        "what broke in March and April",
        "3월과 4월에 고친 버그",
        "3월, 4월에",
        "3, 4월에 고친 버그",
        "3월, 4월에 고친 버그",
        "지난주나 이번주에",
        "지난주나 이번주에 고친 버그",
        "어제나 그제",
        "어제나 그제 고친 버그",
        "2025년이나 2026년에",
        "2025년이나 2026년에 정한 것",
        "3월에서 5월까지",
        "3월에서 5월까지 고친 것",
        "from Monday to Friday",
        "what broke from Monday to Friday",
        "from May to June",
        "what broke from May to June",
        "a week ago today",
        "what broke a week ago today",
        "a week from today",
        "a week from Monday",
        "everything except last week",
        "anything but yesterday",
        "everything that broke except in October",
        "지난주 제외하고 고친 버그",
        "between Nov 1 and Nov 10",
        "what broke between Nov 1 and Nov 10",
        "from Oct 1 to Oct 10",
        "10월 5일부터 10월 10일까지",
        "10월 5일부터 10일까지 고친 버그",
        "10월 5일 또는 6일에 고친 버그",
        "what broke yesterday or earlier",
        "rotation through October 11",
        "내년 3월에 할 일",
        "매년 3월에 하는 점검",
        "다음 달 3월에",
        "재작년 3월에",
        "재작년 3월에 정한 것",
        "작년 3월에 정한 것",
        "다음 주 3월 3일",
        "next year in March",
        "what renews every year in October",
        "in October every year",
        "what broke in October every year",
    ],
)
def test_a_time_with_another_beside_it_or_left_out_is_no_filter(text: str) -> None:
    assert take_period(text, now=NOW) is None


@pytest.mark.parametrize("text", ["지난주에 결정한 배포", "11월 12일 회의록"])
def test_a_time_is_read_in_decomposed_letters_too(text: str) -> None:
    composed = take_period(text, now=NOW)
    decomposed = take_period(unicodedata.normalize("NFD", text), now=NOW)
    assert composed is not None
    assert decomposed == composed


@pytest.mark.parametrize("text", ["CVE 2026-11", "ticket 2026-11", "we closed ticket 2026-11"])
def test_a_number_after_a_name_is_no_month(text: str) -> None:
    assert take_period(text, now=NOW) is None


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what broke on Friday", (2026, 11, 27), (2026, 11, 28)),
        ("Did we deploy on Friday", (2026, 11, 27), (2026, 11, 28)),
        ("pool errors since Friday", (2026, 11, 27), None),
        ("on Friday", (2026, 11, 27), (2026, 11, 28)),
        ("what broke in December", (2025, 12, 1), (2026, 1, 1)),
        ("12월에 고친 버그", (2025, 12, 1), (2026, 1, 1)),
        ("pool errors since December", (2025, 12, 1), None),
        ("today's deploy failed", (2026, 11, 30), (2026, 12, 1)),
        ("down for 2 hours yesterday", (2026, 11, 29), (2026, 11, 30)),
    ],
)
def test_what_surely_is_over_is_read(text: str, start: Day, end: Day | None) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert (dated.period.start, dated.period.end) == (day(start), day(end))


@pytest.mark.parametrize("text", ["rotate keys on Dec 5", "12월 5일 마감"])
def test_a_day_of_the_last_half_year_is_the_last_one(text: str) -> None:
    dated = take_period(text, now=datetime(2027, 2, 1, 9, 14, tzinfo=SEOUL))
    assert dated is not None
    assert (dated.period.start, dated.period.end) == (day((2026, 12, 5)), day((2026, 12, 6)))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("the day before yesterday's bug", "bug"),
        ("last month's outage", "outage"),
        ("last Friday's outage", "outage"),
        ("지난 3월에 정한 것", "정한 것"),
    ],
)
def test_no_part_of_a_time_is_left(text: str, rest: str) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert dated.text == rest


@pytest.mark.parametrize(
    "text",
    ["what happened in October", "10월에 무슨 일이 있었나", "lessons October 2026", "2026년 10월"],
)
def test_a_month_is_read_whole(text: str) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert (dated.period.start, dated.period.end) == (day((2026, 10, 1)), day((2026, 11, 1)))


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("rotation until 2026-10-11", (2026, 10, 12)),
        ("2026년 10월 11일까지 정한 것", (2026, 10, 12)),
        ("rotation before 2026-10-11", (2026, 10, 11)),
        ("2026년 10월 11일 이전에 정한 것", (2026, 10, 11)),
    ],
)
def test_until_includes_its_day_and_before_does_not(text: str, end: Day) -> None:
    dated = take_period(text, now=NOW)
    assert dated is not None
    assert (dated.period.start, dated.period.end) == (None, day(end))


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


@pytest.mark.parametrize(
    "text",
    [
        "what happened yesterday",
        "what changed yesterday",
        "What happened yesterday?",
        "what's happened yesterday",
        "what happened since yesterday",
        "what did we work on yesterday",
        "어제 무슨 일이 있었나",
        "어제 무슨 일이 있었지",
        "어제 무슨 일이 있었나요?",
        "어제 한 일",
        "어제 일어난 일",
        "어제 바뀐 것",
        "어제 작업한 것",
    ],
)
def test_what_happened_lists_what_there_is_of_that_time(dated: World, text: str) -> None:
    assert dated.found(text) == ["풀 어제"]


@pytest.mark.parametrize(
    "text",
    [
        "what did we decide last week",
        "decisions from last week",
        "show me decisions last week",
        "지난주에 결정한 것",
        "지난주에 뭐 정했지",
        "지난주에 뭘 결정했더라",
        "지난주 결정 사항",
    ],
)
def test_decisions_of_a_time_are_those_typed_so_and_notes_that_say_so(
    world: World, text: str
) -> None:
    last_week = WORLD_NOW - timedelta(days=7)
    world.memory("Queue", "Kafka it is", type="decision", created=last_week)
    world.memory("Pool", "timeouts", type="lesson", created=last_week)
    world.note(
        "notes/a.md", f"---\ncreated: {last_week.isoformat()}\n---\n# 회의\n\n결정: 큐를 옮긴다\n"
    )
    world.note(
        "notes/b.md", f"---\ncreated: {last_week.isoformat()}\n---\n# Meeting\n\nDecided: EU only\n"
    )
    world.note("notes/c.md", f"---\ncreated: {last_week.isoformat()}\n---\n# Lunch\n\nnoodles\n")
    world.update()
    found = world.found(text)
    assert found[0] == "Queue"
    assert set(found) == {"Queue", "회의", "Meeting"}


@pytest.mark.parametrize("text", ["the day before yesterday", "what happened 3 days ago", "3일 전"])
def test_a_time_alone_with_nothing_in_it_finds_nothing(dated: World, text: str) -> None:
    answer = dated.ask(text)
    assert not answer.hits
    assert answer.period is not None
    assert answer.period.is_used


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


@pytest.mark.parametrize("text", ["2026-11-30 03:12:55", "2026", "30000"])
def test_no_number_is_answered_for_sure_by_another(world: World, text: str) -> None:
    world.memory("Weekly 2026-11-12", "minutes of the weekly meeting")
    world.memory("Pool", "timeout")
    world.update()
    assert world.ask(text).confidence != "high"
