"""Who wrote each line of a file, as git knows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ..git.program import Git

_HEADER: Final = re.compile(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_NOT_COMMITTED: Final = re.compile("0+")


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """A line, and the commit that it came with."""

    number: int
    text: str
    commit: str  # "" while it is not committed
    at: datetime
    author: str  # the machine
    who: str  # the committer

    @property
    def maker(self) -> str:
        """``laptop-3f2a (Minji)``: the machine and who sat at it."""
        if not self.commit:
            return "not committed yet"
        return self.author if self.author == self.who else f"{self.author} ({self.who})"


def blame_lines(git: Git, path: str, *, first: int, last: int) -> Iterator[BlamedLine]:
    """The lines *first* to *last* (from 1; 0 is the end) of the file at *path* as it is on disk.

    Raises:
        GitError: git refused, for the file was never committed.
    """
    span = f"-L{first},{last or ''}"
    printed = git.run(["blame", "--porcelain", span, "--", f"{path}"])
    about: dict[str, dict[str, str]] = {}
    sha, number = "", 0
    for line in printed.split("\n"):
        if header := _HEADER.fullmatch(line):
            sha, number = header[1], int(header[2])
            about.setdefault(sha, {})
        elif line.startswith("\t"):
            yield _blamed(number, line[1:], sha, about[sha])
        else:
            name, _, value = line.partition(" ")
            about[sha][name] = value


def _blamed(number: int, text: str, sha: str, about: dict[str, str]) -> BlamedLine:
    at = datetime.fromtimestamp(int(about.get("committer-time", "0")), UTC)
    commit = "" if _NOT_COMMITTED.fullmatch(sha) else sha
    return BlamedLine(number, text, commit, at, about.get("author", ""), about.get("committer", ""))
