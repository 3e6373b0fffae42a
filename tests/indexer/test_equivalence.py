"""Whatever happens to a journal, its index answers as one that was made from its files.

Histories are of everything that happens to files: programs and editors write, people move, copy and
delete, git merges and goes back, places cannot be read, clocks jump, models change, and processes are
killed at any point where bytes are about to last. ``MEM_HISTORIES=1000`` tries that many instead of a
few; the points of a kill are then all tried, too.

One change is left out, for nothing on disk tells of it: other bytes of the same number, with the time
of modification set back to what it was, in a file that was read long after that time.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memjournal.indexer.upkeep import growth, reconcile

from ..git_by_hand import git
from .crashing import Act, Crashing, Outcome, can_give_up_rights
from .world import ENGLISH, KOREAN, QUERIES, World, make_model

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no fork, no SIGKILL")

HISTORIES = int(os.environ.get("MEM_HISTORIES", "0"))
FEW_HISTORIES, FEW_POINTS = 24, 12
WORDS = (*ENGLISH, *KOREAN)
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
NAMES = st.sampled_from(
    ["a", "B", "b", "회의록", unicodedata.normalize("NFD", "회의록"), "deep/er/c"]
)
BEGINNINGS = st.sampled_from(
    [
        "",
        "# {}\n\n",
        "\ufeff# {}\r\n\r\n",
        "---\ntags: [{}, auth]\n---\n",
        "---\nid: aaaaaa\ntitle: {}\n---\n",  # the same id in several files
        "---\ntitle: {}: broken\n  - yaml\n---\n",
        "---\ncreated: 2026-11-{}\n---\n",
    ]
)
DAY_NS = 86_400 * 10**9
JUMPS_NS = (0, -20 * 365 * DAY_NS, -2 * DAY_NS, -3600 * 10**9, 3600 * 10**9, 400 * DAY_NS)


@pytest.fixture(scope="module")
def crashing() -> Iterator[Crashing]:
    with Crashing() as process:
        yield process


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two models; the second knows the same words and gives them other vectors."""
    folder = tmp_path_factory.mktemp("models")
    return [str(make_model(folder / f"{seed}", seed=seed)) for seed in range(2)]


