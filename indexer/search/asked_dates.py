"""Times in the words of a question: "what did we decide last week", ``지난주에 결정한 배포 규칙``.

Closed patterns, and each must stand as a time stands in a sentence: a topic may be named like one
(``Last Week Tonight``, ``version 2026.11``, ``만료 3일 전 알림``), and a filter that was not meant hides the
answer. Where in doubt it is a word like any other. What the time is says ``journal/when.py``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ...journal.when import Period, parse_span
from ..text.english import FUNCTION_WORDS
from .answer import AskedPeriod

_NUMBER: Final = r"(?:\d{1,3}|a|an|one|two|three|four|five|six)"
_UNIT: Final = r"(?:hour|day|week|month|year)s?"
_MONTH: Final = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_WEEKDAY: Final = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_ISO: Final = r"\d{4}-\d{2}(?:-\d{2})?"
_FREE: Final = (  # a time whatever stands before it
    rf"(?P<free>[Yy]esterday(?:'s)?|[Tt]he day before yesterday|{_NUMBER} {_UNIT} ago|"
    rf"(?:[Ll]ast|[Tt]his) (?:week|month|year)(?:'s)?|[Ll]ast {_WEEKDAY}(?:'s)?|[Tt]oday)|"
    rf"(?P<bare>{_ISO})"  # at the beginning or the end only
)
_AFTER_PREPOSITION: Final = (
    r"(?P<how>[Ii]n|[Oo]n|[Dd]uring|[Ss]ince|[Ff]rom|[Aa]fter|[Bb]efore|[Uu]ntil|[Oo]ver|[Ww]ithin) "
    rf"(?:the )?(?P<named>(?:last|past) {_NUMBER} {_UNIT}|(?:last|past|this) (?:week|month|year)|"
    rf"{_MONTH}(?: \d{{4}})?|(?:last )?{_WEEKDAY}|{_ISO}|yesterday|{_NUMBER} {_UNIT} ago)"
)
_ENGLISH: Final = re.compile(rf"(?<![\w./'\"-])(?:{_AFTER_PREPOSITION}|{_FREE})(?![\w/\"-]|\.\w)")
_NOT_BEFORE: Final = frozenset(
    {"by", "of", "per", "named", "called", "version", "every", "each", "release", "tag"}
)

_KOREAN_DAY: Final = r"어제|그제|그저께|엊그제|지지난 ?주|(?:지난|저번|이번) ?주|(?:지난|저번|이번) ?달|작년|올해|지난 ?해|지난 ?[월화수목금토일]요일"
_KOREAN_AGO: Final = r"(?:\d{1,3}|한|두|세|네|다섯|여섯) ?(?:시간|일|주일?|달|개월|년) ?전|(?:하루|이틀|사흘|나흘|열흘) ?전"
_KOREAN_LAST: Final = (
    r"(?:최근|지난) ?(?:\d{1,3}|한|두|세|네) ?(?:시간|일|주일?|달|개월|년)(?= ?(?:간|동안|[에의]))"
)
_KOREAN_DATE: Final = r"(?:\d{4}년 ?)?\d{1,2}월(?: ?\d{1,2}일)?|\d{4}-\d{2}(?:-\d{2})?|\d{4}년"
_KOREAN: Final = re.compile(
    r"(?<![\w./'\"-])(?:"
    rf"(?P<free>오늘|{_KOREAN_DAY})(?P<how>부터|이후|까지|이전)?(?:에는|에도|에|엔|은|는|의|쯤)?|"
    rf"(?P<ago>{_KOREAN_AGO})(?P<ago_how>부터|까지)?(?:에는|에도|에|엔|의|쯤)?|"
    rf"(?P<last>{_KOREAN_LAST}) ?(?:간|동안)?(?:에는|에|의)?|"
    rf"(?P<date>{_KOREAN_DATE}) ?(?:(?P<date_how>부터|이후|까지|이전)(?:에는|에|의)?|에는|에|엔|의)"
    r")(?![\w/\"-])"
)
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
_PAST: Final = re.compile(
    r"[했었았였됐났갔왔썼꼈][가-힣]*|[가-힣][한된던](?![가-힣])|\b(?:did|was|were|have|has|\w+ed)\b"
)
_NOT_OVER: Final = re.compile("[Tt]his |오늘|이번|올해")
_LAST_WORD: Final = re.compile(r"(\w+)\W*$")
_NAMES: Final = ("free", "bare", "named", "ago", "last", "date")
_MAX_CHARS: Final = 1_000  # what is longer is pasted, and its times are not the question's
_CLOCK: Final = re.compile(r"[ T]?\d{1,2}:\d{2}")
_NEXT_WORD: Final = re.compile(r"\W*(\w+)")


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
        for found in (*_KOREAN.finditer(text), *_ENGLISH.finditer(text))
        if _stands_as_a_time(found, text)
    ]
    if len(times) != 1:  # two are compared with each other
        return None
    (found,) = times
    span = parse_span(_name_of(found), now=now)
    rest = " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
    is_alone = not any(map(str.isalnum, rest))
    if span is None or span.start > now:
        return None
    if span.end > now and not is_alone and not _asks_back(found[0], text):
        return None
    return DatedQuestion("" if is_alone else rest, _as_asked(found, span))


def _stands_as_a_time(found: re.Match[str], text: str) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    if _CLOCK.match(after):  # the time stamp of a log line
        return False
    if found.re is _KOREAN:
        # "3일 전" counts back from the day of the question only where nothing else is named
        return not found["ago"] or _last_word(before) in _KOREAN_SUBJECTS | {""}
    if _last_word(before).lower() in _NOT_BEFORE:
        return False
    following = _NEXT_WORD.match(after)
    if found["bare"]:
        return following is None or not _last_word(before)
    if following is None or after[:1] in ",;:?!" or found[0].endswith("'s"):
        return True
    return following[1].lower() in FUNCTION_WORDS - {"of"}


def _asks_back(words: str, text: str) -> bool:
    """Whether a question asks what has been, and not what is to be, in a time that is not over."""
    return not _NOT_OVER.search(words) or _PAST.search(text) is not None


def _last_word(text: str) -> str:
    found = _LAST_WORD.search(text)
    return found[1] if found else ""


def _name_of(found: re.Match[str]) -> str:
    """What ``parse_span`` knows it as."""
    groups = found.groupdict()
    name = next(groups[key] for key in _NAMES if groups.get(key))
    name = str(name).removesuffix("'s").lower().removeprefix("the ")
    return name.replace("past", "last") if found.re is _ENGLISH else name


def _as_asked(found: re.Match[str], span: Period) -> AskedPeriod:
    """*span* as the words around it open it; what is so long ago reaches until now, as a filter does."""
    groups = found.groupdict()
    how = next((groups[key] for key in ("how", "ago_how", "date_how") if groups.get(key)), "")
    start, end = span.start, span.end
    if groups.get("ago") or " ago" in found[0]:
        start = start.replace(hour=0, minute=0, second=0, microsecond=0)
    bounds: tuple[datetime | None, datetime | None] = start, end
    match str(how).lower():
        case "before" | "until" | "이전":
            bounds = None, start
        case "까지":
            bounds = None, end
        case "after":
            bounds = end, None
        case "since" | "from" | "부터" | "이후":
            bounds = start, None
    return AskedPeriod(words=found[0].strip(), start=bounds[0], end=bounds[1])
