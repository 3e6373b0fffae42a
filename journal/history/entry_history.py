"""Every version of one memory: where it stood, in which words, since which commit, by whom."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from .. import files
from ..errors import NotFoundError, StorageError
from ..git.objects import ObjectReader, reading_objects
from ..git.program import Git
from ..session_file import record_id, scan
from .commits import Commit, read_commits

Change = Literal["added", "changed", "moved", "forgotten", "deleted", "restored"]

_GONE: Final = ("forgotten", "deleted")
_FORGOTTEN: Final = re.compile(rb"<!-- forgotten:")


@dataclass(frozen=True, slots=True)
class Version:
    """What one commit made of an entry."""

    commit: Commit | None  # None: it is on disk, and not committed yet
    path: str
    data: bytes | None  # its file, or its record; None where there is none
    change: Change

    @property
    def is_there(self) -> bool:
        """Whether there is anything to read."""
        return self.data is not None and self.change not in _GONE


def find_paths(git: Git, entry_id: str, *, now: str = "") -> list[str]:
    """The paths that the entry has had: *now*, and those that commits tell of.

    Raises:
        GitError: git refused.
    """
    named = [f":(glob)memories/**/*--{entry_id}.md"]
    paths = _changed_by(git, ["--", *named])
    if not paths and not now:
        paths = _changed_by(git, [f"-S[mem:{entry_id}]", "--", "sessions"])
        paths = paths or _changed_by(git, [f"-Sid: {entry_id}", "--", "memories", "notes"])
    return list(dict.fromkeys((*([now] if now else []), *paths)))


def _changed_by(git: Git, arguments: Sequence[str]) -> list[str]:
    command = ["log", "--format=", "--name-only", "--no-renames", "-m", "-z"]
    printed = git.run([*command, *arguments], ok=(0, 128))  # 128: nothing is committed yet
    return sorted(set(filter(None, printed.replace("\n", "\0").split("\0"))))


def read_versions(git: Git, paths: Sequence[str], entry_id: str) -> list[Version]:
    """The versions of an entry at *paths*, the newest first, what is on disk included.

    Raises:
        GitError: git refused, or an object is missing.
    """
    literal = [f":(literal){path}" for path in paths]
    commits = read_commits(
        git, "--full-history", "--topo-order", "--reverse", "HEAD", "--", *literal
    )
    versions: list[Version] = []
    with reading_objects(git) as reader:
        for commit in commits:
            found = _find(reader, commit.sha, paths, entry_id)
            before = [_find(reader, parent, paths, entry_id) for parent in commit.parents]
            if found not in before and (found != (None, "") or before):
                versions.append(_version(commit, found, before, versions))
    on_disk = _on_disk(git, paths, entry_id)
    last = versions[-1] if versions else None
    if (last.data if last else None, last.path if last and last.data else "") != on_disk:
        before = [(last.data, last.path)] if last else []
        versions.append(_version(None, on_disk, before, versions))
    return versions[::-1]


_Found = tuple[bytes | None, str]
"""The entry's bytes, and where they stand; (None, "") where they do not."""


def _find(reader: ObjectReader, commit: str, paths: Sequence[str], entry_id: str) -> _Found:
    for path in paths:
        found = reader.find(f"{commit}:{path}")
        data = entry_in(path, found[1], entry_id) if found and found[0] == "blob" else None
        if data is not None:
            return data, path
    return None, ""


def _on_disk(git: Git, paths: Sequence[str], entry_id: str) -> _Found:
    for path in paths:
        try:
            data = entry_in(path, files.read(git.root / path), entry_id)
        except (NotFoundError, StorageError):
            continue
        if data is not None:
            return data, path
    return None, ""


def entry_in(path: str, content: bytes, entry_id: str) -> bytes | None:
    """The bytes of an entry in its file: the whole file, or its record in a session; None if there is
    none."""
    if not path.startswith("sessions/"):
        return content
    for part in scan(io.BytesIO(content)):
        if part.kind in ("event", "forgotten", "torn") and record_id(part.raw) == entry_id:
            return part.raw
    return None


def _version(
    commit: Commit | None,
    found: _Found,
    before: Sequence[_Found],
    earlier: Sequence[Version],
) -> Version:
    data, path = found
    was_there = any(_is_there(one[0]) for one in before)
    if not _is_there(data):
        is_told = data is not None or (commit is not None and commit.subject.startswith("forget"))
        gone: Change = "forgotten" if is_told else "deleted"
        return Version(commit, path or (before[0][1] if before else ""), data, gone)
    if was_there:
        same = any(one[0] == data for one in before)
        return Version(commit, path, data, "moved" if same else "changed")
    return Version(commit, path, data, "restored" if earlier else "added")


def _is_there(data: bytes | None) -> bool:
    return data is not None and not _FORGOTTEN.match(data)
