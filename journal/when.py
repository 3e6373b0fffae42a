"""Dates as people type them: ``2026-11-30``, ``Nov 12``, ``7d``, ``2 weeks``, ``yesterday``, ``지난주``.

Pure: the clock is given. Every date is a stretch of time, so that "since yesterday" begins where
yesterday does and "until yesterday" ends where it does. A time without an offset is meant in the
zone of ``now``. A day that daylight saving makes longer is as long as the zone of ``now`` says.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeVar

T = TypeVar("T")
Unit = Literal["second", "minute", "hour", "day", "week", "month", "year"]


def _by_word(words: Mapping[T, str]) -> dict[str, T]:
    """The table that is written down the other way round."""
    return {word: meaning for meaning, listed in words.items() for word in listed.split("|")}


_UNITS: Final[dict[str, Unit]] = _by_word(
    {
        "second": "s|sec|secs|second|seconds|초",
        "minute": "min|mins|minute|minutes|분",
        "hour": "h|hr|hrs|hour|hours|시간",
        "day": "d|day|days|일",
        "week": "w|wk|wks|week|weeks|주|주일|주간",
        "month": "mo|mon|mos|month|months|달|개월|월",
        "year": "y|yr|yrs|year|years|년|해",
    }
)
_NUMBERS: Final = _by_word(
    {1: "a|an|one|한", 2: "two|두", 3: "three|세", 4: "four|네", 5: "five|다섯", 6: "six|여섯"}
)
_DAYS: Final = {
    "하루": "1일",
    "이틀": "2일",
    "사흘": "3일",
    "나흘": "4일",
    "열흘": "10일",
    "일주일": "1주",
}
_DAYS_BACK: Final = _by_word(
    {0: "today|오늘", 1: "yesterday|어제", 2: "day before yesterday|그제|그저께|엊그제"}
)
_PERIODS: Final[dict[str, tuple[Unit, int]]] = _by_word(
    {
        ("week", 0): "this week|이번 주|금주",
        ("week", 1): "last week|past week|지난 주|저번 주",
        ("week", 2): "지지난 주",
        ("month", 0): "this month|이번 달",
        ("month", 1): "last month|past month|지난 달|저번 달",
        ("year", 0): "this year|올해",
        ("year", 1): "last year|past year|작년|지난 해",
    }
)
_WEEKDAYS: Final = _by_word(
    {
        0: "monday|mon|월요일",
        1: "tuesday|tue|화요일",
        2: "wednesday|wed|수요일",
        3: "thursday|thu|목요일",
        4: "friday|fri|금요일",
        5: "saturday|sat|토요일",
        6: "sunday|sun|일요일",
    }
)
_MONTHS: Final = _by_word(
    dict(
        enumerate(
            (
                *("january|jan|1월", "february|feb|2월", "march|mar|3월", "april|apr|4월"),
                *("may|5월", "june|jun|6월", "july|jul|7월", "august|aug|8월"),
                "september|sep|sept|9월",
                *("october|oct|10월", "november|nov|11월", "december|dec|12월"),
            ),
            1,
        )
    )
)

_YEARS_TO_A_LEAP_DAY: Final = 9  # 1896 and 1904 are as far apart as any two
_MAX_CHARS: Final = 100  # what is longer is no time, and would be looked at for long
_AGO = re.compile(
    r"(?:(?:the )?(?:last|past) |(?:지난|최근) ?)?(\d{1,6}|[a-z]+|[가-힣]+?) ?([a-z]+|[가-힣]+?)?"
    r"(?: ago| ?전(?:부터)?| ?동안)?"
)
_DAY_OF_WEEK = re.compile(
    r"(last week|this week|(?:지지난|지난|저번|이번) 주) ?([a-z]+day|[월화수목금토일]요일)"
    r"|([a-z]+day) (?:of )?(last week|this week)"
)
_MONTH = re.compile(r"(\d{4})-(\d{1,2})|(\d{4})년 ?(\d{1,2})월")
_NAMED_MONTH = re.compile(r"([a-z]+|\d{1,2}월)(?:,? (\d{4}))?")
_YEAR = re.compile(r"(\d{4})년?")
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\.?|(\d{4})년 ?(\d{1,2})월 ?(\d{1,2})일")
_DAY_OF_YEAR = re.compile(r"(\d{1,2})월 ?(\d{1,2})일")
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th)?"
_MONTH_AND_DAY = re.compile(rf"([a-z]+)\.? {_ORDINAL}(?:,? (\d{{4}}))?")
_DAY_AND_MONTH = re.compile(rf"{_ORDINAL} (?:of )?([a-z]+)\.?(?:,? (\d{{4}}))?")
_IS_AGO = re.compile(r"(?:.* ago|.* ?전)")


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time, its end excluded; a moment begins and ends at once."""

    start: datetime
    end: datetime


