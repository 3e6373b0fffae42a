"""What a search is to be without is left out before anything is ranked, by both legs and on the wire."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memjournal.indexer.catalog.entry_filter import EntryFilter
from memjournal.indexer.daemon.wire import decode, encode
from memjournal.indexer.search.answer import Answer, Mode

from .world import World, make_model, pick


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The same words said in two sessions, printed by a tool, and set down."""
    world = World(tmp_path / "journal", make_model(tmp_path / "model"))
    for session in ("s1", "s10"):
        world.events(["pool timeout"], session=session, type_="user_prompt")
        world.events(["pool timeout leak"], session=session, type_="assistant_response")
        world.events(["pool timeout timeout"], session=session, type_="tool_output")
    world.memory("pool timeout", type="decision")
    world.memory("session cookie", type="lesson")
    world.update()
    return world


def found(answer: Answer) -> set[tuple[str, str]]:
    return {(hit.row.session, hit.row.type) for hit in answer.hits}


@pytest.mark.parametrize("by", ["hybrid", "keyword", "vector"])
def test_both_legs_leave_it_out(world: World, by: Mode) -> None:
    wanted = pick(without_session="s1", without_types=("tool_output", "lesson"))
    answer = world.ask("pool timeout", wanted=wanted, by=by)
    assert found(answer) == {
        ("s10", "user_prompt"),
        ("s10", "assistant_response"),
        ("", "decision"),
    }
    assert answer.total == 3


def test_a_session_is_left_out_by_its_whole_id(world: World) -> None:
    answer = world.ask("pool timeout", wanted=pick(without_session="s"))
    assert {session for session, _ in found(answer)} >= {"s1", "s10"}


def test_what_is_left_out_has_no_part_in_how_sure_an_answer_is(world: World) -> None:
    """Thirty others that are as near are what a good answer does not stand out from."""
    before = world.ask("session cookie")
    for number in range(30):
        world.memory(f"session cookie {number}", type="plan")
    world.update()
    crowded = world.ask("session cookie")
    cleared = world.ask("session cookie", wanted=pick(without_types=("plan",)))
    sure = [answer.confidence for answer in (before, crowded, cleared)]
    assert sure == ["high", "suggested", "high"]
    assert [hit.row.id for hit in cleared.hits] == [hit.row.id for hit in before.hits]


def test_an_entry_that_is_named_is_left_out_too(world: World) -> None:
    (docno,) = (
        hit.row
        for hit in world.ask("pool timeout").hits
        if (hit.row.session, hit.row.type) == ("s1", "tool_output")
    )
    assert found(world.ask(f"mem:{docno.id}")) >= {("s1", "tool_output")}
    wanted = pick(without_types=("tool_output",))
    assert ("s1", "tool_output") not in found(world.ask(f"mem:{docno.id}", wanted=wanted))


def test_the_catalog_counts_without_it(world: World) -> None:
    with world.catalog() as catalog:
        everything = catalog.count(pick())
        assert catalog.count(pick(without_session="s1")) == everything - 3
        assert catalog.count(pick(without_types=("tool_output",))) == everything - 2
        assert catalog.count(pick(without_types=("tool_output",), sessions=("s10",))) == 2


def test_it_travels() -> None:
    wanted = EntryFilter(without_session="s1", without_types=("tool_output", "세션"))
    assert decode(EntryFilter, json.loads(json.dumps(encode(wanted)))) == wanted


def test_an_answer_says_what_its_words_prove(world: World) -> None:
    assert 0 < world.ask("pool timeout").certainty < 1
    assert world.ask("pool timeout", by="vector").certainty == 0
