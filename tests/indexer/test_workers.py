"""Workers return what was asked, in its order; one that is lost is replaced, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memjournal.indexer.errors import IndexDamagedError
from memjournal.indexer.upkeep import workers as workers_module
from memjournal.indexer.upkeep.workers import WorkerLostError, Workers
from memjournal.journal.errors import StorageError

from ..waiting import wait_until
from .world import World

PARENT = """
import os, sys
from memjournal.indexer.upkeep.workers import Workers
workers = Workers(2)
print(*workers.map(len, ["a"] * 6), flush=True)
print(*(process.pid for process in workers._processes), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def pair() -> Iterator[Workers]:
    made = Workers(2)
    yield made
    made.close()


def wait_until_gone(pids: list[int]) -> None:
    wait_until(lambda: not any(is_running(pid) for pid in pids))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return not Path("/proc").exists()


@pytest.mark.parametrize("count", [1, 2])
def test_results_come_in_the_order_of_the_tasks(count: int) -> None:
    workers = Workers(count)
    texts = ["x" * (number % 7) for number in range(50)]
    assert list(workers.map(len, texts)) == [len(text) for text in texts]
    workers.close()


def test_tasks_are_taken_as_they_are_needed(pair: Workers) -> None:
    taken = 0

    def tasks() -> Iterator[str]:
        nonlocal taken
        for _ in range(1000):
            taken += 1
            yield "x"

    results = pair.map(len, tasks())
    next(results)
    assert taken < 10
    results.close()  # type: ignore[attr-defined]  # a generator


def test_an_error_rises_where_the_task_came_from(pair: Workers) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(pair.map(int, ["1", "two", "3"]))
    assert list(pair.map(int, ["4", "5"])) == [4, 5]


@pytest.mark.parametrize(
    "error",
    [
        StorageError("the disk is full", where="/journal", mend="free some space"),
        IndexDamagedError("vector", "its checksum is wrong"),
    ],
)
def test_our_errors_come_through_whole(error: Exception) -> None:
    import pickle

    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


def test_a_worker_that_is_killed_is_replaced(pair: Workers) -> None:
    assert list(pair.map(len, ["a", "b"])) == [1, 1]
    for process in pair._processes:
        process.send_signal(signal.SIGKILL)
    with pytest.raises(WorkerLostError):
        for _ in range(3):
            list(pair.map(len, ["a"] * 4))
    for _ in range(3):
        try:
            assert list(pair.map(len, ["a", "bc"])) == [1, 2]
            break
        except WorkerLostError:  # the other one of the two
            continue
    else:
        pytest.fail("no new worker")


def test_workers_end_with_their_parent_even_if_it_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().split() == ["1"] * 6
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert pids
        parent.kill()
    wait_until_gone(pids)


def test_nothing_runs_after_close() -> None:
    workers = Workers(2)
    list(workers.map(len, ["a"] * 8))
    pids = [process.pid for process in workers._processes]
    workers.close()
    assert pids
    wait_until_gone(pids)


def test_an_index_made_by_several_processes_is_that_made_by_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memjournal.indexer.upkeep import following, reconcile

    monkeypatch.setattr(following, "_MANY", 1)
    monkeypatch.setattr(reconcile, "_SHARED_FROM", 1)
    started: list[object] = []
    whole = workers_module.Workers._start

    def counting(self: Workers) -> subprocess.Popen[bytes]:
        started.append(self)
        return whole(self)

    monkeypatch.setattr(workers_module.Workers, "_start", counting)
    for number in range(30):
        world.memory(f"pool {number}", "timeout 커넥션 풀 고갈 " * (number + 1))
    world.events(["session cookie", "세션 쿠키"])
    shared = world.open("shared", n_workers=2)
    shared.rebuild(now_ns=time.time_ns())
    assert started
    world.update()
    assert shared.verify() == []
    assert world.answers(shared) == world.answers()
