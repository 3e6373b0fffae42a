"""Cuts the value that follows a key out of its surroundings: quoted, bare, to the end of a line.

Knows quotes that were escaped once or more, as they are in JSON inside of JSON, and takes all
of a value: where it is unclear where a value ends, it ends later.
"""

from __future__ import annotations

import re
from typing import Final

from ..values import dataclass
from .lazy import Pattern

MAX_JUDGED: Final = 128
"""Characters that decide whether a bare value is a secret; all of it is removed."""

_OPENING: Final = Pattern(
    r"[rbfuRBFUL@$]{0,2}(?P<slashes>\\{0,7})(?P<quote>\"\"\"|'''|[\"'`“‘「«])"
)
_CLOSING: Final = {"“": "”", "‘": "’", "「": "」", "«": "»"}
_BARE: Final = Pattern(
    r"""(?x)
    (?: [^\s"'`<>\\;&,]{1,128}+
      | \\(?![nrt"'`]) | \\[nrt](?=[a-z0-9]{1,32}(?:[\s"'\\]|$))(?![a-z]+[ ])
      | ["'`](?=[\w!@\#$%^&*])
      | <(?!/?[A-Za-z][^<>\s]*>|/|[A-Za-z][^<>]{0,80}>) | >(?=\S)
      | [;&,](?![\w.\- ]{1,30}=|[\s"'`\\]|$)
    ){1,8}
    """
)
_BARE_REST: Final = Pattern(r"[^\s\"'`<>\\;&,]*")
_URL_PART: Final = Pattern(r"[^\s\"'`<>\\;&#]{1,4096}")
_LINE: Final = Pattern(r"(?:[^\n\r\\]|\\(?![nr])){1,512}")
_PLUS: Final = Pattern(r"\s{0,40}[+.&\\]?\s{0,40}(?=[rbfuRBFUL@$]{0,2}\\{0,7}[\"'`])")
_TRAILING: Final = ",;)]}>\"'`:."


@dataclass(frozen=True, slots=True)
class Value:
    """``text[start:end]``, without its quotes; *text* is what of it has to be judged."""

    start: int
    end: int
    text: str
    quoted: bool
    after: int  # where reading may go on


def read_value(text: str, at: int, *, in_url: bool = False) -> Value | None:
    """The value that begins at *at*, where blanks have been passed over already."""
    opening = _OPENING.match(text, at)
    if opening:
        return _quoted(text, opening)
    bare = (_URL_PART if in_url else _BARE).match(text, at)
    if not bare:
        return None
    start, end = bare.span()
    after = end
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    if end == start:
        return None
    return Value(start, end, text[start : min(end, start + MAX_JUDGED)], False, after)


def whole_end(text: str, value: Value) -> int:
    """Where *value* really ends: reading stops early in very long ones."""
    if value.quoted or value.after - value.start < MAX_JUDGED:
        return value.end
    rest = _BARE_REST.match(text, value.after)
    return rest.end() if rest and rest[0] else value.end


def read_line(text: str, at: int) -> str:
    """What stands from *at* to the end of the line, which may be an escaped one."""
    line = _LINE.match(text, at)
    return line[0] if line else ""


def join_literals(text: str, value: Value) -> int:
    """Where a string literal ends that goes on in further literals: ``"abc" + "def"``."""
    end = value.end
    at = value.after
    for _ in range(64):
        link = _PLUS.match(text, at)
        if not link or (link[0] == "" and text[at : at + 1].isspace()):
            break
        part = read_value(text, link.end())
        if part is None or not part.quoted:
            break
        end, at = part.end, part.after
    return end


def _quoted(text: str, opening: re.Match[str]) -> Value:
    start = opening.end()
    quote = opening["quote"]
    closing = _CLOSING.get(quote, quote)
    end = _closing_at(text, start, closing, n_slashes=len(opening["slashes"]))
    if end is not None:
        after = text.index(closing, end) + len(closing)
        return Value(start, end, text[start : min(end, start + MAX_JUDGED)], True, after)
    line = read_line(text, start)
    end = start + len(line.rstrip())
    return Value(start, end, text[start : min(end, start + MAX_JUDGED)], True, end)


def _closing_at(text: str, start: int, closing: str, *, n_slashes: int) -> int | None:
    """Where the content ends: at a quote that is escaped no more often than the first one."""
    at = text.find(closing, start)
    while at >= 0:
        if len(closing) == 1 and text.find("\n", start, at) >= 0:
            return None
        first = at
        while first > start and text[first - 1] == "\\":
            first -= 1
        slashes = at - first
        if slashes % 2 == 0 if n_slashes == 0 else slashes <= n_slashes:
            return first if n_slashes else at
        at = text.find(closing, at + 1)
    return None
