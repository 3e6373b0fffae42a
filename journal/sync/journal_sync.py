"""One exchange with the remote: what is new here is merged with what is new there, and both have it.

Nothing is forced and nothing waits for a person: what can be settled only by one stands in the file, twice,
until they do. Killed anywhere, the next command goes on from there.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..errors import LockedError, UnavailableError
from ..git import exchange
from ..git.commits import Signature, make_commit, with_trailers
from ..git.exchange import Progress
from ..git.objects import ObjectReader, reading_objects
from ..git.program import Git
from ..git.trees import changed_between, commit_at, is_ancestor, write_tree
from ..git.work_lock import working
from ..purge.purging import finish_purge, open_purge, purge_branches
from ..purge.rewriting import note_clean
from ..remote import repository_at
from .apply import Applied, apply_commit, finish_pending
from .hand_merge import (
    clear_hand_merge,
    files_of_hand_merge,
    mend_hand_merges,
    note_checked,
    refuse_other_work,
    tree_of_hand_merge,
    unfinished_merge,
)
from .merge_commits import CommitMerger
from .pending import FOLDER, Pending, read_pending

_MAX_RACES: Final = 20
_RACE_S: Final = 0.2
_DOING: Final = {"sync.lock": "sync", "commit.lock": "commit or merge"}


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What an exchange did."""

    n_received: int = 0  # commits
    n_sent: int = 0
    paths: tuple[str, ...] = ()  # of files that were written or removed here
    conflicts: tuple[str, ...] = ()  # of files in which both texts stand now
    was_rewritten: bool = False  # the remote has lost commits that it had; they are back
    n_purged: int = 0  # memories that were taken out of a history


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """What an exchange is made with."""

    environ: Mapping[str, str]
    machine: str
    lock_timeout_s: float
    interactive: bool = False  # somebody can be asked for a password
    is_read_only: bool = False  # nothing is sent
    note_head: Callable[[str], None] = lambda _: None  # hears of each commit the branch stands at
    note_rewritten: Callable[[Mapping[str, str]], None] = lambda _: (
        None
    )  # and of commits, old to new


@dataclass(slots=True)
class _Done:
    """What has been done so far."""

    n_received: int = 0
    n_sent: int = 0
    paths: set[str] = field(default_factory=set)
    conflicts: set[str] = field(default_factory=set)
    was_rewritten: bool = False
    n_purged: int = 0

    def report(self) -> SyncReport:
        return SyncReport(
            self.n_received,
            self.n_sent,
            tuple(sorted(self.paths)),
            tuple(sorted(self.conflicts)),
            self.was_rewritten,
            self.n_purged,
        )


