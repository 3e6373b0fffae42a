"""The merge of a ledger: every line that either side has, once, in order."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final

from ..entry import parse_time
from .sequences import Moment, union

_START: Final = datetime.fromtimestamp(0, UTC)


def merge_ledgers(base: bytes | None, first: bytes, second: bytes) -> bytes:
    """What holds the lines of both; a line that is torn on one side and whole on the other is whole."""
    before, one, other = (_lines(data or b"") for data in (base, first, second))
    torn = _torn(one, other) | _torn(other, one)
    one, other = ([line for line in side if line not in torn] for side in (one, other))
    moments: dict[bytes, Moment] = {}
    for side in (one, other):
        for line, moment in _moments(side).items():
            moments[line] = max(moment, moments.get(line, moment))
    return b"".join(line + b"\n" for line in union(before, one, other, moment=moments))


def _lines(data: bytes) -> list[bytes]:
    return [line for line in data.replace(b"\r\n", b"\n").split(b"\n") if line]


def _torn(lines: list[bytes], others: list[bytes]) -> set[bytes]:
    """Lines that are no JSON, and the beginning of one of *others*."""
    return {
        line
        for line in lines
        if not _is_json(line) and any(one != line and one.startswith(line) for one in others)
    }


def _is_json(line: bytes) -> bool:
    return _value(line) is not None


def _value(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _moments(lines: list[bytes]) -> dict[bytes, Moment]:
    moments: dict[bytes, Moment] = {}
    last = _START
    for line in lines:
        match _value(line):
            case {"at": str(at)}:
                last = parse_time(at) or last
        moments[line] = (last, line.decode("utf-8", "replace"))
    return moments
