"""Proof, from the history, that sessions and ledgers only ever grew; or what was done to them, and where.

What it cannot see is a history that was rewritten on every machine before this one saw it, and made
to agree with itself: against that, sign the commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from .. import files
from ..announcements import FILE_NAME, Announcements, read_announcements
from ..errors import MemjournalError, NotFoundError
from ..git.objects import ObjectReader, reading_objects
from ..git.program import Git
from ..git.trees import Version, commit_at, is_ancestor, list_tree
from ..reading import MARKDOWN
from .commits import Changes, Commit, changes_of, read_commits
from .growth import Allowed, Suspicion, misdated, newest_event, suspicions, unknown_in_merge
from .witness import Seen

_BELOW: Final = ("sessions", "ledger")
_BAD: Final = "B"
_GOOD: Final = ("G", "U")
_UNSIGNED: Final = "N"


@dataclass(frozen=True, slots=True)
class Tampering:
    """Something that nobody can have done by using memjournal."""

    what: str
    path: str = ""
    line: int = 0
    entry_id: str = ""
    commit: Commit | None = None  # None: not committed yet, or no commit of this history


@dataclass(slots=True)
class AuditReport:
    """What was looked at, and what was found."""

    found: list[Tampering] = field(default_factory=list)
    n_commits: int = 0
    n_changes: int = 0  # of session and ledger files
    n_signed: int = 0  # with a signature that is good
    n_unknown: int = 0  # with one whose key is not known here
    n_unsigned: int = 0
    begins_at: str = (
        ""  # the commit before which nothing is there to look at, as in a shallow clone
    )


def audit(
    git: Git,
    *,
    seen: Sequence[Seen] = (),
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> AuditReport:
    """Go through the whole history of the branch; *seen* are commits that it stood at before.

    Raises:
        GitError: git refused, or an object is missing.
    """
    report = AuditReport()
    head = commit_at(git, "HEAD")
    if not head:
        return report
    commits = read_commits(git, "--topo-order", "--reverse", head)
    report.n_commits = len(commits)
    report.begins_at = _shallow(git)
    with reading_objects(git) as reader:
        auditor = _Auditor(reader, _announced(git, reader, head))
        changed = changes_of(git, commits, below=_BELOW)
        for number, (commit, changes) in enumerate(changed, 1):
            report.found += auditor.check(commit, changes)
            report.n_changes += len(set().union(*changes))
            progress("commits", number, len(commits))
        report.found += _check_trailers(commits)
        report.found += _check_seen(git, head, seen)
        report.found += _check_disk(git, reader, head)
    _check_signatures(git, head, {commit.sha: commit for commit in commits}, report)
    return report


@dataclass(frozen=True, slots=True)
class _Told:
    """What was ever announced: a memory that was restored since was rightly forgotten before."""

    forgotten: frozenset[str]
    restored: frozenset[str]


def _announced(git: Git, reader: ObjectReader, head: str) -> _Told:
    contents = [
        reader.read(version.sha)
        for path, version in list_tree(git, head, below=["ledger/"]).items()
        if path.endswith(f"/{FILE_NAME}")
    ]
    on_disk: list[bytes] = []
    for path in sorted((git.root / "ledger").glob(f"*/{FILE_NAME}")):
        try:
            on_disk.append(files.read(path))
        except MemjournalError:
            continue
    told: Announcements = read_announcements([*contents, *on_disk])
    return _Told(told.ever_forgotten, told.ever_restored)


@dataclass(frozen=True, slots=True)
class _Auditor:
    """Looks at commits one after the other."""

    reader: ObjectReader
    told: _Told
    newest: dict[str, datetime | None] = field(default_factory=dict)  # event of a session's version

    def check(self, commit: Commit, changes: Sequence[Changes]) -> Iterator[Tampering]:
        """What *commit*, compared with each of its parents, did beside adding."""
        for path in sorted(set().union(*changes)):
            if path.startswith("ledger/") or path.endswith(MARKDOWN):
                found = self._check_path(commit, path, changes)
                for one in dict.fromkeys(found):  # a merge may offend both of its sides alike
                    yield Tampering(one.what, path, one.line, one.entry_id, commit)

    def _check_path(
        self, commit: Commit, path: str, changes: Sequence[Changes]
    ) -> Iterator[Suspicion]:
        is_merge = len(changes) > 1
        versions = [one.get(path) for one in changes]
        new = next(version for version in versions if version is not None)[1]
        olds = [version[0] for version in versions if version is not None and version[0]]
        if new is None:
            if not self._stands_elsewhere(changes, olds) and not (is_merge and None in versions):
                yield Suspicion("the file was deleted", 1)
            return
        allowed = Allowed(self.told.forgotten, self.told.restored, may_insert=is_merge)
        content = self._read(new)
        contents = [self._read(old) for old in olds]
        for old in dict.fromkeys(contents):
            yield from suspicions(path, old, content, allowed)
        if is_merge:
            if None not in versions:  # else it is a side's very version
                yield from unknown_in_merge(path, content, contents)
        elif path.startswith("sessions/") and not commit.subject.startswith("import:"):
            yield from self._check_dates(olds[0] if olds else None, new, commit.at)

    def _check_dates(
        self, old: Version | None, new: Version, committed: datetime
    ) -> Iterator[Suspicion]:
        """Whether what was added is dated as it can be; each version of a session is read once."""
        before = self._read(old) if old else b""
        content = self._read(new)
        if not content.startswith(before):  # what else was done to it is named elsewhere
            old, before = None, b""
        newest = self._newest(old.sha, before) if old else None
        yield from misdated(before, content, committed, newest=newest)
        added = newest_event(content[len(before) :])
        dates = [one for one in (newest, added) if one is not None]
        self.newest[new.sha] = max(dates, default=None)

    def _newest(self, sha: str, content: bytes) -> datetime | None:
        if sha not in self.newest:
            self.newest[sha] = newest_event(content)
        return self.newest[sha]

    def _stands_elsewhere(self, changes: Sequence[Changes], olds: Sequence[Version]) -> bool:
        """Whether the very file has another name in the same commit."""
        added = {
            new.sha for one in changes for before, new in one.values() if before is None and new
        }
        return all(old.sha in added for old in olds)

    def _read(self, version: Version) -> bytes:
        return self.reader.read(version.sha)


def _check_trailers(commits: Sequence[Commit]) -> Iterator[Tampering]:
    """A commit that says it follows another than it does, was moved there."""
    for commit in commits:
        if commit.follows and commit.follows not in commit.parents[:1]:
            what = (
                f"rewritten history: it was made after {commit.follows[:8]}, and stands elsewhere"
            )
            yield Tampering(what, commit=commit)


def _check_seen(git: Git, head: str, seen: Sequence[Seen]) -> Iterator[Tampering]:
    for one in seen:
        if not commit_at(git, one.commit) or not is_ancestor(git, one.commit, head):
            day = f"{one.at:%Y-%m-%d %H:%M}"
            yield Tampering(
                f"rewritten history: {one.commit[:8]}, where it stood on {day}, is not in it"
            )
            return  # what follows from it is no news


def _check_disk(git: Git, reader: ObjectReader, head: str) -> Iterator[Tampering]:
    """Whether the files on disk are those of the last commit, grown."""
    command = ["diff-index", "--name-only", "--no-renames", "-z", head, "--", *_BELOW]
    told = _announced(git, reader, head)
    allowed = Allowed(told.forgotten, told.restored)
    for path in filter(None, git.run(command).split("\0")):
        found = reader.find(f"{head}:{path}")
        if found is None:
            continue
        try:
            now = files.read(git.root / path)
        except NotFoundError:
            yield Tampering("the file was deleted", path, 1)
            continue
        for one in suspicions(path, found[1], now, allowed):
            yield Tampering(one.what, path, one.line, one.entry_id)


def _check_signatures(
    git: Git, head: str, commits: Mapping[str, Commit], report: AuditReport
) -> None:
    """Verify what signatures there are: git asks gpg or ssh for each."""
    for line in git.run(["log", "--format=%H %G?", head]).splitlines():
        sha, _, verdict = line.partition(" ")
        if verdict == _UNSIGNED:
            report.n_unsigned += 1
        elif verdict == _BAD:
            report.found.append(Tampering("its signature is bad", commit=commits.get(sha)))
        elif verdict in _GOOD:
            report.n_signed += 1
        else:
            report.n_unknown += 1


def _shallow(git: Git) -> str:
    """The commit at which a history begins that was not fetched as a whole; "" for a whole one."""
    try:
        shallow = files.read(
            Path(git.run(["rev-parse", "--path-format=absolute", "--git-path", "shallow"]))
        )
    except NotFoundError:
        return ""
    return shallow.decode("ascii", "replace").split()[0]
