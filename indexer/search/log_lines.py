"""The message of a pasted log line, without what a program or terminal prints around it.

An entry quotes the message and leaves out when, where and how loud it was said; that goes, from both
ends. A question may begin with the name of a level or a topic in brackets, or end in a line of a file:
it is a log line only if something is around it that nobody types, such as a time or ``ERROR:``.
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 1_000  # of a line; what is longer is data

_DATE: Final = r"\d{4}[-/]\d\d[-/]\d\d"
_ZONE: Final = r"(?:Z|[+-]\d\d:?\d\d)?"
_TIME: Final = rf"\d{{1,2}}:\d\d:\d\d(?:[.,]\d+)?{_ZONE}"
_DAY_AND_TIME: Final = rf"{_DATE}[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?{_ZONE}"
_SYSLOG: Final = rf"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{{1,2}} {_TIME} [\w.-]+"
_LEVEL: Final = "trace|debug|info|notice|warn(?:ing)?|err(?:or)?|fatal|critical|severe|panic"
_LOUD: Final = _LEVEL.upper()
_PLACE: Final = r"[\w./\\@-]*\w\.\w{1,6}:\d+(?::\d+)?"
_SIGN: Final = re.compile(  # makes it a log line
    rf"\s*(?:{_DAY_AND_TIME}|{_TIME}|{_SYSLOG}|<\d{{1,3}}>"  # the last is the priority of syslog
    rf"|\[\s*(?i:{_LEVEL})\s*\]|\[(?=[^\]\n]*\b(?:\d+|{_LOUD})\b)[^\]\n]{{1,60}}\]"  # [worker-3]
    rf"|(?:{_LOUD})(?:!:?|:|(?=\s{{2}}))|(?i:{_LEVEL}|오류|에러|경고)(?:\[\w+\])?:(?!\w)"
    rf"|{_PLACE}:(?=\s)"
    r'|File "[^"\n]+", line \d+(?:, in [\w<>.]+)?[:,]?'
    r"|[\w$]+(?:\.[\w$]+)*\.\w*(?:Error|Exception):(?=\s)"
    r"|[\w.-]+\[\d+\]:|npm (?:ERR!|error\b|WARN\b)"
    r"|(?:Caused by:|Exception in thread \"[^\"\n]*\")(?=\s)"
    r"|E(?=\s{2}))"  # pytest, before each line of what failed
)
_BESIDE: Final = re.compile(  # stands around a message too, and around questions
    rf"\s*(?:{_DATE}|\[[^\]\n]{{1,60}}\]|(?:{_LOUD})\b|{_PLACE}(?=\s|$)"
    r"|[\w$]+(?:[./][\w$]+)+(?:\[\d+\])?\s*[-:](?=\s|$)"  # who says it
    r"|(?:Uncaught|Unhandled)(?=\s)|[-–—|>»*:#✗✘❌⚠️\"'“‘`]+)"
)
_PLACE_AFTER: Final = rf"\s\(?(?:(?:at|in|from) )?{_PLACE}\)?"
_AFTER: Final = re.compile(rf"(?:\s\[[^\]\n]{{1,60}}\]|{_PLACE_AFTER}|[\s\"'”’`.:]+)$")
_ENDS_IN_PLACE: Final = re.compile(rf"\s\((?:(?:at|in|from) )?{_PLACE}\)$")
_BEGINS_LOUD: Final = re.compile(rf"(?:{_LOUD}|Uncaught|Unhandled)\s")
_ENDS_AT_PLACE: Final = re.compile(rf"\s(?:at|in|from) {_PLACE}$")


def message_of(line: str) -> str:
    """What the log line *line* says; "" if it is no log line, or not a single one."""
    line = line.strip()
    if len(line) > MAX_CHARS or "\n" in line:
        return ""
    is_loud = _BEGINS_LOUD.match(line) is not None
    is_log = bool(_ENDS_IN_PLACE.search(line) or (is_loud and _ENDS_AT_PLACE.search(line)))
    message = line
    while found := _SIGN.match(message) or _BESIDE.match(message):
        is_log = is_log or found.re is _SIGN
        message = message[found.end() :]
    if not is_log:
        return ""
    while found := _AFTER.search(message):
        message = message[: found.start()]
    return message.strip()
