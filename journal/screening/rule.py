"""One thing to look for, and how it is looked for without cost.

A text is first asked for a few words as they stand; only one that has all of them is worth a
regular expression, which is compiled then. Nothing here takes longer than the text is long:
expressions with a wide gap are cut at the gap, and their parts are found one by one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


class Rule:
    """A threat by its id. *needles* are words that must all stand in the text, ``|`` for "or".

    The *parts* must follow each other with at most *gap* characters between, none of them *stop*.
    """

    __slots__ = ("_needles", "gap", "id", "parts", "stop")

    def __init__(self, id: str, needles: str, *parts: str, gap: int = 0, stop: str = "\n") -> None:
        self.id, self.parts, self.gap, self.stop = id, parts, gap, stop
        self._needles = [needle.split("|") for needle in needles.split()]

    def is_possible(self, text: str) -> bool:
        """Whether *text* has the words without which the expressions find nothing.

        Every text is asked this by every rule, so it is plain loops.
        """
        for words in self._needles:
            for word in words:
                if word in text:
                    break
            else:
                return False
        return True

    def is_in(self, text: str) -> bool:
        """Whether *text*, in small letters, holds the threat."""
        first, *others = map(_compile, self.parts)
        if not others:
            return first.search(text) is not None
        ends = [found.end() for found in first.finditer(text)]
        for part in others:
            ends = self._continued(text, ends, part)
        return bool(ends)

    def _continued(self, text: str, ends: Sequence[int], part: re.Pattern[str]) -> list[int]:
        """Where *part* ends when it follows one of *ends*; the nearest one before it decides."""
        continued: list[int] = []
        nearest, n_passed = -1, 0
        for found in part.finditer(text):
            start = found.start()
            while n_passed < len(ends) and ends[n_passed] <= start:
                nearest, n_passed = ends[n_passed], n_passed + 1
            if 0 <= nearest >= start - self.gap and text.find(self.stop, nearest, start) < 0:
                continued.append(found.end())
        return continued


def _compile(part: str) -> re.Pattern[str]:
    """*part*, for which a word ends where a Korean particle begins."""
    return re.compile(part.replace(r"\b", r"(?a:\b)"))
