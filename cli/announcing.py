"""Telling other machines, by a line in the ledger, that memories were taken away or brought back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..journal.announcements import Announced
    from .context import Context


def announce(context: Context, kind: Announced, ids: Sequence[str]) -> list[str]:
    """Tell it, where there may be other machines; the paths that were written, relative to the journal.

    Raises:
        LockedError, StorageError, CannotCreateError: it cannot be written.
    """
    from ..journal.announcements import announce
    from ..journal.git import is_repository

    if not ids or not is_repository(context.root):
        return []
    path = announce(
        context.root,
        machine=context.machine,
        kind=kind,
        ids=ids,
        at=context.now,
        lock_timeout_s=context.settings.journal.lock_timeout_s,
    )
    return [path]


def announce_if_back(context: Context, entry_id: str) -> list[str]:
    """Tell that the entry is there again, if it was told to be forgotten: the same words give the same id."""
    from ..journal.announcements import announcements_on_disk

    if entry_id not in announcements_on_disk(context.root).forgotten:
        return []
    return announce(context, "restored", [entry_id])
