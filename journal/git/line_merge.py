"""Git's three-way merge of lines, for texts that are in no repository."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..merging.lines import Region
from .program import Git

_ANY_RUN: Final = re.compile(rb"^([<=>|])\1*", re.MULTILINE)
_CONFLICTS: Final = range(128)  # the exit code says how many there are


class GitLineMerger:
    """Merges texts by `git merge-file`."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def __call__(self, base: bytes, first: bytes, second: bytes) -> tuple[Region, ...]:
        """The regions of the merged text, in order.

        Raises:
            GitError: git refused, for a text is none.
        """
        texts = (first, base, second)
        # Longer than anything of the kind in a text, so that its own markers are surely known.
        runs = [len(run.group()) for text in texts for run in _ANY_RUN.finditer(text)]
        size = max(runs, default=0) + 8
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, name) for name in ("first", "base", "second")]
            for path, text in zip(paths, texts, strict=True):
                path.write_bytes(text)
            command = ["merge-file", "-p", "-q", f"--marker-size={size}", *map(str, paths)]
            merged = self._git.run_bytes(command, ok=_CONFLICTS)
        return tuple(_regions(merged, size))


def _regions(merged: bytes, size: int) -> Iterator[Region]:
    begin, middle, end = (sign * size for sign in (b"<", b"=", b">"))
    held: list[bytes] = []
    first = b""
    for line in _lines(merged):
        if line.startswith(begin):
            if held:
                yield Region(b"".join(held))
            held = []
        elif line.startswith(middle):
            first, held = b"".join(held), []
        elif line.startswith(end):
            yield Region(first, b"".join(held))
            held = []
        else:
            held.append(line)
    if held:
        yield Region(b"".join(held))


def _lines(text: bytes) -> list[bytes]:
    """Lines as git has them: only a newline ends one."""
    return [line + b"\n" for line in text.split(b"\n")[:-1]]
