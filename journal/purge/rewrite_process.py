"""Run as a program: rewrites all branches of the repository in the current folder.

``python -P -m memjournal.journal.purge.rewrite_process`` finds the ids in a file there, a line each. A process of
its own, for git-filter-repo works in the current folder and keeps what it learns in its module. The one
module that knows it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import git_filter_repo as fr

from .filter import PurgeFilter

IDS_FILE: Final = "purged-ids"


def rewrite_here(filter_: PurgeFilter) -> None:
    """Rewrite every branch and tag of the bare repository in the current folder."""
    gone: set[Any] = set()  # marks of files that are not in any tree any more

    def on_blob(blob: Any, _: object) -> None:
        if filter_.takes_file(blob.data):
            gone.add(blob.id)
        else:
            blob.data = filter_.without(blob.data)

    def on_commit(commit: Any, _: object) -> None:
        kept = []
        touches = False
        for change in commit.file_changes:
            path = os.fsdecode(change.filename)
            if filter_.takes_path(path) or change.blob_id in gone:
                touches = True
                kept.append(fr.FileChange(b"D", change.filename))
            else:
                kept.append(change)
        commit.file_changes = kept
        commit.message = filter_.message(commit.message, touches=touches)

    options = ["--force", "--partial", "--quiet", "--no-gc", "--replace-refs", "delete-no-add"]
    options += ["--prune-empty", "never", "--prune-degenerate", "never"]
    arguments = fr.FilteringOptions.parse_args(options)
    fr.RepoFilter(arguments, blob_callback=on_blob, commit_callback=on_commit).run()


if __name__ == "__main__":
    rewrite_here(PurgeFilter(frozenset(Path(IDS_FILE).read_text("ascii").split())))
