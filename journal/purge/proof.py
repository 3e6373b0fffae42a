"""Proof that memories are in no object of a repository, reachable or not: every one is looked through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ..git.objects import reading_objects
from ..git.program import Git
from .filter import PurgeFilter


@dataclass(frozen=True, slots=True)
class ObjectsProof:
    """What was found."""

    n_objects: int
    holding: tuple[str, ...]  # objects that hold one of the memories
    with_words: tuple[str, ...]  # objects in which one of the lines stands otherwise

    @property
    def holds(self) -> bool:
        """Whether nothing of them is left."""
        return not self.holding


def search_objects(
    git: Git,
    ids: AbstractSet[str],
    lines: Sequence[bytes],
    *,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> ObjectsProof:
    """Look through every object for memories with *ids*, and for *lines* of their text.

    Raises:
        GitError: git refused.
    """
    listing = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"]
    shas = [
        sha
        for sha, _, kind in (line.partition(" ") for line in git.run(listing).splitlines())
        if kind in ("blob", "commit", "tag")
    ]
    filter_ = PurgeFilter(ids)
    holding: list[str] = []
    with_words: list[str] = []
    with reading_objects(git) as reader:
        for number, sha in enumerate(shas, 1):
            content = reader.read(sha)
            if filter_.takes_file(content) or filter_.without(content) != content:
                holding.append(sha)
            elif any(line in content for line in lines):
                with_words.append(sha)
            progress("objects", number, len(shas))
    return ObjectsProof(len(shas), tuple(holding), tuple(with_words))
