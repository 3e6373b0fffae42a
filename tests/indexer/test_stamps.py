"""An index that does not fit is rebuilt, and whoever rebuilds it says what is different."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.index import JournalIndex
from memjournal.indexer.stamps import make_stamp, stamp_fault

from .filled import filled
from .world import World

RECIPE = {"format": "3", "embedding.model": "/home/민지/모델 a/b", "index.chunk_tokens": "320"}
VALUES = st.text(max_size=12)


def fault(stamp: str, machine: str = "ours", **changed: str) -> str:
    changes = {name.replace("__", "."): value for name, value in changed.items()}
    return stamp_fault(stamp, recipe=RECIPE | changes, machine=machine)


def test_a_stamp_tells_what_is_different() -> None:
    stamp = make_stamp(RECIPE, "model-1", machine="ours")
    assert fault(stamp) == ""
    assert fault("") == "was missing or incomplete"
    assert fault(stamp, "theirs") == "was made on another machine or with another state folder"
    assert fault(stamp, format="4") == "was made by another version of memjournal"
    assert fault(stamp, format="4", embedding__model="x") == fault(stamp, format="4")
    assert fault(stamp, new="1") == "was made by another version of memjournal"
    assert fault(stamp, embedding__model="x") == "was made with other settings: embedding.model"
    both = fault(stamp, embedding__model="x", index__chunk_tokens="9")
    assert both == "was made with other settings: embedding.model, index.chunk_tokens"


@given(VALUES, VALUES, VALUES, VALUES)
def test_only_what_is_the_same_passes_for_it(a: str, b: str, c: str, d: str) -> None:
    stamp = make_stamp({"one.a": a, "two.b": b}, "-", machine="ours")
    now = {"one.a": c, "two.b": d}
    assert (stamp_fault(stamp, recipe=now, machine="ours") == "") == ((a, b) == (c, d))


@given(st.text(max_size=200))
def test_whatever_stands_in_a_stamp_is_not_ours(text: str) -> None:
    assert fault(text)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"chunk_tokens": 100}, "was made with other settings: index.chunk_tokens"),
        ({"machine": "another state"}, "was made on another machine or with another state folder"),
    ],
)
def test_who_rebuild_it_in_turns_are_told_what_differs(
    world: World, other: dict[str, Any], reason: str
) -> None:
    filled(world)
    world.update(later_s=1)

    def told(index: JournalIndex) -> list[str]:
        remarks = index.update(now_ns=time.time_ns()).remarks
        return [one for one in remarks if one.startswith("the vector index")]

    for _ in range(2):
        assert told(world.open(**other)) == [f"the vector index {reason}; it was rebuilt"]
        assert told(world.open()) == [f"the vector index {reason}; it was rebuilt"]
    assert told(world.open()) == []


def test_a_copy_from_before_is_named_as_such(world: World) -> None:
    filled(world)
    world.update()
    stamp = world.index.folder / "whoosh" / "stamp"
    before = stamp.read_bytes()
    world.index.rebuild(now_ns=time.time_ns())
    stamp.write_bytes(before)
    (remark,) = world.index.update(now_ns=time.time_ns()).remarks
    assert remark == "the keyword index was not the one that the catalog knows of; it was rebuilt"
