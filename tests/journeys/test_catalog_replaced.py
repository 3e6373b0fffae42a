"""Whatever stands in the catalog's place, every command ends, and mends it or says how to mend it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ..odd_places import a_folder, a_pipe
from .conftest import World, new_world

POOL = "커넥션 풀이 고갈되었다"


def an_empty_file(place: Path) -> None:
    place.touch()


def another_database(place: Path) -> None:
    with contextlib.closing(sqlite3.connect(place)) as other, other:
        other.execute("CREATE TABLE songs (title TEXT)")


def a_link_to_nowhere(place: Path) -> None:
    place.symlink_to("/nowhere/at/all.sqlite")


def a_link_to_itself(place: Path) -> None:
    place.symlink_to(place.name)


REPLACEMENTS: list[Callable[[Path], None]] = [
    a_pipe,
    a_folder,
    an_empty_file,
    another_database,
    a_link_to_nowhere,
    a_link_to_itself,
]


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A journal with a note in it; tests get copies."""
    made = new_world(tmp_path_factory.mktemp("noted") / "집 home")
    made.ok("init", "--no-git")
    made.ok("add", POOL)
    return made


@pytest.fixture
def catalog(world: World, noted: World) -> Path:
    """Where the catalog was."""
    shutil.copytree(noted.home, world.home, dirs_exist_ok=True)
    place = world.journal / "index" / "catalog.sqlite"
    place.unlink()
    return place


@pytest.mark.parametrize("replace", REPLACEMENTS, ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    "command",
    [("search", "커넥션 풀"), ("add", "pool: 열 개로 늘렸다")],
    ids=lambda command: command[0],
)
def test_a_command_that_may_write_mends_it(
    world: World, catalog: Path, replace: Callable[[Path], None], command: tuple[str, ...]
) -> None:
    replace(catalog)
    world.ok(*command)
    assert catalog.is_file() and not catalog.is_symlink()
    assert POOL in world.ok("search", "커넥션 풀").out
    assert "agrees" in world.ok("index", "--verify").out


def state_of(place: Path) -> tuple[int, ...]:
    found = os.lstat(place)
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


@pytest.mark.parametrize("replace", REPLACEMENTS, ids=lambda one: one.__name__)
def test_a_command_that_only_looks_says_what_is_wrong_and_changes_nothing(
    world: World, catalog: Path, replace: Callable[[Path], None]
) -> None:
    replace(catalog)
    before = state_of(catalog)
    said = world.ok("status").out
    (line,) = [line for line in said.splitlines() if line.startswith("index")]
    assert "cannot be read" in line
    (line,) = [line for line in world.mem("doctor").out.splitlines() if "  index:" in line]
    assert line.startswith("wrong") and "mem index --rebuild" in line
    ran = world.mem("index", "--verify")
    assert (ran.code, ran.out) == (74, "")
    assert "cannot be read" in ran.err
    assert state_of(catalog) == before
    world.ok("index", "--rebuild")
    assert "agrees" in world.ok("index", "--verify").out


@pytest.mark.parametrize("target", ["none yet", "an empty file", "a database"])
def test_nothing_is_written_where_a_link_in_its_place_leads(
    world: World, catalog: Path, target: str
) -> None:
    """A journal that came from elsewhere may bring such a link along."""
    outside = world.home / "바깥.sqlite"
    if target == "an empty file":
        outside.touch()
    elif target == "a database":
        another_database(outside)
    before = outside.read_bytes() if outside.exists() else None
    catalog.symlink_to(outside)
    for command in (("status",), ("search", "커넥션 풀"), ("add", "새 기록"), ("index",)):
        world.ok(*command)
    assert (outside.read_bytes() if outside.exists() else None) == before
    assert POOL in world.ok("search", "커넥션 풀").out
