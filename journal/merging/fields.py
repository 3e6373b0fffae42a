"""The merge of frontmatter, field by field; what is not touched keeps the bytes of its author."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..entry import parse_time
from ..frontmatter import render_field, split_fields

_ALWAYS_UNITED: Final = ("edges", "source")
"""What an entry is tied to: a tie that one side does not know is not one that it has cut."""
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class Fields:
    """A block of frontmatter: the values, and the lines that say them."""

    values: Mapping[str, object]
    block: str


def merge_fields(base: Fields | None, newer: Fields, older: Fields) -> str:
    """The lines of both; what both have changed is as the *newer* has it, but for lists.

    A list has what either added, without what either took away; edges and sources are never taken away.

    Raises:
        ValueError: the fields do not stand line by line, or would not any more.
    """
    before = base.values if base else {}
    lines_newer, lines_older = _lines_of(newer), _lines_of(older)
    merged: list[str] = []
    for name in dict.fromkeys((*lines_newer, *lines_older)):
        if not name:  # comments that belong to no field
            merged.append(lines_newer.get(name) or lines_older.get(name, ""))
            continue
        values = [one.get(name, _ABSENT) for one in (before, newer.values, older.values)]
        chosen = _choose(name, *values)
        if chosen is values[1]:
            merged.append(lines_newer.get(name, ""))
        elif chosen is values[2]:
            merged.append(lines_older.get(name, ""))
        elif chosen is not _ABSENT:
            merged.append(render_field(name, chosen))
    return "".join(line if not line or line.endswith("\n") else line + "\n" for line in merged)


def _lines_of(fields: Fields) -> dict[str, str]:
    """The lines of each field; those that have no name, together."""
    lines: dict[str, str] = {}
    for name, text in split_fields(fields.block):
        lines[name] = lines.get(name, "") + text
    if lines.keys() - {""} != fields.values.keys():
        raise ValueError("the fields are not written line by line")
    return lines


def _choose(name: str, before: object, newer: object, older: object) -> object:
    if newer == older:
        return newer
    united = name in _ALWAYS_UNITED
    if before == newer and not united:
        return older
    if before == older and not united:
        return newer
    if isinstance(newer, list) and isinstance(older, list):
        known = before if isinstance(before, list) else []
        return _as_given(_unite(known, newer, older, keeps_all=united), newer, older)
    if newer is _ABSENT or older is _ABSENT:
        return older if newer is _ABSENT else newer
    if name == "updated":
        return max(newer, older, key=_moment_of)
    if isinstance(newer, dict) and isinstance(older, dict):
        return _merge_mappings(before if isinstance(before, dict) else {}, newer, older)
    return newer


def _as_given(united: list[object], *sides: list[object]) -> object:
    """The very list of a side, where that is what came out: then its author's lines stay."""
    return next((side for side in sides if side == united), united)


def _unite(
    before: Sequence[object], newer: Sequence[object], older: Sequence[object], *, keeps_all: bool
) -> list[object]:
    in_before, in_newer, in_older = (set(map(_key, items)) for items in (before, newer, older))
    gone = set() if keeps_all else in_before - (in_newer & in_older)
    items = {_key(item): item for item in (*before, *newer, *older)}
    there = in_newer | in_older
    return [item for key, item in items.items() if key in there and key not in gone]


def _key(item: object) -> str:
    return json.dumps(item, sort_keys=True, ensure_ascii=False, default=str)


def _moment_of(value: object) -> tuple[float, str]:
    moment = parse_time(str(value))
    return (moment.timestamp() if moment else 0.0), str(value)


def _merge_mappings(
    before: Mapping[str, object], newer: Mapping[str, object], older: Mapping[str, object]
) -> dict[str, object]:
    merged: dict[str, object] = {}
    for name in dict.fromkeys((*newer, *older)):
        known, new, old = (one.get(name, _ABSENT) for one in (before, newer, older))
        chosen = old if known == new else new
        if chosen is _ABSENT and known == _ABSENT:
            chosen = old if new is _ABSENT else new
        if chosen is not _ABSENT:
            merged[name] = chosen
    return merged
