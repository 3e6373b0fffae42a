"""Dataclasses that are made in a hundredth of the time, for the values that a hook needs.

`dataclasses` loads `inspect` (7 ms) and then compiles up to nine functions for each class (0.4 ms); a hook needs
some forty classes, and has 30 ms. Here the classes share their methods, and their ``__init__`` is compiled
when the second value is made. Of what `dataclasses` can do it has what is used, and that is as there, for type checkers
and for `dataclasses` itself: ``fields``, ``replace`` and ``is_dataclass`` take them for its own. A test holds the
two to each other.
"""

from __future__ import annotations

from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass, field

__all__ = ["dataclass", "field", "replace"]

T = TypeVar("T")
_MISSING: Any = object()
_FIELDS = "__value_fields__"
_FROZEN = "__value_frozen__"


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

    def dataclass(cls=None, /, *, frozen=False, slots=False, kw_only=False):
        """As `dataclasses.dataclass`, with what is used of it."""

        def make(cls):
            return _make(cls, frozen=frozen, slots=slots, kw_only=kw_only)

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


def _make(cls: type, *, frozen: bool, slots: bool, kw_only: bool) -> Any:
    _check_bases(cls, frozen=frozen)
    known = _fields_of(cls, kw_only=kw_only)
    members = _shared(frozen=frozen, slots=slots) | {
        name: value for name, value in vars(cls).items() if not isinstance(value, _Field)
    }
    members[_FIELDS] = known
    members[_FROZEN] = frozen
    members["__value_getter__"] = staticmethod(_getter(tuple(known)))
    members["__match_args__"] = tuple(
        name for name, one in known.items() if one.init and not one.kw_only
    )
    for name in ("__dataclass_fields__", "__dataclass_params__"):
        members[name] = _AsDataclass(name)
    made: Any = _with_slots(cls, members) if slots else _changed(cls, members)
    if "__init__" not in vars(cls):
        made.__init__ = _late_init(made)
    return made


def _check_bases(cls: type, *, frozen: bool) -> None:
    """What is frozen and what is not do not inherit from each other, nor do the two sorts of dataclasses.

    Raises:
        TypeError: *cls* would: one of the two would not be what it says.
    """
    for base in cls.__mro__[1:]:
        if vars(base).get(_FROZEN, frozen) is not frozen:
            raise TypeError(f"{cls.__name__} and {base.__name__}: one is frozen and one is not")
        if "__dataclass_fields__" in vars(base) and _FIELDS not in vars(base):
            raise TypeError(
                f"{base.__name__} is made with `dataclasses`: make {cls.__name__} so too"
            )


def _shared(*, frozen: bool, slots: bool) -> dict[str, Any]:
    """The methods that all classes of a sort have, if they do not bring their own."""
    shared: dict[str, Any] = {"__repr__": _repr, "__eq__": _eq, "__hash__": None}
    if frozen:
        shared |= {
            "__hash__": _hash,
            "__setattr__": _refuse_setting,
            "__delattr__": _refuse_deleting,
        }
        if slots:
            shared |= {"__getstate__": _values, "__setstate__": _restore}
    return {**shared, "__replace__": replace}


def _with_slots(cls: type, members: dict[str, Any]) -> type:
    """*cls* once more: slots are laid out when a class is made."""
    known, own = members[_FIELDS], _annotations(cls)
    above = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    for name in (*known, "__dict__", "__weakref__"):
        members.pop(name, None)
    members["__slots__"] = tuple(name for name in known if name in own and name not in above)
    return type(cls)(cls.__name__, cls.__bases__, members)


def _changed(cls: type, members: dict[str, Any]) -> type:
    for name, value in members.items():
        if name not in ("__dict__", "__weakref__"):
            setattr(cls, name, value)
    return cls


