"""What a time looks like in the words of a question, English and Korean; patterns alone.

Closed lists, written as they are typed: a month or a "last" that may be another word is known by its
capital, its number or its unit. Whether one that is found means a time there, says ``asked_dates``.
"""

from __future__ import annotations

import re
from typing import Final

_NUMBER: Final = r"(?:\d{1,3}|a|an|one|two|three|four|five|six)"
_UNIT: Final = r"(?:hour|day|week|month|year)s?"
_MONTH: Final = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_WEEKDAY: Final = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_YEAR: Final = r"(?:19|20)\d{2}"
_ISO: Final = r"\d{4}(?:-\d{2}(?:-\d{2})?|/\d{2}/\d{2})"
_AGO: Final = rf"{_NUMBER} {_UNIT} ago"
_MONTH_OF_A_DAY: Final = (  # in small letters only what is no other word: "may 5", "oct 12", "march 3"
    rf"(?:{_MONTH}|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?|"
    r"january|february|april|june|july|august|september|october|november|december|"
    r"(?:jan|feb|jul|aug|sept|nov)\b\.?)"
)
_ORDINAL: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_DAY: Final = (
    rf"(?:{_MONTH_OF_A_DAY} {_ORDINAL}(?:,? \d{{4}})?|"
    rf"{_ORDINAL} (?:of )?{_MONTH_OF_A_DAY}(?:,? \d{{4}})?)"
)
_DAY_OF_LAST_WEEK: Final = rf"(?:{_WEEKDAY} (?:of )?last week|[Ll]ast week {_WEEKDAY})"
_LAST: Final = rf"(?:[Ll]ast|[Pp]ast) {_NUMBER} {_UNIT}"
_ALONE: Final = (
    rf"(?P<free>(?:{_DAY_OF_LAST_WEEK}|{_AGO}|(?:[Yy]ester|[Tt]o)day|[Tt]he day before yesterday|"  # whatever stands before
    rf"(?:[Ll]ast|[Tt]his) (?:week|month|year)|[Ll]ast {_WEEKDAY})(?:'s)?)|"
    rf"(?P<last>(?:[Tt]he )?{_LAST})|"
    rf"(?P<day>{_DAY}|{_MONTH_OF_A_DAY} {_YEAR}|{_ISO})"  # at the beginning or the end only
)
_AFTER_PREPOSITION: Final = (
    r"(?P<how>[Ii]n|[Oo]n|[Dd]uring|[Ss]ince|[Ff]rom|[Aa]fter|[Bb]efore|[Uu]ntil|[Oo]ver|[Ww]ithin) "
    rf"(?:the )?(?P<named>{_DAY_OF_LAST_WEEK}|{_LAST}|(?:last|past|this) (?:week|month|year)|{_DAY}|"
    rf"{_MONTH}(?: \d{{4}})?|(?:last )?{_WEEKDAY}|{_ISO}|yesterday|{_AGO})(?P<onwards> onwards?)?"
)
ENGLISH: Final = re.compile(rf"(?<![\w./'\"-])(?:{_AFTER_PREPOSITION}|{_ALONE})(?![\w/\"-]|\.\w)")
ENGLISH_DAY: Final = re.compile(_DAY, re.IGNORECASE)
ISO_MONTH: Final = re.compile(r"\d{4}-\d{2}")
WEEKDAY: Final = re.compile(_WEEKDAY, re.IGNORECASE)
MONTH_OF_ANY_YEAR: Final = re.compile(
    rf"(?!.*\d{{4}})(?:.*\b{_MONTH_OF_A_DAY}|\d{{1,2}}월)", re.IGNORECASE
)

