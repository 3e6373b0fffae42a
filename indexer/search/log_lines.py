"""The message of a pasted log line, without what a program or terminal prints around it.

An entry quotes the message and leaves out when, where and how loud it was said. Only what is surely
put around a message goes, from both ends; a text that has none of it is no log line.
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 1_000  # of a line; what is longer is data

_DATE: Final = r"\d{4}[-/]\d\d[-/]\d\d"
_TIME: Final = r"\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_SYSLOG: Final = rf"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{{1,2}} {_TIME} [\w.-]+"
_LEVEL: Final = "trace|debug|info|notice|warn(?:ing)?|err(?:or)?|fatal|critical|severe|panic"
_PLACE: Final = r"[\w./\\@-]*\w\.\w{1,6}:\d+(?::\d+)?"
_BEFORE: Final = re.compile(
    rf"\s*(?:{_DATE}[T ]?(?:{_TIME})?|{_TIME}|{_SYSLOG}"
    r"|\[[^\]\n]{1,60}\]|<\d{1,3}>"  # [main], [ERROR], the priority of syslog
    rf"|(?:{_LEVEL.upper()})\b!?:?|(?i:{_LEVEL}|오류|에러|경고)(?:\[\w+\])?:(?!\w)"
    rf"|{_PLACE}(?::(?=\s)|(?=\s))"
    r'|File "[^"\n]+", line \d+(?:, in [\w<>.]+)?[:,]?'
    r"|[\w$]+(?:[./][\w$]+)+(?:\[\d+\])?\s*(?:-|:)(?=\s)|[\w.-]+\[\d+\]:|npm\b"  # who says it
    r"|(?:Uncaught|Unhandled|Caused by:|Exception in thread \"[^\"\n]*\")(?=\s)"
    r"|E(?=\s{2})|[-–—|>»*:#✗✘❌⚠️\"'“‘`]+)"
)
_PLACE_AFTER: Final = rf"\s\(?(?:(?:at|in|from) )?{_PLACE}\)?"
_AFTER: Final = re.compile(rf"(?:\s\[[^\]\n]{{1,60}}\]|{_PLACE_AFTER}|[\s\"'”’`.:]+)$")
_ENDS_IN_PLACE: Final = re.compile(rf"{_PLACE_AFTER}$")


def message_of(line: str) -> str:
    """What the log line *line* says; "" if nothing is around it, or it is no single line."""
    line = line.strip()
    if len(line) > MAX_CHARS or "\n" in line:
        return ""
    if not _BEFORE.match(line) and not _ENDS_IN_PLACE.search(line):
        return ""
    message = line
    while found := _BEFORE.match(message):
        message = message[found.end() :]
    while found := _AFTER.search(message):
        message = message[: found.start()]
    return message.strip()
