"""The merge of one file of a journal: what it is decides how.

Commutative: both sides are put in an order that they themselves tell, so that every machine that merges
the same two makes the same file of them, byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ..frontmatter import parse_document
from ..ids import is_id, mint, path_key
from ..reading import MARKDOWN
from .ledger_merge import merge_ledgers
from .lines import LineMerger, MergedText, merge_lines
from .memory_merge import Text, merge_memories
from .session_merge import merge_sessions
from .settings_merge import merge_rules, merge_settings

_MAX_TEXT_BYTES: Final = 16 * 1024 * 1024
_RULES: Final = (".gitattributes", ".gitignore")
_NEWER_ONE: Final = ("README.md",)
"""Files that memjournal writes and nobody misses: no two versions of one stand in it."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two versions of a file."""

    data: bytes | None  # None: there is no file
    label: str  # for markers, such as ``laptop-3f2a 2026-11-30 09:12``
    time: datetime  # of its commit


@dataclass(frozen=True, slots=True)
class MergedFile:
    """What holds both versions; None where the file is to go."""

    data: bytes | None
    n_conflicts: int = 0
    also: bytes | None = None  # the other of two that cannot stand in one file


def merge_file(
    path: str,
    base: bytes | None,
    one: Side,
    other: Side,
    *,
    diff: LineMerger,
    forgotten: frozenset[str] = frozenset(),
) -> MergedFile:
    """What the file at *path* becomes, of which both versions come from *base* (None: it was not there).

    *forgotten* are the ids that were announced as such: only their files stay away when one side has
    taken the file away and the other has changed it.
    """
    if one.data == other.data:
        return MergedFile(one.data)
    if one.data is None or other.data is None:
        return _with_one_missing(path, base, one.data or other.data or b"", forgotten)
    first, second = _in_order(one, other)
    assert first.data is not None and second.data is not None  # neither is missing
    labels = (first.label, second.label)
    match path.partition("/")[0]:
        case "sessions" if path.endswith(MARKDOWN):
            merged = merge_sessions(
                base, first.data, second.data, labels=labels, forgotten=forgotten
            )
            return MergedFile(*merged)
        case "ledger":
            return MergedFile(merge_ledgers(base, first.data, second.data))
    if base in (first.data, second.data):
        return MergedFile(second.data if base == first.data else first.data)
    if path == "memjournal.toml":
        return MergedFile(merge_settings(base, second.data, first.data))
    if path in _RULES:
        return MergedFile(merge_rules(base, second.data, first.data))
    if path in _NEWER_ONE:
        return MergedFile(second.data)
    return _merge_text(path, base, first, second, diff=diff)


def _with_one_missing(
    path: str, base: bytes | None, there: bytes, forgotten: frozenset[str]
) -> MergedFile:
    """A file that one side has and the other has not."""
    was_changed = base is not None and base != there
    if base is None or (was_changed and not _ids_of(path, base, there) & forgotten):
        return MergedFile(there)
    return MergedFile(None)


def _ids_of(path: str, *versions: bytes) -> set[str]:
    """The id of a memory or note, by what it says and where it stands."""
    given = (parse_document(data.decode("utf-8", "replace")).fields.get("id") for data in versions)
    found = {one for one in given if isinstance(one, str) and is_id(one)}
    if found or path.startswith("sessions/"):
        return found
    return {str(mint(path_key(path)))}


def _in_order(one: Side, other: Side) -> tuple[Side, Side]:
    """The older commit's first."""
    older, newer = sorted((one, other), key=lambda side: (side.time, side.data or b""))
    return older, newer


def _merge_text(
    path: str, base: bytes | None, first: Side, second: Side, *, diff: LineMerger
) -> MergedFile:
    assert first.data is not None and second.data is not None  # the caller's condition
    if any(map(_is_binary, (base or b"", first.data, second.data))):
        return MergedFile(second.data, n_conflicts=1, also=first.data)
    merged: MergedText
    if path.endswith(MARKDOWN):
        sides = (Text(side.data or b"", side.label, side.time) for side in (first, second))
        merged = merge_memories(base, *sides, diff=diff)
    else:
        labels = (first.label, second.label)
        merged = merge_lines(base, first.data, second.data, diff=diff, labels=labels)
    return MergedFile(merged.data, merged.n_conflicts)


def _is_binary(data: bytes) -> bool:
    return b"\0" in data or len(data) > _MAX_TEXT_BYTES
