"""Files of the keyword index that are cut or spoilt under a daemon: it answers rightly, and lives on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .daemons import started, status

if TYPE_CHECKING:
    from .conftest import World

QUESTIONS = (
    "커넥션 풀 고갈",
    "why did the webhook retry",
    "쿠키",
    "maximumPoolSize",
    "재시도 정책",
)


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def spoilt(path: Path) -> None:
    with open(path, "r+b") as stream:
        stream.write(os.urandom(path.stat().st_size))


def damaged(world: World, end: str, damage: Callable[[Path], None]) -> None:
    """Damage all files of the keyword index that end so; there are some."""
    paths = list((world.journal / "index" / "whoosh").glob(f"*{end}"))
    assert paths
    for path in paths:
        damage(path)


def answers(world: World) -> list[str]:
    return [world.ok("search", "--json", "--by", "keyword", text).out for text in QUESTIONS]


@pytest.mark.parametrize("damage", [cut_in_half, emptied, spoilt], ids=lambda one: one.__name__)
def test_postings_that_are_cut_short_under_a_daemon_are_rebuilt_by_the_next_search(
    home: World, damage: Callable[[Path], None]
) -> None:
    expected = answers(home)
    pid = started(home)
    damaged(home, ".pst", damage)
    ran = home.ok("search", "--json", "--by", "keyword", QUESTIONS[0])
    assert ran.out == expected[0]
    (said,) = ran.err.splitlines()
    assert "the keyword index" in said and "rebuilt" in said
    assert answers(home) == expected
    assert home.ok("search", QUESTIONS[0]).err == ""
    assert status(home)["pid"] == pid
    assert "agrees" in home.ok("index", "--verify").out


@pytest.mark.parametrize("end", [".trm", ".docnos.col", ".toc", "stamp"])
def test_whatever_else_is_cut_short_under_a_daemon_what_is_saved_then_is_found(
    home: World, end: str
) -> None:
    """What is in memory already may be answered from; what is written next needs the files."""
    expected = answers(home)
    pid = started(home)
    damaged(home, end, cut_in_half)
    assert answers(home) == expected
    (home.journal / "notes" / "새 메모.md").write_text("# 얼룩말\n\n줄무늬\n", "utf-8")
    assert "notes/새 메모.md" in home.ok("search", "--json", "얼룩말").out
    found = [home.ok("search", "--ids", "--by", "keyword", text).out for text in QUESTIONS]
    assert status(home)["pid"] == pid
    home.ok("daemon", "stop")
    assert [home.ok("search", "--ids", "--by", "keyword", text).out for text in QUESTIONS] == found
    assert "agrees" in home.ok("index", "--verify").out
