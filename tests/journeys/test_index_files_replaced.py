"""Whatever stands in the place of a file of the index, a search ends and answers, and nothing is left of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..odd_places import a_folder, a_pipe

if TYPE_CHECKING:
    from .conftest import World

POOL = "커넥션 풀이 고갈되었다"
LOCKS = ("writer.lock", "commit.lock", "terms_WRITELOCK")
DEADLINE_S = 60


def search(world: World) -> str:
    """What a search says; it must end."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "memjournal.cli", "search", "커넥션 풀"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=dict(world.environ),
        cwd=world.home,
        check=False,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def a_link_to_nowhere(place: Path) -> None:
    place.symlink_to("/nowhere/at/all")


def is_something_else(place: Path) -> bool:
    is_folder = place.is_dir() and place.name in ("whoosh", "faiss")
    return place.is_symlink() or not (place.is_file() or is_folder)


@pytest.mark.parametrize(
    "replace", [a_folder, a_link_to_nowhere, a_pipe], ids=lambda one: one.__name__
)
def test_a_search_is_answered_and_the_index_is_whole_again(
    world: World, replace: Callable[[Path], None]
) -> None:
    world.ok("init", "--no-git")
    world.ok("add", POOL)
    index, whole = world.journal / "index", world.home / "whole"
    shutil.copytree(index, whole)
    names = [path.relative_to(index) for path in sorted(index.rglob("*")) if path.is_file()]
    names = [name for name in names if name.name not in LOCKS]
    assert len(names) >= 8
    for name in (*names, Path("catalog.sqlite-journal")):
        (index / name).unlink(missing_ok=True)
        replace(index / name)
        assert POOL in search(world), name
        assert not any(map(is_something_else, index.rglob("*"))), name
        shutil.rmtree(index)
        shutil.copytree(whole, index)