class JournalSync:
    """The exchange of one journal."""

    def __init__(self, root: Path, options: SyncOptions) -> None:
        """
        Raises:
            UnavailableError: git is not installed, or *root* is no repository of its own.
        """
        self._root, self._options = root, options
        self._git = Git(root, options.environ, interactive=options.interactive)
        self._folder = git_folder(root)
        self._signature = Signature(machine=options.machine)
        self._done = _Done()

    def run(
        self, *, commit_changes: Callable[[], None], progress: Progress = lambda *_: None
    ) -> SyncReport:
        """Exchange everything; *commit_changes* commits what has been written here so far.

        Raises:
            UnavailableError: there is no remote, or it does not answer.
            LockedError: another process, or git itself, is at work there for too long.
            StorageError: git or the disk refused; nothing is lost, and the next run goes on.
        """
        if not exchange.remote_url(self._git):
            raise UnavailableError(
                "there is no remote", where=str(self._root), mend="`mem remote add URL` names one"
            )
        self._done = _Done()
        with self._alone("sync.lock"):
            refuse_other_work(self._git)
            self.finish()
            commit_changes()
            if not exchange.current_branch(self._git):
                what = "no branch is checked out"
                raise UnavailableError(what, where=str(self._root), mend="`git switch main`")
            for _ in range(_MAX_RACES):
                if self._exchange(progress):
                    self._finish_purge()
                    return self._done.report()
                time.sleep(_RACE_S * random.random())  # or both sides would meet again
                commit_changes()
        raise LockedError("others push all the time", where=str(self._root), mend="try again")

    def finish(self) -> None:
        """Finish what was begun here: by us before a kill, or by hand with plain git."""
        with self._alone("commit.lock"), reading_objects(self._git) as reader:
            merger = CommitMerger(self._git, reader)
            head, coming = commit_at(self._git, "HEAD"), unfinished_merge(self._git)
            if coming and is_ancestor(self._git, coming, head):
                clear_hand_merge(self._git)
                coming = ""
            if coming:
                self._finish_hand_merge(reader, merger, head, coming)
                return
            finish_open(self._git, self._folder, reader, merger, self._options.lock_timeout_s)

    def _finish_hand_merge(
        self, reader: ObjectReader, merger: CommitMerger, head: str, coming: str
    ) -> None:
        merged = tree_of_hand_merge(self._git, reader, merger, head, coming)
        nobodys = files_of_hand_merge(self._git, head)
        new = self._merge_commit(merged.tree, head, coming, "finish a merge")
        self._done.conflicts.update(merged.conflicts)
        self._apply(reader, merger, head, new, reason="merge: finished", nobodys=nobodys)
        clear_hand_merge(self._git)

    def _exchange(self, progress: Progress) -> bool:
        """Fetch, merge and push once; False if somebody else pushed in between."""
        git = self._git
        known = exchange.known_remote_head(git)
        theirs = exchange.fetch(git, progress=progress)
        replacing, theirs = theirs, self._purged(theirs)
        self._keep_lost(known, theirs, progress)
        if theirs:
            self._bring_in(theirs, progress)
        self._mend()
        head = commit_at(git, "HEAD")
        is_same = head == theirs and theirs == replacing
        if not head or is_same or self._options.is_read_only:
            return True
        n_new = exchange.distance(git, head, theirs).n_ahead
        lease = replacing if replacing != theirs else ""
        if exchange.push(git, head, replacing=lease, progress=progress) == "raced":
            return False
        self._done.n_sent += n_new
        return True

    def _keep_lost(self, known: str, theirs: str, progress: Progress) -> None:
        """Notice what the remote has lost that it had, and have it here, whoever pushed by force."""
        git = self._git
        if not known or not commit_at(git, known) or (theirs and is_ancestor(git, known, theirs)):
            return
        if open_purge(self._folder):
            return  # it was lost on purpose
        self._done.was_rewritten = True
        self._bring_in(known, progress)

    def _purged(self, theirs: str) -> str:
        """*theirs* without what was purged on any machine; ours goes without it, too."""
        git = self._git
        with self._alone("commit.lock"), reading_objects(git) as reader:
            merger = CommitMerger(git, reader)
            head = commit_at(git, "HEAD")
            ids = merger.announced(*filter(None, (head, theirs))).all_purged
            if not ids:
                return theirs

            def move(old: str, new: str) -> None:
                self._apply(reader, merger, old, new, reason="purge: rewritten")

            done = purge_branches(
                git, self._folder, ids, move=move, also=[theirs] if theirs else []
            )
            if done.rewritten:
                self._done.n_purged += len(ids)
                self._options.note_rewritten(done.rewritten)
            else:
                note_clean(git, head, ids)
            return done.rewritten.get(theirs, theirs)

    def _finish_purge(self) -> None:
        """Remove what was rewritten, now that neither side has it any more."""
        with self._alone("commit.lock"):
            ids = open_purge(self._folder)
            self._done.n_purged = max(self._done.n_purged, len(ids))
            remote_head = exchange.known_remote_head(self._git)
            finish_purge(self._git, self._folder)
            exchange.note_remote_head(self._git, remote_head)

    def _bring_in(self, theirs: str, progress: Progress) -> None:
        """Let branch and files hold what *theirs* does."""
        git = self._git
        with self._alone("commit.lock"), reading_objects(git) as reader:
            head = commit_at(git, "HEAD")
            if head and is_ancestor(git, theirs, head):
                return
            merger = CommitMerger(git, reader)
            new = theirs
            if head and not is_ancestor(git, head, theirs):
                merged = merger.merge(head, theirs)
                self._done.conflicts.update(merged.conflicts)
                new = self._merge_commit(merged.tree, head, theirs, self._received(head, theirs))
            self._done.n_received += exchange.distance(git, head, theirs).n_behind
            reason = "sync: merge" if new != theirs else "sync: fast-forward"
            self._apply(reader, merger, head, new, reason=reason, progress=progress)

    def _received(self, head: str, theirs: str) -> str:
        """``3 commits of desk-9c1b, laptop-3f2a``: what a merge brings."""
        printed = self._git.run(["log", "--format=%an", theirs, f"^{head}"])
        authors = printed.splitlines()
        names = sorted(set(authors))
        shown = ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
        return f"{len(authors):,} commit{'s' if len(authors) != 1 else ''} of {shown}"

    def _merge_commit(self, tree: str, head: str, other: str, what: str) -> str:
        paths = changed_between(self._git, head, tree)
        told = with_trailers(
            f"merge: {what}", machine=self._signature.machine, paths=paths, follows=head
        )
        return make_commit(self._git, tree, [head, other], told, signature=self._signature)

    def _apply(
        self,
        reader: ObjectReader,
        merger: CommitMerger,
        old: str,
        new: str,
        *,
        reason: str,
        nobodys: Mapping[str, bytes] | None = None,
        progress: Progress = lambda *_: None,
    ) -> None:
        forgotten = merger.announced(new).forgotten
        applied: Applied = apply_commit(
            self._git,
            self._folder,
            reader,
            Pending(old, new),
            merge_text=merger.merge_text(forgotten),
            reason=reason,
            lock_timeout_s=self._options.lock_timeout_s,
            nobodys=nobodys or {},
            progress=progress,
        )
        self._done.paths.update(applied.paths)
        self._options.note_head(new)

    def _mend(self) -> None:
        """Give back to session files what a merge without our drivers took from them."""
        git = self._git
        with self._alone("commit.lock"), reading_objects(git) as reader:
            head = commit_at(git, "HEAD")
            if not head:
                return
            merger = CommitMerger(git, reader)
            mended = mend_hand_merges(git, reader, merger, head)
            if mended:
                tree, _ = write_tree(git, head, mended)
                told = with_trailers(
                    "merge: mend what plain git joined",
                    machine=self._signature.machine,
                    paths=mended,
                    follows=head,
                )
                new = make_commit(git, tree, [head], told, signature=self._signature)
                self._apply(reader, merger, head, new, reason="merge: mended")
                head = new
            note_checked(git, head)

    def _alone(self, name: str) -> contextlib.AbstractContextManager[None]:
        return lock_of(self._folder, name, timeout_s=self._options.lock_timeout_s)


