"""`values.dataclass` makes what `dataclasses.dataclass` makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar

import pytest

from memjournal.journal import values
from memjournal.journal.entry import Edge, Entry, EntryId
from memjournal.journal.event import SessionHeader


def make(module: Any) -> tuple[Any, Any, Any, Any]:
    """The same four classes, made by either module."""

    @module.dataclass(frozen=True, slots=True, kw_only=True)
    class Base:
        """With nothing but names."""

        name: str
        size: int = 3

    @module.dataclass(frozen=True, slots=True, kw_only=True)
    class Below(Base):
        """With fields of its own, and a check."""

        known: ClassVar[int] = 7
        tags: dict[str, int] = module.field(default_factory=dict)

        def __post_init__(self) -> None:
            if self.size < 0:
                raise ValueError("negative")

    @module.dataclass(frozen=True, slots=True, order=True)
    class Ordered:
        """That can be sorted."""

        first: int
        second: str = ""

    @module.dataclass
    class Open:
        """That can be changed."""

        names: list[str] = module.field(default_factory=list)
        count: int = module.field(default=0, init=False)

    return Base, Below, Ordered, Open


@pytest.fixture(params=[dataclasses, values], ids=["dataclasses", "values"])
def classes(request: pytest.FixtureRequest) -> tuple[Any, Any, Any, Any]:
    """Every test holds for both."""
    return make(request.param)


def test_values_are_made_compared_and_shown(classes: tuple[Any, Any, Any, Any]) -> None:
    base, below, ordered, _ = classes
    assert base(name="a") == base(name="a", size=3)
    assert base(name="a") != base(name="b")
    assert base(name="a") != below(name="a")
    assert hash(base(name="a")) == hash(base(name="a"))
    assert repr(ordered(1)).endswith("Ordered(first=1, second='')")
    assert repr(below(name="a")).endswith("Below(name='a', size=3, tags={})")
    assert below(name="a").tags is not below(name="a").tags
    assert below.known == 7
    assert min(ordered(2), ordered(1, "b"), ordered(1, "a")) == ordered(1, "a")
    assert ordered(1) <= ordered(1) < ordered(2)
    assert ordered(2) >= ordered(2) > ordered(1)
    assert ordered.__match_args__ == ("first", "second")
    assert below.__match_args__ == ()
    with pytest.raises(TypeError):
        assert ordered(1) < 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(classes[3]())


def test_wrong_arguments_are_refused(classes: tuple[Any, Any, Any, Any]) -> None:
    base, below, ordered, opened = classes
    for wrong in (
        lambda: base("a"),
        lambda: base(),
        lambda: base(name="a", more=1),
        lambda: ordered(1, "", 2),
        lambda: opened(count=3),
    ):
        for _ in range(2):  # the first one compiles
            with pytest.raises(TypeError):
                wrong()
    with pytest.raises(ValueError, match="negative"):
        below(name="a", size=-1)


def test_what_is_frozen_cannot_be_changed(classes: tuple[Any, Any, Any, Any]) -> None:
    base, _, _, opened = classes
    value = base(name="a")
    with pytest.raises(FrozenInstanceError):
        value.name = "b"
    with pytest.raises(FrozenInstanceError):
        del value.name
    assert not hasattr(value, "__dict__")
    changed = opened()
    changed.count = 5
    assert changed.count == 5


def test_dataclasses_takes_them_for_its_own(classes: tuple[Any, Any, Any, Any]) -> None:
    base, below, ordered, opened = classes
    assert all(map(dataclasses.is_dataclass, classes))
    assert [one.name for one in dataclasses.fields(below)] == ["name", "size", "tags"]
    assert [one.type for one in dataclasses.fields(base)] == ["str", "int"]
    assert [one.init for one in dataclasses.fields(opened)] == [True, False]
    assert dataclasses.asdict(below(name="a")) == {"name": "a", "size": 3, "tags": {}}
    assert dataclasses.replace(ordered(1), second="b") == ordered(1, "b")
    assert values.replace(ordered(1), second="b") == ordered(1, "b")
    assert values.replace(below(name="a"), size=4) == below(name="a", size=4)


def test_they_travel_between_processes() -> None:
    edge = Edge("supersedes", "mem:a7Bc3x")
    assert pickle.loads(pickle.dumps(edge)) == edge
    assert copy.copy(edge) == copy.deepcopy(edge) == edge


def test_the_types_of_the_journal_are_made_with_it() -> None:
    for kind in (Edge, Entry, SessionHeader):
        assert hasattr(kind, "__value_fields__")
    assert EntryId("a7Bc3x") == "a7Bc3x"
