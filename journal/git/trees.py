"""Trees and commits, compared and made in the object database: the work tree is not looked at."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .objects import write_blobs
from .program import Git

FILE_MODE: Final = "100644"


@dataclass(frozen=True, slots=True)
class Version:
    """What stands at a path of a tree."""

    mode: str  # 100644, 100755, 120000 (a link), 160000 (a submodule)
    sha: str


Tree = Mapping[str, Version]
"""What stands at each path that matters, the others left out."""


def empty_tree(git: Git) -> str:
    """The name of the tree that holds nothing."""
    return git.run(["hash-object", "-w", "-t", "tree", "--stdin"])


def changed_between(
    git: Git, before: str, after: str, *, below: Sequence[str] = ()
) -> dict[str, tuple[Version | None, Version | None]]:
    """The paths at which two trees (or commits) differ, each with what stands there before and after."""
    command = ["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after]
    return dict(parse_raw(git.run([*command, "--", *below])))


def parse_raw(printed: str) -> Iterator[tuple[str, tuple[Version | None, Version | None]]]:
    """The lines of `--raw -z` without renames."""
    fields = printed.removesuffix("\0").split("\0")
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        mode_before, mode_after, sha_before, sha_after, _ = head.removeprefix(":").split(" ")
        before = None if mode_before == "000000" else Version(mode_before, sha_before)
        after = None if mode_after == "000000" else Version(mode_after, sha_after)
        yield path, (before, after)


def list_tree(git: Git, tree: str, *, below: Sequence[str] = ()) -> dict[str, Version]:
    """Everything in a tree (or commit), at the paths *below* alone if any are given."""
    found: dict[str, Version] = {}
    for line in git.run(["ls-tree", "-r", "-z", "--full-tree", tree, "--", *below]).split("\0"):
        head, tab, path = line.partition("\t")
        if tab:
            mode, _, sha = head.split(" ")
            found[path] = Version(mode, sha)
    return found


def write_tree(
    git: Git, base: str, changes: Mapping[str, Version | bytes | None]
) -> tuple[str, dict[str, Version | None]]:
    """The tree that is *base* with *changes*, and what it has at each of their paths.

    Bytes become a file; None takes the path away.
    """
    new = [path for path, change in changes.items() if isinstance(change, bytes)]
    shas = write_blobs(git, [change for change in changes.values() if isinstance(change, bytes)])
    written = dict(zip(new, shas, strict=True))
    settled = {
        path: Version(FILE_MODE, written[path]) if isinstance(change, bytes) else change
        for path, change in changes.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        git.run(["read-tree", base], env=index)
        git.run(["update-index", "-z", "--index-info"], stdin=index_lines(settled), env=index)
        return git.run(["write-tree"], env=index), settled


def index_lines(versions: Mapping[str, Version | None]) -> bytes:
    """*versions* as `update-index --index-info` reads them: what goes first, for it may be in the way."""
    n_digits = max((len(one.sha) for one in versions.values() if one), default=40)
    none = "0" * n_digits
    gone = [f"0 {none}\t{path}\0" for path, version in versions.items() if version is None]
    there = [f"{one.mode} {one.sha}\t{path}\0" for path, one in versions.items() if one]
    return os.fsencode("".join((*gone, *there)))


def merge_bases(git: Git, one: str, other: str) -> list[str]:
    """The best common ancestors of two commits, sorted; none where their histories have none."""
    return sorted(git.run(["merge-base", "--all", one, other], ok=(0, 1)).split())


def is_ancestor(git: Git, earlier: str, later: str) -> bool:
    """Whether the history of *later* holds *earlier*."""
    return git.succeeds(["merge-base", "--is-ancestor", earlier, later])


def commit_at(git: Git, name: str) -> str:
    """The hash of the commit that *name* names; "" if there is none."""
    return git.run(["rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"], ok=(0, 1, 128))