def finish_open(
    git: Git, folder: Path, reader: ObjectReader, merger: CommitMerger, lock_timeout_s: float
) -> Applied | None:
    """Finish what a killed sync had begun; None where nothing is open. The caller works alone."""
    pending = read_pending(folder)
    if pending is None:
        return None
    forgotten = (
        merger.announced(pending.new).forgotten if commit_at(git, pending.new) else frozenset()
    )
    return finish_pending(
        git, folder, reader, merge_text=merger.merge_text(forgotten), lock_timeout_s=lock_timeout_s
    )


def moving(
    git: Git, folder: Path, reader: ObjectReader, merger: CommitMerger, *, lock_timeout_s: float
) -> Callable[[str, str], None]:
    """What lets branch and files go from one commit to another. The caller works alone."""

    def move(old: str, new: str) -> None:
        apply_commit(
            git,
            folder,
            reader,
            Pending(old, new),
            merge_text=merger.merge_text(merger.announced(new).forgotten),
            reason="purge: rewritten",
            lock_timeout_s=lock_timeout_s,
        )

    return move


def lock_of(
    folder: Path, name: str, *, timeout_s: float
) -> contextlib.AbstractContextManager[None]:
    """The lock *name* of the repository at *folder*: "commit.lock" of whoever moves its branch,
    "sync.lock" of whoever exchanges."""
    what = f"another {_DOING[name]} is at work there, for more than {timeout_s:.3g} s"
    return working(folder / FOLDER / name, git_folder=folder, timeout_s=timeout_s, what=what)


def git_folder(root: Path) -> Path:
    """Where git keeps what belongs to the work tree *root*.

    Raises:
        UnavailableError: it is no repository of its own.
    """
    found = repository_at(root)
    if found is None or found.own is None:
        raise UnavailableError(
            "not a repository of its own", where=str(root), mend="`mem init` makes it one"
        )
    return found.own
