"""Doing what was planned: each file in one step, with its receipt kept before and dropped after.

A file that has changed since the plan was made is left alone, and so is one that is marked as not to be
written; a run that is killed in between is finished by the same command.
"""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...journal import files
from ...journal.errors import LockedError, NotFoundError, StorageError
from .plan import Change, real_path
from .receipts import Receipts


def carry_out_install(changes: Iterable[Change], receipts: Receipts) -> None:
    """Write what is ours into the files.

    Raises:
        LockedError: a file was changed meanwhile.
        StorageError, CannotCreateError: the disk refused; the file is as it was.
    """
    for change in changes:
        if not change.is_change or change.after is None:
            continue
        path = _checked(change)
        assert change.receipt is not None, "what is written has a receipt"
        made = change.receipt.made_folders or _missing_folders(path)
        receipts.keep(replace(change.receipt, made_folders=made))
        files.replace(path, change.after)


def copies_of(changes: Iterable[Change], receipts: Receipts) -> tuple[Path, ...]:
    """Where the files that were changed are kept as they were before the first change."""
    copies = (receipts.copy_of(real_path(one.path)) for one in changes if one.is_change)
    return tuple(copy for copy in copies if copy.exists())


def carry_out_removal(changes: Iterable[Change], receipts: Receipts) -> None:
    """Take what is ours out of the files, and remove the folders that were made for them.

    Raises:
        LockedError, StorageError, CannotCreateError: as ``carry_out_install``.
    """
    made: set[Path] = set()
    for change in changes:
        path = _checked(change)
        if change.after is None:
            receipt = receipts.find(path)
            files.remove(path)
            made.update(receipt.made_folders if receipt is not None else ())
        elif change.is_change:
            files.replace(path, change.after)
        receipts.forget(path)
    for folder in sorted(made, key=lambda one: len(one.parts), reverse=True):
        with contextlib.suppress(OSError):  # others use it by now
            folder.rmdir()


def _checked(change: Change) -> Path:
    """Where the change is to be made, if the file there is still what was planned for."""
    path = real_path(change.path)
    try:
        now = files.read(path)
    except NotFoundError:
        now = None
    if now != change.before:
        raise LockedError(
            "somebody changed it just now",
            where=str(change.path),
            mend="nothing was changed; try again",
        )
    if change.is_change and now is not None and not path.stat().st_mode & stat.S_IWUSR:
        raise StorageError(
            "is marked as not to be written, so it was left as it is",
            where=str(change.path),
            mend="allow writing (chmod u+w); if another program makes the file, have that one add"
            " what `--dry-run` shows",
        )
    return path


def _missing_folders(path: Path) -> tuple[Path, ...]:
    missing = [one for one in path.parents if not one.exists()]
    return tuple(reversed(missing))
