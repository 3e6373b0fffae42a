"""Fields of a payload, narrowed: what is needed and missing is named, what is not needed may be of any type.

Nothing here raises anything but `PayloadError`, and no message of it quotes the payload.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Final

from .adapter import PayloadError
from .happening import StartSource
from .keys import as_key
from .text import clean

_SOURCES: Final[Mapping[str, StartSource]] = {
    "startup": "startup",
    "resume": "resume",
    "clear": "clear",
    "compact": "compact",
    "fork": "fork",
}


def check_event(payload: Mapping[str, object], event: str) -> None:
    """Make sure that *payload*, if it names its event, is of the hook named *event*.

    Raises:
        PayloadError: it is of another.
    """
    if payload.get("hook_event_name", event) != event:
        raise PayloadError("the payload is of another event", where=event)


def start_source(payload: Mapping[str, object]) -> StartSource:
    """How a session begins; what is not known counts as a start like any other."""
    return _SOURCES.get(optional_text(payload, "source"), "startup")


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


def needed_key_at(payload: Mapping[str, object], name: str, *, event: str) -> str:
    """The id under *name*.

    Raises:
        PayloadError: it is missing, or cannot stand as a key.
    """
    if key := key_at(payload, name):
        return key
    raise PayloadError(f"{name} is missing or not an id", where=event)


def is_error(response: object) -> bool:
    """Whether a tool's answer says that it failed, in the words of MCP."""
    match response:
        case {"isError": True} | {"is_error": True}:
            return True
    return False


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


def hook_output(event: str, context: str, *, taken_at: Collection[str]) -> str:
    """What a hook prints so that *context* is read, in Claude Code's envelope, which others took over.

    "" where there is nothing to tell, or *event* is none of those that take it.
    """
    if not context or event not in taken_at:
        return ""
    told = {"hookEventName": event, "additionalContext": clean(context)}
    return as_json({"hookSpecificOutput": told})


def utf16_units(text: str) -> int:
    """The length of *text* as JavaScript counts it: an emoji is two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _text_of(block: object) -> str:
    match block:
        case str(text) | {"text": str(text)}:
            return text
    return ""
