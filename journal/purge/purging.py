"""Taking memories out of the history of a journal: begun with a note on disk, so that a kill is made good."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .. import files
from ..errors import LockedError, NotFoundError
from ..git.commits import git_path
from ..git.program import Git
from ..git.trees import commit_at
from ..ids import is_id
from ..sync.pending import FOLDER
from .cleaning import clean, drop_remote_heads
from .rewriting import Rewritten, holds, note_clean, rewrite

_NAME: Final = "purge.json"
Move = Callable[[str, str], None]
"""Lets the branch that is checked out go from one commit to another, with its files."""


def note_purge(git_folder: Path, ids: AbstractSet[str]) -> None:
    """Remember that these are to be purged, for good when this returns.

    Raises:
        StorageError: the disk refused.
    """
    files.replace(git_folder / FOLDER / _NAME, json.dumps(sorted(ids)).encode())


def open_purge(git_folder: Path) -> frozenset[str]:
    """The ids of a purge that is not over; none if all are."""
    try:
        found = json.loads(files.read(git_folder / FOLDER / _NAME))
    except (NotFoundError, ValueError):
        return frozenset()
    listed = found if isinstance(found, list) else []
    return frozenset(one for one in listed if isinstance(one, str) and is_id(one))


def end_purge(git_folder: Path) -> None:
    """All is over."""
    files.remove(git_folder / FOLDER / _NAME)


@dataclass(frozen=True, slots=True)
class Purged:
    """What came of it."""

    rewritten: Mapping[str, str]  # commits, old to new
    left_in: tuple[str, ...]  # names that still hold it, which we do not move


def purge_branches(
    git: Git,
    git_folder: Path,
    ids: AbstractSet[str],
    *,
    move: Move,
    also: Sequence[str] = (),
) -> Purged:
    """Take the memories with *ids* out of all branches and tags, and out of the repository.

    *also* are commits that no branch of ours names, such as the remote's; they come out rewritten, and are
    not moved. `finish_purge` then removes what no name holds any more. The caller works alone.

    Raises:
        LockedError: a merge made by hand is not finished.
        StorageError: git or the disk refused; the next command tries it again.
    """
    if git_path(git, "MERGE_HEAD").exists():
        what = "a merge made with git is not finished"
        raise LockedError(what, where=str(git.root), mend="`mem sync` finishes it")
    head = commit_at(git, "HEAD")
    refs = dict(_branches_and_tags(git))
    holding = [one for one in {head, *refs.values(), *also} if holds(git, one, ids)]
    rewritten = Rewritten({})
    if holding:
        note_purge(git_folder, ids)
        rewritten = rewrite(git, git_folder, holding, ids)
        current = git.run(["symbolic-ref", "--quiet", "HEAD"], ok=(0, 1))
        if (new := rewritten.of(head)) != head:
            move(head, new)
        for ref, commit in refs.items():
            if ref != current and (new := rewritten.of(commit)) != commit:
                git.run(["update-ref", ref, new])
    stashed = commit_at(git, "refs/stash")
    left = ("refs/stash",) if stashed and holds(git, stashed, ids) else ()
    return Purged(rewritten.commits, left)


def finish_purge(git: Git, git_folder: Path) -> None:
    """Once no branch names what was rewritten, remove it from the repository; all is over then.

    Raises:
        StorageError: git or the disk refused; the next command tries it again.
    """
    ids = open_purge(git_folder)
    if not ids:
        return
    drop_remote_heads(git)
    clean(git, git_folder)
    note_clean(git, commit_at(git, "HEAD"), ids)
    end_purge(git_folder)


def _branches_and_tags(git: Git) -> Iterator[tuple[str, str]]:
    command = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"]
    for line in git.run(command).splitlines():
        ref, _, sha = line.partition(" ")
        yield ref, commit_at(git, sha) or sha
