"""Files of the journal in which two versions stand: found, and settled by a person's word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..journal import files
from ..journal.errors import MemjournalError, NotFoundError
from ..journal.merging.conflicts import Conflict, Keep, find_conflicts, resolve

if TYPE_CHECKING:
    from .context import Context


def files_with_conflicts(root: Path) -> Iterator[tuple[str, tuple[Conflict, ...]]]:
    """Each file in which two versions stand, with where they do."""
    from ..journal.reading import list_files

    for file in list_files(root).files:
        try:
            data = files.read(root / file.path)
        except MemjournalError:  # `mem doctor` names it
            continue
        if found := find_conflicts(data):
            yield file.path, found


def resolve_file(context: Context, path: str, *, keep: Keep | None) -> bool:
    """Settle the file at *path*, in the person's editor if nothing is to *keep*; whether it is now.

    Raises:
        NotFoundError: no two versions stand in it.
        MemjournalError: it cannot be written, or the editor failed.
    """
    target = context.root / path
    found = find_conflicts(files.read(target))
    if not found:
        raise NotFoundError("there are no two versions in it", where=path)
    if keep is None:
        from .editor import open_in_editor

        setting = context.settings.editor
        open_in_editor(setting, target, environ=context.environ, line=found[0].line)
    else:
        timeout_s = context.settings.journal.lock_timeout_s
        with files.locked(target, timeout_s=timeout_s):
            files.replace(target, resolve(files.read(target), keep=keep))
    return not find_conflicts(files.read(target))
