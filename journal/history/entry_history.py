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
from .commits import Commit, changes_of, read_commits

Change = Literal["added", "changed", "moved", "forgotten", "deleted", "restored"]

_GONE: Final = ("forgotten", "deleted")
_ENDS: Final = ("added", "restored", "forgotten", "deleted")
"""Where it may have come from, or gone to, another file."""
_FORGOTTEN: Final = re.compile(rb"<!-- forgotten:")


@dataclass(frozen=True, slots=True)
class Version:
    """What one commit made of an entry."""

    commit: Commit | None  # None: it is on disk, and not committed yet
    path: str
    data: bytes | None  # its file, or its record; None where there is none
    change: Change
    head: bytes = b""  # of the session that the record stands in

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
    if not paths and not (now and _is_committed(git, now)):
        paths = _changed_by(git, [f"-S[mem:{entry_id}]", "--", "sessions"])
        paths = paths or _changed_by(git, [f"-Sid: {entry_id}", "--", "memories", "notes"])
    return list(dict.fromkeys((*([now] if now else []), *paths)))


def _is_committed(git: Git, path: str) -> bool:
    return not path.startswith("sessions/") or bool(
        git.run(["ls-files", "--", f":(literal){path}"])
    )


def _changed_by(git: Git, arguments: Sequence[str]) -> list[str]:
    command = ["log", "--format=", "--name-only", "--no-renames", "-m", "-z"]
    printed = git.run([*command, *arguments], ok=(0, 128))  # 128: nothing is committed yet
    return sorted(set(filter(None, printed.replace("\n", "\0").split("\0"))))


def read_versions(git: Git, paths: Sequence[str], entry_id: str) -> list[Version]:
    """The versions of an entry at *paths*, the newest first, what is on disk included.

    A record is followed to other sessions' files, where a commit took it from one to another.

    Raises:
        GitError: git refused, or an object is missing.
    """
    known = list(paths)
    with reading_objects(git) as reader:
        while True:
            versions = _versions(git, reader, known, entry_id)
            more = _other_paths(git, reader, versions, known, entry_id)
            if not more:
                return versions
            known += more


def _versions(git: Git, reader: ObjectReader, paths: Sequence[str], entry_id: str) -> list[Version]:
    literal = [f":(literal){path}" for path in paths]
    commits = read_commits(
        git, "--full-history", "--topo-order", "--reverse", "HEAD", "--", *literal
    )
    versions: list[Version] = []
    for commit in commits:
        found = _find(reader, commit.sha, paths, entry_id)
        before = [_find(reader, parent, paths, entry_id) for parent in commit.parents]
        is_new = all((found.data, found.path) != (one.data, one.path) for one in before)
        if is_new and (found.path or before):
            versions.append(_version(commit, found, before, versions))
    on_disk = _on_disk(git, paths, entry_id)
    last = versions[-1] if versions else None
    place = last.path if last and last.data is not None else ""
    if (last.data if last else None, place) != (on_disk.data, on_disk.path):
        before = [_Found(last.data, last.path, last.head)] if last else []
        versions.append(_version(None, on_disk, before, versions))
    return versions[::-1]


def _other_paths(
    git: Git,
    reader: ObjectReader,
    versions: Sequence[Version],
    known: Sequence[str],
    entry_id: str,
) -> list[str]:
    """Sessions' files that had the record before a commit put it where it is known, or have it since."""
    ends = [
        one.commit
        for one in versions
        if one.commit and one.path.startswith("sessions/") and one.change in _ENDS
    ]
    found: list[str] = []
    for commit, changes in changes_of(git, ends, below=["sessions"]):
        for path, both in (item for change in changes for item in change.items()):
            if path in known or path in found:
                continue
            there = (reader.find(one.sha) for one in both if one and commit.parents)
            if any(one and entry_in(path, one[1], entry_id) is not None for one in there):
                found.append(path)
    return found


@dataclass(frozen=True, slots=True)
class _Found:
    """Where an entry stands; without bytes and path where it does not."""

    data: bytes | None = None
    path: str = ""
    head: bytes = b""


def _find(reader: ObjectReader, commit: str, paths: Sequence[str], entry_id: str) -> _Found:
    for path in paths:
        found = reader.find(f"{commit}:{path}")
        if found and found[0] == "blob" and (there := _found_in(path, found[1], entry_id)):
            return there
    return _Found()


def _on_disk(git: Git, paths: Sequence[str], entry_id: str) -> _Found:
    for path in paths:
        try:
            content = files.read(git.root / path)
        except (NotFoundError, StorageError):
            continue
        if there := _found_in(path, content, entry_id):
            return there
    return _Found()


def _found_in(path: str, content: bytes, entry_id: str) -> _Found | None:
    data = entry_in(path, content, entry_id)
    if data is None:
        return None
    head = next(scan(io.BytesIO(content)), None) if path.startswith("sessions/") else None
    return _Found(data, path, head.raw if head and head.kind == "head" else b"")


def entry_in(path: str, content: bytes, entry_id: str) -> bytes | None:
    """The bytes of an entry in its file: the whole file, or its record in a session; None if there is
    none."""
    if not path.startswith("sessions/"):
        return content
    if f":{entry_id}".encode() not in content:
        return None  # told without taking it apart
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
    data = found.data
    was_there = any(_is_there(one.data) for one in before)
    if not _is_there(data):
        is_told = data is not None or (commit is not None and commit.subject.startswith("forget"))
        gone: Change = "forgotten" if is_told else "deleted"
        last = before[0] if before else found
        return Version(commit, found.path or last.path, data, gone, found.head or last.head)
    change: Change = "restored" if earlier else "added"
    if was_there:
        change = "moved" if any(one.data == data for one in before) else "changed"
    return Version(commit, found.path, data, change, found.head)


def _is_there(data: bytes | None) -> bool:
    return data is not None and not _FORGOTTEN.match(data)
