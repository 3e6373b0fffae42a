"""The commits of a journal as values, and what each changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ..git.program import Git
from ..git.trees import Version, parse_raw

_FORMAT: Final = (
    "%H%x00%P%x00%cI%x00%an%x00%cn%x00%s%x00%(trailers:key=Machine,valueonly)"
    "%x00%(trailers:key=Follows,valueonly)%x01"
)


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, without its files."""

    sha: str
    parents: tuple[str, ...]
    at: datetime
    author: str
    who: str  # the committer
    subject: str
    machine: str  # as its trailer names it; "" where there is none
    follows: str

    @property
    def short(self) -> str:
        """Enough of its hash for a person."""
        return self.sha[:8]

    @property
    def maker(self) -> str:
        """``laptop-3f2a (Minji)``: the machine and who sat at it."""
        return self.author if self.author == self.who else f"{self.author} ({self.who})"


def read_commits(git: Git, *arguments: str) -> list[Commit]:
    """The commits that `git log` with *arguments* lists, in its order; none where there is no history.

    Raises:
        GitError: git refused.
    """
    printed = git.run(["log", "--no-show-signature", f"--format={_FORMAT}", *arguments])
    records = (record.strip("\n") for record in printed.split("\x01"))
    return [_commit_of(record.split("\0")) for record in records if record]


def _commit_of(fields: Sequence[str]) -> Commit:
    sha, parents, at, author, who, subject, machine, follows = fields
    return Commit(
        sha,
        tuple(parents.split()),
        datetime.fromisoformat(at),
        author,
        who,
        subject,
        machine.strip(),
        follows.strip(),
    )


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a commit changed."""

    n_files: int = 0
    n_added: int = 0  # lines
    n_removed: int = 0


def extents_of(git: Git, commits: Iterable[Commit]) -> dict[str, Extent]:
    """How much each of *commits* changed, compared with its first parent, by its hash.

    Raises:
        GitError: git refused.
    """
    command = ["log", "--no-show-signature", "--no-walk=unsorted", "--stdin", "--format=%x01%H"]
    fed = "".join(f"{commit.sha}\n" for commit in commits)
    if not fed:
        return {}
    compared = [*command, "--numstat", "--no-renames", "--diff-merges=first-parent"]
    found: dict[str, Extent] = {}
    for record in git.run(compared, stdin=fed.encode()).split("\x01")[1:]:
        sha, *lines = record.split("\n")
        counts = [line.split("\t")[:2] for line in lines if line]
        n_added, n_removed = (
            sum(int(count[side]) for count in counts if count[side].isdigit()) for side in (0, 1)
        )
        found[sha] = Extent(len(counts), n_added, n_removed)
    return found


Changes = Mapping[str, tuple[Version | None, Version | None]]
"""Paths, with what stood there and what does."""


def changes_of(
    git: Git, commits: Iterable[Commit], *, below: Sequence[str]
) -> Iterator[tuple[Commit, tuple[Changes, ...]]]:
    """Each commit with what it changed at the paths *below*, compared with each of its parents."""
    listed = [(commit, parent) for commit in commits for parent in commit.parents or ("",)]
    fed = "".join(f"{commit.sha} {parent}".rstrip() + "\n" for commit, parent in listed)
    command = ["diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--root", "--always"]
    printed = git.run([*command, "--", *below], stdin=fed.encode())
    compared = _compared(printed)
    commit: Commit | None = None
    held: list[Changes] = []
    for one, _ in listed:
        if commit is not None and one is not commit:
            yield commit, tuple(held)
            held = []
        commit = one
        held.append(next(compared))
    if commit is not None:
        yield commit, tuple(held)


def _compared(printed: str) -> Iterator[Changes]:
    """What is between one name of a commit and the next, each."""
    raw: list[str] | None = None
    fields = iter(printed.removesuffix("\0").split("\0"))
    for one in fields:
        if one.startswith(":"):
            assert raw is not None  # a commit's name comes first
            raw += [one, next(fields)]
        else:
            if raw is not None:
                yield dict(parse_raw("\0".join(raw))) if raw else {}
            raw = []
    if raw is not None:
        yield dict(parse_raw("\0".join(raw))) if raw else {}
