"""The merge of a session: every record that either side has, once, whole, in order.

Records are known by their ids. One that was forgotten stays so; one that was written differently on
both sides, which only a hand can do, holds both texts.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ..event import SessionHeader
from ..session_file import (
    Part,
    parse_event,
    parse_header,
    record_id,
    record_keys,
    render_forgotten,
    scan,
)
from .lines import render_conflict
from .sequences import Moment, union

_START: Final = datetime.fromtimestamp(0, UTC)
_NO_HEADER: Final = SessionHeader(session="", project="", agent="", started=_START)


@dataclass(frozen=True, slots=True)
class _Session:
    """A session taken apart: its head, and what follows by what it is known by, in order."""

    head: bytes
    parts: Mapping[str, Part]


def merge_sessions(
    base: bytes | None,
    first: bytes,
    second: bytes,
    *,
    labels: tuple[str, str],
    forgotten: frozenset[str],
) -> tuple[bytes, int]:
    """What holds the records of both, and in how many of them both texts stand."""
    before, one, other = (_take_apart(data or b"") for data in (base, first, second))
    chosen: dict[str, Part] = {}
    n_conflicts = 0
    for key in dict.fromkeys((*one.parts, *other.parts)):
        versions = (before.parts.get(key), one.parts.get(key), other.parts.get(key))
        part, is_conflict = _choose(*versions, labels=labels, is_forgotten=key in forgotten)
        n_conflicts += is_conflict
        if part is not None:
            chosen[key] = part
    moments = _moments(one.parts, other.parts)
    order = union(list(before.parts), list(one.parts), list(other.parts), moment=moments)
    parts = [chosen[key] for key in order if key in chosen]
    whole = {record_id(part.raw) for part in parts if part.kind in ("event", "forgotten")}
    parts = [part for part in parts if part.kind != "torn" or record_id(part.raw) not in whole]
    head = _choose_head(before.head, one.head, other.head)
    return b"".join(_joined(head, parts)), n_conflicts


def _take_apart(data: bytes) -> _Session:
    head = b""
    parts: dict[str, Part] = {}
    last = ""
    for part in scan(io.BytesIO(data)):
        if part.kind == "head":
            head = part.raw
            continue
        found = record_id(part.raw)
        if part.kind in ("event", "forgotten"):
            key = last = found
        else:  # words of a person, or a torn record: by where they stand, and what they are
            key = f"{part.kind}\0{last}\0{part.raw.decode('utf-8', 'surrogateescape').strip()}"
        parts.setdefault(key, part)
    return _Session(head, parts)


def _choose(
    before: Part | None,
    one: Part | None,
    other: Part | None,
    *,
    labels: tuple[str, str],
    is_forgotten: bool,
) -> tuple[Part | None, bool]:
    """What becomes of one record, and whether both texts stand in it."""
    if one is None or other is None:
        there = one or other
        assert there is not None  # a side has it, or it would not be asked for
        is_record = there.kind in ("event", "forgotten")
        was_removed = before is not None and not is_record  # a person takes back their own words
        if is_forgotten and there.kind == "event":
            return _forgotten(there), False
        return (None if was_removed else there), False
    if _bytes_of(one) == _bytes_of(other):
        return max(one, other, key=lambda part: len(part.raw)), False
    if before is not None and _bytes_of(before) in (_bytes_of(one), _bytes_of(other)):
        return (other if _bytes_of(before) == _bytes_of(one) else one), False
    for part in (one, other):
        if part.kind == "forgotten":
            return part, False
    return _with_both(one, other, labels), True


def _bytes_of(part: Part) -> bytes:
    return part.raw.rstrip(b"\r\n")


def _forgotten(part: Part) -> Part:
    return Part("forgotten", 0, render_forgotten(record_id(part.raw), record_keys(part.raw)))


def _with_both(one: Part, other: Part, labels: tuple[str, str]) -> Part:
    """The first record with both bodies in it."""
    heading, body, footer = _record_lines(one.raw)
    _, other_body, _ = _record_lines(other.raw)
    if body == other_body:  # heading or attributes differ: the first's
        return one
    return Part("event", 0, heading + render_conflict(body, other_body, labels=labels) + footer)


def _record_lines(raw: bytes) -> tuple[bytes, bytes, bytes]:
    lines = raw.rstrip(b"\r\n").replace(b"\r\n", b"\n").split(b"\n")
    body = b"".join(line + b"\n" for line in lines[1:-1])
    return lines[0] + b"\n", body, lines[-1] + b"\n\n"


def _choose_head(before: bytes, one: bytes, other: bytes) -> bytes:
    """The header, title and what a person wrote there: as changed; of two, that of the earlier start."""
    if one == other or before == one:
        return other
    if before == other:
        return one
    return min(filter(None, (one, other)), key=_start_of, default=b"")


def _start_of(head: bytes) -> tuple[datetime, bytes]:
    header, _ = parse_header(head.decode("utf-8", "replace"))
    return header.started, head


def _moments(*sides: Mapping[str, Part]) -> dict[str, Moment]:
    """When each was written; what has no time of its own goes with what stands before it."""
    moments: dict[str, Moment] = {}
    for side in sides:
        last = _START
        for key, part in side.items():
            if part.kind == "event":
                last = parse_event(part.raw, _NO_HEADER).created
            moments[key] = max(moments.get(key, (last, key)), (last, key))
    return moments


def _joined(head: bytes, parts: Iterable[Part]) -> Iterator[bytes]:
    """The file: each part begins at a line's beginning, whatever stands before it."""
    before = head
    yield head
    for part in parts:
        if before and not before.endswith(b"\n"):
            yield b"\n\n" if part.kind != "loose" else b"\n"
        yield part.raw
        before = part.raw
