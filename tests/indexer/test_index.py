"""After any history of edits, crashes and damage the index answers as one made from nothing."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import tracemalloc
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.outbox import MAX_ATTEMPTS, Outbox
from memjournal.indexer.errors import IndexDamagedError, NoIndexError
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.keywords.index import KeywordIndex
from memjournal.indexer.keywords.term_batch import TermBatch
from memjournal.indexer.upkeep import deriving, following, reconcile
from memjournal.indexer.vectors.index import VectorIndex
from memjournal.journal import files
from memjournal.journal.errors import CannotCreateError, LockedError

from .world import DAMAGES, ENGLISH, KOREAN, QUERIES, World, make_model, tree

TEXTS = st.lists(st.sampled_from(ENGLISH + KOREAN), min_size=1, max_size=12).map(" ".join)
LEAVES_FILES_OPEN = pytest.mark.filterwarnings(  # Whoosh, of files that it cannot read
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)

OPTIONS = """
import sys
from memjournal.indexer.options import IndexOptions
OPTIONS = IndexOptions(
    vectors=True, model=sys.argv[2], chunk_tokens=320, chunk_overlap_tokens=40,
    machine="this machine", lock_timeout_s=60,
)
"""


class Crash(Exception):
    """Stands for the end of the process."""


@contextlib.contextmanager
def crash_at(owner: type, name: str, *, after: bool, skip: int = 0) -> Iterator[list[str]]:
    """Let one call of a method be the last; yields what was met."""
    whole = getattr(owner, name)
    met: list[str] = []

    def broken(*arguments: object, **more: object) -> object:
        met.append(name)
        if len(met) != skip + 1:
            return whole(*arguments, **more)
        if after:
            whole(*arguments, **more)
        raise Crash

    setattr(owner, name, broken)
    try:
        yield met
    finally:
        setattr(owner, name, whole)


COMMIT_POINTS = [
    (owner, name, after)
    for owner, name in (
        (Catalog, "apply"),
        (Outbox, "note_all"),
        (Outbox, "settle"),
        (KeywordIndex, "apply"),
        (VectorIndex, "apply"),
        (VectorIndex, "save"),
        (JournalIndex, "_start_anew"),
    )
    for after in (False, True)
]


class AnyHistory(RuleBasedStateMachine):
    """Edits, deletions and crashes in any order leave the index as a rebuild would make it."""

    def new_world(self) -> World:
        raise NotImplementedError  # the test's

    @initialize()
    def start(self) -> None:
        self.world = self.new_world()
        self.world.memory("Pool timeout", "the pool had a timeout of the queue")

    def some(self, data: st.DataObject, *folders: str) -> str:
        return data.draw(st.sampled_from(self.world.paths(*folders)))

    @property
    def has_files(self) -> bool:
        return bool(self.world.paths("notes", "memories"))

    @rule(title=TEXTS, body=TEXTS)
    def add_memory(self, title: str, body: str) -> None:
        self.world.memory(title, body)

    @rule(name=st.sampled_from(["a", "b", "c"]), text=TEXTS)
    def write_note(self, name: str, text: str) -> None:
        self.world.note(f"notes/{name}.md", text)

    @rule(texts=st.lists(TEXTS, min_size=1, max_size=3), session=st.sampled_from(["s1", "s2"]))
    def say(self, texts: list[str], session: str) -> None:
        self.world.events(texts, session=session)

    @precondition(lambda self: self.has_files)
    @rule(data=st.data(), word=st.sampled_from(ENGLISH), by_rename=st.booleans())
    def edit(self, data: st.DataObject, word: str, by_rename: bool) -> None:
        path = self.world.root / self.some(data, "notes", "memories")
        old = path.read_text("utf-8")
        new = old.replace(word, "session") if word in old else f"{old}\n{word}\n"
        if by_rename:
            path.with_suffix(".tmp").write_text(new, "utf-8")
            os.replace(path.with_suffix(".tmp"), path)
        else:
            path.write_text(new, "utf-8")

    @precondition(lambda self: self.has_files)
    @rule(data=st.data(), number=st.integers(0, 99), copy=st.booleans())
    def move_or_copy(self, data: st.DataObject, number: int, copy: bool) -> None:
        path = self.world.root / self.some(data, "notes", "memories")
        target = path.with_name(f"moved-{number}.md")
        shutil.copy2(path, target) if copy else path.rename(target)

    @precondition(lambda self: self.has_files)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        (self.world.root / self.some(data, "notes", "memories")).unlink()
        self.world.memory("invoice budget", "there is always a file left")

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        self.world.update()
        with self.world.catalog() as catalog:
            ids = sorted(row.id for path in self.world.paths() for row in catalog.by_path(path))
        self.world.forget(data.draw(st.sampled_from(ids)))
        self.world.memory("invoice budget", "there is always a file left")

    @rule(point=st.sampled_from(COMMIT_POINTS))
    def crash_while_indexing(self, point: tuple[type, str, bool]) -> None:
        owner, name, after = point
        with crash_at(owner, name, after=after), contextlib.suppress(Crash):
            self.world.open().update(now_ns=time.time_ns())

    @rule()
    def another_process_updates(self) -> None:
        self.world.open().update(now_ns=time.time_ns())

    @rule()
    def compare_with_a_rebuild(self) -> None:
        self.world.update()
        self.world.check_against_a_rebuild()

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.compare_with_a_rebuild()
            shutil.rmtree(self.world.root)


def test_any_history_ends_as_a_rebuild_would(new_world: Callable[[], World]) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    class History(AnyHistory):
        def new_world(self) -> World:
            return new_world()

    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        History, settings=settings(max_examples=12, stateful_step_count=12)
    )


def filled(world: World, n: int = 12) -> World:
    rng = random.Random(3)
    for number in range(n):
        title = " ".join(rng.choices(ENGLISH + KOREAN, k=3))
        world.memory(title, " ".join(rng.choices(ENGLISH + KOREAN, k=30)) + f" needle{number}")
    world.events(["pool timeout 왜 나지?", "세션 토큰은 쿠키로"], session="s1")
    world.note("notes/deep/er/still/메모.md", "# 캐시 누수\n\nthe cache has a leak")
    world.note("notes/empty.md", "")
    return world


@pytest.mark.parametrize(("owner", "name", "after"), COMMIT_POINTS)
def test_a_crash_at_each_commit_point_leaves_work_and_no_wrong_answer(
    world: World, owner: type, name: str, after: bool
) -> None:
    filled(world)
    world.update()
    world.memory("order refund", "결제 환불")
    (world.root / world.paths("memories")[0]).unlink()
    if name in ("note_all", "_start_anew"):
        shutil.rmtree(world.root / "index/whoosh")
    with crash_at(owner, name, after=after) as met, pytest.raises(Crash):
        world.update()
    assert met  # so that it cannot test nothing

    world.index = world.open()
    world.update()
    world.check_against_a_rebuild()


# The same answers


def test_nothing_to_do_writes_nothing(world: World) -> None:
    filled(world)
    world.update(later_s=1)
    before = tree(world.root)
    report = world.update()
    assert (report.n_files, bool(report.change), report.remarks) == (0, False, [])
    assert tree(world.root) == before


def test_reading_leaves_no_trace(world: World) -> None:
    filled(world)
    world.update()
    before = tree(world.root)
    index = world.open()
    for text in QUERIES:
        world.ask(text, index)
    assert index.verify() == []
    assert tree(world.root) == before


def test_an_index_made_in_any_order_answers_alike(world: World) -> None:
    filled(world, 40)
    for path in reversed(world.paths("memories")):  # each alone, and last first
        hidden = [one for one in world.paths("memories") if one < path]
        if len(hidden) % 7 == 0:
            for one in hidden:
                os.rename(world.root / one, world.root / f"{one}.hidden")
            world.update()
            for one in hidden:
                os.rename(world.root / f"{one}.hidden", world.root / one)
    world.update()
    world.check_against_a_rebuild()


def test_many_entries_alike_are_ranked_the_same_by_every_index(world: World) -> None:
    for number in range(30):
        world.note(f"notes/{number}.md", "---\ncreated: 2026-01-01\n---\npool timeout")
    for number in range(0, 30, 3):
        world.note(f"notes/{number}.md", "other words")
        world.update()
        world.note(f"notes/{number}.md", "---\ncreated: 2026-01-01\n---\npool timeout")
    world.update()
    for limit in (1, 5, 100):
        ids = [hit.row.id for hit in world.ask("pool timeout", limit=limit).hits]
        assert ids == [
            hit.row.id for hit in world.ask("pool timeout", world.rebuilt(), limit=limit).hits
        ]
    world.check_against_a_rebuild()


def test_the_same_200_questions_get_the_same_answers_after_deleting_the_index(
    tmp_path: Path,
) -> None:
    world = World(tmp_path / "journal", "memjournal-static-v1")
    example = Path(__file__).parents[2] / "examples/journal"
    shutil.copytree(example / "memories", world.root / "memories", dirs_exist_ok=True)
    shutil.copytree(example / "notes", world.root / "notes", dirs_exist_ok=True)
    filled(world, 60)
    world.update()
    words = sorted(
        {
            word
            for path in world.paths()
            for word in (world.root / path).read_text("utf-8", "replace").split()
            if word.isalpha()
        }
    )
    rng = random.Random(200)
    questions = [" ".join(rng.choices(words, k=rng.randint(1, 6))) for _ in range(200)]
    assert sum(not question.isascii() for question in questions) > 50
    for path in world.paths("memories")[::20]:  # a history, that the second index does not have
        text = (world.root / path).read_text("utf-8")
        world.note(path, text + "\nfor a moment\n")
        world.update()
        world.note(path, text)
        world.update()
    before = world.answers(queries=questions)
    shutil.rmtree(world.root / "index")
    world.update()
    assert world.answers(queries=questions) == before
    assert sum(bool(answer) for answer in before) > 190


# Edits


def test_an_edit_of_the_same_size_in_the_same_moment_is_seen(world: World) -> None:
    path = world.note("notes/a.md", "the pool is full")
    world.update()
    moment = path.stat().st_mtime_ns
    path.write_text("the leak is full", "utf-8")
    os.utime(path, ns=(moment, moment))
    world.update()
    assert [hit.row.path for hit in world.ask("leak", by="keyword").hits] == ["notes/a.md"]
    assert world.ask("pool", by="keyword").hits == ()


def test_touching_a_file_costs_no_indexing(world: World) -> None:
    filled(world)
    world.update()
    for path in world.paths():
        os.utime(world.root / path)
    with counted() as documents:
        report = world.update()
    assert (report.n_files, bool(report.change), documents) == (len(world.paths()), False, [])
    world.check_against_a_rebuild()


def test_a_file_of_the_far_future_is_indexed_once(world: World) -> None:
    path = world.note("notes/a.md", "the pool is full")
    os.utime(path, (20_000_000_000, 20_000_000_000))  # the year 2603
    assert world.update().n_files == 1
    assert world.update().n_files == 0
    world.check_against_a_rebuild()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_of_either_form_is_one_file(world: World, form: Literal["NFC", "NFD"]) -> None:
    world.note("notes/" + unicodedata.normalize(form, "회의록.md"), "커넥션 풀 고갈")
    world.update()
    assert [hit.row.path for hit in world.ask("커넥션").hits] == world.paths()
    world.check_against_a_rebuild()


def test_two_files_with_one_id_are_both_found(world: World) -> None:
    path = world.memory("refund twice", "환불")
    shutil.copy(world.root / path, world.root / "notes/copy.md")
    world.update()
    assert {hit.row.path for hit in world.ask("refund twice").hits} == {path, "notes/copy.md"}
    (world.root / path).unlink()
    world.update()
    assert {hit.row.path for hit in world.ask("refund twice").hits} == {"notes/copy.md"}
    world.check_against_a_rebuild()


def test_a_journal_whose_files_are_all_gone_is_kept(world: World) -> None:
    filled(world)
    world.update()
    n_found = len(world.ask("pool").hits)
    (world.root / "memories").rename(world.root / "elsewhere")
    (world.root / "sessions").rename(world.root / "elsewhere2")
    (world.root / "notes").rename(world.root / "elsewhere3")
    report = world.update()
    assert "--accept-deletions" in report.remarks[0]
    assert len(world.ask("pool").hits) == n_found
    assert world.index.rebuild(now_ns=time.time_ns()).change.n_added == 0
    assert world.ask("pool").hits == ()


@contextlib.contextmanager
def counted() -> Iterator[list[int]]:
    """The numbers of the entries that are put into the keyword index meanwhile."""
    whole = KeywordIndex.apply
    documents: list[int] = []

    def counting(self: KeywordIndex, given: Iterator[TermBatch], **more: object) -> None:
        def each() -> Iterator[TermBatch]:
            for batch in given:
                documents.extend(batch.rows.docnos.tolist())
                yield batch

        whole(self, each(), **more)  # type: ignore[arg-type]

    KeywordIndex.apply = counting  # type: ignore[assignment, method-assign]
    try:
        yield documents
    finally:
        KeywordIndex.apply = whole  # type: ignore[method-assign]


def test_one_event_more_or_less_in_a_long_session_is_all_that_is_indexed(world: World) -> None:
    ids = world.events(f"pool timeout {n}" for n in range(2_000))
    world.update()
    with counted() as documents:
        world.events(["one more about the invoice"])
        world.update()
        assert len(documents) == 1
        world.forget(ids[1_500])
        world.update()
        assert len(documents) == 1  # nothing is put in, one is taken out
    assert world.index.verify() == []
    assert world.found("invoice")[0].startswith("one more")


def test_the_cost_of_a_session_grows_with_its_length(new_world: Callable[[], World]) -> None:
    def cost_s(n: int) -> float:
        world = new_world()
        world.index = world.open(vectors=False)
        world.events(f"pool timeout {n}" for n in range(n))
        start = time.process_time()
        world.update()
        return time.process_time() - start

    cost_s(200)
    small, large = cost_s(500), cost_s(4_000)
    assert large < 8 * small * 3  # 64 times as much if it were quadratic


def test_the_texts_are_not_all_in_memory_at_once(new_world: Callable[[], World]) -> None:
    text = "pool timeout " * 2_000  # 26 kB, few terms

    def peak(n: int) -> int:
        world = new_world()
        for number in range(n):
            world.note(f"notes/{number}.md", f"needle{number} {text}")
        tracemalloc.start()
        try:
            world.open(vectors=False).update(now_ns=time.time_ns())
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(220) - peak(20) < 200 * len(text) / 2


# Damage


def parts_of_the_index(world: World) -> list[str]:
    folder = world.root / "index"
    found = [p for p in folder.rglob("*") if p.is_file()]
    return sorted(p.relative_to(folder).as_posix() for p in found if "LOCK" not in p.name)


@LEAVES_FILES_OPEN
@pytest.mark.parametrize("damage", ["emptied", "cut in half", "noise", "gone"])
def test_any_damage_to_the_index_is_mended_by_itself(world: World, damage: str) -> None:
    filled(world)
    world.update()
    whole = world.answers()
    shutil.copytree(world.root / "index", world.root / "whole")
    n_mended = 0
    for name in parts_of_the_index(world):
        target = world.root / "index" / name
        if damage == "gone":
            target.unlink()
        else:
            target.write_bytes(DAMAGES[damage](target.read_bytes()))
        world.index = world.open()
        remarks = list(world.update().remarks)
        searcher, answer = world.search(QUERIES[0])
        remarks += searcher.remarks
        assert [(h.row.id, round(h.score, 6)) for h in answer.hits] == [
            (entry_id, score) for entry_id, _, score in whole[0]
        ][:10], name
        assert world.answers() == whole, name
        assert world.index.verify() == [], name
        n_mended += bool(remarks)
        shutil.rmtree(world.root / "index")
        shutil.copytree(world.root / "whole", world.root / "index")
    assert n_mended >= 8


def test_without_an_index_there_is_one_error(world: World) -> None:
    filled(world)
    for ask in (world.index.verify, world.index.read_catalog):
        with pytest.raises(NoIndexError, match="run `mem index`"):
            ask()
    assert not world.index.folder.exists()


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_the_index_is_for_its_owner_alone(world: World) -> None:
    filled(world)
    folder = world.index.folder

    def mode() -> int:
        return folder.stat().st_mode & 0o777

    before = os.umask(0)
    try:
        world.update()
        assert mode() == 0o700
        folder.chmod(0o755)  # as older versions made it
        world.update(later_s=1)
    finally:
        os.umask(before)
    assert mode() == 0o700


def test_a_link_in_place_of_the_index_is_not_followed(world: World, tmp_path: Path) -> None:
    filled(world)
    theirs = tmp_path / "theirs"
    (theirs / "faiss").mkdir(parents=True)
    (theirs / "faiss/source.py").write_text("precious", "utf-8")
    world.index.folder.symlink_to(theirs)
    with pytest.raises(CannotCreateError, match="symbolic link"):
        world.update()
    world.index.folder.unlink()
    world.index.folder.mkdir()
    (world.index.folder / "faiss").symlink_to(theirs / "faiss")
    world.update()
    world.check_against_a_rebuild()
    assert (theirs / "faiss/source.py").read_text("utf-8") == "precious"
    assert os.listdir(theirs) == ["faiss"]


class Bomb:
    """A pickle of it makes a folder when it is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self._path),)


