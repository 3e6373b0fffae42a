"""The merge of two trees, as a plan: what stands at each path that either side has changed.

A memory is known by its id, wherever its file stands. Git would guess from likeness which file became
which, and two memories may be alike but for a word.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from ..frontmatter import parse_document
from ..git.trees import Tree, Version
from ..ids import is_id
from .file_merge import Side, merge_file
from .lines import LineMerger

_ID_IN_NAME: Final = re.compile(r"--([0-9A-Za-z]{6,64})\.md$")
_FILE_MODES: Final = ("100644", "100755")
Labels = Callable[[str], tuple[str, datetime]]
"""Who wrote the file at a path of a side last, and when."""


@dataclass(frozen=True, slots=True)
class TreeMerge:
    """What stands at each path that was given, and at those that were made: an unchanged version, new
    bytes, or nothing."""

    files: Mapping[str, Version | bytes | None]
    conflicts: tuple[str, ...] = ()  # the paths of files in which both texts stand


def plan_merge(
    base: Tree,
    one: Tree,
    other: Tree,
    *,
    read: Callable[[str], bytes],
    sides: tuple[Labels, Labels],
    diff: LineMerger,
    forgotten: frozenset[str],
) -> TreeMerge:
    """The merge of *one* and *other*, which come from *base*; the same, whichever is named first.

    Of each tree, the paths count that differ between any two of the three; *read* gives a blob's bytes.
    """
    plan = _Plan(base, (one, other), read, sides, diff, forgotten)
    plan.merge_moved()
    plan.merge_in_place()
    plan.part_files_from_folders()
    return TreeMerge(plan.files, tuple(sorted(plan.conflicts)))


@dataclass(slots=True)
class _Plan:
    base: Tree
    sides: tuple[Tree, Tree]
    read: Callable[[str], bytes]
    labels: tuple[Labels, Labels]
    diff: LineMerger
    forgotten: frozenset[str]
    files: dict[str, Version | bytes | None] = field(default_factory=dict)
    conflicts: set[str] = field(default_factory=set)

    # --- memories that stand elsewhere ------------------------------------------------------

    def merge_moved(self) -> None:
        """Each memory that a side has moved, or that both have added in different places, at one place."""
        before = self._places(self.base, self.base.keys())
        added = [self._places(side, side.keys() - self.base.keys()) for side in self.sides]
        for entry_id in sorted(added[0].keys() | added[1].keys()):
            old = before.get(entry_id)
            places = [
                side_added.get(entry_id) or (old if old in side else None)
                for side, side_added in zip(self.sides, added, strict=True)
            ]
            if old is not None and any(old in side for side in self.sides) and None in places:
                continue  # a copy beside the old one, or one that nobody moved
            if len({place for place in places if place}) > 1 or (old and old not in places):
                self._merge_at_one_place(entry_id, old, places)

    def _places(self, tree: Tree, paths: Iterable[str]) -> dict[str, str]:
        """Where the memories at *paths* of *tree* stand, by id; of several with one id, the first."""
        found: dict[str, str] = {}
        for path in sorted(paths):
            is_memory = path.startswith("memories/") and tree[path].mode in _FILE_MODES
            if is_memory and (entry_id := self._id_at(path, tree[path])):
                found.setdefault(entry_id, path)
        return found

    def _id_at(self, path: str, version: Version) -> str:
        if found := _ID_IN_NAME.search(path):
            return found[1]
        given = parse_document(self.read(version.sha).decode("utf-8", "replace")).fields.get("id")
        return given if isinstance(given, str) and is_id(given) else ""

    def _merge_at_one_place(self, entry_id: str, old: str | None, places: list[str | None]) -> None:
        target = self._chosen_place(old, places)
        versions = [
            side.get(place) if place else None
            for side, place in zip(self.sides, places, strict=True)
        ]
        for path in filter(None, (old, *places)):
            self.files[path] = None
        names = [place or target for place in places]
        self._merge_versions(target, self.base.get(old) if old else None, versions, names)

    def _chosen_place(self, old: str | None, places: list[str | None]) -> str:
        """Where it was moved to; of two such places, that of the later commit."""
        moved = [(place, n) for n, place in enumerate(places) if place and place != old]
        dated = [(self.labels[n](place)[1], place) for place, n in moved]
        return max(dated)[1]

    # --- everything else --------------------------------------------------------------------

    def merge_in_place(self) -> None:
        """What stands at each path that is left."""
        for path in sorted({*self.base, *self.sides[0], *self.sides[1]} - self.files.keys()):
            before, versions = self.base.get(path), [side.get(path) for side in self.sides]
            if before is None and all(versions) and self._are_two(path, versions):
                self._keep_both(path, versions)
            else:
                self._merge_versions(path, before, versions, [path, path])

    def _are_two(self, path: str, versions: list[Version | None]) -> bool:
        """Whether two memories, added under one name, are not the same."""
        if not path.startswith("memories/") or _ID_IN_NAME.search(path):
            return False
        ids = {self._id_at(path, one) for one in versions if one and one.mode in _FILE_MODES}
        return len(ids) == 2 and "" not in ids

    def _keep_both(self, path: str, versions: list[Version | None]) -> None:
        """The one with the smaller id keeps the name; the other is called by its id, too."""
        there = [one for one in versions if one is not None]
        first, second = sorted(there, key=lambda one: self._id_at(path, one))
        self.files[path] = first
        pure = PurePosixPath(path)
        self.files[str(pure.with_name(f"{pure.stem}--{self._id_at(path, second)}.md"))] = second

    def _merge_versions(
        self,
        path: str,
        before: Version | None,
        versions: list[Version | None],
        names: list[str],
    ) -> None:
        one, other = versions
        if one == other or before == other:
            self.files[path] = one
        elif before == one:
            self.files[path] = other
        elif all(version is None or version.mode in _FILE_MODES for version in (one, other)):
            self._merge_contents(path, before, versions, names)
        else:  # a link or a submodule: the later commit's
            dated = [
                (self.labels[n](names[n])[1], version.sha if version else "", n)
                for n, version in enumerate(versions)
            ]
            self.files[path] = versions[max(dated)[2]]

    def _merge_contents(
        self,
        path: str,
        before: Version | None,
        versions: list[Version | None],
        names: list[str],
    ) -> None:
        base = self.read(before.sha) if before and before.mode in _FILE_MODES else None
        sides = []
        for version, name, labels in zip(versions, names, self.labels, strict=True):
            label, time = labels(name)
            sides.append(Side(self.read(version.sha) if version else None, label, time))
        merged = merge_file(path, base, *sides, diff=self.diff, forgotten=self.forgotten)
        self.files[path] = _as_version(merged.data, versions, sides)
        if merged.n_conflicts:
            self.conflicts.add(path)
        if merged.also is not None:
            pure = PurePosixPath(path)
            mark = hashlib.sha1(merged.also, usedforsecurity=False).hexdigest()[:7]
            self.files[str(pure.with_name(f"{pure.stem}.{mark}{pure.suffix}"))] = merged.also

    def part_files_from_folders(self) -> None:
        """Give a file another name where the other side has made a folder of its name."""
        there = {path for path, version in self.files.items() if version is not None}
        folders = {folder for path in there for folder in _folders_of(path)}
        for path in sorted(there & folders):
            pure = PurePosixPath(path)
            free = next(
                name
                for n in range(1, len(there) + 2)
                if (name := str(pure.with_name(f"{pure.stem}~{n}{pure.suffix}"))) not in there
                and name not in folders
            )
            self.files[free] = self.files.pop(path)


def _as_version(
    data: bytes | None, versions: list[Version | None], sides: list[Side]
) -> Version | bytes | None:
    """The version of a side, where its very bytes came out."""
    for version, side in zip(versions, sides, strict=True):
        if data is not None and side.data == data:
            return version
    return data


def _folders_of(path: str) -> Iterator[str]:
    names = path.split("/")[:-1]
    for n in range(1, len(names) + 1):
        yield "/".join(names[:n])
