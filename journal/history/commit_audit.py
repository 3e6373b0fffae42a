"""One commit after the other, the oldest first: whether each has only added to sessions and ledgers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from ..git.objects import ObjectReader
from ..git.trees import Version
from ..reading import MARKDOWN
from .commits import Changes, Commit
from .dates import Newest, dated_events, misdated
from .growth import Suspicion, is_extension, suspicions
from .holders import Holders
from .merge_growth import Sides, merge_suspicions
from .past import Past
from .units import Unit

BELOW: Final = ("sessions", "ledger")
DELETED: Final = "the file was deleted"
_FILE_MODES: Final = ("100644", "100755")
_HELD_BYTES: Final = 32 * 1024 * 1024
"""A version is read when it is made and again when it is changed, mostly by the next commit."""


def is_audited(path: str) -> bool:
    """Whether what stands at *path* may only grow."""
    return path.startswith("ledger/") or (path.startswith("sessions/") and path.endswith(MARKDOWN))


class Blobs:
    """Contents of files, of which the latest ones are kept."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._held: dict[str, bytes] = {}
        self._n_bytes = 0

    def read(self, version: Version) -> bytes:
        """What the file holds."""
        found = self._held.pop(version.sha, None)
        if found is None:
            found = self._reader.read(version.sha)
            self._n_bytes += len(found)
        self._held[version.sha] = found
        while self._n_bytes > _HELD_BYTES and len(self._held) > 1:
            oldest = next(iter(self._held))
            self._n_bytes -= len(self._held.pop(oldest))
        return found

    def at(self, commit: str, path: str) -> bytes | None:
        """What a commit has at *path*; None if nothing."""
        found = self._reader.find(f"{commit}:{path}")
        return found[1] if found and found[0] == "blob" else None


@dataclass(slots=True)
class CommitAuditor:
    """Looks at the commits of one history, each after its parents."""

    blobs: Blobs
    past: Past
    head: str
    find_bases: Callable[[Sequence[str]], Sequence[str]]  # where the parents of a merge parted
    n_events: int = 0  # that were added
    paths: set[str] = field(default_factory=set)  # of files that were looked at
    _newest: dict[str, Newest] = field(default_factory=dict)  # events of a version
    _holders: Holders = field(init=False)

    def __post_init__(self) -> None:
        self._holders = Holders(self.blobs.read, self.blobs.at, self.past)

    def check(self, commit: Commit, changes: Sequence[Changes]) -> Iterator[tuple[str, Suspicion]]:
        """What *commit*, compared with each of its parents, did beside adding, and to which file."""
        audited = [
            {path: _regular(one) for path, one in change.items() if is_audited(path)}
            for change in changes
        ]
        for path, (old, new) in (item for change in audited for item in change.items()):
            if old is None and new is not None:
                self._holders.note(path, self.blobs.read(new))
        moves = [self._holders.moves(commit.sha, change) for change in audited]
        self.paths.update(*audited)
        for path in sorted(set().union(*audited)):
            found: Iterable[Suspicion]
            if len(audited) > 1:
                found = self._check_merge(commit, path, audited, moves)
            else:
                found = self._check_file(commit, path, audited[0], moves[0])
            yield from ((path, one) for one in dict.fromkeys(found))

    # --- a commit with one parent -----------------------------------------------------------

    def _check_file(
        self, commit: Commit, path: str, changes: Changes, moves: Mapping[str, str | None]
    ) -> Iterator[Suspicion]:
        old, new = changes[path]
        if new is None:
            if old is not None and moves[path] is None:
                yield Suspicion(DELETED, 1)
            return
        if old is None:  # what was renamed to here
            old = next((changes[one][0] for one, there in moves.items() if there == path), None)
        content = self.blobs.read(new)
        if old is not None:
            yield from suspicions(path, self.blobs.read(old), content, self.past)
        if path.startswith("sessions/"):
            yield from self._check_dates(commit, old, new)

    def _check_dates(
        self, commit: Commit, old: Version | None, new: Version
    ) -> Iterator[Suspicion]:
        """Whether what was added is dated as it can be; what stood there is not read again."""
        before = self.blobs.read(old) if old else b""
        content = self.blobs.read(new)
        newest = self._newest_of(old) if old else None
        if is_extension("", before, content):
            line = 1 + before.count(b"\n")
            added = list(dated_events(content[len(before) :], line=line))
        else:
            known = {one.id for one in dated_events(before)}
            events = (one for one in dated_events(content) if one.id not in known)
            added = [
                one
                for one in events
                if not self.past.has_said(Unit("event", one.raw, one.line, one.id))
            ]
        self.n_events += len(added)
        if not commit.subject.startswith("import:"):
            yield from misdated(added, before=newest, machine=commit.machine, committed=commit.at)
        self._newest[new.sha] = (newest or Newest()).with_events(commit.machine, added)

    def _newest_of(self, version: Version) -> Newest:
        if version.sha not in self._newest:
            events = dated_events(self.blobs.read(version))
            self._newest[version.sha] = Newest().with_events("", events)
        return self._newest[version.sha]

    # --- a merge ----------------------------------------------------------------------------

    def _check_merge(
        self,
        commit: Commit,
        path: str,
        changes: Sequence[Changes],
        moves: Sequence[Mapping[str, str | None]],
    ) -> Iterator[Suspicion]:
        versions = [one.get(path) for one in changes]
        new = next(one for one in versions if one is not None)[1]
        # A parent from which nothing differs has there what the merge has.
        olds = [one[0] if one is not None else new for one in versions]
        if new is None:
            if self._is_lost_in_merge(commit, path, olds, moves):
                yield Suspicion(DELETED, 1)
            return
        is_by_hand = not commit.machine
        sides = Sides(
            path=path,
            parents=[None if one is None else self.blobs.read(one) for one in olds],
            bases=partial(self._at_bases, commit, path),
            elsewhere=list(self._vanished(path, changes)),
            at_last=partial(self.blobs.at, self.head, path) if is_by_hand else lambda: None,
        )
        yield from merge_suspicions(sides, self.blobs.read(new), self.past)
        if path.startswith("sessions/"):
            there = [self._newest_of(one) for one in olds if one is not None]
            self._newest[new.sha] = Newest().joined(there)

    def _is_lost_in_merge(
        self,
        commit: Commit,
        path: str,
        olds: Sequence[Version | None],
        moves: Sequence[Mapping[str, str | None]],
    ) -> bool:
        """Whether a file is gone that no side has taken away."""
        bases = self._at_bases(commit, path) if None in olds else ()
        return any(
            old is not None and moved.get(path) is None and self.blobs.read(old) not in bases
            for old, moved in zip(olds, moves, strict=True)
        )

    def _vanished(self, path: str, changes: Sequence[Changes]) -> Iterator[bytes]:
        """What files held that the merge has no more: it may stand at *path* now."""
        for change in changes:
            for other, (old, new) in change.items():
                if old is not None and new is None and other != path and _is_alike(path, other):
                    yield self.blobs.read(old)

    def _at_bases(self, commit: Commit, path: str) -> Sequence[bytes]:
        found = (self.blobs.at(base, path) for base in self.find_bases(commit.parents))
        return [content for content in found if content is not None]


def _regular(
    versions: tuple[Version | None, Version | None],
) -> tuple[Version | None, Version | None]:
    """Only files hold records: a link or a submodule in the place of one is none."""
    old, new = (one if one and one.mode in _FILE_MODES else None for one in versions)
    return old, new


def _is_alike(path: str, other: str) -> bool:
    return path.partition("/")[0] == other.partition("/")[0]
