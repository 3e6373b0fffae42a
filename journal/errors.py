"""Errors that a person can mend, each class a case that a caller treats differently.

Exit codes follow sysexits.h and are a promise to scripts: docs/exit-codes.md lists them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class MemjournalError(Exception):
    """Something a person can mend: what is wrong, where, and what to do about it."""

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str = "", mend: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.mend = what, where, mend

    def __reduce__(self) -> tuple[object, ...]:
        """As it stands: subclasses are made of other things than they hold."""
        return restore_error, (type(self), vars(self))

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        return f"{line}; {self.mend}" if self.mend else line


def restore_error(kind: type[MemjournalError], state: Mapping[str, object]) -> MemjournalError:
    """An error of *kind* that holds *state*, past its constructor: ``what`` at least."""
    error = kind.__new__(kind, state["what"])
    vars(error).update(state)
    return error


class UsageError(MemjournalError):
    """The command line asks for something that does not exist or contradicts itself."""

    exit_code: ClassVar[int] = 64  # EX_USAGE


class FormatError(MemjournalError):
    """A file's bytes are not what its format asks for."""

    exit_code: ClassVar[int] = 65  # EX_DATAERR


class FrontmatterError(FormatError):
    """The lines between the two ``---`` are not a YAML mapping that can be used."""


class NotFoundError(MemjournalError):
    """No entry, session or file goes by that name."""

    exit_code: ClassVar[int] = 66  # EX_NOINPUT


class AmbiguousError(NotFoundError):
    """Several entries go by that name."""


class NoJournalError(NotFoundError):
    """There is no journal where one was expected."""


class UnavailableError(MemjournalError):
    """Something that is optional is missing: git, the model, a vector library."""

    exit_code: ClassVar[int] = 69  # EX_UNAVAILABLE


class CannotCreateError(MemjournalError):
    """A file or folder could not be made."""

    exit_code: ClassVar[int] = 73  # EX_CANTCREAT


class StorageError(MemjournalError):
    """The disk refused: full, read-only, or failing. What was there before is still there."""

    exit_code: ClassVar[int] = 74  # EX_IOERR


class LockedError(MemjournalError):
    """Another process holds a lock for longer than we are willing to wait; try again."""

    exit_code: ClassVar[int] = 75  # EX_TEMPFAIL


class SettingsError(MemjournalError):
    """A setting has no such name or cannot have that value."""

    exit_code: ClassVar[int] = 78  # EX_CONFIG