def parse_when(text: str, *, now: datetime) -> datetime | None:
    """The moment at which what *text* means begins; None when it is no date that is known here."""
    span = parse_span(text, now=now)
    return span.start if span else None


def parse_span(text: str, *, now: datetime) -> Period | None:
    """The time that *text* means, seen from *now*, which has an offset; None when it is no date.

    ``7d`` is the time from a week ago until now; ``yesterday`` and ``2026-11-30`` are whole days;
    ``last week`` is Monday to Sunday; ``October`` is the last one that has begun.
    """
    if len(text) > _MAX_CHARS:
        return None
    word = _plain(text)
    try:
        return _calendar(word, now) or _relative(word, now) or _exact(word, now)
    except (ValueError, OverflowError):  # 2026-02-30, or before the year 1
        return None


def parse_ago(text: str, *, now: datetime) -> Period | None:
    """The day, week, month or year that *text* counts back to, whole; None if it does not count back.

    ``3 days ago`` is that day, ``2주 전`` a week from Monday to Sunday, ``a month ago`` a calendar month;
    of hours and less there is as much before and after the moment, but nothing that is to come.
    """
    span = parse_span(text, now=now)
    if span is None:
        return None
    word = _plain(text)
    found = _AGO.fullmatch(word) if _IS_AGO.fullmatch(word) else None
    unit = _UNITS.get(found[2] or "") if found else None
    if unit is None:
        return None
    if unit in ("second", "minute", "hour"):  # nobody looks at the clock
        return Period(_add(span.start, unit, -1), min(_add(span.start, unit, 1), now))
    start = span.start.replace(hour=0, minute=0, second=0, microsecond=0)
    start = start if unit == "day" else _start_of(unit, start)
    return Period(start, _add(start, unit, 1))


def _plain(text: str) -> str:
    """*text* in small letters, with a space at most between its words, and days counted in figures."""
    word = " ".join(text.split()).lower()
    for name, days in _DAYS.items():
        word = word.replace(name, days)
    return word


