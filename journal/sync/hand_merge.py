"""Merges that somebody makes with plain git: finished where they stopped, and looked at where they did not.

Git without our drivers stops at a conflict, or joins two records line by line. Neither loses anything, for
both sides are in the history: there they are merged again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from .. import files
from ..errors import LockedError, NotFoundError, StorageError
from ..git.commits import git_path
from ..git.objects import ObjectReader
from ..git.program import Git
from ..git.trees import Version, changed_between, commit_at, write_tree
from ..merging.file_merge import Side
from .merge_commits import CommitMerger, MergedTree

CHECKED: Final = "refs/memjournal/checked"
"""The commit up to which the merges of others have been looked at."""
_MARKER: Final = re.compile(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
_GROWING: Final = ("sessions/", "ledger/")
_UNFINISHED: Final = ("rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD")
_OF_A_MERGE: Final = ("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE")


def refuse_other_work(git: Git) -> None:
    """
    Raises:
        LockedError: a rebase or the like is not finished: what is meant by it, only its author knows.
    """
    for name in _UNFINISHED:
        if git_path(git, name).exists():
            what = f"git has not finished what it does there ({name})"
            raise LockedError(what, where=str(git.root), mend="finish or abort it with git")


def unfinished_merge(git: Git) -> str:
    """The commit that a merge which is not finished brings in; "" where there is none."""
    return commit_at(git, "MERGE_HEAD") if git_path(git, "MERGE_HEAD").exists() else ""


def tree_of_hand_merge(
    git: Git, reader: ObjectReader, merger: CommitMerger, head: str, coming: str
) -> MergedTree:
    """Our merge of both, with what the author of the unfinished one has settled by hand already."""
    merged = merger.merge(head, coming)
    settled: dict[str, Version | bytes | None] = {}
    for path in _unmerged(git):
        try:
            current = files.read(git.root / path)
        except (NotFoundError, StorageError):
            continue
        if not _MARKER.search(current):
            settled[path] = current
    if not settled:
        return merged
    tree, _ = write_tree(git, merged.tree, settled)
    return MergedTree(tree, tuple(path for path in merged.conflicts if path not in settled))


def files_of_hand_merge(git: Git, head: str) -> dict[str, bytes]:
    """What the unfinished merge wrote into the files, where nobody has touched it since: nothing of it
    is anybody's word. What git put into the index tells what it wrote."""
    unmerged = set(_unmerged(git))
    edited = set(filter(None, git.run(["diff-files", "--name-only", "-z"]).split("\0")))
    found: dict[str, bytes] = {}
    for path in {*changed_between(git, head, "MERGE_HEAD"), *unmerged}:
        try:
            current = files.read(git.root / path)
        except (NotFoundError, StorageError):
            continue
        if _MARKER.search(current) if path in unmerged else path not in edited:
            found[path] = current
    return found


def clear_hand_merge(git: Git) -> None:
    """Nothing is left of a merge whose commit is in the history."""
    git.run(["read-tree", "HEAD"])
    git.run(["update-index", "-q", "--refresh"], ok=(0, 1))
    for name in _OF_A_MERGE:
        files.remove(git_path(git, name))


def _unmerged(git: Git) -> list[str]:
    listed = git.run(["ls-files", "--unmerged", "-z"]).split("\0")
    return sorted({line.partition("\t")[2] for line in listed if line})


def hand_merges(git: Git, head: str) -> list[str]:
    """The merges in the history of *head* that plain git made and that have not been looked at yet."""
    checked = commit_at(git, CHECKED)
    command = ["log", "--merges", "--reverse", "--format=%H%x00%(trailers:key=Machine)%x01", head]
    printed = git.run([*command, *([f"^{checked}"] if checked else [])])
    merges = (record.strip("\n").partition("\0") for record in printed.split("\x01"))
    return [sha for sha, _, machine in merges if sha and not machine.strip()]


def note_checked(git: Git, head: str) -> None:
    """All merges up to *head* have been looked at."""
    git.run(["update-ref", CHECKED, head])


def mend_hand_merges(
    git: Git, reader: ObjectReader, merger: CommitMerger, head: str
) -> dict[str, Version | bytes | None]:
    """What the session and ledger files of *head* must become to hold all that both sides of such
    merges had."""
    mended: dict[str, Version | bytes | None] = {}
    for merge in hand_merges(git, head):
        parents = git.run(["rev-list", "--parents", "-n", "1", merge]).split()[1:]
        if len(parents) != 2:
            continue
        tree = merger.merge(*parents).tree
        for path, (made, ours) in _growing(git, merge, tree):
            if ours is not None:
                current = mended.get(path)
                mended[path] = _with_both(reader, merger, path, head, made, ours, current)
    return {path: data for path, data in mended.items() if _is_other(reader, head, path, data)}


def _growing(
    git: Git, merge: str, tree: str
) -> Iterator[tuple[str, tuple[Version | None, Version | None]]]:
    changed = changed_between(git, merge, tree, below=list(_GROWING))
    yield from ((path, versions) for path, versions in sorted(changed.items()))


def _with_both(
    reader: ObjectReader,
    merger: CommitMerger,
    path: str,
    head: str,
    made: Version | None,
    ours: Version,
    current: Version | bytes | None,
) -> bytes | None:
    """The file of *head* with what our merge has and the one that was made has not."""
    base = reader.read(made.sha) if made else None
    if isinstance(current, bytes):
        now: bytes | None = current
    else:
        found = reader.find(f"{head}:{path}")
        now = found[1] if found else None
    epoch = datetime.fromtimestamp(0, UTC)
    here = Side(data=now, label="as it is", time=epoch)
    there = Side(data=reader.read(ours.sha), label="as it was", time=epoch)
    return merger.merge_file(path, base, here, there, forgotten=merger.announced(head).forgotten)


def _is_other(reader: ObjectReader, head: str, path: str, data: Version | bytes | None) -> bool:
    found = reader.find(f"{head}:{path}")
    return (found[1] if found else None) != data
