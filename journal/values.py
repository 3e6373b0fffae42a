"""Dataclasses that are made in a hundredth of the time, for the values that a hook needs.

`dataclasses` loads `inspect` (7 ms) and then compiles up to nine functions for each class (0.4 ms); a hook needs
some forty classes, and has 30 ms. Here the classes share their methods, and their ``__init__`` is compiled
when the first one is made. Everything else is as there, for type checkers and for `dataclasses` itself:
``fields``, ``replace`` and ``is_dataclass`` take them for its own; a test holds the two to each other.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass, field

__all__ = ["dataclass", "field", "replace"]

T = TypeVar("T")
_MISSING: Any = object()
_FIELDS = "__value_fields__"


class _Field:
    """What is known of one field."""

    __slots__ = ("annotation", "default", "factory", "init", "kw_only")

    def __init__(self, default: object, factory: object, init: bool) -> None:
        self.default, self.factory, self.init = default, factory, init
        self.kw_only, self.annotation = False, ""


if not TYPE_CHECKING:

    def field(*, default=_MISSING, default_factory=_MISSING, init=True):
        """As `dataclasses.field`, with what is used of it."""
        return _Field(default, default_factory, init)

    def dataclass(cls=None, /, *, frozen=False, slots=False, kw_only=False, order=False):
        """As `dataclasses.dataclass`, with what is used of it."""

        def make(cls):
            return _make(cls, frozen=frozen, slots=slots, kw_only=kw_only, order=order)

        return make if cls is None else make(cls)


def replace(value: T, /, **changes: Any) -> T:
    """A copy of *value*, a dataclass of either sort, with these fields changed."""
    known: dict[str, _Field] | None = getattr(type(value), _FIELDS, None)
    if known is None:
        from dataclasses import replace as replace_in_dataclass

        return replace_in_dataclass(value, **changes)  # type: ignore[type-var]  # or it raises
    for name, one in known.items():
        if one.init and name not in changes:
            changes[name] = getattr(value, name)
    return type(value)(**changes)


def _make(cls: type, *, frozen: bool, slots: bool, kw_only: bool, order: bool) -> type:
    known = _fields_of(cls, kw_only=kw_only)
    members = {
        name: value
        for name, value in vars(cls).items()
        if name not in ("__dict__", "__weakref__") and not isinstance(value, _Field)
    }
    own = _annotations(cls)
    if slots:
        above = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
        for name in known:
            members.pop(name, None)
        members["__slots__"] = tuple(name for name in known if name in own and name not in above)
    shared: dict[str, Any] = {"__repr__": _repr, "__eq__": _eq, "__hash__": None}
    if frozen:
        shared |= {
            "__hash__": _hash,
            "__setattr__": _refuse_setting,
            "__delattr__": _refuse_deleting,
        }
        if slots:
            shared |= {"__getstate__": _values, "__setstate__": _restore}
    if order:
        shared |= {"__lt__": _lt, "__le__": _le, "__gt__": _gt, "__ge__": _ge}
    members = {**shared, "__replace__": replace, **members}
    members[_FIELDS] = known
    members["__value_getter__"] = staticmethod(_getter(tuple(known)))
    members["__value_frozen__"] = frozen
    members["__match_args__"] = tuple(
        name for name, one in known.items() if one.init and not one.kw_only
    )
    members["__dataclass_fields__"] = _AsDataclass(_dataclass_fields)
    members["__dataclass_params__"] = _AsDataclass(_dataclass_params)
    made = type(cls)(cls.__name__, cls.__bases__, members)
    if "__init__" not in vars(cls):
        made.__init__ = _late_init(made)  # type: ignore[misc]  # that is the point of it
    return made


def _fields_of(cls: type, *, kw_only: bool) -> dict[str, _Field]:
    known: dict[str, _Field] = {}
    for base in cls.__mro__[-1:0:-1]:
        known |= vars(base).get(_FIELDS, {})
    for name, annotation in _annotations(cls).items():
        if annotation.startswith("ClassVar"):
            continue
        given = cls.__dict__.get(name, _MISSING)
        one = given if isinstance(given, _Field) else _Field(given, _MISSING, True)
        one.kw_only, one.annotation = kw_only, annotation
        known[name] = one
        if isinstance(given, _Field) and given.default is not _MISSING:
            setattr(cls, name, given.default)
    return known


def _annotations(cls: type) -> dict[str, str]:
    """Those of *cls* itself; every module of ours has them as text."""
    own: dict[str, str] = vars(cls).get("__annotations__", {})
    return own


def _late_init(cls: Any) -> Any:
    def __init__(self: Any, *args: Any, **named: Any) -> None:
        cls.__init__ = _compile_init(cls)
        cls.__init__(self, *args, **named)

    return __init__


def _compile_init(cls: Any) -> Any:
    known: dict[str, _Field] = getattr(cls, _FIELDS)
    scope: dict[str, Any] = {"_missing": _MISSING, "_set": object.__setattr__}
    places: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for name, one in known.items():
        value = name
        if one.factory is not _MISSING:
            scope[f"_make_{name}"] = one.factory
            value = f"_make_{name}()" + (f" if {name} is _missing else {name}" if one.init else "")
        elif one.default is not _MISSING:
            scope[f"_usual_{name}"] = one.default
        if one.init:
            usual = "" if one.default is _MISSING else f"=_usual_{name}"
            usual = usual if one.factory is _MISSING else "=_missing"
            (named if one.kw_only else places).append(name + usual)
        elif one.factory is _MISSING:
            continue
        lines.append(f" _set(self,{name!r},{value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    given = ",".join(("self", *places, *(("*", *named) if named else ())))
    source = f"def __init__({given}):\n" + ("\n".join(lines) or " pass")
    exec(source, scope)  # noqa: S102  # of names of fields alone, as `dataclasses` does
    init = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {name: one.annotation for name, one in known.items() if one.init}
    init.__annotations__["return"] = None
    init.__module__ = cls.__module__
    return init


def _getter(names: tuple[str, ...]) -> Any:
    """What gives the values of *names* as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _values(self: Any) -> Any:
    return self.__value_getter__(self)


