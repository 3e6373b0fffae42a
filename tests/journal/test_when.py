"""Dates as people type them, English and Korean, mean the same stretch of time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.when import parse_span, parse_when

SEOUL = timezone(timedelta(hours=9))
NOW = datetime(2026, 11, 30, 9, 14, tzinfo=SEOUL)  # a Monday


def day(year: int, month: int, date: int) -> datetime:
    return datetime(year, month, date, tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("texts", "start", "end"),
    [
        (
            "2026-11-28|2026/11/28|2026.11.28|2026년 11월 28일|11월 28일",
            (2026, 11, 28),
            (2026, 11, 29),
        ),
        ("today|오늘|monday|월요일", (2026, 11, 30), (2026, 12, 1)),
        ("yesterday|어제|Yesterday", (2026, 11, 29), (2026, 11, 30)),
        ("그제|그저께|day before yesterday", (2026, 11, 28), (2026, 11, 29)),
        ("this week|이번 주|이번주", (2026, 11, 30), (2026, 12, 7)),
        ("last week|지난주|지난 주|저번 주", (2026, 11, 23), (2026, 11, 30)),
        ("last month|지난달|2026-10|2026년 10월", (2026, 10, 1), (2026, 11, 1)),
        ("october|oct|10월|October 2026", (2026, 10, 1), (2026, 11, 1)),
        ("december|12월|dec, 2025", (2025, 12, 1), (2026, 1, 1)),
        ("november|11월", (2026, 11, 1), (2026, 12, 1)),
        ("last year|작년|2025|2025년", (2025, 1, 1), (2026, 1, 1)),
        ("friday|금요일|last friday|지난 금요일", (2026, 11, 27), (2026, 11, 28)),
        ("12월 25일", (2025, 12, 25), (2025, 12, 26)),
    ],
)
def test_a_name_is_whole_days(
    texts: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    for text in texts.split("|"):
        span = parse_span(text, now=NOW)
        assert span is not None, text
        assert (span.start, span.end) == (day(*start), day(*end)), text


@pytest.mark.parametrize(
    ("texts", "ago"),
    [
        (
            "7d|7 days|7 days ago|last 7 days|a week ago|1w|7일|7일 전|최근 7일|1주",
            timedelta(days=7),
        ),
        ("2 weeks|two weeks|2주 전|두 주 전", timedelta(days=14)),
        ("이틀|이틀 전|2d", timedelta(days=2)),
        ("90min|90 minutes ago|90분 전", timedelta(minutes=90)),
        ("12h|12시간 전", timedelta(hours=12)),
        ("1mo|a month ago|한 달 전|1개월 전", timedelta(days=31)),
        ("1y|1년 전", timedelta(days=365)),
    ],
)
def test_a_distance_reaches_until_now(texts: str, ago: timedelta) -> None:
    for text in texts.split("|"):
        span = parse_span(text, now=NOW)
        assert span is not None, text
        assert (span.start, span.end) == (NOW - ago, NOW), text


def test_a_time_without_an_offset_is_meant_here() -> None:
    assert parse_when("2026-11-28T10:00", now=NOW) == datetime(2026, 11, 28, 10, tzinfo=SEOUL)
    assert parse_when("2026-11-28T01:00Z", now=NOW) == datetime(2026, 11, 28, 10, tzinfo=SEOUL)


def test_the_31st_becomes_the_last_day_of_a_shorter_month() -> None:
    assert parse_when("1mo", now=day(2026, 3, 31)) == day(2026, 2, 28)


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-02-30", "13월 1일", "9999999d", "99999y", "d", "7", "-3d", "0000"]
)
def test_anything_else_is_no_date(text: str) -> None:
    assert parse_when(text, now=NOW) is None


@given(st.text(max_size=20))
def test_no_text_breaks_it(text: str) -> None:
    span = parse_span(text, now=NOW)
    assert span is None or span.start <= span.end
