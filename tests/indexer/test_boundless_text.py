"""However long a heading, a word or a question is, it is answered, and costs what a long one may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memjournal.indexer.keywords.snapshot import Snapshot
from memjournal.indexer.search.asked_dates import take_period

from .test_living import alive
from .world import NOW, World

HEADING_CHARS = 200_000
WORD_LETTERS = 20_000
REPEATS = 10_000


@pytest.fixture
def long_world(world: World) -> World:
    """Notes as programs and pasted text make them, and ordinary ones beside them."""
    for number in range(20):
        world.note(f"notes/{number}.md", f"# pool timeout {number}\n\n커넥션 풀 고갈 {number}\n")
    world.note("notes/heading.md", f"# {'커넥션 pool ' * (HEADING_CHARS // 9)}얼룩말\n\n오소리\n")
    world.note("notes/제목.md", f"# {'가나다라마바사' * (HEADING_CHARS // 7)}\n\n두루미\n")
    world.note("notes/word.md", f"# word\n\n{'x' * WORD_LETTERS} zebra\n")
    world.note("notes/낱말.md", f"# 낱말\n\n{'긴' * WORD_LETTERS} 코끼리\n")
    return world


def first(world: World, text: str, **more: Any) -> str:
    hits = world.ask(text, **more).hits
    return hits[0].row.path if hits else ""


def test_what_stands_beside_a_boundless_heading_or_word_is_found(long_world: World) -> None:
    report = long_world.update()
    assert report.remarks == [] and report.failures == []
    assert first(long_world, "오소리", by="keyword") == "notes/heading.md"
    assert first(long_world, "두루미", by="keyword") == "notes/제목.md"
    assert first(long_world, "zebra", by="keyword") == "notes/word.md"
    assert first(long_world, "코끼리", by="keyword") == "notes/낱말.md"
    assert first(long_world, "얼룩말", by="keyword") == "notes/heading.md"
    with long_world.catalog() as catalog:
        assert catalog.quarantined() == []
    long_world.check_against_a_rebuild(["pool timeout", "오소리", "zebra", "커넥션 풀 고갈"])


def test_a_boundless_note_is_no_hindrance_while_the_index_lives(long_world: World) -> None:
    with alive(long_world) as living:
        assert living.finds("오소리", "notes/heading.md")
        long_world.note("notes/heading.md", f"# {'풀 ' * HEADING_CHARS}\n\n너구리\n")
        assert living.finds("너구리", "notes/heading.md")
        assert living.loses("오소리")
        assert living.titles("timeout", patience_s=0)


@pytest.mark.parametrize("letter", ["x", "긴", "界", "0", "-", "\U0001f600"])
def test_a_word_without_end_is_a_question_like_any_other(long_world: World, letter: str) -> None:
    long_world.update()
    for length in (100, WORD_LETTERS, 10 * WORD_LETTERS):
        long_world.ask(letter * length)
        long_world.ask(f"커넥션 {letter * length} pool timeout")
    if letter in "x긴":
        wanted = "notes/word.md" if letter == "x" else "notes/낱말.md"
        assert first(long_world, letter * WORD_LETTERS, by="keyword") == wanted


@pytest.mark.parametrize("words", ["last week ", "지난주 ", "3일 전 ", "2026-11-01 ", "since "])
def test_a_time_that_is_said_ten_thousand_times_is_no_time_and_is_answered(
    long_world: World, words: str
) -> None:
    long_world.update()
    assert take_period(words * REPEATS, now=NOW) is None
    answer = long_world.ask(f"{words * 3} pool timeout")
    assert answer.hits
    answer = long_world.ask(f"{words * REPEATS} pool timeout")
    assert answer.period is None


class Lookups:
    """How often the vocabulary was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.n = 0
        whole = Snapshot.n_containing

        def counting(snapshot: Snapshot, term: str) -> int:
            self.n += 1
            return whole(snapshot, term)

        monkeypatch.setattr(Snapshot, "n_containing", counting)

    def of(self, world: World, text: str) -> int:
        before = self.n
        world.ask(text, by="keyword")
        return self.n - before


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lookups]:
    yield Lookups(monkeypatch)


@pytest.mark.parametrize(
    "word", ["지난주", "week", "없는말뭉치", "serach", "채ㅡㅡㅑㅅ", "zjaltdmf"]
)
def test_a_word_that_is_asked_again_and_again_is_looked_up_once(
    long_world: World, lookups: Lookups, word: str
) -> None:
    long_world.update()
    once = lookups.of(long_world, f"{word} pool")
    assert once
    assert lookups.of(long_world, f"{word} " * 300 + "pool") <= 2 * once + 10
