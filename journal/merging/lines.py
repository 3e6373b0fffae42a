"""The merge of texts by lines, in which both stand where only a person can choose.

Whoever names the two sides names them in an order that every machine finds, so that all make the same
of them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")

_MOST_LINES: Final = 4_000  # comparing takes the square of it: half a second
MARKER_SIZE: Final = 7  # as git has it, which editors know
_ANY_MARKER: Final = re.compile(rb"^(<{7,}|={7,}|>{7,})(?:[ \r\n]|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of the merged text: one text, or two of which each side has its own."""

    first: bytes
    second: bytes | None = None  # None: both sides have *first*, or only one has changed it


LineMerger = Callable[[bytes, bytes, bytes], tuple[Region, ...]]
"""What both come from, and both: all of them texts whose every line has its end."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """A text that holds both."""

    data: bytes
    n_conflicts: int = 0


def merge_lines(
    base: bytes | None, first: bytes, second: bytes, *, diff: LineMerger, labels: tuple[str, str]
) -> MergedText:
    """Both texts in one; where they contradict each other, both versions stand between markers.

    Texts that were written with no common one before them (*base* None) come from what is the same in both.
    """
    if base is None:
        base = common_lines(first, second)
    if first == second or base == second:
        return MergedText(first)
    if base == first:
        return MergedText(second)
    newline = changed_newline(base, first, second)
    plain = [_with_plain_ends(text) for text in (base, first, second)]
    size = _marker_size(*plain)
    parts: list[bytes] = []
    n_conflicts = 0
    for region in diff(*plain):
        if region.second is None:
            parts.append(region.first)
        else:
            n_conflicts += 1
            parts.append(render_conflict(region.first, region.second, labels=labels, size=size))
    merged = b"".join(parts).replace(b"\n", newline)
    if not _changed(base, first, second, _ends_whole):
        merged = merged.removesuffix(newline)
    return MergedText(merged, n_conflicts)


def render_conflict(
    first: bytes, second: bytes, *, labels: tuple[str, str], size: int = MARKER_SIZE
) -> bytes:
    """Both texts, each of whole lines, between markers."""
    ends = [f"{sign * size} {label}\n".encode() for sign, label in zip("<>", labels, strict=True)]
    return b"".join((ends[0], first, b"=" * size + b"\n", second, ends[1]))


def common_lines(first: bytes, second: bytes) -> bytes:
    """The lines that both texts have, in their order; none of texts that are too long to compare so."""
    one, other = (plain_ends(text).splitlines(keepends=True) for text in (first, second))
    if len(one) + len(other) > _MOST_LINES:
        return b""
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    blocks = matcher.get_matching_blocks()
    return b"".join(line for block in blocks for line in one[block.a : block.a + block.size])


def changed_newline(base: bytes, first: bytes, second: bytes) -> bytes:
    """How lines end where one side has changed that; as before, if neither has."""
    return _changed(base, first, second, _newline_of)


def plain_ends(text: bytes) -> bytes:
    """*text* in which a line ends with a newline alone."""
    return text.replace(b"\r\n", b"\n")


def _changed(base: bytes, first: bytes, second: bytes, of: Callable[[bytes], T]) -> T:
    """What a side has changed about a text; as it was, if neither has."""
    before, one, other = of(base), of(first), of(second)
    return one if one != before else other


def _newline_of(text: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in text else b"\n"


def _ends_whole(text: bytes) -> bool:
    return not text or text.endswith(b"\n")


def _with_plain_ends(text: bytes) -> bytes:
    """*text* in which every line ends with a single newline."""
    plain = plain_ends(text)
    return plain if _ends_whole(plain) else plain + b"\n"


def _marker_size(*texts: bytes) -> int:
    """Longer than any marker that stands in a text already, from a conflict before."""
    found = [len(one) for text in texts for one in _ANY_MARKER.findall(text)]
    return max(found, default=MARKER_SIZE - 1) + 1