def _fields_of(cls: type, *, kw_only: bool) -> dict[str, _Field]:
    known: dict[str, _Field] = {}
    for base in cls.__mro__[-1:0:-1]:
        known |= vars(base).get(_FIELDS, {})
    for name, annotation in _annotations(cls).items():
        if annotation.startswith("ClassVar"):
            continue
        given = cls.__dict__.get(name, _MISSING)
        one = given if isinstance(given, _Field) else _Field(given, _MISSING, True)
        if one.default.__class__.__hash__ is None:
            raise ValueError(f"{cls.__name__}.{name}: one default for all; use default_factory")
        one.kw_only, one.annotation = kw_only, annotation
        known[name] = one
        if one.default is not _MISSING:
            setattr(cls, name, one.default)
        elif isinstance(given, _Field):
            delattr(cls, name)
    _check_order(known)
    return known


def _check_order(known: dict[str, _Field]) -> None:
    usual = ""
    for name, one in known.items():
        if one.kw_only or not one.init:
            continue
        if one.default is not _MISSING or one.factory is not _MISSING:
            usual = usual or name
        elif usual:
            raise TypeError(f"{name!r} has no default and follows {usual!r}, which has one")


def _annotations(cls: type) -> dict[str, str]:
    """Those of *cls* itself; every module of ours has them as text."""
    own: dict[str, str] = vars(cls).get("__annotations__", {})
    return own


def _late_init(cls: Any) -> Any:
    """Makes the first value by hand, in a tenth of the time: of most classes a hook makes one."""

    def first(self: Any, *args: Any, **named: Any) -> None:
        cls.__init__ = second
        if not _set_all(cls, self, args, named):
            second(self, *args, **named)  # which says what is wrong

    def second(self: Any, *args: Any, **named: Any) -> None:
        cls.__init__ = _compile_init(cls)
        cls.__init__(self, *args, **named)

    return first


def _set_all(cls: Any, self: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Set the fields of *self*; False if the arguments are not those of *cls*."""
    given = dict(zip(cls.__match_args__, args, strict=False))
    if len(args) > len(given) or given.keys() & named.keys():
        return False
    given |= named
    for name, one in getattr(cls, _FIELDS).items():
        if one.init and name in given:
            value = given.pop(name)
        elif one.factory is not _MISSING:
            value = one.factory()
        elif one.default is not _MISSING:
            value = one.default
        elif one.init:
            return False
        else:
            continue
        object.__setattr__(self, name, value)
    if not given and hasattr(cls, "__post_init__"):
        self.__post_init__()
    return not given


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
            value = name if one.init else f"_usual_{name}"
        if one.init:
            usual = "" if one.default is _MISSING else f"=_usual_{name}"
            usual = usual if one.factory is _MISSING else "=_missing"
            (named if one.kw_only else places).append(name + usual)
        elif one.factory is _MISSING and one.default is _MISSING:
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
    init.__annotations__["return"] = None  # pyright: ignore[reportArgumentType]
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


@recursive_repr()  # a value may hold itself
def _repr(self: Any) -> str:
    pairs = ", ".join(f"{name}={getattr(self, name)!r}" for name in getattr(type(self), _FIELDS))
    return f"{type(self).__qualname__}({pairs})"


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return self.__value_getter__(self) == self.__value_getter__(other)


def _hash(self: Any) -> int:
    return hash(self.__value_getter__(self))


def _refuse_setting(self: Any, name: str, value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _AsDataclass:
    """What `dataclasses` looks for in a class under *name*, made by itself when it does."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, value: object, owner: Any) -> object:
        from dataclasses import field, make_dataclass

        fields: list[tuple[str, Any, Any]] = []
        for name, one in getattr(owner, _FIELDS).items():
            given: dict[str, Any] = {"init": one.init, "kw_only": one.kw_only}
            if one.default is not _MISSING:
                given["default"] = one.default
            if one.factory is not _MISSING:
                given["default_factory"] = one.factory
            fields.append((name, one.annotation, field(**given)))
        same = make_dataclass(owner.__name__, fields, frozen=getattr(owner, _FROZEN))
        made = getattr(same, self._name)
        setattr(next(one for one in owner.__mro__ if _FIELDS in vars(one)), self._name, made)
        return made
