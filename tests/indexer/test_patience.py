"""Another process that writes the index is waited for while it gets on, and given up when it does not."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memjournal.indexer import parts, patience
from memjournal.indexer.patience import Patience
from memjournal.indexer.upkeep.report import UpdateReport
from memjournal.journal.errors import LockedError

from .filled import filled
from .programs import program
from .world import World

QUIET_S = 2.0  # a process that is at work may be halted for a moment on a busy machine
HELD_S = 1.5 * QUIET_S
WAITING = "waiting for another process that is writing the index"
GETS_ON = """
index = open_index()
with index.locked():
    print("held", flush=True)
    end = time.monotonic() + float(sys.argv[3])
    catalog = index.write_catalog()
    while time.monotonic() < end:
        with catalog.transaction():
            time.sleep(0.02)
    catalog.close()
"""
STANDS_STILL = """
with open_index().locked():
    print("held", flush=True)
    sys.stdin.read()
"""


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "자물쇠"
    path.touch()
    os.utime(path, ns=(0, 0))
    return path


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes seconds for people takes none here."""
    monkeypatch.setattr(patience, "SAY_AFTER_S", 0.0)
    monkeypatch.setattr(parts, "LOOK_S", 0.01)


@contextlib.contextmanager
def held(world: World, code: str, *arguments: str) -> Iterator[None]:
    """Another process has the lock, until it is done or this is over."""
    with subprocess.Popen(
        program(world, code, *arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        yield
        holder.communicate(timeout=60)
        assert holder.returncode == 0


def test_what_is_touched_again_and_again_is_waited_for_as_long_as_it_takes(lock: Path) -> None:
    clock, said = Clock(), list[str]()
    asked = Patience(lock, quiet_s=10, say=said.append, clock=clock)
    for number in range(1, 50):
        clock.now += 9.9
        os.utime(lock, ns=(number, number))
        assert asked.is_left()
    assert said == [WAITING]
    clock.now += 9.9
    assert asked.is_left()
    clock.now += 0.2
    assert not asked.is_left()


def test_a_lock_that_is_made_anew_counts_as_touched(lock: Path) -> None:
    clock = Clock()
    asked = Patience(lock, quiet_s=10, say=str, clock=clock)
    clock.now = 11
    assert not asked.is_left()
    lock.unlink()
    lock.touch()
    assert asked.is_left()


def test_a_short_wait_is_not_said(lock: Path) -> None:
    clock, said = Clock(), list[str]()
    asked = Patience(lock, quiet_s=60, say=said.append, clock=clock)
    clock.now = 2.9
    assert asked.is_left() and said == []
    clock.now = 3.0
    assert asked.is_left() and said == [WAITING]


def test_whoever_writes_touches_the_lock_with_each_report(world: World) -> None:
    filled(world)
    lock, touched = world.index.folder / "writer.lock", list[bool]()

    def look(*_: object) -> None:
        touched.append(lock.stat().st_mtime_ns != 0)
        os.utime(lock, ns=(0, 0))

    world.index.update(now_ns=time.time_ns(), progress=look)
    n_updating = len(touched)
    world.index.rebuild(now_ns=time.time_ns(), progress=look)
    n_rebuilding = len(touched)
    world.index.rebuild_part("vector", progress=look)
    assert 0 < n_updating < n_rebuilding < len(touched)
    assert all(touched)


def test_whoever_writes_touches_the_lock_with_each_transaction(world: World) -> None:
    filled(world)
    world.update()
    index, lock = world.index, world.index.folder / "writer.lock"
    with index.locked(), contextlib.closing(index.write_catalog()) as catalog:
        os.utime(lock, ns=(0, 0))
        with pytest.raises(ValueError, match="undone"), catalog.transaction():
            raise ValueError("undone")
        assert lock.stat().st_mtime_ns == 0
        with catalog.transaction():
            pass
        assert lock.stat().st_mtime_ns != 0
    os.utime(lock, ns=(0, 0))
    index.show_progress()  # it has no lock any more
    assert lock.stat().st_mtime_ns == 0
    with index.locked():  # whoever was handed it has just got on
        assert lock.stat().st_mtime_ns != 0


def test_who_gets_on_is_waited_for_longer_than_a_lock_is_and_it_is_said_once(
    world: World, hurried: None
) -> None:
    filled(world)
    world.update()
    world.memory("pool", "the pool that is new")
    index, said = world.open(lock_timeout_s=QUIET_S), list[str]()
    with held(world, GETS_ON, str(HELD_S)):
        report = index.update(now_ns=time.time_ns(), say=said.append)
    assert report.change.n_added == 1
    assert said == [WAITING]


def test_who_does_not_get_on_is_given_up(world: World, hurried: None) -> None:
    filled(world)
    world.update()
    world.memory("pool", "the pool that is new")
    index = world.open(lock_timeout_s=0.1)
    calls: list[Callable[[], UpdateReport]] = [
        lambda: index.update(now_ns=time.time_ns(), say=str),
        lambda: index.rebuild(now_ns=time.time_ns(), say=str),
    ]
    named = "writer.lock: another process keeps it and has not got on for 0.1 s; end that process"
    with held(world, STANDS_STILL):
        for call in calls:
            with pytest.raises(LockedError, match=named):
                call()
