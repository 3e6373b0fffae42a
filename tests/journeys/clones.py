"""Three clones of a journal and the bare repository between them: everything that happens to files,
commits and processes, and what must be true once all have synced."""

from __future__ import annotations

import os
import random
import signal
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path

from memjournal.cli.commit_written import commit_all
from memjournal.cli.context import Context
from memjournal.cli.sync_run import sync_journal
from memjournal.journal.announcements import announce
from memjournal.journal.errors import LockedError, MemjournalError
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.reading import Stored, list_files, read_entries

from ..git_by_hand import git
from ..indexer.world import ENGLISH, KOREAN, STARTED
from ..indexer.world import World as IndexedWorld

WORDS = (*ENGLISH, *KOREAN)
NAMES = ("todo", "회의록", unicodedata.normalize("NFD", "회의록"), "깊은/곳/메모", "a b")
MAX_ROUNDS = 12
SHARED_SESSION = "0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11"


class Clone:
    """One machine's journal: its files, its index, its clock."""

    def __init__(
        self,
        root: Path,
        machine: str,
        model: Path,
        *,
        skew: timedelta,
        time_of: Callable[[], float] = time.time,
    ) -> None:
        self.machine, self.skew, self._time = machine, skew, time_of
        self.world = IndexedWorld(root, model)
        self.root = root
        self.session = f"{machine}-session"

    def context(self) -> Context:
        context = Context(journal_option=self.root)
        context.__dict__["machine"] = self.machine
        return context

    @contextmanager
    def clock(self) -> Iterator[None]:
        """Git's clock as this machine has it."""
        names = ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
        os.environ.update(
            dict.fromkeys(names, f"@{int(self._time() + self.skew.total_seconds())} +0900")
        )
        try:
            yield
        finally:
            for name in names:
                del os.environ[name]

    def commit(self) -> None:
        with self.clock():
            commit_all(self.context())

    def sync(self) -> None:
        with self.clock():
            sync_journal(self.context(), interactive=False)

    def in_a_process(self, task: Callable[[], None], *, kill_after_s: float = -1.0) -> bool:
        """Whether *task* ran to its end in a process of its own, with its gits, that may be killed."""
        return _wait(self.start(task), kill_after_s=kill_after_s)

    def start(self, task: Callable[[], None]) -> int:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.setpgid(0, 0)
                task()
                status = 0
            except LockedError:
                status = 2  # another was at work: allowed
            except BaseException as error:  # noqa: BLE001  # all of it is the test's to see
                os.write(2, f"{self.machine}: {error!r}\n".encode())
            finally:
                os._exit(status)
        return child

    def entries(self) -> list[Stored]:
        found: list[Stored] = []
        for file in list_files(self.root).files:
            for one in read_entries(self.root, file):
                assert isinstance(one, Stored), one  # every file parses
                found.append(one)
        return found

    def files(self) -> dict[str, bytes]:
        """Everything that is in the history, with its bytes on disk."""
        listed = git(self.root, "ls-files", "-z").split("\0")
        return {path: (self.root / path).read_bytes() for path in listed if path}


def _wait(child: int, *, kill_after_s: float = -1.0) -> bool:
    if kill_after_s >= 0:
        time.sleep(kill_after_s)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, 2, -signal.SIGKILL), code
    return code == 0


