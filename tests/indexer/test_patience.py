"""Another process that writes the index is waited for while it gets on, and given up when it does not."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from memjournal.indexer import parts, patience
from memjournal.indexer.patience import Patience
from memjournal.indexer.upkeep.report import UpdateReport
from memjournal.journal import files
from memjournal.journal.errors import LockedError

from ..waiting import wait_until
from .filled import filled
from .world import World

QUIET_S = 1.0


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes seconds for people takes none here."""
    monkeypatch.setattr(patience, "SAY_AFTER_S", 0.0)
    monkeypatch.setattr(parts, "LOOK_S", 0.01)


def holding(
    world: World, get_on: Callable[[], object], *, until: threading.Event
) -> threading.Thread:
    """Somebody who has the lock, and gets on with it, until then."""
    held = threading.Event()

    def hold() -> None:
        with files.locked(world.index.folder / "writer.lock", timeout_s=60):
            held.set()
            while not until.wait(0.01):
                get_on()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    return thread


@pytest.mark.parametrize("what", ["catalog.sqlite-journal", "whoosh/piece", "faiss/base"])
def test_who_gets_on_is_waited_for_longer_than_a_lock_is_and_it_is_said_once(
    world: World, hurried: None, what: str
) -> None:
    filled(world)
    world.update()
    world.memory("pool", "the pool that is new")
    index = world.open(lock_timeout_s=QUIET_S)
    said: list[str] = []
    done = threading.Event()
    until_s = time.monotonic() + 2 * QUIET_S
    place = index.folder / what

    def get_on() -> None:
        place.unlink() if place.exists() else place.touch()
        if time.monotonic() > until_s:
            place.unlink(missing_ok=True)
            done.set()

    thread = holding(world, get_on, until=done)
    report = index.update(now_ns=time.time_ns(), say=said.append)
    thread.join()
    assert report.change.n_added == 1
    assert said == ["waiting for another process that is writing the index"]


def test_who_does_not_get_on_is_given_up(world: World, hurried: None) -> None:
    filled(world)
    world.update()
    world.memory("pool", "the pool that is new")
    index = world.open(lock_timeout_s=0.1)
    done = threading.Event()
    thread = holding(world, lambda: None, until=done)
    calls: list[Callable[[], UpdateReport]] = [
        lambda: index.update(now_ns=time.time_ns(), say=str),
        lambda: index.rebuild(now_ns=time.time_ns(), say=str),
    ]
    try:
        for call in calls:
            with pytest.raises(LockedError, match="writer.lock: another process has been writing"):
                call()
    finally:
        done.set()
        thread.join()


def test_a_short_wait_is_not_said(world: World) -> None:
    filled(world)
    world.update()
    said: list[str] = []
    asked = Patience(world.index.folder, quiet_s=60, say=said.append)
    assert asked.is_left()
    assert said == []


def test_what_changes_starts_the_wait_anew(world: World) -> None:
    filled(world)
    world.update()
    asked = Patience(world.index.folder, quiet_s=0.2, say=str)
    wait_until(lambda: not asked.is_left())
    (world.index.folder / "whoosh" / "new").touch()
    assert asked.is_left()
    wait_until(lambda: not asked.is_left())