def plant(folder: Path, bomb: Bomb) -> None:
    """Let the newest state of the Whoosh index in *folder* be a pickle of *bomb*."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from whoosh.fields import Schema
        from whoosh.filedb.filestore import FileStorage
        from whoosh.index import TOC
    newest = TOC._latest_generation(FileStorage(str(folder)), "terms")
    TOC(Schema(), bomb, newest + 1).write(FileStorage(str(folder)), "terms")


@LEAVES_FILES_OPEN
def test_an_index_that_came_with_the_journal_is_never_opened(world: World, tmp_path: Path) -> None:
    filled(world)
    world.update(later_s=1)  # somebody else's machine: their journal tracks index/
    whoosh, exploded = world.root / "index/whoosh", tmp_path / "exploded"
    plant(whoosh, Bomb(exploded))
    ours = world.open(machine="our machine", lock_timeout_s=0.1)
    for open_ in (ours.open_keyword, ours.open_vectors, ours.verify):
        with pytest.raises(IndexDamagedError, match="made elsewhere"):
            open_()
    with files.locked(ours.folder / "writer.lock", timeout_s=1):
        with pytest.raises(LockedError):
            ours.update(now_ns=time.time_ns())
        with pytest.raises(LockedError):
            world.search("pool timeout", ours)  # as after an update that failed
    assert not exploded.exists()

    report = ours.update(now_ns=time.time_ns())
    assert report.remarks == [
        f"the {target} index was missing or made in another way; it was rebuilt"
        for target in ("keyword", "vector")
    ]
    assert world.ask("pool timeout", ours).hits
    assert ours.verify() == []
    assert not exploded.exists()

    plant(whoosh, Bomb(exploded))  # so that it cannot test nothing: our own would be opened
    with contextlib.suppress(IndexDamagedError):
        ours.open_keyword()
    assert exploded.exists()


@LEAVES_FILES_OPEN
def test_a_search_beside_a_foreign_index_rebuilds_it_unread(world: World, tmp_path: Path) -> None:
    filled(world)
    world.update(later_s=1)
    plant(world.root / "index/whoosh", Bomb(tmp_path / "exploded"))
    searcher, answer = world.search("pool timeout", world.open(machine="our machine"))
    assert len(searcher.remarks) == 2
    assert answer.hits and answer.used_vector
    assert not (tmp_path / "exploded").exists()


def test_an_index_cannot_be_made_without_a_token(world: World) -> None:
    with pytest.raises(ValueError, match="token"):
        world.open(machine="")


READ = (
    OPTIONS
    + """
