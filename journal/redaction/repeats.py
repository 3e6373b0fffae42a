"""The same secret once more: where nothing around it tells what it is, having seen it before does.

A password that a command line gave away stands bare in the error that came back. What was recognised
is remembered for as long as its event, or its session, is being written, and never on a disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from .lazy import Pattern

MIN_CHARS: Final = 6
MAX_KNOWN: Final = 200
_LETTER_AND_DIGIT: Final = Pattern(r"(?=.*[^\W\d_])(?=.*\d)", re.DOTALL)
_IN_USER_INFO: Final = Pattern(r":([^:@/\s\"']+)(?=@|[\"']?\Z)")
_BLANK: Final = Pattern(r"\s")


def worth_knowing(found: str) -> Iterator[str]:
    """The parts of a recognised secret that are one wherever they stand: no plain words, no numbers."""
    whole = found.strip("\"'`,;()[]{}<> ")
    for part in (whole, *_IN_USER_INFO.findall(whole)):
        is_one = not _BLANK.search(part) and _LETTER_AND_DIGIT.match(part) is not None
        if len(part) >= MIN_CHARS and is_one:
            yield part


def hide_known(text: str, known: Iterable[str], *, marker: str) -> str:
    """*text* with *marker* in place of each of *known*, which stand alone or in something longer."""
    for secret in sorted((one for one in known if one in text), key=len, reverse=True):
        text = text.replace(secret, marker)
    return text