class Clones:
    """Three clones, the remote between them, and what must still be there."""

    def __init__(self, folder: Path, model: Path, *, seed: int) -> None:
        self.random = random.Random(seed)
        self.bare = folder / "remote.git"
        self.bare.mkdir(parents=True)
        git(self.bare, "init", "--quiet", "--bare", "--initial-branch=main")
        skews = (timedelta(0), timedelta(hours=-26), timedelta(minutes=50))
        self.clones = [
            Clone(folder / name, f"{name}-{number}a{number}b{number}c", model, skew=skew)
            for number, (name, skew) in enumerate(
                zip(("laptop", "desk", "서버"), skews, strict=True)
            )
        ]
        for clone in self.clones:
            clone.machine = clone.machine.replace("서버", "server")
            self._make_journal(clone)
        self.acknowledged: set[str] = set()
        self.gone: set[str] = set()
        self.forgotten: set[str] = set()
        self.n_done: Counter[str] = Counter()
        self._numbers = iter(range(1, 10_000_000))

    def _make_journal(self, clone: Clone) -> None:
        """Two of the journals begin with no common history: each was made on its machine."""
        from memjournal.cli.app import main

        assert main(["init", str(clone.root)]) == 0
        git(clone.root, "remote", "add", "origin", str(self.bare))

    # --- what happens -----------------------------------------------------------------------

    def step(self) -> None:
        """One operation, at random."""
        clone = self.random.choice(self.clones)
        operations: dict[Callable[[Clone], None], int] = {
            self.add: 20,
            self.say: 20,
            self.say_in_the_shared_session: 8,
            self.edit: 22,
            self.retag: 8,
            self.write_note: 10,
            self.rename: 4,
            self.delete: 2,
            self.forget: 3,
            self.follow: 6,
            self.commit: 6,
            self.sync: 9,
            self.crash: 6,
            self.sync_at_once: 2,
        }
        (chosen,) = self.random.choices(list(operations), weights=list(operations.values()))
        chosen(clone)
        self.n_done[chosen.__name__] += 1

    def words(self, n: int = 6) -> str:
        return " ".join(self.random.choices(WORDS, k=n))

    def add(self, clone: Clone) -> None:
        number = next(self._numbers)
        path = clone.world.memory(f"{self.words(2)} {number}", self._lines(), tags=("x",))
        self.acknowledged.add(path.rsplit("--", 1)[1].removesuffix(".md"))

    def _lines(self) -> str:
        return "\n".join(self.words() for _ in range(self.random.randint(1, 8)))

    def say(self, clone: Clone) -> None:
        self._append(clone, clone.session)

    def say_in_the_shared_session(self, clone: Clone) -> None:
        """As when the same transcript is imported on two machines, each with more of it."""
        self._append(clone, SHARED_SESSION)

    def _append(self, clone: Clone, session: str) -> None:
        header = SessionHeader(
            session=session, project="github.com/acme/shop", agent="claude-code", started=STARTED
        )
        number = next(self._numbers)
        at = STARTED + timedelta(seconds=number) + clone.skew
        event = Event(
            keys=(f"{clone.machine}-{number}",), type="user_prompt", at=at, text=self._lines()
        )
        self.acknowledged.update(clone.world.journal.open_session(header).append([event]).ids)

    def _memories(self, clone: Clone) -> list[Path]:
        return sorted((clone.root / "memories").rglob("*.md"))

    def edit(self, clone: Clone) -> None:
        """Change a line, often of one of the few files that everybody edits."""
        memories = self._memories(clone)
        if not memories:
            return
        path = self.random.choice(memories[:5] if self.random.random() < 0.6 else memories)
        lines = path.read_text("utf-8").split("\n")
        start = next((n for n, line in enumerate(lines) if line.startswith("# ")), len(lines) - 1)
        at = self.random.randint(min(start + 1, len(lines) - 1), len(lines) - 1)
        if self.random.random() < 0.5:
            lines.insert(at, self.words())
        else:
            lines[at] = self.words()
        path.write_text("\n".join(lines), "utf-8")

    def retag(self, clone: Clone) -> None:
        memories = self._memories(clone)
        if memories:
            path = self.random.choice(memories[:8]).relative_to(clone.root).as_posix()
            tags = self.random.sample(["x", "y", "인증", "결제", "db"], k=2)
            updated = datetime.now(STARTED.tzinfo) + clone.skew
            try:
                clone.world.journal.change_fields(path, {"tags": tags, "updated": updated})
            except MemjournalError:  # two versions stand in its frontmatter: a person's to settle
                self.n_done["left to a person"] += 1

    def write_note(self, clone: Clone) -> None:
        name = self.random.choice(NAMES)
        clone.world.note(f"notes/{name}.md", f"# {self.words(2)}\n\n{self._lines()}\n")

    def rename(self, clone: Clone) -> None:
        memories = self._memories(clone)
        if memories:
            path = self.random.choice(memories)
            folder = path.parent.parent / self.random.choice(["2026-09", "2026-10", "모음"])
            folder.mkdir(exist_ok=True)
            target = folder / path.name
            if not target.exists():
                path.rename(target)

    def delete(self, clone: Clone) -> None:
        memories = self._memories(clone)
        if len(memories) > 6:
            path = self.random.choice(memories[5:])
            self.gone.add(path.stem.rsplit("--", 1)[1])
            path.unlink()

    def forget(self, clone: Clone) -> None:
        entries = [one for one in clone.entries() if not one.path.startswith("notes/")]
        if entries:
            chosen = self.random.choice(entries)
            clone.world.journal.forget([chosen])
            announce(
                clone.root,
                machine=clone.machine,
                kind="forgot",
                ids=[str(chosen.entry.id)],
                at=datetime.now(STARTED.tzinfo),
                lock_timeout_s=10.0,
            )
            self.gone.add(str(chosen.entry.id))
            self.forgotten.add(str(chosen.entry.id))

    def follow(self, clone: Clone) -> None:
        clone.world.update()

    def commit(self, clone: Clone) -> None:
        clone.commit()

    def sync(self, clone: Clone) -> None:
        clone.in_a_process(clone.sync)

    def crash(self, clone: Clone) -> None:
        task = self.random.choice([clone.sync, clone.sync, clone.commit])
        if not clone.in_a_process(task, kill_after_s=self.random.uniform(0.0, 0.35)):
            self.n_done["killed"] += 1

    def sync_at_once(self, clone: Clone) -> None:
        """All of them, and one of them twice."""
        for child in [one.start(one.sync) for one in (*self.clones, clone)]:
            _wait(child)

    # --- what must be true ------------------------------------------------------------------

    def settle(self) -> None:
        """Sync until nobody has anything new."""
        heads: set[str] = set()
        for _ in range(MAX_ROUNDS):
            for clone in self.clones:
                clone.sync()
            heads = {git(clone.root, "rev-parse", "HEAD") for clone in self.clones}
            if len(heads) == 1:
                return
        raise AssertionError(f"not settled after {MAX_ROUNDS} rounds: {heads}")

    def check(self) -> None:
        """All have the same, nothing is missing or doubled, all of it parses, the indexes follow."""
        first, *others = (clone.files() for clone in self.clones)
        for other in others:
            assert first.keys() == other.keys()
            assert [path for path in first if first[path] != other[path]] == []
        for clone in self.clones:
            assert git(clone.root, "status", "--porcelain", "--untracked-files=no") == ""
            assert git(clone.root, "fsck", "--no-dangling", "--connectivity-only") == ""
        counted = Counter(
            str(one.entry.id)
            for one in self.clones[0].entries()
            if not one.path.startswith("notes/")
        )
        assert [one for one, n in counted.items() if n > 1] == []
        assert self.acknowledged - self.gone - counted.keys() == set()
        assert self.forgotten & counted.keys() == set()
        for clone in self.clones:
            clone.world.update(later_s=10)
            clone.world.check_against_a_rebuild()