class Journal:
    """A world and what has happened to its files since the index last followed them."""

    def __init__(self, world: World, crashing: Crashing, *, trusts_growth: bool = False) -> None:
        self.world, self.crashing = world, crashing
        self.trusts_growth = trusts_growth  # far back in a session nothing is compared until proven
        self.offset_ns = 0  # of the clock
        self.clone = world.root.with_name(f"{world.root.name}-clone")
        self._known = self.states()
        self._may_be_known: set[str] = set()
        self._had: dict[str, set[tuple[int, int]]] = {}  # sizes and times of each file, ever
        self._numbers = iter(range(1, 1_000_000))

    @property
    def now_ns(self) -> int:
        return time.time_ns() + self.offset_ns

    def number(self) -> int:
        return next(self._numbers)

    # --- files ------------------------------------------------------------------------------

    def states(self) -> dict[str, tuple[int, int]]:
        """Size and time of each file."""
        found = {}
        for path in self.world.paths():
            status = (self.world.root / path).stat()
            found[path] = (status.st_size, status.st_mtime_ns)
        return found

    def changed(self) -> list[str]:
        """The paths at which something is not as it was when the index followed."""
        now = self.states()
        differing = {
            path
            for path in now.keys() | self._known.keys()
            if now.get(path) != self._known.get(path)
        }
        return sorted(differing | (self._may_be_known - now.keys()))

    def note_seen(self) -> None:
        """What is there now may have come into the index, or not: an update was killed, or saw more."""
        self._may_be_known |= self.states().keys()

    def note_known(self, paths: Sequence[str] | None = None) -> None:
        """The index has followed now, or has been told of *paths* alone."""
        now = self.states()
        if paths is None:
            self._may_be_known.clear()
        for path in now.keys() | self._known.keys() if paths is None else paths:
            self._known.pop(path, None)
            if path in now:
                self._known[path] = now[path]

    def mark(self) -> None:
        """See to it that each change can be told from what stood there before, by size or time."""
        for path, state in self.states().items():
            if self._known.get(path) == state:
                continue
            had = self._had.setdefault(path, set())
            size, mtime = state
            while (size, mtime) in had:
                mtime += 1_000_000
            os.utime(self.world.root / path, ns=(mtime, mtime))
            had.add((size, mtime))

    def save(self, path: str, data: bytes, how: str) -> None:
        """Save a file as an editor does."""
        target = self.world.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        match how:
            case "in place":
                target.write_bytes(data)
            case "rename":
                beside = target.with_name(f".{target.name}.tmp")
                beside.write_bytes(data)
                os.replace(beside, target)
            case "backup":  # as vim does: the old file gets another name, and a new one is made
                if target.exists():
                    os.replace(target, f"{target}~")
                target.write_bytes(data)

    # --- the index --------------------------------------------------------------------------

    def open(self) -> None:
        """As a process that was just started."""
        self.world.index = self.world.open()

    def follow(self, how: str) -> None:
        """Let the index follow all changes, in one of the ways there are."""
        index, changed = self.world.index, self.changed()
        self.mark()
        match how:
            case "update":
                index.update(now_ns=self.now_ns)
            case "hint":
                index.update(now_ns=self.now_ns, only=self.changed())
            case "two hints":
                half = len(changed) // 2
                index.update(now_ns=self.now_ns, only=changed[:half])
                index.update(now_ns=self.now_ns, only=changed[half:])
            case "prove":
                index.update(now_ns=self.now_ns)
                index.prove(now_ns=self.now_ns)
            case "another process":
                assert self.act("update", now_ns=self.now_ns).error == ""
        if self.trusts_growth:
            index.prove(now_ns=self.now_ns)
        self.note_known()

    def act(self, act: Act, **more: Any) -> Outcome:
        return self.crashing.run(act, self.world.root, self.world.options, **more)

    def words(self, seed: int, n: int = 6) -> list[str]:
        """Words of the files, so that every part of them is asked for in time."""
        found: set[str] = set()
        for path in self.world.paths():
            text = (self.world.root / path).read_text("utf-8", "replace")
            found.update(re.findall(r"\w{2,20}", text))
        return random.Random(seed).sample(sorted(found), min(n, len(found)))

    def check(self) -> None:
        """The index is whole, and answers as one that was made from nothing."""
        questions = (*QUERIES, *self.words(self.number()))
        self.world.check_against_a_rebuild(questions)
        for left in self.world.root.glob("rebuilt-*"):
            shutil.rmtree(left)

    # --- git --------------------------------------------------------------------------------

    def commit(self, root: Path) -> None:
        git(root, "add", "-A", "--", "sessions", "memories", "notes")
        git(root, "commit", "-q", "--allow-empty", "-m", "as it is")

    def make_clone(self) -> World:
        """Another machine's journal, with the history of this one."""
        git(self.world.root, "init", "-q", "-b", "main")
        for folder in ("sessions", "memories", "notes"):
            (self.world.root / folder / ".keep").touch()
        self.commit(self.world.root)
        git(self.world.root, "clone", "-q", str(self.world.root), str(self.clone))
        return World(self.clone, self.world.options.model)


