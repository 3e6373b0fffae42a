"""The merge of one file, as plain git asks for it: in the top folder of the repository that it merges."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .context import Context

_LABELS: Final = ("this branch", "the other branch")


def merge_for_git(context: Context, path: str, *, base: Path, ours: Path, theirs: Path) -> None:
    """Write what both versions become together where *ours* is; two that only a person can choose from
    stand in it both.

    Raises:
        StorageError, NotFoundError: one cannot be read or written; git then merges it by itself.
    """
    from ..journal import files
    from ..journal.announcements import announcements_on_disk
    from ..journal.git.line_merge import GitLineMerger
    from ..journal.git.program import Git
    from ..journal.merging.file_merge import Side, merge_file

    epoch = datetime.fromtimestamp(0, UTC)  # git does not tell when they were written
    sides = [
        Side(data=files.read(context.cwd / one), label=label, time=epoch)
        for one, label in zip((ours, theirs), _LABELS, strict=True)
    ]
    merged = merge_file(
        path,
        files.read(context.cwd / base) or None,
        *sides,
        diff=GitLineMerger(Git(context.cwd, context.environ)),
        forgotten=announcements_on_disk(context.cwd).forgotten,
    )
    files.replace(context.cwd / ours, merged.data or b"", durable=False)
