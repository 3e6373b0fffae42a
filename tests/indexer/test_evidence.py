"""Open indexes follow what is written, answer as freshly opened ones, and may be asked by threads."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from memjournal.indexer import rest
from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.entry_filter import EntryFilter
from memjournal.indexer.search.answer import Mode
from memjournal.indexer.search.evidence import Legs
from memjournal.indexer.text.analysis import query_terms
from memjournal.indexer.vectors import rows as vector_rows
from memjournal.indexer.vectors.index import VectorIndex

from ..waiting import wait_until
from .world import World, pick

QUESTIONS = ("pool timeout", "세션 토큰", "order page", "캐시 pool")

Gathered = list[tuple[int, float]]


def gathered(
    legs: Legs,
    text: str,
    catalog: Catalog | None = None,
    *,
    by: Mode = "hybrid",
    wanted: EntryFilter | None = None,
    then: EntryFilter | None = None,
) -> Gathered:
    found = legs.gather(
        query_terms(text),
        by=by,
        wanted=wanted or EntryFilter(),
        limit=5,
        then=then,
        catalog=catalog,
    ).relevance
    return list(zip(found.documents.tolist(), found.relevance.tolist(), strict=True))


def fill(world: World) -> None:
    for number in range(30):
        world.memory(f"pool {number}", f"timeout of the order page {number}")
        world.memory(f"세션 토큰 {number}", "캐시 서버")
    world.update()


def test_what_was_expected_is_answered_as_what_was_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_rows, "PARALLEL_ROWS", 1)
    begun: list[object] = []
    begin = VectorIndex.begin_search

    def counting(*given: Any, **more: Any) -> object:
        begun.append(given)
        return begin(*given, **more)

    monkeypatch.setattr(VectorIndex, "begin_search", counting)
    fill(world)
    some, others = EntryFilter(types=("note",)), EntryFilter(kinds=("rule",))
    world.memory("pool timeout", "캐시 토큰", kind="rule", type="convention")
    world.update()
    with world.catalog() as catalog:
        legs = Legs(world.index, catalog)
        for text in QUESTIONS:
            expected = gathered(legs, text, wanted=others)
            begun.clear()
            gathered(legs, text, wanted=some, then=others)
            assert gathered(legs, text, wanted=others) == expected
            assert len(begun) == 2, "what was expected is looked for once"
            gathered(legs, text, wanted=some, then=others)
            anew = Legs(world.index, catalog)
            assert gathered(legs, text, wanted=some) == gathered(anew, text, wanted=some)
            gathered(legs, text, wanted=some, then=others)
            path = world.memory(f"{text} once more", "pool 캐시 토큰", kind="rule", type="rule")
            world.update()
            legs.refresh()
            anew = Legs(world.index, catalog)
            assert gathered(legs, text, wanted=others) == gathered(anew, text, wanted=others)
            (world.root / path).unlink()
            world.update()
            legs.refresh()


def test_open_legs_follow_and_answer_as_those_just_opened(world: World) -> None:
    fill(world)
    with world.catalog() as catalog:
        legs = Legs(world.index, catalog)
        for text in QUESTIONS:
            gathered(legs, text)
        for number in range(5):
            path = world.memory("pool timeout", f"캐시 {number}")
            if number % 2:
                (world.root / path).unlink()
            world.update()
            legs.refresh()
            anew = Legs(world.index, catalog)
            for by in ("hybrid", "keyword", "vector"):
                for text in QUESTIONS:
                    assert gathered(legs, text, by=by) == gathered(anew, text, by=by)
            anew.close()
        legs.close()


def test_what_is_not_refreshed_answers_as_before(world: World) -> None:
    fill(world)
    with world.catalog() as catalog:
        legs = Legs(world.index, catalog)
        before = gathered(legs, "pool timeout", by="keyword")
        world.memory("pool timeout", "pool timeout")
        world.update()
        assert gathered(legs, "pool timeout", by="keyword") == before
        legs.refresh()
        assert gathered(legs, "pool timeout", by="keyword") != before


def test_a_filter_leaves_the_scores_as_they_are(world: World) -> None:
    fill(world)
    world.memory("pool", "timeout of the order page", project="github.com/acme/payments")
    world.update()
    with world.catalog() as catalog:
        legs = Legs(world.index, catalog)
        wanted = pick(projects=("github.com/acme/payments",))
        ((docno, relevance),) = gathered(legs, "pool timeout", by="keyword", wanted=wanted)
        found = legs.gather(query_terms("pool timeout"), by="keyword", wanted=wanted, limit=5)
        assert found.n_matched == 1
        everything = legs.gather(
            query_terms("pool timeout"), by="keyword", wanted=EntryFilter(), limit=100
        ).relevance
        at = int(np.flatnonzero(everything.documents == docno)[0])
        assert everything.relevance[at] == relevance


def test_threads_ask_while_the_index_is_written_and_looked_at_anew(world: World) -> None:
    fill(world)
    with world.catalog() as catalog:
        legs = Legs(world.index, catalog)
        gathered(legs, "pool timeout")

        def ask(number: int) -> bool:
            with contextlib.closing(world.index.read_catalog()) as own:
                return bool(gathered(legs, QUESTIONS[number % len(QUESTIONS)], own))

        with ThreadPoolExecutor(4) as threads:
            asked = threads.map(ask, range(60))
            for number in range(6):
                world.memory("pool timeout", f"캐시 {number}")
                world.update()
                legs.refresh()
            assert all(asked)
        anew = Legs(world.index, catalog)
        for text in QUESTIONS:
            assert gathered(legs, text) == gathered(anew, text)
        anew.close()
        legs.close()


def test_vectors_that_were_given_up_are_tried_again_after_a_rest(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(world)
    with world.catalog() as catalog:
        legs = Legs(world.index, catalog)
        before = gathered(legs, "pool timeout")
        keywords = gathered(legs, "pool timeout", by="keyword")
        legs.give_up_vectors("the disk refused")
        for _ in range(2):
            assert gathered(legs, "pool timeout") == keywords
            assert legs.no_vectors == "the disk refused"
        monkeypatch.setattr(rest, "REST_S", 0.0)
        legs.give_up_vectors("the disk refused again")
        assert legs.no_vectors == "the disk refused again"  # until it is known better
        assert gathered(legs, "pool timeout") == before != keywords
        assert legs.no_vectors == ""
        legs.close()


def test_threads_that_give_up_and_ask_at_once_are_all_answered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest, "REST_S", 0.001)
    fill(world)
    with world.catalog() as catalog:
        legs = Legs(world.index, catalog)

        def ask(number: int) -> bool:
            if number % 3 == 0:
                legs.give_up_vectors("the disk refused")
                legs.close()
            with contextlib.closing(world.index.read_catalog()) as own:
                return bool(gathered(legs, "pool timeout", own))

        with ThreadPoolExecutor(4) as threads:
            assert all(threads.map(ask, range(60)))
        wait_until(lambda: gathered(legs, "pool timeout") and not legs.no_vectors)
        legs.close()
