"""Questions, answers and errors as JSON and back, exactly: what is read equals what was written.

The types themselves say how: a field that is added to one of them travels with it. A time keeps its
offset and, as in RFC 9557, the name of its zone, for "last week" depends on it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, partial
from typing import Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ...journal import errors as journal_errors
from ...journal.errors import FormatError, MemjournalError
from .. import errors as indexer_errors
from . import errors as daemon_errors

PROTOCOL: Final = 1  # of what is asked and answered; `stop` is understood across all of them

_Value = TypeVar("_Value")
_Decoder = Callable[[object], object]

_TEXTS: Final = ("what", "where", "mend", "name")  # of an error; ``name`` is an index's
_KINDS: Final[Mapping[str, type[MemjournalError]]] = {
    name: found
    for module in (journal_errors, indexer_errors, daemon_errors)
    for name, found in vars(module).items()
    if isinstance(found, type) and issubclass(found, MemjournalError)
}


def encode(value: object) -> object:
    """*value*, a dataclass or a part of one, as JSON can say it."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return int(value)
        case float():
            return float(value)
        case bytes():
            return value.hex()
        case datetime():
            return _encode_time(value)
        case tuple() | list():
            return [encode(one) for one in value]
        case Mapping():
            return {str(key): encode(one) for key, one in value.items()}
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    to_plain = getattr(value, "item", None)
    if callable(to_plain):  # a number of numpy's, which this module must not import
        return encode(to_plain())
    raise TypeError(f"{type(value).__name__} does not travel")


def decode(kind: type[_Value], raw: object) -> _Value:
    """The value of type *kind* that ``encode`` made *raw* of.

    Raises:
        FormatError: it is none.
    """
    return cast("_Value", _decoder(cast("Hashable", kind))(raw))


@cache
def _decoder(kind: Hashable) -> _Decoder:
    """What reads a value of type *kind*: to look at a type takes longer than to read a value."""
    if isinstance(kind, type) and is_dataclass(kind):
        return partial(_decode_fields, kind)
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        (one,) = (arg for arg in args if arg is not type(None))  # optional is the only union here
        return partial(_decode_optional, _decoder(one))
    if origin is tuple and args[-1] is Ellipsis:
        return partial(_decode_list, _decoder(args[0]))
    if origin is tuple:
        return partial(_decode_tuple, [_decoder(arg) for arg in args])
    return partial(_decode_plain, kind, args if origin is Literal else ())


def _decode_fields(kind: type, raw: object) -> object:
    """A dataclass; what this version does not know is left out, what is missing has its default."""
    if not isinstance(raw, dict):
        raise _fault(f"no {kind.__name__}")
    decoders = _field_decoders(kind)
    try:
        return kind(**{name: decoders[name](raw[name]) for name in decoders if name in raw})
    except (TypeError, ValueError) as error:
        raise _fault(f"no {kind.__name__}: {error}") from error


@cache
def _field_decoders(kind: type) -> dict[str, _Decoder]:
    known = get_type_hints(kind)
    return {field.name: _decoder(known[field.name]) for field in fields(kind)}


def _decode_optional(one: _Decoder, raw: object) -> object:
    return None if raw is None else one(raw)


def _decode_list(one: _Decoder, raw: object) -> tuple[object, ...]:
    if not isinstance(raw, list):
        raise _fault("no list")
    return tuple(map(one, raw))


def _decode_tuple(decoders: Sequence[_Decoder], raw: object) -> tuple[object, ...]:
    if not isinstance(raw, list):
        raise _fault("no list")
    if len(decoders) != len(raw):
        raise _fault(f"a list of {len(raw)} where {len(decoders)} belong")
    return tuple(one(value) for one, value in zip(decoders, raw, strict=True))


def _decode_plain(kind: object, allowed: tuple[object, ...], raw: object) -> object:
    """A value that is no list: one of those *allowed*, if there are any, or of type *kind*."""
    if allowed:
        if raw in allowed:
            return raw
    elif type(raw) is kind:
        return raw
    elif kind is datetime and isinstance(raw, str):
        return _decode_time(raw)
    elif kind is bytes and isinstance(raw, str):
        return _decode_bytes(raw)
    elif kind is float and type(raw) is int:
        return float(raw)
    raise _fault(f"a {type(raw).__name__} where {kind} belongs")


def _encode_time(moment: datetime) -> str:
    key = getattr(moment.tzinfo, "key", "")
    return moment.isoformat() + (f"[{key}]" if key else "")


def _decode_time(text: str) -> datetime:
    written, _, zone = text.partition("[")
    try:
        moment = datetime.fromisoformat(written)
    except ValueError as error:
        raise _fault(f"no time: {text!r}") from error
    if not zone:
        return moment
    from zoneinfo import ZoneInfo

    try:
        return moment.astimezone(ZoneInfo(zone.removesuffix("]")))
    except (LookupError, ValueError, OSError):  # unknown here; the offset says which moment it is
        return moment


def _decode_bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise _fault("no bytes") from error


def _fault(what: str) -> FormatError:
    return FormatError(f"not what the daemon's protocol says: {what}")


def encode_error(error: MemjournalError) -> dict[str, object]:
    """*error* as JSON can say it."""
    kind = next(one.__name__ for one in type(error).__mro__ if one.__name__ in _KINDS)
    texts = {name: str(found) for name in _TEXTS if (found := getattr(error, name, ""))}
    return {"kind": kind, "code": error.exit_code, **texts}


def decode_error(raw: object) -> MemjournalError:
    """The error that ``encode_error`` made *raw* of; of a kind that is not known here, its nearest."""
    if not isinstance(raw, dict):
        return _fault("no error")
    kind = _KINDS.get(str(raw.get("kind"))) or _kind_of(raw.get("code"))
    texts = {name: str(raw.get(name, "")) for name in _TEXTS if name != "name" or name in raw}
    return journal_errors.restore_error(kind, texts)


def _kind_of(code: object) -> type[MemjournalError]:
    return next((one for one in _KINDS.values() if one.exit_code == code), MemjournalError)
