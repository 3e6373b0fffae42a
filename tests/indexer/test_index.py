"""An index follows its files at the least cost, and answers as one made from nothing."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
import threading
import time
import tracemalloc
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from memjournal.indexer.keywords.index import KeywordIndex
from memjournal.indexer.keywords.term_batch import TermBatch
from memjournal.indexer.upkeep import following, reconcile

from .filled import filled
from .world import QUERIES, World, tree

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


# Cost


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
    def cost(n: int) -> int:
        """The number of functions that are called for a session of so many events."""
        world = new_world()
        world.index = world.open(vectors=False)
        world.events(f"pool timeout {n}" for n in range(n))
        with counted_calls() as calls:
            world.update()
        return calls.total()

    cost(20)  # what is done once in a process
    small, large = cost(250), cost(2_000)
    assert large < 8 * small * 1.5  # 64 times as much if it were quadratic


@contextlib.contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """How many functions are called meanwhile, by kind, in threads that begin now as well."""
    calls: Counter[str] = Counter()

    def count(_frame: object, event: str, _what: object) -> None:
        calls[event] += event in ("call", "c_call")

    threading.setprofile(count)
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


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


def test_progress_counts_up_to_all(world: World) -> None:
    filled(world)
    steps: list[tuple[str, int, int]] = []
    world.index.update(now_ns=time.time_ns(), progress=lambda *step: steps.append(step))
    for what in ("files", "keyword", "vector"):
        done = [(n, n_all) for name, n, n_all in steps if name == what]
        assert done and done[-1][0] == done[-1][1]
        assert done == sorted(done)


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="every name is UTF-8 there")
def test_a_name_that_cannot_be_printed_hides_none_that_is_printed_alike(world: World) -> None:
    world.note("notes/b?.md", "quokka")
    (world.root / os.fsdecode(b"notes/b\xe9.md")).write_text("x", "utf-8")
    world.update()
    assert [hit.row.path for hit in world.ask("quokka").hits] == ["notes/b?.md"]
    (world.root / "notes/b?.md").unlink()
    report = world.index.update(now_ns=time.time_ns())
    assert [one.path for one in report.failures] == ["notes/b?.md"]
    assert "quokka" not in {hit.row.title for hit in world.ask("quokka").hits}
    assert [
        one.path for one in world.index.update(now_ns=time.time_ns()).failures
    ]  # said each time