_KOREAN_NUMBER: Final = r"(?:\d{1,3}|한|두|세|네|다섯|여섯)"
_KOREAN_DAYS: Final = "하루|이틀|사흘|나흘|열흘"
_KOREAN_TIME: Final = (
    "(?:지지난|지난|저번|이번) ?주 ?[월화수목금토일]요일|오늘|어제|그제|그저께|엊그제|지지난 ?주|"
    "(?:지난|저번|이번) ?주|(?:지난|저번|이번) ?달|작년|올해|지난 ?해|지난 ?[월화수목금토일]요일"
)
_KOREAN_AMOUNT: Final = rf"(?:{_KOREAN_NUMBER} ?(?:시간|일|주일?|달|개월|년)|일주일|{_KOREAN_DAYS})"
_KOREAN_DATE: Final = rf"(?:\d{{4}}년 ?)?\d{{1,2}}월(?: ?\d{{1,2}}일)?|{_ISO}|\d{{4}}년"
_KOREAN_DAY: Final = r"\d{4}년 ?\d{1,2}월(?: ?\d{1,2}일)?|\d{1,2}월 ?\d{1,2}일"
KOREAN: Final = re.compile(
    r"(?<![\w./'\"-])(?:"
    rf"(?P<free>{_KOREAN_TIME})(?P<how>부터|이후|까지|이전)?(?:에는|에도|에|엔|은|는|의|쯤)?|"
    rf"(?P<ago>{_KOREAN_AMOUNT} ?전)(?P<ago_how>부터|까지)?(?:에는|에도|에|엔|의|쯤)?|"
    rf"(?P<last>(?:최근|지난) ?{_KOREAN_AMOUNT})(?P<while> ?(?:간|동안|사이))?(?P<at>에는|에|의)?|"
    rf"(?:지난 )?(?P<date>{_KOREAN_DATE}) ?(?:(?P<date_how>부터|이후|까지|이전)(?:에는|에|의)?|에는|에|엔|의)|"
    rf"(?P<day>{_KOREAN_DAY})"  # at the beginning or the end only
    r")(?![\w/\"-])"
)
MAY_BE_A_DATE: Final = re.compile(r"지난 ?\d{1,2}일")  # the 3rd, or three days

PAST: Final = re.compile(
    r"[했었았였됐났갔왔썼꼈][가-힣]*|[가-힣][한된던](?![가-힣])|(?<![가-힣])한 (?:일|것|거)|"
    "(?:고친|바꾼|바뀐|만든|깨진|터진|죽은|올린|넣은|찾은|배운|끝낸|지운|옮긴|일어난|생긴|벌어진)(?![가-힣])|"
    r"(?i:\b(?:did|was|were|have|has|\w*[^\We]ed|broke|went|got|made|said|wrote|ran|saw|chose|took|came|"
    r"built|found|sent|lost|fell|began|threw|gave|learnt)\b)"
)
TO_COME: Final = re.compile(
    r"(?i:\b(?:is|are|be|will|shall|must|should|needs?|due|deadline|planned|scheduled)\b)|"
    "(?<![가-힣])할 |예정|마감"
)
NOT_OVER: Final = re.compile("[Tt]his |[Tt]oday|오늘|이번|올해")

# A time beside another is one of several, or one that is counted from the other
_ENGLISH_TIME: Final = (
    rf"(?:[Tt]o(?:day|morrow|night)|[Yy]esterday|{_ISO}|{_YEAR}|{_WEEKDAY}|{_MONTH}|{_DAY}|"
    r"(?:[Ll]ast|[Pp]ast|[Tt]his|[Nn]ext|[Cc]oming|[Ee]very|[Ee]ach) (?:day|week|month|quarter|year))"
)
_COUNTED_FROM: Final = rf"(?:{_NUMBER} )?{_UNIT} (?:ago|from|before|after)"  # a week from today
_OTHER_KOREAN_TIME: Final = (
    "내일|모레|(?:다음|오는)(?: ?[주달해])?|다다음 ?[주달]|내년|내후년|재작년|"
    "매년|매달|매월|매주|해마다|[월화수목금토일]요일"
)
_ANY_KOREAN_TIME: Final = rf"(?:{_KOREAN_TIME}|{_OTHER_KOREAN_TIME}|{_KOREAN_DATE})"
_KOREAN_JOINING: Final = "(?:이?나|과|와|이?랑|하고|에서|부터|에는|에|의)?"
_JOINING: Final = (
    r"\W*(?:(?:and|or|nor|to|through|thru|until|till|vs|versus|및|또는|혹은|그리고)\W+)?"
    r"(?:(?:also|again|not)\W+)?(?:(?:in|on|during|since|from|after|before|over|within)\W+)?(?:the\W+)?"
)
TIME_BEFORE: Final = re.compile(
    rf"(?:\b(?:{_ENGLISH_TIME}|{_COUNTED_FROM})|(?<!\w){_ANY_KOREAN_TIME}{_KOREAN_JOINING})(?!\w){_JOINING}$"
)
TIME_AFTER: Final = re.compile(
    rf"{_JOINING}(?:{_ENGLISH_TIME}\b|{_ANY_KOREAN_TIME})|"  # the word may go on: 3월 말
    r"\W*(?:or|and (?:before|earlier|after|later))\b"
)
LEFT_OUT_BEFORE: Final = re.compile(
    r"\b(?:except|excluding|besides|but|not|without|apart|other than)"
    r"(?: (?:for|from|in|on|during|the))*\W*$",
    re.IGNORECASE,
)
LEFT_OUT_AFTER: Final = re.compile(r"\W*(?:제외|빼고|말고|외에|이외|아닌|아니라)")