from pathlib import Path
from memjournal.indexer.index import JournalIndex
from memjournal.journal.errors import MemjournalError
root = Path(sys.argv[1])
index = JournalIndex(root, root / "index", OPTIONS)
(row,) = index.read_catalog().by_path(sys.argv[3])
for act in (index.read, index.line_of):
    try:
        print(type(act(row)).__name__)
    except MemjournalError as error:
        print(error.exit_code, error)
"""
)


@pytest.mark.skipif(os.name == "nt", reason="modes stop nobody there")
def test_a_file_that_may_not_be_read_is_said_to_be_so(world: World) -> None:
    prefix: list[str] = []
    if os.geteuid() == 0:
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if (
            shutil.which("setpriv") is None
            or subprocess.run([*prefix, "true"], check=False).returncode
        ):
            pytest.skip("root cannot give up its rights here")
    path = world.memory("refund", "환불")
    world.update()
    (world.root / path).chmod(0)
    command = [*prefix, sys.executable, "-W", "ignore", "-c", READ, world.root, "-", path]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    refused = f"74 {world.root / path}: permission denied; check owner and mode"
    assert done.stdout.splitlines() == [refused, refused]
    (world.root / path).unlink()
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.splitlines() == ["NoneType", f"66 {world.root / path}: no such file"]


def test_verify_names_what_is_wrong(world: World) -> None:
    path = world.memory("refund", "환불")
    world.note("notes/a.md", "pool")
    world.update()
    with contextlib.closing(Catalog(world.index.catalog_path, write=True)) as catalog:
        (row,) = catalog.by_path(path)
    world.index.open_keyword().apply([], replaced=[row.docno])
    vectors = world.index.open_vectors()
    assert vectors is not None
    vectors.apply([], replaced=[row.docno])
    vectors.save()
    world.note("notes/a.md", "a pool")
    (world.root / "notes/b.md").write_text("new", "utf-8")
    assert world.index.verify() == [
        "notes/a.md: differs from the index",
        "notes/b.md: differs from the index",
        "keyword index: other entries than in the catalog",
        f"vector index: mem:{row.id} is missing",
    ]


def test_what_cannot_be_indexed_is_tried_a_few_times_and_then_named(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.memory("refund", "환불")
    monkeypatch.setattr(deriving, "read_place", lambda *_: None)
    for attempts in range(1, MAX_ATTEMPTS + 1):
        world.update()
        with contextlib.closing(Catalog(world.index.catalog_path, write=True)) as catalog:
            assert catalog.outbox.count("keyword") == (attempts < MAX_ATTEMPTS)
    with world.catalog() as catalog:
        assert {target for target, _, _ in catalog.quarantined()} == {"keyword", "vector"}
    monkeypatch.undo()
    assert world.index.verify() != []
    path = world.root / world.paths("memories")[0]
    path.write_text(path.read_text("utf-8") + "more\n", "utf-8")  # a change is a new chance
    world.update()
    world.check_against_a_rebuild()


# Models


def test_another_model_embeds_everything_anew(world: World, tmp_path: Path) -> None:
    filled(world)
    world.update()
    other = world.open(model=str(make_model(tmp_path / "other", seed=1)))
    report = other.update(now_ns=time.time_ns())
    assert report.remarks == ["the vector index was missing or made in another way; it was rebuilt"]
    assert other.verify() == []
    world.index, world.options = other, other.options
    world.check_against_a_rebuild()


def test_a_model_replaced_under_its_name_embeds_everything_anew(
    world: World, tmp_path: Path
) -> None:
    folder = make_model(tmp_path / "mine")
    world.index = world.open(model=str(folder))
    filled(world)
    world.update()
    make_model(folder, seed=1)
    world.index = world.open(model=str(folder))
    searcher, answer = world.search("pool timeout")
    embedder = world.index.embedder()
    assert embedder is not None
    fingerprint = embedder.fingerprint
    assert searcher.remarks == [
        f"the vector index cannot be read ({fingerprint}.vectors is missing); it was rebuilt"
    ]
    assert answer.used_vector
    assert world.index.verify() == []


@pytest.mark.parametrize("how", ["gone", "cut", "noise", "no tokenizer", "other tokenizer", "off"])
def test_without_a_model_search_answers_by_keyword_and_says_why(
    world: World, how: str, tmp_path: Path
) -> None:
    filled(world)
    world.update(later_s=1)
    folder = make_model(tmp_path / "broken")
    table = folder / "model.safetensors"
    match how:
        case "gone":
            shutil.rmtree(folder)
        case "cut":
            table.write_bytes(table.read_bytes()[:-100])
        case "noise":
            table.write_bytes(DAMAGES["noise"](table.read_bytes()))
        case "no tokenizer":
            (folder / "tokenizer.json").unlink()
        case "other tokenizer":
            text = (folder / "tokenizer.json").read_text("utf-8")
            grown = text.replace(
                '"[UNK]": 0,', '"[UNK]": 0,' + "".join(f'"x{n}": {n + 900},' for n in range(900))
            )
            assert grown != text
            (folder / "tokenizer.json").write_text(grown, "utf-8")
    world.index = world.open(model=str(folder), vectors=how != "off")
    report = world.update(later_s=1)
    for by in ("hybrid", "vector"):
        answer = world.ask("pool timeout", by=by)
        assert answer.hits and answer.fallback_applied
        assert (answer.used_keyword, answer.used_vector) == (True, False)
        assert answer.no_vectors
    assert report.no_vectors or how != "off"
    before = tree(world.root)
    world.update()
    assert tree(world.root) == before  # what cannot be done is no work


WITHOUT_FAISS = (
    OPTIONS
    + """
