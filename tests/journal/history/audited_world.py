"""A journal in git, what can happen to it honestly, and what an audit says of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from memjournal.journal.announcements import announce
from memjournal.journal.git.commits import Signature, commit, make_commit, with_trailers
from memjournal.journal.git.objects import reading_objects
from memjournal.journal.git.program import Git
from memjournal.journal.history.audit import AuditReport, Tampering, audit
from memjournal.journal.history.witness import Seen
from memjournal.journal.ledger import Ledger
from memjournal.journal.ledger_records import Told
from memjournal.journal.mending import quarantine_torn
from memjournal.journal.session_file import record_id
from memjournal.journal.sync.merge_commits import CommitMerger

from ...git_by_hand import git as by_hand
from ..world import HEADER, World, make_event

MACHINE = "laptop-3f2a"
NOW = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)
TEXTS = ("로그인 버그 고쳐줘", "the pool is exhausted", "커넥션 풀을 20으로", "done", "환불은 3일")


class AuditedWorld(World):
    """One repository; machines are branches of it."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        by_hand(root.parent, "init", "--quiet", "--initial-branch=main", str(root))
        self.git = Git(root, os.environ)
        self.machine = MACHINE
        self._n = 0

    # --- what memjournal does ---------------------------------------------------------------

    def commit(self, subject: str = "capture: 1 prompt") -> str:
        listed = [*self.root.rglob("*.md"), *self.root.rglob("*.jsonl")]
        gone = by_hand(self.root, "-c", "core.quotePath=false", "ls-files", "--deleted").split("\n")
        paths = [path.relative_to(self.root).as_posix() for path in listed]
        signature = Signature(machine=self.machine)
        return commit(self.git, [*paths, *filter(None, gone)], subject, signature=signature)

    def say(self, *texts: str, later: timedelta = timedelta(0)) -> tuple[str, ...]:
        events = []
        for text in texts:
            self._n += 1
            at = HEADER.started + timedelta(seconds=self._n) + later
            events.append(make_event(f"toolu_{self._n:010d}", text, at=at))
        return self.append(*events)

    def use(self) -> None:
        self._n += 1
        told = Told(
            at=NOW, session=f"s{self._n}", project="shop", agent="x", event="prompt", ids=()
        )
        Ledger(self.root, machine=self.machine, redact=str).append(told)

    def forget(self, entry_id: str, *, is_announced: bool = True) -> None:
        self.journal.forget([one for one in self.stored() if one.entry.id == entry_id])
        if is_announced:
            self.announce("forgot", entry_id)

    def announce(self, kind: Literal["forgot", "restored", "purged"], entry_id: str) -> None:
        announce(
            self.root, machine=self.machine, kind=kind, ids=[entry_id], at=NOW, lock_timeout_s=5
        )

    def mend(self) -> None:
        """As `mem doctor --fix` does."""
        path = self.path.relative_to(self.root).as_posix()
        quarantine_torn(self.root, path, lock_timeout_s=5)

    def merge(self, other: str) -> str:
        """As a sync does."""
        head = by_hand(self.root, "rev-parse", "HEAD")
        coming = by_hand(self.root, "rev-parse", other)
        with reading_objects(self.git) as reader:
            tree = CommitMerger(self.git, reader).merge(head, coming).tree
        told = with_trailers("merge: 1 commit", machine=self.machine, paths=(), follows=head)
        signature = Signature(machine=self.machine)
        new = make_commit(self.git, tree, [head, coming], told, signature=signature)
        by_hand(self.root, "reset", "--quiet", "--hard", new)
        return new

    # --- what a hand does -------------------------------------------------------------------

    def commit_by_hand(self, subject: str = "fix typo") -> str:
        by_hand(self.root, "add", "--all")
        by_hand(self.root, "commit", "--quiet", "--message", subject)
        return by_hand(self.root, "rev-parse", "HEAD")

    def edit(self, change: Callable[[str], str], path: Path | None = None) -> None:
        target = path or self.path
        target.write_text(change(target.read_text("utf-8")), "utf-8")

    def switch(self, branch: str, *, start: str = "") -> None:
        """Go to another machine; *start* makes it anew of a commit."""
        create = ["--create", branch, start] if start else [branch]
        by_hand(self.root, "switch", "--quiet", *create)
        self.machine = MACHINE if branch == "main" else f"{branch}-9c1b"

    def merge_by_hand(self, other: str, change: Callable[[], object]) -> str:
        """A merge by plain git in which *change* was made."""
        by_hand(self.root, "merge", "--quiet", "--no-commit", "--no-ff", other, may_fail=True)
        change()
        return self.commit_by_hand("merge")

    # --- what is seen -----------------------------------------------------------------------

    def audit(self, *seen: Seen) -> AuditReport:
        return audit(self.git, seen=seen, markers=("[REDACTED]",))

    def found(self, *seen: Seen) -> list[Tampering]:
        return self.audit(*seen).found

    def line_of(self, text: str) -> int:
        lines = self.path.read_text("utf-8").split("\n")
        return next(n for n, line in enumerate(lines, 1) if text in line)

    def ids(self) -> list[str]:
        return [record_id(one.raw) for one in self.stored()]


def only(found: list[Tampering]) -> Tampering:
    assert len(found) == 1, found
    return found[0]
