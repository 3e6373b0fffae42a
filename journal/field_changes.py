"""``KEY=VALUE`` as a person types it, to the frontmatter fields of one file that it changes.

The plan is pure; ``Journal.change_fields`` carries it out and touches no other line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .drafting import WRITTEN_KINDS, clean_references, clean_tags
from .entry import KINDS, PRIVACIES, TYPES, Entry, as_kind, parse_time
from .errors import UsageError


def parse_assignments(texts: Iterable[str]) -> dict[str, str]:
    """The pairs of ``KEY=VALUE``; the last one of a key counts.

    Raises:
        UsageError: there is no ``=``, or nothing before it.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{text!r} sets nothing", mend="write KEY=VALUE, or KEY= to empty it")
        pairs[key.strip()] = value.strip()
    return pairs


def plan_field_changes(entry: Entry, assignments: Mapping[str, str]) -> dict[str, object]:
    """The fields to write for *assignments*; a value of None takes a field out.

    Raises:
        UsageError: a key cannot be changed, or a value is not one of it.
    """
    changes: dict[str, object] = {}
    for key, value in assignments.items():
        if key == "id":
            raise UsageError("an id never changes", mend="citations would no longer open")
        if key == "edges":
            raise UsageError("edges cannot be set this way", mend="edit the file: `mem edit REF`")
        if key == "title" and not value:
            raise UsageError("a title cannot be emptied", mend="delete it in the file")
        changes[key] = _convert(key, value) if value else None
    changes |= _with_kind(entry, changes)
    return changes


def _convert(key: str, value: str) -> object:
    match key:
        case "tags":
            return list(clean_tags([value]))
        case "source" | "files" | "symbols" | "aliases":
            return list(clean_references(value.split(",")))
        case "confidence" | "importance":
            return _score(key, value)
        case "privacy" if value not in PRIVACIES:
            raise UsageError(f"{value!r} is no privacy", mend=f"use {', '.join(PRIVACIES)}")
        case "kind" if value not in KINDS:
            raise UsageError(f"there is no kind {value!r}", mend=f"use {', '.join(KINDS)}")
        case "created" | "updated" if parse_time(value) is None:
            raise UsageError(f"{value!r} is not a time", mend="write 2026-11-30T09:14:10+09:00")
        case "turn" if not (value.isascii() and value.isdigit()):
            raise UsageError(f"{value!r} is not a turn", mend="turns are counted 1, 2, 3")
        case "turn":
            return int(value)
    return value


def _score(key: str, value: str) -> float:
    try:
        score = float(value)
    except ValueError:
        score = -1.0
    if not 0.0 <= score <= 1.0:
        raise UsageError(f"{value!r} is no {key}", mend="write a number from 0 to 1")
    return score


def _with_kind(entry: Entry, changes: Mapping[str, object]) -> dict[str, object]:
    """The kind, where a new type asks for another one."""
    type_ = changes.get("type", entry.type)
    kind = as_kind(str(changes.get("kind", entry.kind))) or entry.kind
    if not {"type", "kind"} & set(changes) or type_ is None or type_ in TYPES[kind]:
        return {}
    others = WRITTEN_KINDS if kind in WRITTEN_KINDS else KINDS  # what is derived is not set by hand
    fitting = [one for one in others if type_ in TYPES[one]]
    if "kind" in changes or not fitting:
        allowed = TYPES[kind] if "kind" in changes else sum((TYPES[one] for one in others), ())
        raise UsageError(
            f"there is no type {type_!r}" + (f" of {kind!r}" if "kind" in changes else ""),
            mend=f"use {', '.join(dict.fromkeys(allowed))}",
        )
    if len(fitting) > 1:
        raise UsageError(
            f"{type_!r} may be a {' or a '.join(fitting)}",
            mend=f"set the kind as well: --set kind={fitting[0]}",
        )
    return {"kind": fitting[0]}
