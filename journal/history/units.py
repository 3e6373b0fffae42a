"""A session or a ledger taken apart into what must stay: records, lines, and words of a person.

A unit is known by its id, or by its very words where it has none. What stands twice is two units: a
second record with a known id is not to hide behind the first.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from ..reading import loose_id, loose_start, loose_text
from ..session_file import Part, record_id, scan

Kind = Literal["event", "forgotten", "torn", "loose", "head", "line"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One of them, and where it stands."""

    kind: Kind
    raw: bytes  # without the line ends behind it
    line: int  # of its file, from 1
    id: str = ""  # of a record; of words, that of the stretch that they stand in


@dataclass(slots=True)
class Units:
    """Those of one version of a file, in order, by what each is known by."""

    by_key: dict[str, Unit] = field(default_factory=dict)
    raws: set[bytes] = field(default_factory=set)

    def add(self, key: str, unit: Unit) -> None:
        """Add what stands behind all others."""
        self.raws.add(unit.raw)
        n, name = 1, key
        while name in self.by_key:
            n += 1
            name = f"{key}\0{n}"
        self.by_key[name] = unit


def take_apart(path: str, data: bytes) -> Units:
    """The units of the file at *path*."""
    units = Units()
    for key, unit in _lines(data) if path.startswith("ledger/") else _records(path, data):
        units.add(key, unit)
    return units


def _lines(data: bytes) -> Iterator[tuple[str, Unit]]:
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.strip():
            yield _text(raw), Unit("line", raw.rstrip(b"\r"), number)


def _records(path: str, data: bytes) -> Iterator[tuple[str, Unit]]:
    line = 1
    for part in scan(io.BytesIO(data)):
        raw = part.raw.rstrip(b"\r\n\0")
        if part.kind in ("event", "forgotten"):
            found = record_id(part.raw)
            yield found, Unit(part.kind, raw, line, found)
        elif part.kind == "torn":
            if raw:
                yield f"torn {_text(raw)}", Unit("torn", raw, line, record_id(part.raw))
        else:
            yield from _words(path, part, line)
        line += part.raw.count(b"\n")


def _words(path: str, part: Part, line: int) -> Iterator[tuple[str, Unit]]:
    """The header that we wrote, and each line of what a person did."""
    start = loose_start(part)
    head = part.raw[:start].rstrip(b"\r\n\0")
    if part.kind == "head" and not start and part.raw.startswith(b"---\n"):
        head, start = part.raw.rstrip(b"\r\n\0"), len(part.raw)  # one that a power cut tore
    if head:
        yield "head", Unit("head", head, line)
    text = loose_text(part)
    if not text or start == len(part.raw):
        return
    found = loose_id(path, text)
    line += part.raw[:start].count(b"\n")
    for number, raw in enumerate(part.raw[start:].split(b"\n"), line):
        words = raw.strip(b" \t\r\0")
        if words:
            yield f"loose {_text(words)}", Unit("loose", words, number, found)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape").rstrip("\r")
