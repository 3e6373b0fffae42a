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
_LONG: Final = (
    10  # characters; what is shorter may be a part of a word, and counts where it is one itself
)
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


class KnownSecrets:
    """The secrets that were met in one session, the first `MAX_KNOWN` of them."""

    def __init__(self) -> None:
        self._known: dict[str, None] = {}  # in the order in which they were met

    def learn(self, found: Iterable[str]) -> None:
        """Remember *found*, as far as there is room."""
        for secret in sorted(set(found) - self._known.keys()):
            if len(self._known) < MAX_KNOWN:
                self._known[secret] = None

    def hide(self, text: str, also: Iterable[str] = (), *, marker: str) -> tuple[str, int]:
        """*text* without them and *also*, for which there may have been no room, and how many there were."""
        return _replaced(text, {*self._known, *also}, marker)


def _replaced(text: str, known: Iterable[str], marker: str) -> tuple[str, int]:
    n_replaced = 0
    for secret in sorted((one for one in known if one in text), key=len, reverse=True):
        if len(secret) >= _LONG:
            n_replaced += text.count(secret)
            text = text.replace(secret, marker)
        else:  # ``test123`` is a part of ``pytest123``, which is none
            whole = rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])"  # 조사 may follow
            text, n = re.subn(whole, lambda _: marker, text)
            n_replaced += n
    return text, n_replaced
