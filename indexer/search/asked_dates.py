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

from ...journal.when import Period, parse_ago, parse_span
from ..text.english import FUNCTION_WORDS
from ..text.letters import normalised
from .answer import AskedPeriod
from .of_a_time import TYPES
from .time_words import (
    ENGLISH,
    ENGLISH_DAY,
    ISO_MONTH,
    KOREAN,
    LEFT_OUT_AFTER,
    LEFT_OUT_BEFORE,
    MAY_BE_A_DATE,
    MONTH_OF_ANY_YEAR,
    NOT_OVER,
    PAST,
    TIME_AFTER,
    TIME_BEFORE,
    TO_COME,
    WEEKDAY,
)

_NOT_BEFORE: Final = frozenset(
    (
        *("by", "of", "per", "named", "called", "version", "release", "tag", "than", "due"),
        *("through", "thru", "till", "to", "between", "every", "each", "next", "coming"),
    )
)
_ROUGHLY: Final = frozenset({"about", "around", "roughly", "almost", "nearly", "some", "maybe"})
_KOREAN_SUBJECTS: Final = frozenset(
    (
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
    )
)
_LAST_WORD: Final = re.compile(r"(\w+)\W*$")
_UP_TO: Final = ("before", "until", "이전", "까지")
_HALF_A_YEAR: Final = timedelta(days=183)
_NAMES: Final = ("free", "named", "ago", "last", "date", "day")
_MAX_CHARS: Final = 1_000  # what is longer is pasted, and its times are not the question's
_CLOCK: Final = re.compile(r"[ T]?\d{1,2}:\d{2}")
_NEXT_WORD: Final = re.compile(r"\W*(\w+)")
_ANOTHER_DAY: Final = re.compile(  # Nov 12-14
    r"\W*(?:(?:to|and|or|until|till|through|및|또는|혹은|그리고)\W+)?\d"
)
_DAY_BEFORE: Final = re.compile(r"\d[월일]?(?:\W*(?:to|and|or|until|till|through)\W+|[\s,&~-]+)$")
_IS_ONE_DAY: Final = re.compile(r"\b(?:[A-Za-z]{3,}day|ago)$")  # and not today, which begins names
_COUNTED: Final = re.compile(r"[a-z]+[^s\W]s")  # March 3 steps, Sep 2 files
_AGO: Final = re.compile(" ago$| ?전$")


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
    text = normalised(text)
    named = [*KOREAN.finditer(text), *ENGLISH.finditer(text)]
    times = [found for found in named if _stands_as_a_time(found, text)]
    may_be_another = any(_last_word(text[: one.start()]) == "" for one in named if one not in times)
    if len(times) != 1 or may_be_another:  # two are compared with each other
        return None
    (found,) = times
    if _is_one_of_several(found, text):
        return None
    name = _name_of(found)
    span = parse_ago(name, now=now) or parse_span(name, now=now)
    rest = " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
    is_alone = not any(map(str.isalnum, rest))
    if span is None or span.start > now:
        return None
    if not _asks_back(found, span, is_alone=is_alone, now=now):
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
        return (is_first or is_last) and not _ANOTHER_DAY.match(after)
    if found["date_how"]:
        return not _ANOTHER_DAY.match(after)
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
        if last_word and ISO_MONTH.fullmatch(found["day"]):  # CVE 2026-11
            return last_word in TYPES or PAST.fullmatch(last_word) is not None
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
    if last_word or (found[0][0].isupper() and next_word[0].isupper()):  # a title
        return False
    is_one_day = _IS_ONE_DAY.search(found["free"] or "") is not None
    return next_word != "of" and (is_one_day or (is_past and bool(found["last"] or found["free"])))


def _is_a_day(found: re.Match[str]) -> bool:
    """Whether it is a month and a day, and not how many of something there are in a month."""
    return ENGLISH_DAY.fullmatch(found["day"] or found["named"] or "") is not None


def _is_ago(found: re.Match[str]) -> bool:
    return _AGO.search(_name_of(found)) is not None


def _is_rough(found: re.Match[str], text: str) -> bool:
    is_about = found[0].endswith("쯤") or _last_word(text[: found.start()]).lower() in _ROUGHLY
    return is_about and _is_ago(found)


def _is_one_of_several(found: re.Match[str], text: str) -> bool:
    """Whether another time belongs to it, which is no filter either, or it is left out of all times.

    ``in March and April``, ``10월 5일에서 10일까지``, ``every year in March``, ``a week from today``.
    """
    name = "named" if found.groupdict().get("named") else 0
    before, after = text[: found.start(name)], text[found.end() :]
    if LEFT_OUT_BEFORE.search(text[: found.start()]) or LEFT_OUT_AFTER.match(after):
        return True
    is_numbered = _name_of(found)[0].isdigit() and _DAY_BEFORE.search(before)  # 3, 4월에
    return bool(is_numbered or TIME_BEFORE.search(before) or TIME_AFTER.match(after))


def _asks_back(found: re.Match[str], span: Period, *, is_alone: bool, now: datetime) -> bool:
    """Whether a question asks what has been, and not what is to be.

    A day of the week, and a month or day of another year than this, are as well the next as the last.
    """
    name, text = _name_of(found), found.string
    is_moved = MONTH_OF_ANY_YEAR.match(name) is not None and span.start.year < now.year
    is_moved = is_moved and now - span.start > _HALF_A_YEAR
    if is_moved and (is_alone or _how(found) in _UP_TO):  # before the next, all times are
        return False
    if is_alone or _how(found) == "since":
        return True
    is_open = span.end > now
    may_be_next = (is_open and NOT_OVER.search(found[0])) or WEEKDAY.fullmatch(name)
    if (may_be_next or is_moved) and not PAST.search(text):
        return False
    return not ((is_open or may_be_next or is_moved) and TO_COME.search(text))


def _last_word(text: str) -> str:
    found = _LAST_WORD.search(text)
    return found[1] if found else ""


def _name_of(found: re.Match[str]) -> str:
    """What ``parse_span`` knows it as."""
    groups = found.groupdict()
    name = str(next(groups[key] for key in _NAMES if groups.get(key)))
    if found.re is KOREAN:
        return name
    return name.lower().removesuffix("'s").removeprefix("the ")


def _how(found: re.Match[str]) -> str:
    """The word that opens it: "since", ``까지``."""
    groups = found.groupdict()
    if groups.get("onwards"):
        return "since"
    how = next((groups[key] for key in ("how", "ago_how", "date_how") if groups.get(key)), "")
    return str(how).lower()


def _widened(span: Period, *, now: datetime) -> Period:
    """*span* with as much before and after it, but nothing that is to come."""
    length = span.end - span.start
    end = now if now - span.end < length else span.end + length
    return Period(span.start - length, end)


def _as_asked(found: re.Match[str], span: Period) -> AskedPeriod:
    """*span* as the words around it open it."""
    bounds: tuple[datetime | None, datetime | None] = span.start, span.end
    match _how(found):
        case "before" | "이전":
            bounds = None, span.start
        case "until" | "까지":
            bounds = None, span.end
        case "after":
            bounds = span.end, None
        case "since" | "부터" | "이후":
            bounds = span.start, None
    return AskedPeriod(words=found[0].strip(), start=bounds[0], end=bounds[1])