class AnyHistory(RuleBasedStateMachine):
    """Edits, deletions, merges, kills and jumps in any order leave the index as a rebuild makes it."""

    models: ClassVar[list[str]]
    met: ClassVar[Counter[str]]
    """What happened in all histories, so that the test cannot test nothing."""

    def begin(self) -> Journal:
        raise NotImplementedError  # the test's

    @initialize()
    def start(self) -> None:
        self.journal = self.begin()
        self.world = self.journal.world
        for number in range(8):  # what stays, so that no deletion is one of most of the journal
            self.world.memory(f"Pool timeout {number}", f"the {WORDS[3 * number]} of the queue")
        self.kept = set(self.world.paths())
        self.theirs: World | None = None

    # --- what happens to files --------------------------------------------------------------

    def some(self, data: st.DataObject, *folders: str) -> str:
        return data.draw(st.sampled_from(self.loose(*folders)))

    def loose(self, *folders: str) -> list[str]:
        """The files that may go."""
        return [path for path in self.world.paths(*folders) if path not in self.kept]

    @property
    def has_loose(self) -> bool:
        return bool(self.loose("notes", "memories"))

    @rule(title=TEXTS, body=TEXTS)
    def add_memory(self, title: str, body: str) -> None:
        self.world.memory(title, body)

    @rule(name=NAMES, beginning=BEGINNINGS, text=TEXTS)
    def write_note(self, name: str, beginning: str, text: str) -> None:
        self.world.note(f"notes/{name}.md", beginning.format(text.split()[0]) + text + "\n")

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=3), session=st.sampled_from(["s1", "s2"]))
    def say(self, texts: list[str], session: str) -> None:
        self.world.events(texts, session=session)

    @precondition(lambda self: self.world.paths("sessions"))
    @rule(data=st.data(), n=st.integers(1, 120), text=TEXTS)
    def tear_a_session(self, data: st.DataObject, n: int, text: str) -> None:
        path = self.world.root / self.some(data, "sessions")
        whole = path.read_bytes()
        if n % 3 == 0:  # a record whose end was never written
            path.write_bytes(whole + f"## 10:00:00 user_prompt [mem:tornAA]\n{text}".encode())
        elif len(whole) > 400:
            path.write_bytes(whole[:-n])

    @precondition(lambda self: self.world.paths("sessions"))
    @rule(data=st.data(), text=TEXTS)
    def write_between_records(self, data: st.DataObject, text: str) -> None:
        path = self.world.root / self.some(data, "sessions")
        lines = path.read_bytes().split(b"\n\n## ")
        place = data.draw(st.integers(1, len(lines)))
        lines[place - 1] += f"\n\n{text}".encode()
        path.write_bytes(b"\n\n## ".join(lines))

    @precondition(lambda self: self.world.paths("sessions"))
    @rule(data=st.data(), word=st.sampled_from(ENGLISH))
    def change_words_of_a_session(self, data: st.DataObject, word: str) -> None:
        path = self.world.root / self.some(data, "sessions")
        old = path.read_bytes()
        path.write_bytes(old.replace(word.encode(), word[::-1].encode(), 1))

    @rule(
        data=st.data(),
        words=st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)),
        how=st.sampled_from(["in place", "rename", "backup"]),
        change=st.sampled_from(["more", "another word", "same length"]),
    )
    def edit(self, data: st.DataObject, words: tuple[str, str], how: str, change: str) -> None:
        path = data.draw(st.sampled_from(self.world.paths("notes", "memories")))
        old = (self.world.root / path).read_bytes()
        first, second = (word.encode() for word in words)
        if change == "another word" and first in old:
            new = old.replace(first, second)
        elif change == "same length" and len(old) > 40:
            new = old[:-8] + first[:3].ljust(7, b"x") + b"\n"
        else:
            new = old + first + b" " + second + b"\n"
        self.journal.save(path, new, how)

    @precondition(lambda self: self.has_loose)
    @rule(data=st.data(), number=st.integers(0, 9), copy=st.booleans(), into=st.booleans())
    def move_or_copy(self, data: st.DataObject, number: int, copy: bool, into: bool) -> None:
        path = self.world.root / self.some(data, "notes", "memories")
        target = path.with_name(f"moved-{number}.md")
        if into:
            target = self.world.root / f"notes/in-{number % 3}" / path.name
        if target == path:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target) if copy else path.rename(target)

    @precondition(lambda self: self.has_loose)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        (self.world.root / self.some(data, "notes", "memories")).unlink()

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        self.journal.follow("update")
        with self.world.catalog() as catalog:
            rows = [row for path in self.loose() for row in catalog.by_path(path)]
        if ids := sorted({row.id for row in rows}):
            self.world.forget(data.draw(st.sampled_from(ids)))

    @rule(data=st.data(), name=st.sampled_from(["x", "y", "moved"]))
    def rename_a_folder(self, data: st.DataObject, name: str) -> None:
        notes = self.world.root / "notes"
        folders = [one for one in sorted(notes.rglob("*")) if one.is_dir() and any(one.iterdir())]
        if folders:
            folder = data.draw(st.sampled_from(folders))
            if not (target := folder.with_name(name)).exists():
                folder.rename(target)

    # --- git --------------------------------------------------------------------------------

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=2), data=st.data(), conflict=st.booleans())
    def merge(self, texts: list[str], data: st.DataObject, conflict: bool) -> None:
        theirs = self.theirs = self.theirs or self.journal.make_clone()
        for text in texts:
            theirs.memory(f"theirs {text}", text)
            theirs.events([text], session="theirs")
        if conflict and (shared := theirs.paths("notes")):
            path = theirs.root / data.draw(st.sampled_from(shared))
            path.write_bytes(path.read_bytes() + f"theirs: {texts[0]}\n".encode())
        self.journal.commit(theirs.root)
        self.journal.commit(self.world.root)
        from_them = ("-q", "--no-rebase", str(self.journal.clone), "main")
        git(self.world.root, "pull", *from_them, may_fail=True)
        self.journal.commit(self.world.root)  # what is in conflict is kept, marks and all
        type(self).met["merge"] += 1

    @precondition(lambda self: self.theirs is not None)
    @rule()
    def go_back(self) -> None:
        self.journal.commit(self.world.root)
        git(self.world.root, "reset", "-q", "--hard", "HEAD~1")

    # --- clocks, models, processes ----------------------------------------------------------

    @rule(offset_ns=st.sampled_from(JUMPS_NS))
    def set_the_clock(self, offset_ns: int) -> None:
        self.journal.offset_ns = offset_ns

    @precondition(lambda self: self.has_loose)
    @rule(data=st.data(), jump_ns=st.sampled_from(JUMPS_NS))
    def date_a_file(self, data: st.DataObject, jump_ns: int) -> None:
        moment = time.time_ns() + jump_ns + self.journal.number()
        os.utime(self.world.root / self.some(data), ns=(moment, moment))

    @rule(which=st.integers(0, 1))
    def choose_a_model(self, which: int) -> None:
        self.world.options = replace(self.world.options, model=self.models[which])
        self.journal.open()

    @rule(
        act=st.sampled_from(["update", "update", "update", "rebuild"]),
        kill_at=st.one_of(st.integers(1, 30), st.integers(1, 150)),
        hinted=st.booleans(),
    )
    def be_killed_while_indexing(self, act: Act, kill_at: int, hinted: bool) -> None:
        self.journal.mark()
        only = self.journal.changed() if hinted and act == "update" else None
        outcome = self.journal.act(act, kill_at=kill_at, only=only, now_ns=self.journal.now_ns)
        assert outcome.error == ""
        type(self).met["killed while indexing"] += outcome.is_killed
        self.journal.note_seen()
        self.journal.open()

    @rule(text=TEXTS, act=st.sampled_from(["add", "say"]), kill_at=st.integers(1, 14))
    def be_killed_while_writing(self, text: str, act: Act, kill_at: int) -> None:
        number = self.journal.number()
        outcome = self.journal.act(
            act,
            kill_at=kill_at,
            number=number,
            session="s1",
            texts=[f"{text} {number}", text] if act == "add" else [text],
        )
        type(self).met["killed while writing"] += outcome.is_killed

    @precondition(lambda self: self.has_loose)
    @rule(data=st.data(), how=st.sampled_from(["update", "hint"]))
    def a_place_cannot_be_read(self, data: st.DataObject, how: str) -> None:
        """What is known of it stays, and what can be read is followed."""
        if not can_give_up_rights():
            return
        self.journal.follow("update")
        path = self.world.root / self.some(data)
        place = data.draw(st.sampled_from([path, path.parent]))
        below = [one for one in self.world.paths() if (self.world.root / one).is_relative_to(place)]
        with self.world.catalog() as catalog:
            known = [row.id for one in below for row in catalog.by_path(one)]
        mode = place.stat().st_mode & 0o777
        meanwhile = self.world.memory("seen meanwhile", f"needle {self.journal.number()}")
        place.chmod(0)
        only = [*below, *self.journal.changed()] if how == "hint" else None
        outcome = self.journal.act("update", only=only, now_ns=self.journal.now_ns)
        place.chmod(mode)
        assert outcome.error == ""
        if not (self.world.root / meanwhile).is_relative_to(place):
            self.journal.note_known([meanwhile])
        with self.world.catalog() as catalog:
            assert [row.id for one in below for row in catalog.by_path(one)] == known
        type(self).met["a place that cannot be read"] += 1

    # --- the index follows ------------------------------------------------------------------

    @rule(data=st.data())
    def hint_at_some(self, data: st.DataObject) -> None:
        """A watcher that sees a part of what happens, and things that are not there."""
        self.journal.mark()
        changed = self.journal.changed()
        told = data.draw(st.lists(st.sampled_from([*changed, "notes/none.md"]), unique=True))
        if not self.world.index.catalog_path.exists():  # made now, and of all that there is
            self.journal.note_seen()
        self.world.index.update(now_ns=self.journal.now_ns, only=told)
        self.journal.note_known(told)

    def compare(self, how: str) -> None:
        self.journal.follow(how)
        self.journal.check()
        type(self).met[how] += 1

    @rule()
    def a_command_follows(self) -> None:
        self.compare("update")

    @rule(how=st.sampled_from(["hint", "two hints"]))
    def a_watcher_follows(self, how: str) -> None:
        self.compare(how)

    @rule(how=st.sampled_from(["prove", "another process"]))
    def somebody_follows(self, how: str) -> None:
        self.compare(how)

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.compare("update")
            shutil.rmtree(self.world.root)
            shutil.rmtree(self.journal.clone, ignore_errors=True)


