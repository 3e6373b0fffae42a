"""Times in the words of a question: "what did we decide last week", ``지난주에 결정한 배포 규칙``.

Closed patterns, and each must stand as a time stands in a sentence: a topic may be named like one
(``Last Week Tonight``, ``version 2026.11``, ``만료 3일 전 알림``), and a filter that was not meant hides the
answer. Where in doubt it is a word like any other. What the time is says ``journal/when.py``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ...journal.when import Period, parse_span
from ..text.english import FUNCTION_WORDS
from .answer import AskedPeriod
from .time_words import ENGLISH, ENGLISH_DAY, KOREAN, MAY_BE_A_DATE, MONTHS, NOT_OVER, PAST

_NOT_BEFORE: Final = frozenset(
    {"by", "of", "per", "named", "called", "version", "every", "each", "release", "tag", "than"}
)
_ROUGHLY: Final = frozenset({"about", "around", "roughly", "almost", "nearly", "some", "maybe"})
_KOREAN_SUBJECTS: Final = frozenset(
    {
        "우리",
        "우리가",
        "우리는",
        "내가",
        "나는",
        "제가",
        "저는",
        "누가",
        "혹시",
        "그",
        "팀이",
        "팀에서",
    }
)
_KOREAN_OTHER_YEARS: Final = frozenset({"다음", "매년", "내년", "오는"})
_LAST_WORD: Final = re.compile(r"(\w+)\W*$")
_NAMES: Final = ("free", "named", "ago", "last", "date", "day")
_MAX_CHARS: Final = 1_000  # what is longer is pasted, and its times are not the question's
_CLOCK: Final = re.compile(r"[ T]?\d{1,2}:\d{2}")
_NEXT_WORD: Final = re.compile(r"\W*(\w+)")
_ANOTHER_DAY: Final = re.compile(r"\W*(?:(?:to|and|or|until|till)\W+)?\d")  # Nov 12-14
_IS_ONE_DAY: Final = re.compile(r"\b(?:[A-Za-z]{3,}day|ago)$")  # and not today, which begins names
_COUNTED: Final = re.compile(r"[a-z]+[^s\W]s")  # March 3 steps, Sep 2 files
_AGO: Final = re.compile(" ago$| ?전$")
_UNITS: Final = re.compile(
    "(?P<hour>hour|시간)|(?P<week>week|주)|(?P<month>month|달|개월)|(?P<year>year|년)"
)


@dataclass(frozen=True, slots=True)
class DatedQuestion:
    """A question without its time, and the time."""

    text: str
    period: AskedPeriod


def take_period(text: str, *, now: datetime) -> DatedQuestion | None:
    """The time that *text* clearly asks about, and the rest of it; None where there is none.

    Nothing may be left of it: then it asks for whatever there is of that time.
    """
    if len(text) > _MAX_CHARS:
        return None
    times = [
        found
        for found in (*KOREAN.finditer(text), *ENGLISH.finditer(text))
        if _stands_as_a_time(found, text)
    ]
    if len(times) != 1:  # two are compared with each other
        return None
    (found,) = times
    span = _span_of(_name_of(found), now=now)
    rest = " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
    is_alone = not any(map(str.isalnum, rest))
    if span is None or span.start > now:
        return None
    if span.end > now and not is_alone and not _asks_back(found[0], text):
        return None
    if _is_rough(found, text):
        span = _widened(span, now=now)
    return DatedQuestion("" if is_alone else rest, _as_asked(found, span))


def _stands_as_a_time(found: re.Match[str], text: str) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    if _CLOCK.match(after):  # the time stamp of a log line
        return False
    is_past = PAST.search(f"{before} {after}") is not None
    stands = _stands_in_korean if found.re is KOREAN else _stands_in_english
    return stands(found, _last_word(before), after, is_past=is_past)


def _stands_in_korean(found: re.Match[str], last_word: str, after: str, *, is_past: bool) -> bool:
    is_first, is_last = last_word in _KOREAN_SUBJECTS | {""}, _NEXT_WORD.match(after) is None
    if found["ago"]:  # "3일 전" counts back from the day of the question if nothing else is named
        return is_first
    if found["day"]:
        is_other = last_word in _KOREAN_OTHER_YEARS or _ANOTHER_DAY.match(after)
        return (is_first or is_last) and not is_other
    if found["last"] and not found["while"]:
        may_be_a_date = MAY_BE_A_DATE.fullmatch(found["last"]) is not None
        if found["at"] or not is_last:
            return not may_be_a_date and (bool(found["at"]) or (is_first and is_past))
    return True


def _stands_in_english(found: re.Match[str], last_word: str, after: str, *, is_past: bool) -> bool:
    last_word = last_word.lower()
    following = _NEXT_WORD.match(after)
    next_word = following[1] if following else ""
    if last_word in _NOT_BEFORE or (_is_ago(found) and (found["how"] or "").lower() == "over"):
        return False
    if _is_a_day(found) and _ANOTHER_DAY.match(after):
        return False
    if found["day"]:
        is_counted = _COUNTED.fullmatch(next_word) and next_word not in FUNCTION_WORDS
        return not next_word or not (last_word or (_is_a_day(found) and is_counted))
    if found["last"]:  # so long is kept, shown and waited for as well
        is_object = last_word == "for" or (last_word and found["last"][:4].lower() == "the ")
        if is_object or (next_word and not is_past):
            return False
    if not next_word or after[:1] in ",;:?!" or found[0].endswith("'s"):
        return True
    if next_word.lower() in FUNCTION_WORDS - {"of"}:
        return True
    is_sure = found["last"] or _IS_ONE_DAY.search(found["free"] or "")
    is_title = found[0][0].isupper() and next_word[0].isupper()
    return bool(is_sure) and is_past and not last_word and not is_title


def _is_a_day(found: re.Match[str]) -> bool:
    """Whether it is a month and a day, and not how many of something there are in a month."""
    return ENGLISH_DAY.fullmatch(found["day"] or found["named"] or "") is not None


def _is_ago(found: re.Match[str]) -> bool:
    return _AGO.search(_name_of(found)) is not None


def _is_rough(found: re.Match[str], text: str) -> bool:
    is_about = found[0].endswith("쯤") or _last_word(text[: found.start()]).lower() in _ROUGHLY
    return is_about and _is_ago(found)


def _asks_back(words: str, text: str) -> bool:
    """Whether a question asks what has been, and not what is to be, in a time that is not over."""
    return not NOT_OVER.search(words) or PAST.search(text) is not None


def _last_word(text: str) -> str:
    found = _LAST_WORD.search(text)
    return found[1] if found else ""


def _name_of(found: re.Match[str]) -> str:
    """What ``parse_span`` knows it as."""
    groups = found.groupdict()
    name = str(next(groups[key] for key in _NAMES if groups.get(key)))
    if found.re is KOREAN:
        return name.replace("일주일", "1주")
    name = name.removesuffix("'s").lower().removeprefix("the ")
    if not ENGLISH_DAY.fullmatch(name):
        return name.replace("past", "last")
    month = next(n for n, month in enumerate(MONTHS, 1) if month in name)
    day, *year = sorted(re.findall(r"\d+", name), key=len)
    return "".join(f"{number}년 " for number in year) + f"{month}월 {day}일"


def _span_of(name: str, *, now: datetime) -> Period | None:
    """The time called *name*; what is so many days, weeks, months or years ago is that one, whole."""
    span = parse_span(name, now=now)
    if span is None or not _AGO.search(name):
        return span
    moment, unit = span.start, _UNITS.search(name)
    match unit.lastgroup if unit else "day":
        case "hour":  # nobody looks at the clock
            hour = timedelta(hours=1)
            return Period(moment - hour, min(moment + hour, now))
        case "week":
            monday = moment.replace(hour=0, minute=0, second=0, microsecond=0)
            monday -= timedelta(days=moment.weekday())
            return Period(monday, monday + timedelta(days=7))
        case "month":
            return parse_span(moment.strftime("%Y-%m"), now=now)
        case "year":
            return parse_span(moment.strftime("%Y"), now=now)
    return parse_span(moment.strftime("%Y-%m-%d"), now=now)


def _widened(span: Period, *, now: datetime) -> Period:
    """*span* with as much before and after it, but nothing that is to come."""
    length = span.end - span.start
    end = now if now - span.end < length else span.end + length
    return Period(span.start - length, end)


def _as_asked(found: re.Match[str], span: Period) -> AskedPeriod:
    """*span* as the words around it open it."""
    groups = found.groupdict()
    how = next((groups[key] for key in ("how", "ago_how", "date_how") if groups.get(key)), "")
    bounds: tuple[datetime | None, datetime | None] = span.start, span.end
    match str(how).lower():
        case "before" | "until" | "이전":
            bounds = None, span.start
        case "까지":
            bounds = None, span.end
        case "after":
            bounds = span.end, None
        case "since" | "from" | "부터" | "이후":
            bounds = span.start, None
    return AskedPeriod(words=found[0].strip(), start=bounds[0], end=bounds[1])
