"""Any number of processes index and search at once, and any of them may die."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import time

import pytest

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.journal import files
from memjournal.journal.errors import LockedError

from .crashing import Crashing
from .filled import filled
from .programs import program
from .world import ENGLISH, KOREAN, World

INDEXER = """
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    for remark in open_index().update(now_ns=time.time_ns()).remarks:
        print(remark, file=sys.stderr)
"""
SEARCHER = """
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.search.searcher import Searcher
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    index = open_index()
    searcher = Searcher(index, index.read_catalog())
    answer = searcher.search(SearchRequest(text="pool timeout", now=datetime.now(UTC)))
    assert answer.hits and answer.used_vector and not searcher.remarks, searcher.remarks
    searcher.close()
"""


def process(world: World, code: str, n: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        program(world, code, str(n)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="no fork, no SIGKILL")
def test_killed_again_and_again_the_next_update_makes_it_whole(world: World) -> None:
    """As in ``test_equivalence``, but on what several deaths have left, one upon the other."""
    rng = random.Random(9)
    filled(world, 30)
    n_killed = 0
    with Crashing() as crashing:
        first = crashing.run("update", world.root, world.options, now_ns=time.time_ns())
        n_points = len(first.met)
        for number in range(20):
            world.memory(f"killed {number}", " ".join(rng.choices(ENGLISH + KOREAN, k=40)))
            (world.root / rng.choice(world.paths("memories"))).unlink()
            if number % 4 == 0:
                shutil.rmtree(world.root / "index")
            outcome = crashing.run(
                *("update", world.root, world.options),
                now_ns=time.time_ns(),
                kill_at=rng.randint(1, n_points),
            )
            assert outcome.error == ""
            n_killed += outcome.is_killed
            if number % 3 == 2:
                world.index = world.open()
                world.update()
                assert world.index.verify() == []
    world.index = world.open()
    world.update()
    world.check_against_a_rebuild()
    assert n_killed >= 10  # so that it cannot test nothing


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


def test_a_lock_that_is_held_is_waited_for_and_then_an_error(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.memory("refund", "환불")
    tries: list[bool] = []
    whole = files._try_lock

    def counting(fd: int) -> bool:
        tries.append(whole(fd))
        return tries[-1]

    index = world.open(lock_timeout_s=0.2)
    with files.locked(index.folder / "writer.lock", timeout_s=1):
        monkeypatch.setattr(files, "_try_lock", counting)
        with pytest.raises(LockedError, match=r"for 0\.2 s; try again"):
            index.update(now_ns=time.time_ns())
        assert len(tries) > 1 and not any(tries)
        tries.clear()
        with pytest.raises(LockedError, match="for 0 s"):
            index.update(now_ns=time.time_ns(), wait=False)
        assert tries == [False]
    assert index.update(now_ns=time.time_ns()).change.n_added == 1


def test_a_lock_that_is_given_back_meanwhile_is_taken(world: World) -> None:
    world.memory("refund", "환불")
    with process(world, INDEXER, 1) as indexer:
        with files.locked(world.index.folder / "writer.lock", timeout_s=60):
            assert indexer.stdout is not None
            indexer.stdout.readline()
            assert indexer.poll() is None
        _, error = indexer.communicate(timeout=120)
        assert (indexer.returncode, error) == (0, "")
    assert world.index.verify() == []


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