import time
sys.modules["faiss"] = None
from datetime import UTC, datetime
from pathlib import Path
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.search.searcher import Searcher
root = Path(sys.argv[1])
index = JournalIndex(root, root / "index", OPTIONS)
index.update(now_ns=time.time_ns())
answer = Searcher(index, index.read_catalog()).search(
    SearchRequest(text="pool timeout", now=datetime.now(UTC))
)
print(len(answer.hits), answer.used_keyword, answer.used_vector, answer.no_vectors, index.verify())
"""
)


def test_without_faiss_search_answers_by_keyword_and_says_why(world: World) -> None:
    filled(world)
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_FAISS, world.root, world.options.model]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.startswith("10 True False the package faiss-cpu is not installed")
    assert done.stdout.rstrip().endswith("[]")
    world.update()  # once it is installed, only the vectors are missing
    world.check_against_a_rebuild()


# Processes


INDEXER = (
    OPTIONS
    + """
import time
from pathlib import Path
from memjournal.indexer.index import JournalIndex
root = Path(sys.argv[1])
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    index = JournalIndex(root, root / "index", OPTIONS)
    report = index.update(
        now_ns=time.time_ns(), progress=lambda *_: print("at work", flush=True)
    )
    for remark in report.remarks:
        print(remark, file=sys.stderr)