def _restore(self: Any, values: tuple[object, ...]) -> None:
    for name, value in zip(getattr(type(self), _FIELDS), values, strict=True):
        object.__setattr__(self, name, value)


def _repr(self: Any) -> str:
    pairs = ", ".join(f"{name}={getattr(self, name)!r}" for name in getattr(type(self), _FIELDS))
    return f"{type(self).__qualname__}({pairs})"


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__value_getter__(self) == self.__value_getter__(other)


def _hash(self: Any) -> int:
    return hash(self.__value_getter__(self))


def _lt(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__value_getter__(self) < self.__value_getter__(other)


def _le(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__value_getter__(self) <= self.__value_getter__(other)


def _gt(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__value_getter__(self) > self.__value_getter__(other)


def _ge(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__value_getter__(self) >= self.__value_getter__(other)


def _refuse_setting(self: Any, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _AsDataclass:
    """What `dataclasses` looks for in a class, made when it does."""

    def __init__(self, make: Any) -> None:
        self._make = make

    def __get__(self, value: object, owner: Any) -> object:
        return self._make(owner)


def _dataclass_fields(owner: Any) -> dict[str, object]:
    import dataclasses

    made: dict[str, object] = {}
    for name, one in getattr(owner, _FIELDS).items():
        given: dict[str, Any] = {"init": one.init, "kw_only": one.kw_only}
        if one.default is not _MISSING:
            given["default"] = one.default
        if one.factory is not _MISSING:
            given["default_factory"] = one.factory
        field: Any = dataclasses.field(**given)
        field.name, field.type = name, one.annotation
        field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]  # how it knows them
        made[name] = field
    return made


def _dataclass_params(owner: Any) -> object:
    from types import SimpleNamespace

    return SimpleNamespace(frozen=owner.__value_frozen__)
