"""Where the records of a file are that is gone: renamed, or moved into another session, they are not lost.

A rename is looked for in the commit that took the old name away, and among the files that were added
before it and begin with the same record: whoever renames by hand may have the two committed apart.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping

from ..git.trees import Version
from ..session_file import record_id, scan
from .commits import Changes
from .growth import holds
from .past import Past

Read = Callable[[Version], bytes]


class Holders:
    """Which files hold what others did, in one commit after the other."""

    def __init__(self, read: Read, at: Callable[[str, str], bytes | None], past: Past) -> None:
        self._read, self._at, self._past = read, at, past
        self._places: dict[str, list[str]] = {}  # of files, by what they begin with

    def note(self, path: str, content: bytes) -> None:
        """Remember a file that was added."""
        if found := _beginning(path, content):
            paths = self._places.setdefault(found, [])
            if path not in paths:
                paths.append(path)

    def moves(self, commit: str, changes: Changes) -> Mapping[str, str | None]:
        """The files that are gone in *commit*, each with the one that holds what it did; None: there is none."""
        gone = {path: old for path, (old, new) in changes.items() if old and not new}
        if not gone:
            return {}
        by_sha = {new.sha: path for path, (_, new) in changes.items() if new}
        return {
            path: by_sha.get(old.sha) or self._holder_of(commit, path, old, changes)
            for path, old in gone.items()
        }

    def _holder_of(self, commit: str, path: str, old: Version, changes: Changes) -> str | None:
        content = self._read(old)
        for other, there in self._candidates(commit, path, content, changes):
            if holds(path, there, content, self._past):
                return other
        return None

    def _candidates(
        self, commit: str, path: str, content: bytes, changes: Changes
    ) -> Iterator[tuple[str, bytes]]:
        for other in self._places.get(_beginning(path, content), ()):
            there = self._at(commit, other) if other != path else None
            if there is not None:
                yield other, there
        folder = path.partition("/")[0]
        for other, (_, new) in changes.items():
            if new and other != path and other.startswith(f"{folder}/"):
                yield other, self._read(new)


def _beginning(path: str, content: bytes) -> str:
    """The first record's id, or the first line; "" where there is none."""
    if path.startswith("ledger/"):
        return content.partition(b"\n")[0].decode("utf-8", "replace")
    parts = scan(io.BytesIO(content))
    return next((found for part in parts if (found := record_id(part.raw))), "")
