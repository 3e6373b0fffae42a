"""Reading and writing git's objects, many in one process."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from ..errors import StorageError
from .program import Git


class ObjectReader:
    """A `git cat-file --batch` that answers until it is left."""

    def __init__(self, asked: IO[bytes], answered: IO[bytes], where: Path) -> None:
        self._asked, self._answered, self._where = asked, answered, where

    def read(self, name: str) -> bytes:
        """The content of the object *name*: its hash, or ``REV:PATH``.

        Raises:
            StorageError: the repository has none of that name.
        """
        found = self.find(name)
        if found is None:
            raise StorageError(
                f"the repository has no object {name!r}",
                where=str(self._where),
                mend="`git fsck` there shows what is damaged",
            )
        return found[1]

    def find(self, name: str) -> tuple[str, bytes] | None:
        """Kind (blob, tree, commit) and content of an object; None if there is none of that name."""
        if "\n" in name:  # no name that the program understands
            return None
        self._asked.write(os.fsencode(name) + b"\n")
        self._asked.flush()
        head = self._answered.readline().split(b" ")
        if len(head) != 3 or not head[2].rstrip().isdigit():  # missing, ambiguous
            return None
        content = self._answered.read(int(head[2]))
        self._answered.read(1)
        return head[1].decode("ascii"), content


@contextlib.contextmanager
def reading_objects(git: Git) -> Iterator[ObjectReader]:
    """A reader of the objects of the repository that *git* runs in."""
    with git.talking(["cat-file", "--batch"]) as (asked, answered):
        yield ObjectReader(asked, answered, git.root)


def write_blobs(git: Git, contents: Sequence[bytes]) -> list[str]:
    """Store *contents* as they are; their names, in order.

    Raises:
        GitError: git refused.
    """
    if not contents:
        return []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, str(number)) for number in range(len(contents))]
        for path, content in zip(paths, contents, strict=True):
            path.write_bytes(content)
        listed = "".join(f"{path}\n" for path in paths)
        command = ["hash-object", "-w", "--no-filters", "--stdin-paths"]
        return git.run(command, stdin=os.fsencode(listed)).split("\n")
