"""Failures of what is derived. None of them loses anything: the answer is always a rebuild."""

from __future__ import annotations

from typing import ClassVar

from ..journal.errors import MemjournalError, NotFoundError, UnavailableError


class IndexDamagedError(MemjournalError):
    """An index cannot be read as it is; it is rebuilt from the files."""

    exit_code: ClassVar[int] = 74  # EX_IOERR

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(
            f"the {name} index cannot be read ({reason or 'no reason given'})",
            mend="rebuild it with `mem index --rebuild`",
        )
        self.name = name


class NoIndexError(NotFoundError):
    """The files have not been indexed yet."""

    def __init__(self) -> None:
        super().__init__("there is no index yet", mend="run `mem index`")


class VectorsUnavailableError(UnavailableError):
    """There are no vectors: switched off, or what makes them is missing or cannot be asked now."""
