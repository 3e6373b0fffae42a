"""Proof, from the history, that sessions and ledgers only ever grew; or what was done to them, and where.

What it cannot see is a history that was rewritten on every machine before this one saw it, and made
to agree with itself: against that, sign the commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from .. import files
from ..announcements import FILE_NAME, Announcements, read_announcements
from ..errors import MemjournalError, NotFoundError
from ..git.commits import git_path
from ..git.objects import ObjectReader, reading_objects
from ..git.program import Git
from ..git.trees import commit_at, is_ancestor, list_tree, merge_bases, parse_raw
from .commit_audit import BELOW, DELETED, Blobs, CommitAuditor, is_audited
from .commits import Commit, changes_of, read_commits
from .growth import holds, suspicions
from .past import Past
from .witness import Seen

_BAD: Final = "B"
_GOOD: Final = "G"  # not U: of an ssh key that is unknown here, git says that
_UNSIGNED: Final = "N"
_UNPROVEN: Final = {
    "X": "its signature has expired",
    "Y": "signed by a key that has expired",
    "R": "signed by a key that was revoked",
}


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
    n_files: int = 0  # sessions and ledgers that were ever changed
    n_events: int = 0  # that were added
    n_signed: int = 0  # with a signature that is good, by a key that is trusted here
    n_unknown: int = 0  # with one by a key that is not
    n_unsigned: int = 0
    unproven: list[tuple[Commit, str]] = field(default_factory=list)
    """Commits of which no good signature says who made them, each with why."""
    begins_at: str = ""
    """The commit before which nothing was looked at: all there is of a shallow clone, or all that was
    asked for; "" for the whole history."""


def audit(
    git: Git,
    *,
    seen: Sequence[Seen] = (),
    since: str | datetime = "",
    markers: Sequence[str] = (),
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> AuditReport:
    """Go through the history of the branch.

    *seen* are commits that it stood at before; of commits, those alone are looked at that came after
    *since*, a commit or a time; *markers* are what stands where a secret was hidden.

    Raises:
        GitError: git refused, or an object is missing.
    """
    report = AuditReport()
    head = commit_at(git, "HEAD")
    if not head:
        return report
    commits = _commits(git, head, since)
    shallow = _shallow(git)
    report.n_commits = len(commits)
    if since and commits:
        report.begins_at = commits[0].sha if commits[0].parents else ""
    report.begins_at = report.begins_at or next(iter(sorted(shallow)), "")
    report.found += _check_replaced(git)
    with reading_objects(git) as reader:
        told = _announced(git, reader, head)
        past = Past(told.ever_forgotten, told.ever_restored, markers)
        blobs = Blobs(reader)
        auditor = CommitAuditor(blobs, past, head, _finder_of_bases(git))
        changed = changes_of(git, commits, below=BELOW)
        for number, (commit, changes) in enumerate(changed, 1):
            for path, one in auditor.check(commit, changes):
                report.found.append(Tampering(one.what, path, one.line, one.entry_id, commit))
            report.n_changes += len(set().union(*changes))
            progress("commits", number, len(commits))
        report.n_files, report.n_events = len(auditor.paths), auditor.n_events
        report.found += _check_trailers(commits, shallow)
        report.found += _check_seen(git, head, seen)
        report.found += _check_disk(git, head, reader, past)
    _check_signatures(git, commits, report)
    return report


def _commits(git: Git, head: str, since: str | datetime) -> list[Commit]:
    """Those to look at, each after its parents."""
    after = [f"^{since}"] if since and isinstance(since, str) else []
    commits = read_commits(git, "--topo-order", "--reverse", head, *after, "--")
    if isinstance(since, datetime):
        return [commit for commit in commits if commit.at >= since]
    return commits


def _finder_of_bases(git: Git) -> Callable[[Sequence[str]], Sequence[str]]:
    @cache
    def bases_of(one: str, other: str) -> Sequence[str]:
        return merge_bases(git, one, other)

    def find(parents: Sequence[str]) -> Sequence[str]:
        first, *others = parents
        return [base for other in others for base in bases_of(first, other)]

    return find


def _announced(git: Git, reader: ObjectReader, head: str) -> Announcements:
    """What was ever announced, on disk as well: what is not committed yet is announced there."""
    contents = [
        reader.read(version.sha)
        for path, version in list_tree(git, head, below=["ledger/"]).items()
        if path.endswith(f"/{FILE_NAME}")
    ]
    for path in sorted((git.root / "ledger").glob(f"*/{FILE_NAME}")):
        try:
            contents.append(files.read(path))
        except MemjournalError:
            continue
    return read_announcements(contents)


def _check_trailers(commits: Sequence[Commit], shallow: frozenset[str]) -> Iterator[Tampering]:
    """A commit that says it follows another than it does, was moved there."""
    for commit in commits:
        if commit.sha in shallow:
            continue  # its parents are not here to be compared with
        if commit.follows and commit.follows not in commit.parents[:1]:
            what = (
                f"rewritten history: it was made after {commit.follows[:8]}, and stands elsewhere"
            )
            yield Tampering(what, commit=commit)


def _check_replaced(git: Git) -> Iterator[Tampering]:
    """Whether git is told to show other commits than there are."""
    printed = git.run(["for-each-ref", "--format=%(refname:lstrip=2)", "refs/replace/"])
    for sha in printed.split():
        yield Tampering(f"rewritten history: another is shown in place of {sha[:8]}")
    if git_path(git, "info/grafts").exists():
        yield Tampering("rewritten history: info/grafts gives commits other parents")


def _check_seen(git: Git, head: str, seen: Sequence[Seen]) -> Iterator[Tampering]:
    for one in seen:
        if not commit_at(git, one.commit) or not is_ancestor(git, one.commit, head):
            day = f"{one.at:%Y-%m-%d %H:%M}"
            yield Tampering(
                f"rewritten history: {one.commit[:8]}, where it stood on {day}, is not in it"
            )
            return  # what follows from it is no news


def _check_disk(git: Git, head: str, reader: ObjectReader, past: Past) -> Iterator[Tampering]:
    """Whether the files on disk are those of the last commit, grown; they may have another name."""
    untracked = cache(lambda: _untracked(git))
    command = ["diff-index", "--raw", "--no-renames", "--no-abbrev", "-z", head, "--", *BELOW]
    for path, (version, _) in parse_raw(git.run(command)):
        if version is None or not is_audited(path):
            continue
        kind, before = reader.find(version.sha) or ("", b"")
        if kind != "blob":
            continue
        now = _on_disk(git, path)
        if now is None:
            others = (_on_disk(git, other) for other in untracked())
            if not any(other and holds(path, other, before, past) for other in others):
                yield Tampering(DELETED, path, 1)
            continue
        for one in suspicions(path, before, now, past):
            yield Tampering(one.what, path, one.line, one.entry_id)


def _on_disk(git: Git, path: str) -> bytes | None:
    """The file at *path*; None if there is none, or something else."""
    target = git.root / path
    try:
        return None if target.is_symlink() else files.read(target)
    except (MemjournalError, OSError):
        return None


def _untracked(git: Git) -> Sequence[str]:
    """Where a file may have gone that was renamed and not committed."""
    listed = git.run(["ls-files", "--others", "-z", "--", *BELOW]).split("\0")
    return [path for path in listed if is_audited(path)]


def _check_signatures(git: Git, commits: Sequence[Commit], report: AuditReport) -> None:
    """Verify what signatures there are: git asks gpg or ssh for each."""
    if not commits:
        return
    by_sha: Mapping[str, Commit] = {commit.sha: commit for commit in commits}
    command = ["log", "--no-show-signature", "--no-walk=unsorted", "--format=%H %G?", "--stdin"]
    for line in git.run(command, stdin="\n".join(by_sha).encode()).splitlines():
        sha, _, verdict = line.partition(" ")
        commit = by_sha[sha]
        if verdict == _GOOD:
            report.n_signed += 1
        elif verdict == _BAD:
            report.found.append(Tampering("its signature is bad", commit=commit))
        elif verdict == _UNSIGNED:
            report.n_unsigned += 1
            report.unproven.append((commit, "not signed"))
        else:
            report.n_unknown += 1
            report.unproven.append((commit, _UNPROVEN.get(verdict, "signed by an unknown key")))


def _shallow(git: Git) -> frozenset[str]:
    """The commits at which a history begins that was not fetched as a whole."""
    try:
        return frozenset(files.read(git_path(git, "shallow")).decode("ascii", "replace").split())
    except NotFoundError:
        return frozenset()
