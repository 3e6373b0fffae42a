"""Work on the indexes: noted with the change, tried a few times, and never lost or doubled."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.outbox import MAX_ENDINGS, Outbox

from .world import World

DIES_AT_POISON = """
import os, sys, time
from pathlib import Path
from memjournal.indexer.text import analysis
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.options import IndexOptions

whole = analysis.document_terms
def document_terms(text):
    if "poison" in text:
        os.kill(os.getpid(), 9)
    return whole(text)
analysis.document_terms = document_terms

root, model = Path(sys.argv[1]), sys.argv[2]
options = IndexOptions(vectors=True, model=model, chunk_tokens=320, chunk_overlap_tokens=40,
                       machine="this machine", lock_timeout_s=60)
JournalIndex(root, root / "index", options).update(now_ns=time.time_ns())
"""


@pytest.fixture
def outbox() -> Iterator[Outbox]:
    catalog = Catalog.in_memory()
    yield catalog.outbox
    catalog.close()


def index_in_a_child(world: World) -> int:
    """Bring the index up to date in a process that dies at a word; its exit code."""
    command = [sys.executable, "-c", DIES_AT_POISON, str(world.root), world.options.model]
    return subprocess.run(command, check=False, timeout=120).returncode


@pytest.mark.parametrize("n_others", [0, 40])
def test_an_entry_that_brings_the_process_down_is_found_and_left_alone(
    world: World, n_others: int
) -> None:
    for number in range(n_others):
        world.memory(f"pool {number}", "timeout 커넥션")
    world.memory("the poison", "cookie 쿠키")
    runs = 0
    while index_in_a_child(world) != 0:
        runs += 1
        assert runs < 20
    with world.catalog() as catalog:
        given_up = [(target, row.title) for target, row, _ in catalog.quarantined()]
        assert given_up == [("keyword", "the poison")]
    assert len(world.ask("pool", limit=100, by="keyword").hits) == n_others
    assert runs >= MAX_ENDINGS

    (path,) = (p for p in world.paths("memories") if "poison" in p)
    (world.root / path).write_text(
        (world.root / path).read_text("utf-8").replace("poison", "medicine"), "utf-8"
    )
    world.update(later_s=5)  # an edit gives it a fresh start
    assert "the medicine" in world.found("medicine", by="keyword")
    world.check_against_a_rebuild()


def test_a_batch_that_was_left_is_taken_in_smaller_ones(outbox: Outbox) -> None:
    outbox.note(list(range(1, 1001)))
    sizes = []
    while True:
        taken = outbox.waiting("keyword", limit=10_000)
        sizes.append(len(taken))
        if len(taken) == 1:
            break
        outbox.begin("keyword", taken)
        outbox.recover()
    assert sizes == [1000, 62, 3, 1]
    assert outbox.count("keyword") == 1000  # nothing was given up on the way


def test_one_that_is_left_alone_again_and_again_is_quarantined(outbox: Outbox) -> None:
    outbox.note([7])
    for attempt in range(1, MAX_ENDINGS + 1):
        assert outbox.waiting("keyword", limit=10) == [7]
        outbox.begin("keyword", [7])
        assert outbox.has_left()
        outbox.recover()
        assert not outbox.has_left()
        assert len(outbox.given_up()) == (attempt == MAX_ENDINGS)
    assert outbox.waiting("keyword", limit=10) == []
    assert outbox.counts()["keyword"]["quarantined"] == 1
    outbox.note([7])  # it changed
    assert outbox.waiting("keyword", limit=10) == [7]
    assert outbox.given_up() == []


def test_noting_twice_is_noting_once(outbox: Outbox) -> None:
    outbox.note([1, 2])
    outbox.note([2, 3])
    assert outbox.waiting("vector", limit=10) == [1, 2, 3]
    assert outbox.counts()["vector"]["pending"] == 3


def test_what_was_put_back_counts_as_no_attempt(outbox: Outbox) -> None:
    outbox.note([1, 2])
    for _ in range(5):
        outbox.begin("vector", [1])
        outbox.put_back("vector")
        outbox.recover()
    assert outbox.counts()["vector"] == {
        "pending": 2, "processing": 0, "failed": 0, "quarantined": 0,
    }  # fmt: skip


STEPS = st.lists(
    st.tuples(st.sampled_from(["note", "begin", "settle", "fail", "recover"]), st.integers(1, 6)),
    max_size=30,
)


@given(STEPS)
def test_no_work_is_lost_or_doubled(steps: list[tuple[str, int]]) -> None:
    catalog = Catalog.in_memory()
    outbox = catalog.outbox
    noted: set[int] = set()
    for step, docno in steps:
        match step:
            case "note":
                outbox.note([docno])
                noted.add(docno)
            case "begin":
                outbox.begin("keyword", outbox.waiting("keyword", limit=docno))
            case "settle":
                outbox.settle("keyword", [docno])
                noted.discard(docno)
            case "fail":
                outbox.fail("keyword", docno, "no")
            case _:
                outbox.recover()
        given_up = {failure.docno for failure in outbox.given_up()}
        assert sum(outbox.counts()["keyword"].values()) == len(noted)
        assert outbox.count("keyword") == len(noted - given_up)
    catalog.close()


def test_a_folder_in_the_files_place_fails_and_is_tried_again(world: World, tmp_path: Path) -> None:
    path = world.note("notes/a.md", "pool timeout")
    world.update(later_s=5)
    path.write_text("pool timeout edited", "utf-8")
    text = path.read_bytes()
    path.unlink()
    path.mkdir()
    world.update(later_s=5)
    path.rmdir()
    path.write_bytes(text)
    world.update(later_s=5)
    world.check_against_a_rebuild(("edited",))