def live_histories(begin: Callable[[], Journal], models: list[str], *, few: int) -> Counter[str]:
    """Let histories happen; what happened in all of them."""

    class History(AnyHistory):
        met: ClassVar[Counter[str]] = Counter()

        def begin(self) -> Journal:
            return begin()

    History.models = models
    run_state_machine_as_test(
        History, settings=settings(max_examples=HISTORIES or few, stateful_step_count=25)
    )
    print(dict(History.met))
    return History.met


def test_any_history_ends_as_a_rebuild_would(
    tmp_path_factory: pytest.TempPathFactory, crashing: Crashing, models: list[str]
) -> None:
    def begin() -> Journal:
        return Journal(World(tmp_path_factory.mktemp("world") / "journal", models[0]), crashing)

    met = live_histories(begin, models, few=FEW_HISTORIES)
    for what in ("merge", "killed while indexing", "killed while writing", "hint", "prove"):
        assert met[what] > 0, what  # so that it cannot test nothing


def test_any_history_ends_so_where_sessions_are_compared_at_their_ends_alone(
    tmp_path_factory: pytest.TempPathFactory,
    crashing: Crashing,
    models: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (growth, reconcile):  # the sessions of these histories are small
        monkeypatch.setattr(module, "WINDOW_BYTES", 300)

    def begin() -> Journal:
        world = World(tmp_path_factory.mktemp("world") / "journal", models[0])
        return Journal(world, crashing, trusts_growth=True)

    live_histories(begin, models, few=FEW_HISTORIES // 3)


# Each point where bytes come to last


def filled(world: World) -> None:
    for number in range(10):
        world.memory(f"{WORDS[number]} {number}", " ".join(WORDS[number : number + 12]))
    world.events(["pool timeout 왜 나지?", "세션 토큰은 쿠키로"], session="s1")
    world.note("notes/메모.md", "# 캐시 누수\n\nthe cache has a leak")
    world.update()


def something_of_each(world: World) -> None:
    world.memory("order refund", "결제 환불")
    (world.root / world.paths("memories")[0]).unlink()
    world.events(["주문 latency 지연"], session="s1")
    world.note("notes/메모.md", "# 캐시\n\nthe cache was emptied")


@contextlib.contextmanager
def kept_copy(root: Path) -> Iterator[Callable[[], None]]:
    """Gives what puts everything back as it is now."""
    copy = root.with_name("as it was")
    shutil.copytree(root, copy)

    def restore() -> None:
        shutil.rmtree(root)
        shutil.copytree(copy, root)

    try:
        yield restore
    finally:
        shutil.rmtree(copy)


def chosen(n_points: int, few: int = FEW_POINTS) -> list[int]:
    """All of them in a long run; else the first, the last and some between."""
    if HISTORIES or n_points <= few:
        return list(range(1, n_points + 1))
    return sorted({1 + round(step * (n_points - 1) / (few - 1)) for step in range(few)})


@pytest.mark.parametrize("what", ["update", "hint", "rebuild", "another model", "an index anew"])
def test_killed_at_each_point_the_next_update_makes_the_index_whole(
    world: World, crashing: Crashing, models: list[str], what: str
) -> None:
    filled(world)
    something_of_each(world)
    changed = world.paths()
    if what == "another model":
        world.options = replace(world.options, model=models[1])
    if what == "an index anew":
        shutil.rmtree(world.root / "index")
    act: Act = "rebuild" if what == "rebuild" else "update"
    only = changed if what == "hint" else None
    expected = world.answers(world.rebuilt())
    shutil.rmtree(next(world.root.glob("rebuilt-*")))
    with kept_copy(world.root) as restore:
        whole = crashing.run(act, world.root, world.options, only=only, now_ns=time.time_ns())
        assert (whole.error, whole.is_killed) == ("", False)
        kinds = {one.split()[-1] for one in whole.met}
        assert {"commit", "rename", "open", "write", "fsync"} <= kinds  # whatever makes bytes last
        assert len(whole.met) > 30
        for number in chosen(len(whole.met)):
            restore()
            killed = crashing.run(
                act, world.root, world.options, only=only, now_ns=time.time_ns(), kill_at=number
            )
            assert (killed.is_killed, len(killed.met)) == (True, number)
            world.index = world.open()
            world.update()
            assert world.index.verify() == [], whole.met[number - 1]
            assert world.answers() == expected, whole.met[number - 1]


@pytest.mark.parametrize("act", ["add", "say", "forget"])
def test_killed_at_each_point_of_a_write_nothing_is_lost_nor_doubled(
    world: World, crashing: Crashing, act: Act
) -> None:
    filled(world)
    with world.catalog() as catalog:
        before = {row.id for path in world.paths() for row in catalog.by_path(path)}
        gone = catalog.by_path(world.paths("sessions")[0])[0].id if act == "forget" else ""
    texts = {"add": ["환불 규칙", "refund within a week"], "say": ["환불은?"], "forget": [gone]}[
        act
    ]
    with kept_copy(world.root) as restore:
        whole = crashing.run(act, world.root, world.options, texts=texts, session="s1")
        assert whole.error == "" and len(whole.met) >= 4
        for number in chosen(len(whole.met), few=30):
            restore()
            crashing.run(act, world.root, world.options, texts=texts, session="s1", kill_at=number)
            world.index = world.open()
            world.update()
            assert before - {gone} <= entries(world).keys()
            again = crashing.run(act, world.root, world.options, texts=texts, session="s1")
            assert again.error == ""  # whoever was not answered may ask again
            world.update()
            assert set(entries(world).values()) == {1}, whole.met[number - 1]
            assert entries(world).keys() - before == (
                {*new_ids(whole)} if act != "forget" else set()
            )
            assert gone not in entries(world)
            assert world.index.verify() == []


def new_ids(outcome: Outcome) -> list[str]:
    return [outcome.result] if isinstance(outcome.result, str) else outcome.result


def entries(world: World) -> Counter[str]:
    """The ids in the catalog, and how often each stands there."""
    with world.catalog() as catalog:
        return Counter(row.id for path in world.paths() for row in catalog.by_path(path))
