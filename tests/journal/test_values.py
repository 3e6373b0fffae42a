"""`values.dataclass` makes what `dataclasses.dataclass` makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any, ClassVar

import pytest

from memjournal.journal import values
from memjournal.journal.entry import Edge


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

    @module.dataclass(frozen=True, slots=True)
    class Placed:
        """Whose fields are given by place."""

        first: int
        second: str = ""

    @module.dataclass
    class Open:
        """That can be changed, and hold anything."""

        names: list[object] = module.field(default_factory=list)
        count: int = module.field(default=0, init=False)

        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)

    return Base, Below, Placed, Open


def make_shared(module: Any) -> object:
    @module.dataclass
    class Shared:
        names: list[str] = []  # noqa: RUF012  # that is what is refused

    return Shared


def make_shared_field(module: Any) -> object:
    @module.dataclass
    class Shared:
        names: list[str] = module.field(default=[])

    return Shared


def make_out_of_order(module: Any) -> object:
    @module.dataclass
    class OutOfOrder:
        size: int = 3
        name: str

    return OutOfOrder


def make_half_frozen(module: Any) -> object:
    @module.dataclass(frozen=True)
    class Frozen:
        name: str

    @module.dataclass
    class Below(Frozen):
        size: int

    return Below


def make_half_open(module: Any) -> object:
    @module.dataclass
    class Open:
        name: str

    @module.dataclass(frozen=True)
    class Below(Open):
        size: int

    return Below


@pytest.fixture(params=[dataclasses, values], ids=["dataclasses", "values"])
def module(request: pytest.FixtureRequest) -> Any:
    """Every test holds for both."""
    return request.param


@pytest.fixture
def classes(module: Any) -> tuple[Any, Any, Any, Any]:
    return make(module)


def test_values_are_made_compared_and_shown(classes: tuple[Any, Any, Any, Any]) -> None:
    base, below, placed, _ = classes
    assert base(name="a") == base(name="a", size=3)
    assert base(name="a") != base(name="b")
    assert base(name="a") != below(name="a")
    assert hash(base(name="a")) == hash(base(name="a"))
    assert repr(placed(1)).endswith("Placed(first=1, second='')")
    assert repr(below(name="a")).endswith("Below(name='a', size=3, tags={})")
    assert below(name="a").tags is not below(name="a").tags
    assert below.known == 7
    assert placed.__match_args__ == ("first", "second")
    assert below.__match_args__ == ()
    with pytest.raises(TypeError, match="unhashable"):
        hash(classes[3]())


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (make_shared, ValueError),
        (make_shared_field, ValueError),
        (make_out_of_order, TypeError),
        (make_half_frozen, TypeError),
        (make_half_open, TypeError),
    ],
)
def test_a_class_that_cannot_be_is_refused_as_it_is_made(
    module: Any, wrong: Callable[[Any], object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        wrong(module)


def test_the_two_sorts_do_not_mix() -> None:
    @dataclasses.dataclass
    class Base:
        name: str

    with pytest.raises(TypeError, match="made with `dataclasses`"):

        @values.dataclass
        class Below(Base):
            size: int


def test_what_holds_itself_can_be_shown(classes: tuple[Any, Any, Any, Any]) -> None:
    value = classes[3]()
    value.names.append(value)
    assert repr(value).endswith("Open(names=[...], count=0)")


def test_wrong_arguments_are_refused(classes: tuple[Any, Any, Any, Any]) -> None:
    base, below, placed, opened = classes
    for wrong in (
        lambda: base("a"),
        lambda: base(),
        lambda: base(name="a", more=1),
        lambda: placed(1, "", 2),
        lambda: opened(count=3),
    ):
        for _ in range(3):  # the second one compiles
            with pytest.raises(TypeError):
                wrong()
    with pytest.raises(ValueError, match="negative"):
        below(name="a", size=-1)


def test_the_first_value_is_made_as_all_others_are(module: Any) -> None:
    for make_one in (
        lambda base, *_: base(name="a"),
        lambda base, *_: base(size=4, name="a"),
        lambda _, below, *__: below(tags={"x": 1}, name="a"),
        lambda _, __, placed, *___: placed(1, "b"),
        lambda _, __, placed, *___: placed(1, second="b"),
        lambda *all_: all_[3]([1]),
    ):
        classes = make(module)
        first, second, third = (make_one(*classes) for _ in range(3))
        assert repr(first) == repr(second) == repr(third)
        assert first == second == third


def test_what_is_not_given_has_its_default_in_a_slot_too(module: Any) -> None:
    @module.dataclass(slots=True)
    class Counted:
        names: list[str] = module.field(default_factory=list, init=False)
        count: int = module.field(default=7, init=False)

    for _ in range(3):
        assert (Counted().names, Counted().count) == ([], 7)


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
    base, below, placed, opened = classes
    assert all(map(dataclasses.is_dataclass, classes))
    assert [one.name for one in dataclasses.fields(below)] == ["name", "size", "tags"]
    assert [one.type for one in dataclasses.fields(base)] == ["str", "int"]
    assert [one.init for one in dataclasses.fields(opened)] == [True, False]
    assert dataclasses.asdict(below(name="a")) == {"name": "a", "size": 3, "tags": {}}
    assert dataclasses.replace(placed(1), second="b") == placed(1, "b")
    assert values.replace(placed(1), second="b") == placed(1, "b")
    assert values.replace(below(name="a"), size=4) == below(name="a", size=4)


def test_they_travel_between_processes() -> None:
    edge = Edge("supersedes", "mem:a7Bc3x")
    assert pickle.loads(pickle.dumps(edge)) == edge
    assert copy.copy(edge) == copy.deepcopy(edge) == edge
