"""What installing and uninstalling would do to files, worked out before anything is done.

A file of an assistant is the user's: what is not ours in it stays as it is, byte for byte. What it was
before we came is kept with a receipt; if nobody else has changed the file since, uninstalling puts
exactly that back, and otherwise takes out of it what is ours and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ...journal import files
from ...journal.errors import FormatError, NotFoundError
from .receipts import Receipt, Receipts, digest_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is ours in a file: the hooks by their assistant's names, and the programs they call."""

    events: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


class Edit(Protocol):
    """What is ours in one file, in the form that its assistant reads.

    A ``FormatError`` names line and column as ``where``; the file is named by whoever has it.
    """

    def install(self, now: bytes | None) -> bytes:
        """The file with what is ours in its newest form; *now* if all is as it should be.

        *now* is None where there is no file.

        Raises:
            FormatError: it is not in the form that the assistant reads.
        """
        ...

    def remove(self, now: bytes, *, before: bytes | None) -> bytes | None:
        """The file without what is ours; None if nothing is left in it and none was there before.

        *before* is what it was when we came, None also where that is not known: what was empty
        then stays so.

        Raises:
            FormatError: it is not in the form that the assistant reads.
        """
        ...

    def find(self, now: bytes) -> Found:
        """What of it is ours.

        Raises:
            FormatError: it is not in the form that the assistant reads.
        """
        ...

    @property
    def is_shared(self) -> bool:
        """Whether others write into the file too; one that is not is ours alone, or not ours at all."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A file, and what is ours in it."""

    path: Path
    edit: Edit


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to become of a file; None stands for no file."""

    path: Path  # as the user knows it; what is written is where links lead
    before: bytes | None
    after: bytes | None
    remark: str = ""  # why it is left as it is, where one would expect otherwise
    restores: bool = False  # whether that is, byte for byte, what was there before us
    receipt: Receipt | None = field(default=None, repr=False)  # to be kept from now on

    @property
    def is_change(self) -> bool:
        """Whether anything is to be written or removed."""
        return self.before != self.after


def plan_install(targets: Iterable[Target], receipts: Receipts) -> tuple[Change, ...]:
    """What brings ours into the files, in its newest form.

    Raises:
        FormatError: a file is not in the form that the assistant reads: line and column are named.
        StorageError: one cannot be read.
    """
    return tuple(_plan_install(target, receipts) for target in targets)


def plan_removal(targets: Iterable[Target], receipts: Receipts) -> tuple[Change, ...]:
    """What takes ours out of the files.

    Raises:
        FormatError, StorageError: as ``plan_install``.
    """
    return tuple(_plan_removal(target, receipts) for target in targets)


def find_ours(target: Target) -> Found | None:
    """What is ours in the file; None where there is no file.

    Raises:
        FormatError, StorageError: as ``plan_install``.
    """
    now = _read(target.path)
    if now is None:
        return None
    try:
        return target.edit.find(now)
    except FormatError as error:
        raise _at(target.path, error) from error


def real_path(path: Path) -> Path:
    """Where the links of *path* lead: settings are often links into a folder of dotfiles."""
    return Path(os.path.realpath(path))


def _plan_install(target: Target, receipts: Receipts) -> Change:
    now = _read(target.path)
    receipt = receipts.find(real_path(target.path))
    if not target.edit.is_shared and now is not None:
        if now == target.edit.install(None):
            return Change(path=target.path, before=now, after=now, receipt=receipt)
        if receipt is None or receipt.written != digest_of(now):
            remark = "is not as it was installed, so it was left as it is"
            return Change(path=target.path, before=now, after=now, remark=remark, receipt=receipt)
    try:
        after = target.edit.install(now)
    except FormatError as error:
        raise _at(target.path, error) from error
    if after == now:
        return Change(path=target.path, before=now, after=now, receipt=receipt)
    written = digest_of(after)
    if receipt is None:
        before = _without_ours(target.edit, now)
        receipt = Receipt(path=real_path(target.path), written=written, before=before)
    elif receipt.is_still(now):
        receipt = receipt.with_written(written)
    else:  # somebody else changed it in between: what it was is no longer what it is without us
        receipt = receipt.with_written("")
    return Change(path=target.path, before=now, after=after, receipt=receipt)


def _without_ours(edit: Edit, now: bytes | None) -> bytes | None:
    """What the file was before us, where that was not kept: *now* if nothing in it is ours."""
    return edit.remove(now, before=None) if now is not None and edit.find(now).events else now


def _plan_removal(target: Target, receipts: Receipts) -> Change:
    now = _read(target.path)
    receipt = receipts.find(real_path(target.path))
    if now is None:
        return Change(path=target.path, before=None, after=None)
    if receipt is not None and receipt.written == digest_of(now):
        return Change(path=target.path, before=now, after=receipt.before, restores=True)
    if not target.edit.is_shared:
        if now == target.edit.install(None):
            return Change(path=target.path, before=now, after=None)
        remark = "is not as it was installed, so it was left as it is"
        return Change(path=target.path, before=now, after=now, remark=remark)
    before = receipt.before if receipt is not None else None
    try:
        after = target.edit.remove(now, before=before)
    except FormatError as error:
        raise _at(target.path, error) from error
    return Change(path=target.path, before=now, after=after)


def _read(path: Path) -> bytes | None:
    try:
        return files.read(real_path(path))
    except NotFoundError:
        return None


def _at(path: Path, error: FormatError) -> FormatError:
    """*error* with the file's name before line and column."""
    where = f"{path}:{error.where}" if error.where else str(path)
    return FormatError(error.what, where=where, mend=error.mend)
