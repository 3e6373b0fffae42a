"""Dates as people type them, English and Korean, mean the same stretch of time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.when import parse_ago, parse_span, parse_when

SEOUL = timezone(timedelta(hours=9))
NOW = datetime(2026, 11, 30, 9, 14, tzinfo=SEOUL)  # a Monday


def day(year: int, month: int, date: int) -> datetime:
    return datetime(year, month, date, tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-11-28", (2026, 11, 28), (2026, 11, 29)),
        ("2026/11/28", (2026, 11, 28), (2026, 11, 29)),
        ("2026.11.28", (2026, 11, 28), (2026, 11, 29)),
        ("2026년 11월 28일", (2026, 11, 28), (2026, 11, 29)),
        ("11월 28일", (2026, 11, 28), (2026, 11, 29)),
        ("today", (2026, 11, 30), (2026, 12, 1)),
        ("오늘", (2026, 11, 30), (2026, 12, 1)),
        ("monday", (2026, 11, 30), (2026, 12, 1)),
        ("월요일", (2026, 11, 30), (2026, 12, 1)),
        ("yesterday", (2026, 11, 29), (2026, 11, 30)),
        ("어제", (2026, 11, 29), (2026, 11, 30)),
        ("Yesterday", (2026, 11, 29), (2026, 11, 30)),
        ("그제", (2026, 11, 28), (2026, 11, 29)),
        ("그저께", (2026, 11, 28), (2026, 11, 29)),
        ("day before yesterday", (2026, 11, 28), (2026, 11, 29)),
        ("this week", (2026, 11, 30), (2026, 12, 7)),
        ("이번 주", (2026, 11, 30), (2026, 12, 7)),
        ("이번주", (2026, 11, 30), (2026, 12, 7)),
        ("last week", (2026, 11, 23), (2026, 11, 30)),
        ("지난주", (2026, 11, 23), (2026, 11, 30)),
        ("지난 주", (2026, 11, 23), (2026, 11, 30)),
        ("저번 주", (2026, 11, 23), (2026, 11, 30)),
        ("past week", (2026, 11, 23), (2026, 11, 30)),
        ("last month", (2026, 10, 1), (2026, 11, 1)),
        ("지난달", (2026, 10, 1), (2026, 11, 1)),
        ("2026-10", (2026, 10, 1), (2026, 11, 1)),
        ("2026년 10월", (2026, 10, 1), (2026, 11, 1)),
        ("october", (2026, 10, 1), (2026, 11, 1)),
        ("oct", (2026, 10, 1), (2026, 11, 1)),
        ("10월", (2026, 10, 1), (2026, 11, 1)),
        ("October 2026", (2026, 10, 1), (2026, 11, 1)),
        ("december", (2025, 12, 1), (2026, 1, 1)),
        ("12월", (2025, 12, 1), (2026, 1, 1)),
        ("dec, 2025", (2025, 12, 1), (2026, 1, 1)),
        ("november", (2026, 11, 1), (2026, 12, 1)),
        ("11월", (2026, 11, 1), (2026, 12, 1)),
        ("last year", (2025, 1, 1), (2026, 1, 1)),
        ("작년", (2025, 1, 1), (2026, 1, 1)),
        ("2025", (2025, 1, 1), (2026, 1, 1)),
        ("2025년", (2025, 1, 1), (2026, 1, 1)),
        ("Nov 12", (2026, 11, 12), (2026, 11, 13)),
        ("Feb 29", (2024, 2, 29), (2024, 3, 1)),
        ("2월 29일", (2024, 2, 29), (2024, 3, 1)),
        ("Tuesday last week", (2026, 11, 24), (2026, 11, 25)),
        ("지지난 주 화요일", (2026, 11, 17), (2026, 11, 18)),
        ("Nov. 12", (2026, 11, 12), (2026, 11, 13)),
        ("12 Nov", (2026, 11, 12), (2026, 11, 13)),
        ("november 12th", (2026, 11, 12), (2026, 11, 13)),
        ("12th of November", (2026, 11, 12), (2026, 11, 13)),
        ("Nov 30", (2026, 11, 30), (2026, 12, 1)),
        ("Dec 25", (2025, 12, 25), (2025, 12, 26)),
        ("25 December", (2025, 12, 25), (2025, 12, 26)),
        ("12월 25일", (2025, 12, 25), (2025, 12, 26)),
        ("November 12, 2024", (2024, 11, 12), (2024, 11, 13)),
        ("12 nov 2024", (2024, 11, 12), (2024, 11, 13)),
        ("friday", (2026, 11, 27), (2026, 11, 28)),
        ("금요일", (2026, 11, 27), (2026, 11, 28)),
        ("last friday", (2026, 11, 27), (2026, 11, 28)),
        ("지난 금요일", (2026, 11, 27), (2026, 11, 28)),
    ],
)
def test_a_name_is_whole_days(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    span = parse_span(text, now=NOW)
    assert span is not None
    assert (span.start, span.end) == (day(*start), day(*end))


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("7d", timedelta(days=7)),
        ("7 days", timedelta(days=7)),
        ("7 days ago", timedelta(days=7)),
        ("last 7 days", timedelta(days=7)),
        ("a week ago", timedelta(days=7)),
        ("1w", timedelta(days=7)),
        ("7일", timedelta(days=7)),
        ("7일 전", timedelta(days=7)),
        ("최근 7일", timedelta(days=7)),
        ("1주", timedelta(days=7)),
        ("일주일", timedelta(days=7)),
        ("지난 일주일", timedelta(days=7)),
        ("2 weeks", timedelta(days=14)),
        ("two weeks", timedelta(days=14)),
        ("2주 전", timedelta(days=14)),
        ("두 주 전", timedelta(days=14)),
        ("이틀", timedelta(days=2)),
        ("이틀 전", timedelta(days=2)),
        ("2d", timedelta(days=2)),
        ("90min", timedelta(minutes=90)),
        ("90 minutes ago", timedelta(minutes=90)),
        ("90분 전", timedelta(minutes=90)),
        ("12h", timedelta(hours=12)),
        ("12시간 전", timedelta(hours=12)),
        ("1mo", timedelta(days=31)),
        ("a month ago", timedelta(days=31)),
        ("한 달 전", timedelta(days=31)),
        ("1개월 전", timedelta(days=31)),
        ("1y", timedelta(days=365)),
        ("1년 전", timedelta(days=365)),
    ],
)
def test_a_distance_reaches_until_now(text: str, ago: timedelta) -> None:
    span = parse_span(text, now=NOW)
    assert span is not None
    assert (span.start, span.end) == (NOW - ago, NOW)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("3 days ago", (2026, 11, 27), (2026, 11, 28)),
        ("사흘 전", (2026, 11, 27), (2026, 11, 28)),
        ("two weeks ago", (2026, 11, 16), (2026, 11, 23)),
        ("일주일 전", (2026, 11, 23), (2026, 11, 30)),
        ("a month ago", (2026, 10, 1), (2026, 11, 1)),
        ("한 달 전", (2026, 10, 1), (2026, 11, 1)),
        ("a year ago", (2025, 1, 1), (2026, 1, 1)),
        ("1년 전", (2025, 1, 1), (2026, 1, 1)),
    ],
)
def test_so_long_ago_is_that_one_whole(
    text: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    span = parse_ago(text, now=NOW)
    assert span is not None
    assert (span.start, span.end) == (day(*start), day(*end))


@pytest.mark.parametrize("text", ["an hour ago", "1시간 전"])
def test_an_hour_ago_has_an_hour_on_each_side(text: str) -> None:
    span = parse_ago(text, now=NOW)
    assert span is not None
    assert (span.start, span.end) == (NOW - timedelta(hours=2), NOW)


@pytest.mark.parametrize(
    "text", ["3 days", "last week", "일주일", "지난주", "long ago", "한참 전", ""]
)
def test_what_does_not_count_back_is_not_so_long_ago(text: str) -> None:
    assert parse_ago(text, now=NOW) is None


def test_a_time_without_an_offset_is_meant_here() -> None:
    assert parse_when("2026-11-28T10:00", now=NOW) == datetime(2026, 11, 28, 10, tzinfo=SEOUL)
    assert parse_when("2026-11-28T01:00Z", now=NOW) == datetime(2026, 11, 28, 10, tzinfo=SEOUL)


def test_the_31st_becomes_the_last_day_of_a_shorter_month() -> None:
    assert parse_when("1mo", now=day(2026, 3, 31)) == day(2026, 2, 28)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-02-30",
        "Feb 30",
        "last 7",
        "7 of 9",
        "13월 1일",
        "9999999d",
        "99999y",
        "d",
        "7",
        "-3d",
        "0000",
    ],
)
def test_anything_else_is_no_date(text: str) -> None:
    assert parse_when(text, now=NOW) is None


@pytest.mark.parametrize("text", ["가" * 20_000, "3일 전" + " " * 100, "지난 " * 10_000 + "전"])
def test_a_text_longer_than_any_time_is_none(text: str) -> None:
    assert parse_span(text, now=NOW) is None
    assert parse_ago(text, now=NOW) is None


@given(st.text(max_size=20))
def test_no_text_breaks_it(text: str) -> None:
    for span in (parse_span(text, now=NOW), parse_ago(text, now=NOW)):
        assert span is None or span.start <= span.end
