"""Fields of a payload, narrowed: what is needed and missing is named, what is not needed may be of any type.

Nothing here raises anything but `PayloadError`, and no message of it quotes the payload.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from .adapter import PayloadError
from .claude_code.records import as_key


def text_at(payload: Mapping[str, object], name: str, *, event: str) -> str:
    """The text under *name*, which may be empty.

    Raises:
        PayloadError: it is missing or no text.
    """
    match payload.get(name):
        case str(text):
            return text
    raise PayloadError(f"{name} is missing or not a text", where=event)


def filled_at(payload: Mapping[str, object], name: str, *, event: str) -> str:
    """The text under *name*, which says something.

    Raises:
        PayloadError: it is missing, no text, or blank.
    """
    if found := text_at(payload, name, event=event).strip():
        return found
    raise PayloadError(f"{name} is empty", where=event)


def optional_text(payload: Mapping[str, object], name: str) -> str:
    """The text under *name*; "" where there is none."""
    found = payload.get(name)
    return found if isinstance(found, str) else ""


def key_at(payload: Mapping[str, object], name: str) -> str:
    """The id under *name* if it can stand as a key, else ""."""
    return as_key(optional_text(payload, name))


def as_text(value: object) -> str:
    """What a tool answered, as text: its own words, those of its blocks, or else its JSON."""
    match value:
        case None:
            return ""
        case {"content": (str() | list()) as content}:
            value = content
    match value:
        case str(text) | {"text": str(text)}:
            return text
        case list(blocks) if any(map(_text_of, blocks)):
            return "\n".join(filter(None, map(_text_of, blocks)))
    return as_json(value)


def as_json(value: object) -> str:
    """*value* as compact JSON; "" for what is nested too deeply."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (ValueError, RecursionError):
        return ""


def utf16_units(text: str) -> int:
    """The length of *text* as JavaScript counts it: an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _text_of(block: object) -> str:
    match block:
        case str(text) | {"text": str(text)}:
            return text
    return ""