"""
)
SEARCHER = (
    OPTIONS
    + """
import time
from datetime import UTC, datetime
from pathlib import Path
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.search.searcher import Searcher
root = Path(sys.argv[1])
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    index = JournalIndex(root, root / "index", OPTIONS)
    searcher = Searcher(index, index.read_catalog())
    answer = searcher.search(SearchRequest(text="pool timeout", now=datetime.now(UTC)))
    assert answer.hits and answer.used_vector and not searcher.remarks, searcher.remarks
    searcher.close()
"""
)


def process(world: World, code: str, n: int) -> subprocess.Popen[str]:
    arguments = [str(world.root), world.options.model, str(n)]
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_killed_at_any_moment_the_next_update_makes_it_whole(world: World) -> None:
    rng = random.Random(9)
    filled(world, 30)
    n_at_work = 0
    for number in range(20):
        world.memory(f"killed {number}", " ".join(rng.choices(ENGLISH + KOREAN, k=40)))
        (world.root / rng.choice(world.paths("memories"))).unlink()
        if number % 4 == 0:
            shutil.rmtree(world.root / "index", ignore_errors=True)
        with process(world, INDEXER, 1) as indexer:
            assert indexer.stdout is not None
            indexer.stdout.readline()
            time.sleep(rng.uniform(0, 0.25))
            indexer.send_signal(signal.SIGKILL)
            n_at_work += "at work" in indexer.stdout.read()
            assert indexer.stderr is not None
            assert "Traceback" not in indexer.stderr.read()  # remarks may be there
        if number % 3 == 2:
            world.index = world.open()
            world.update()
            assert world.index.verify() == []
    world.index = world.open()
    world.update()
    world.check_against_a_rebuild()
    assert n_at_work >= 5  # else it was never killed in the middle of anything


def test_processes_that_index_and_search_at_once_do_not_disturb_each_other(world: World) -> None:
    filled(world, 30)
    world.update()
    writers = [process(world, INDEXER, 8) for _ in range(2)]
    reader = process(world, SEARCHER, 15)
    everybody = [*writers, reader]
    for one in everybody:
        assert one.stdout is not None
        one.stdout.readline()
    number = 0
    while any(one.poll() is None for one in writers) and number < 200:
        world.memory(f"meanwhile {number}", "order refund 주문 환불")
        number += 1
    for one in everybody:
        _, error = one.communicate(timeout=120)
        assert (one.returncode, error[-1500:]) == (0, "")
    world.update()
    world.check_against_a_rebuild()


def test_a_lock_that_is_held_is_an_error_in_time(world: World) -> None:
    world.memory("refund", "환불")
    index = world.open(lock_timeout_s=0.2)
    with files.locked(index.folder / "writer.lock", timeout_s=1):
        start = time.monotonic()
        with pytest.raises(LockedError):
            index.update(now_ns=time.time_ns())
        assert 0.2 <= time.monotonic() - start < 5
        with pytest.raises(LockedError):
            index.update(now_ns=time.time_ns(), wait=False)
    assert index.update(now_ns=time.time_ns()).change.n_added == 1


def test_a_catalog_that_is_busy_is_not_taken_for_damaged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(world)
    world.update()
    monkeypatch.setattr("memjournal.indexer.catalog.database._BUSY_S", 0.1)
    world.memory("one", "more")
    with (
        contextlib.closing(Catalog(world.index.catalog_path, write=True)) as catalog,
        catalog.transaction(),
        pytest.raises(LockedError),
    ):
        world.update()
    assert world.update().remarks == []
    world.check_against_a_rebuild()


def test_progress_counts_up_to_all(world: World) -> None:
    filled(world)
    steps: list[tuple[str, int, int]] = []
    world.index.update(now_ns=time.time_ns(), progress=lambda *step: steps.append(step))
    for what in ("files", "keyword", "vector"):
        done = [(n, n_all) for name, n, n_all in steps if name == what]
        assert done and done[-1][0] == done[-1][1]
        assert done == sorted(done)


def test_batches_do_not_change_what_is_indexed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(world, 30)
    monkeypatch.setattr(reconcile, "_FILES_PER_TRANSACTION", 7)
    for name in ("KEYWORD_BATCH", "VECTOR_BATCH", "_TASK"):
        monkeypatch.setattr(following, name, 7)
    world.update()
    monkeypatch.undo()
    world.check_against_a_rebuild()
