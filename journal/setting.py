"""One setting: what it may be, and how its value is read from TOML and from plain text.

A value that has come through ``check_value`` has the setting's type and lies in its range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Generic, Literal, Never, NoReturn, Self, TypeVar, cast, overload

from .errors import SettingsError

Value = bool | int | float | str | tuple[str, ...] | Mapping[str, str]
ValueKind = Literal["true or false", "whole number", "number", "text", "list", "table"]
T_co = TypeVar("T_co", covariant=True)

_KINDS: Final[Mapping[type, ValueKind]] = {
    bool: "true or false",
    int: "whole number",
    float: "number",
    str: "text",
    tuple: "list",
    MappingProxyType: "table",
}
_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "0"})


class Setting(Generic[T_co]):
    """One setting: its name, type, default, what it may be and who may set it.

    Read through an instance of its group it is the value: ``settings.search.limit``.
    """

    name: str = ""  # dotted, as in TOML; set when the group is made

    def __init__(
        self,
        default: T_co,
        help: str,
        *,
        low: float | None = None,
        high: float | None = None,
        choices: tuple[str, ...] = (),
        check: Callable[[str], str] | None = None,
        adds_up: bool = False,
        user_only: bool = False,
        journal_choices: tuple[str, ...] = (),
    ) -> None:
        self.default = default
        self.help = help
        self.low, self.high = low, high  # both inclusive
        self.choices = choices
        self.check = check  # of every text in the value: what is wrong with it, or ""
        self.adds_up = adds_up  # the layers' lists or tables are put together
        self.user_only = user_only  # ignored in a journal's file
        self.journal_choices = journal_choices or choices  # all others are ignored there
        self.kind: ValueKind = _KINDS[type(default)]

    def __set_name__(self, group: type[Group], attribute: str) -> None:
        self.name = f"{group.prefix}.{attribute}".lstrip(".")

    @overload
    def __get__(self, group: None, owner: type) -> Self: ...
    @overload
    def __get__(self, group: Group, owner: type) -> T_co: ...
    def __get__(self, group: Group | None, owner: type) -> Self | T_co:
        return self if group is None else cast(T_co, group.values[self.name])

    def __set__(self, group: Group, value: Never) -> NoReturn:
        raise AttributeError(f"{self.name} is read-only")

    @property
    def environment(self) -> str:
        """The variable that sets it: ``MEMJOURNAL_SEARCH_LIMIT``."""
        return "MEMJOURNAL_" + self.name.upper().replace(".", "_")

    @property
    def allowed(self) -> str:
        """What a value may be, to follow "must be": ``a whole number from 1 to 1000``."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        text = {"list": "a list of texts", "table": "a table of texts", "text": "text"}.get(
            self.kind, self.kind if self.kind == "true or false" else f"a {self.kind}"
        )
        if self.low is not None and self.high is not None:
            return f"{text} from {self.low:g} to {self.high:g}"
        return f"{text}, at least {self.low:g}" if self.low is not None else text


class Group:
    """Settings with a common first part of the name."""

    prefix: str = ""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values = values


def check_value(setting: Setting[object], raw: object, *, where: str) -> Value:
    """*raw*, as TOML gives it, as a value of the setting.

    The message does not quote the value: it may be the very word that must not be shown.

    Raises:
        SettingsError: its type or range is not allowed.
    """
    value = _convert(setting.kind, raw)
    fault = "" if value is not None else f"must be {setting.allowed}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low = -math.inf if setting.low is None else setting.low
        high = math.inf if setting.high is None else setting.high
        if not low <= value <= high:
            fault = f"must be {setting.allowed}"
    if setting.choices and value not in setting.choices:
        fault = f"must be {setting.allowed}"
    if value is not None and setting.check is not None:
        fault = fault or next(filter(None, map(setting.check, _texts(value))), "")
    if value is None or fault:
        raise SettingsError(f"{setting.name} {fault}", where=where)
    return value


def _convert(kind: ValueKind, raw: object) -> Value | None:
    match kind, raw:
        case ("true or false", bool(value)):
            return value
        case (("whole number" | "number"), bool()):
            return None  # to Python, True is a whole number
        case ("whole number", int(number)):
            return number
        case ("number", int() | float()) if math.isfinite(raw):
            return float(raw)
        case ("text", str(text)):
            return text
        case ("list", list(items)) if all(isinstance(item, str) for item in items):
            return tuple(items)
        case ("table", dict(pairs)) if all(isinstance(item, str) for item in pairs.values()):
            return MappingProxyType(pairs)
    return None


def _texts(value: Value) -> Iterable[str]:
    match value:
        case str():
            return (value,)
        case tuple():
            return value
        case Mapping():
            return value.values()
    return ()


def parse_value(setting: Setting[object], text: str, *, where: str) -> Value:
    """A value as it is written in a variable or on the command line.

    A list is a TOML array or one text a line, a table a TOML inline table or one NAME=TEXT a line.

    Raises:
        SettingsError: *text* is not a value of this setting.
    """
    word = text.strip()
    raw: object = text
    match setting.kind:
        case "true or false" if word.lower() in _TRUE | _FALSE:
            raw = word.lower() in _TRUE
        case "whole number" | "number":
            raw = _number(setting.kind, word)
        case "list":
            raw = _toml(word, setting, where) if word.startswith("[") else _lines(text)
        case "table" if word.startswith("{"):
            raw = _toml(word, setting, where)
        case "table":
            pairs = [line.rpartition("=") for line in _lines(text)]
            raw = {name.strip(): to.strip() for name, _, to in pairs}
    return check_value(setting, raw, where=where)


def _number(kind: ValueKind, word: str) -> int | float | None:
    try:
        return int(word) if kind == "whole number" else float(word)
    except ValueError:
        return None


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _toml(word: str, setting: Setting[object], where: str) -> object:
    import tomllib  # 2 ms; only lists and tables in the environment or on a command line need it

    try:
        return tomllib.loads(f"value = {word}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        what = (
            f"{setting.name} begins as a TOML {'array' if word[0] == '[' else 'table'} but is none"
        )
        mend = """write ["one", 'two\\d'] or {"one" = "two"}; 'single quotes' keep a backslash"""
        raise SettingsError(what, where=where, mend=mend) from error


def format_value(value: Value) -> str:
    """The text that ``parse_value`` reads back: ``true``, ``0.7``, ``["a", "b"]``, plain text."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value:.12g}" if isinstance(value, float) else str(value)
        case str():
            return value
        case tuple():
            return "[" + ", ".join(map(_quote, value)) + "]"
    return "{" + ", ".join(f"{_quote(a)} = {_quote(b)}" for a, b in value.items()) + "}"


def to_toml(value: Value) -> bool | int | float | str | list[str] | dict[str, str]:
    """The value in the types that TOML reads and writes."""
    match value:
        case tuple():
            return list(value)
        case Mapping():
            return dict(value)
    return value


def _quote(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
