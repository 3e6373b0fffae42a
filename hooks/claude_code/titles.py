"""Which of a file's titles is the session's own: the user's, else the program's, else a summary's.

A summary mostly titles another session, the one that holds its leaf; so it is known at the end of
the file only.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from .records import TitleLine

MAX_SUMMARIES: Final = 1_000

REPLACED: Final = "title replaced by a later one"
OF_ANOTHER: Final = "title of another session"


@dataclass(frozen=True, slots=True)
class Title:
    key: str
    text: str


class Titles:
    """Takes the titles of a file in order, then chooses."""

    def __init__(self) -> None:
        self._given: Title | None = None
        self._summaries: dict[str, Title] = {}  # by leaf

    def add(self, line: TitleLine, key: str, *, is_last: bool) -> str:
        """Take a title; the reason if it cannot be chosen any more, else ""."""
        title = Title(key, line.text)
        if line.rank != "summary":
            if not is_last:
                return REPLACED
            self._given = title
        elif line.leaf in self._summaries or len(self._summaries) >= MAX_SUMMARIES:
            return REPLACED
        else:
            self._summaries[line.leaf] = title
        return ""

    def choose(self, uuids: Container[str]) -> tuple[Title | None, list[str]]:
        """The session's title, and a reason for each of the others that were taken."""
        own = [title for leaf, title in self._summaries.items() if leaf in uuids]
        reasons = [OF_ANOTHER] * (len(self._summaries) - len(own))
        if self._given is not None:
            return self._given, reasons + [REPLACED] * len(own)
        return (own[-1] if own else None), reasons + [REPLACED] * (len(own) - 1)
