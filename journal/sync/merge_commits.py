"""The merge of two commits, made in the object database alone.

Git's own merge guesses renames by likeness, stops at a conflict and writes into the work tree. Ours knows
entries by their ids and never stops; where it can say which of two is right only by asking, both texts stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final

from ..announcements import FILE_NAME, Announcements, read_announcements
from ..git.commits import Signature, make_commit
from ..git.line_merge import GitLineMerger
from ..git.objects import ObjectReader
from ..git.program import Git
from ..git.trees import (
    Tree,
    Version,
    changed_between,
    empty_tree,
    list_tree,
    merge_bases,
    write_tree,
)
from ..merging.file_merge import Side, merge_file
from ..merging.tree_plan import plan_merge

_VIRTUAL: Final = {  # a base that is made of several is the same on every machine
    "GIT_AUTHOR_DATE": "@0 +0000",
    "GIT_COMMITTER_DATE": "@0 +0000",
    "GIT_AUTHOR_NAME": "memjournal",
    "GIT_AUTHOR_EMAIL": "memjournal@localhost",
    "GIT_COMMITTER_NAME": "memjournal",
    "GIT_COMMITTER_EMAIL": "memjournal@localhost",
}


@dataclass(frozen=True, slots=True)
class MergedTree:
    """A tree that holds what two commits hold."""

    tree: str
    conflicts: tuple[str, ...]  # the paths of files in which both texts stand


class CommitMerger:
    """Merges commits of one repository."""

    def __init__(self, git: Git, reader: ObjectReader) -> None:
        self._git, self._reader = git, reader
        self._diff = GitLineMerger(git)

    def merge(self, one: str, other: str) -> MergedTree:
        """The tree of both commits together; it is the same whichever is named first.

        Raises:
            StorageError: git refused, or an object is missing.
        """
        base = self._base_of(one, other)
        tree = base or empty_tree(self._git)
        changed_in_one = changed_between(self._git, tree, one)
        changed_in_other = changed_between(self._git, tree, other)
        before, after_one, after_other = _aligned(changed_in_one, changed_in_other)
        merged = plan_merge(
            before,
            after_one,
            after_other,
            read=self._reader.read,
            sides=(self._labels(one, other), self._labels(other, one)),
            diff=self._diff,
            forgotten=self.announced(one, other).forgotten,
        )
        written, _ = write_tree(self._git, tree, merged.files)
        return MergedTree(written, merged.conflicts)

    def announced(self, *commits: str) -> Announcements:
        """What all of *commits* together announce as forgotten and purged."""
        return read_announcements(self._announcement_files(commits))

    def _announcement_files(self, commits: Iterable[str]) -> list[bytes]:
        shas = {
            version.sha
            for commit in commits
            for path, version in list_tree(self._git, commit, below=["ledger/"]).items()
            if path.endswith(f"/{FILE_NAME}")
        }
        return [self._reader.read(sha) for sha in sorted(shas)]

    def merge_text(self, forgotten: frozenset[str]) -> Callable[..., bytes | None]:
        """How a file that has changed on disk meanwhile takes in what comes."""

        def merge(
            path: str, base: bytes | None, current: bytes, coming: bytes | None
        ) -> bytes | None:
            here = Side(data=current, label="on disk", time=datetime.max.replace(tzinfo=UTC))
            there = Side(data=coming, label="synced", time=datetime.min.replace(tzinfo=UTC))
            return self.merge_file(path, base, here, there, forgotten=forgotten)

        return merge

    def merge_file(
        self, path: str, base: bytes | None, one: Side, other: Side, *, forgotten: frozenset[str]
    ) -> bytes | None:
        """What one file becomes that holds both sides; None where it is to go."""
        return merge_file(path, base, one, other, diff=self._diff, forgotten=forgotten).data

    def _base_of(self, one: str, other: str) -> str:
        """The commit that both come from; of several their merge, which no branch names; "" if none."""
        bases = merge_bases(self._git, one, other)
        if not bases:
            return ""
        base, *others = bases
        for another in others:
            tree = self.merge(base, another).tree
            base = make_commit(
                self._git,
                tree,
                [base, another],
                "a common base\n",
                signature=Signature(),
                env=_VIRTUAL,
                sign=False,
            )
        return base

    def _labels(self, side: str, apart_from: str) -> Callable[[str], tuple[str, datetime]]:
        """What tells who wrote a path last on one side, and when."""

        @cache
        def label(path: str) -> tuple[str, datetime]:
            literal = f":(literal){path}"
            command = ["log", "-1", "--no-merges", "--format=%an%x00%cI", side, f"^{apart_from}"]
            found = self._git.run([*command, "--", literal])
            if not found:
                found = self._git.run(["log", "-1", "--format=%an%x00%cI", side, "--", literal])
            if not found:
                found = self._git.run(["log", "-1", "--format=%an%x00%cI", side])
            name, _, written = found.partition("\0")
            time = datetime.fromisoformat(written).astimezone(UTC)
            return f"{name} {time:%Y-%m-%d %H:%M}", time

        return label


def _aligned(
    one: Mapping[str, tuple[Version | None, Version | None]],
    other: Mapping[str, tuple[Version | None, Version | None]],
) -> tuple[Tree, Tree, Tree]:
    """Base and both sides at all paths that either has changed."""
    base: dict[str, Version] = {}
    sides: Sequence[dict[str, Version]] = ({}, {})
    for path in sorted({*one, *other}):
        before = (one.get(path) or other[path])[0]
        if before is not None:
            base[path] = before
        for changes, side in ((one, sides[0]), (other, sides[1])):
            after = changes[path][1] if path in changes else before
            if after is not None:
                side[path] = after
    return base, sides[0], sides[1]