def _calendar(word: str, now: datetime) -> Period | None:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    spaced = re.sub(r"(지난|저번|이번)(?=[주달해])", r"\1 ", word)
    if found := _DAY_OF_WEEK.fullmatch(spaced):
        week, name = sorted(filter(None, found.groups()), key=_WEEKDAYS.__contains__)
        monday = _start_of("week", midnight) - timedelta(weeks=_PERIODS[week][1])
        day = monday + timedelta(days=_WEEKDAYS[name])
        return Period(day, _add(day, "day", 1))
    if word in _DAYS_BACK:
        day = midnight - timedelta(days=_DAYS_BACK[word])
        return Period(day, _add(day, "day", 1))
    if spaced in _PERIODS:
        unit, n_back = _PERIODS[spaced]
        start = _add(_start_of(unit, midnight), unit, -n_back)
        return Period(start, _add(start, unit, 1))
    name = re.sub(r"^(?:last |지난 ?)", "", word)
    if name in _WEEKDAYS:
        n_days = (midnight.weekday() - _WEEKDAYS[name]) % 7 or (0 if name == word else 7)
        day = midnight - timedelta(days=n_days)
        return Period(day, _add(day, "day", 1))
    if found := _DAY.fullmatch(word):
        return _from_numbers([int(part) for part in found.groups() if part], midnight)
    if found := _DAY_OF_YEAR.fullmatch(word):
        return _latest([int(part) for part in found.groups()], midnight)
    if found := _MONTH_AND_DAY.fullmatch(word):
        return _english_day(found[1], day=found[2], year=found[3], midnight=midnight)
    if found := _DAY_AND_MONTH.fullmatch(word):
        return _english_day(found[2], day=found[1], year=found[3], midnight=midnight)
    if (found := _NAMED_MONTH.fullmatch(word)) and (month := _MONTHS.get(found[1])):
        if found[2]:
            return _from_numbers([int(found[2]), month], midnight)
        return _latest([month], midnight)
    if found := _MONTH.fullmatch(word) or _YEAR.fullmatch(word):
        return _from_numbers([int(part) for part in found.groups() if part], midnight)
    return None


def _english_day(name: str, *, day: str, year: str | None, midnight: datetime) -> Period | None:
    """``Nov 12``, or with a year that one; None where *name* is no month: ``last 7``."""
    month = _MONTHS.get(name)
    if month is None:
        return None
    if year:
        return _from_numbers([int(year), month, int(day)], midnight)
    return _latest([month, int(day)], midnight)


def _latest(numbers: list[int], midnight: datetime) -> Period:
    """The month, or the month and day, of this year, or of the last that had it and is not to come."""
    years = range(midnight.year, midnight.year - _YEARS_TO_A_LEAP_DAY, -1)
    for year in years if numbers == [2, 29] else years[:2]:
        with contextlib.suppress(ValueError):  # no leap year
            span = _from_numbers([year, *numbers], midnight)
            if span.start <= midnight:
                return span
    raise ValueError("there is no such day")


def _from_numbers(numbers: list[int], midnight: datetime) -> Period:
    """The year, month or day that 1, 2 or 3 *numbers* name."""
    unit: Unit = ("year", "month", "day")[len(numbers) - 1]
    year, month, day = (*numbers, 1, 1)[:3]
    start = midnight.replace(year=year, month=month, day=day)
    return Period(start, _add(start, unit, 1))


def _relative(word: str, now: datetime) -> Period | None:
    if word in ("now", "지금"):
        return Period(now, now)
    found = _AGO.fullmatch(word)
    if found is None:
        return None
    amount, unit_word = found.groups()
    number = int(amount) if amount.isdigit() else _NUMBERS.get(amount)
    unit = _UNITS.get(unit_word or "")
    if number is None or unit is None:
        return None
    return Period(_add(now, unit, -number), now)


def _exact(word: str, now: datetime) -> Period | None:
    """An ISO time such as ``2026-11-30T09:14`` or ``20261130``; it is a moment."""
    moment = datetime.fromisoformat(word.upper())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    return Period(moment, _add(moment, "day", 1) if word.isdigit() else moment)


def _start_of(unit: Unit, midnight: datetime) -> datetime:
    if unit == "week":
        return midnight - timedelta(days=midnight.weekday())
    return midnight.replace(day=1) if unit == "month" else midnight.replace(month=1, day=1)


def _add(moment: datetime, unit: Unit, number: int) -> datetime:
    """*moment* moved by whole units; the 31st becomes the last day of a shorter month."""
    if unit in ("month", "year"):
        months = moment.year * 12 + moment.month - 1 + number * (12 if unit == "year" else 1)
        year, month = divmod(months, 12)
        for day in range(moment.day, 0, -1):
            try:
                return moment.replace(year=year, month=month + 1, day=day)
            except ValueError:
                if day <= 28:
                    raise
    return moment + timedelta(**{f"{unit}s": number})
