"""Places of a file in which two versions stand: found, and settled by keeping one or both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Keep = Literal["first", "second", "both"]

LABELS: Final = ("this branch", "the other branch", "on disk", "synced")
"""What versions are called of which it is not known who wrote them when."""
_LABEL: Final = re.compile(rf".* \d{{4}}-\d\d-\d\d \d\d:\d\d|{'|'.join(LABELS)}".encode())
_BEGIN: Final = re.compile(rb"(<{7,}) ([^\r\n]+)\r?\n?")
_SPLIT: Final = re.compile(rb"(={7,})\r?\n?")
_END: Final = re.compile(rb"(>{7,}) ([^\r\n]+)\r?\n?")


@dataclass(frozen=True, slots=True)
class Conflict:
    """One place in which two versions stand."""

    start: int  # of the first marker, in bytes
    end: int  # behind the last one
    line: int  # of the first marker, from 1
    first_label: str
    second_label: str
    first: str
    second: str
    raw: tuple[bytes, bytes]


def find_conflicts(data: bytes) -> tuple[Conflict, ...]:
    """The places in *data*, from its top; of one within another, the outer."""
    if b"<<<<<<<" not in data:
        return ()
    return tuple(_find(data))


def _find(data: bytes) -> Iterator[Conflict]:
    lines = _lines(data)
    offset, number = 0, 0
    while number < len(lines):
        begin = _BEGIN.fullmatch(lines[number])
        found = _block(lines, number, begin) if begin and _LABEL.fullmatch(begin[2]) else None
        if begin is None or found is None:
            offset += len(lines[number])
            number += 1
            continue
        middle, last, label = found
        raw = (b"".join(lines[number + 1 : middle]), b"".join(lines[middle + 1 : last]))
        end = offset + sum(map(len, lines[number : last + 1]))
        yield Conflict(
            offset,
            end,
            number + 1,
            _text(begin[2]),
            _text(label),
            _text(raw[0]),
            _text(raw[1]),
            raw,
        )
        offset, number = end, last + 1


def _block(lines: list[bytes], start: int, begin: re.Match[bytes]) -> tuple[int, int, bytes] | None:
    """Where the block that begins at *start* is split and ends, and its second label."""
    size = len(begin[1])
    middle = 0
    for number in range(start + 1, len(lines)):
        split, end = _SPLIT.fullmatch(lines[number]), _END.fullmatch(lines[number])
        if split and len(split[1]) == size and not middle:
            middle = number
        elif end and len(end[1]) == size and _LABEL.fullmatch(end[2]):
            return (middle, number, end[2]) if middle else None
    return None


def _lines(data: bytes) -> list[bytes]:
    """Lines as git has them: only a newline ends one."""
    *whole, last = data.split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def resolve(data: bytes, *, keep: Keep) -> bytes:
    """*data* with the chosen version alone at each place; both are left where both are to be kept."""
    parts: list[bytes] = []
    position = 0
    for found in find_conflicts(data):
        first, second = found.raw
        chosen = {"first": first, "second": second, "both": first + second}[keep]
        parts += [data[position : found.start], chosen]
        position = found.end
    return b"".join((*parts, data[position:]))
