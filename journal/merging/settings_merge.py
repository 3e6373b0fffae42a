"""The merge of a journal's settings and of the lists that git reads: never with markers, for a program
reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError

Path = tuple[str, ...]


def merge_settings(base: bytes | None, newer: bytes, older: bytes) -> bytes:
    """Each setting as the side has it that changed it, as the *newer* where both did; arrays hold both's."""
    before, new, old = (_parse(data or b"") for data in (base, newer, older))
    if new is None or old is None:
        return newer if new is not None or old is None else older
    known = dict(_leaves(before or {}))
    mine, theirs = dict(_leaves(new)), dict(_leaves(old))
    document = tomlkit.parse(newer.decode("utf-8"))
    for path in dict.fromkeys((*mine, *theirs)):
        chosen = _choose(known.get(path), mine.get(path), theirs.get(path))
        if chosen != mine.get(path):
            _set(document, path, chosen)
    return tomlkit.dumps(document).encode("utf-8")


def _parse(data: bytes) -> Mapping[str, object] | None:
    try:
        return cast(Mapping[str, object], tomlkit.parse(data.decode("utf-8")).unwrap())
    except (TOMLKitError, UnicodeDecodeError):
        return None


def _leaves(table: Mapping[str, object], above: Path = ()) -> Iterator[tuple[Path, object]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*above, name))
        else:
            yield (*above, name), value


def _choose(before: object, newer: object, older: object) -> object:
    if newer == older or before == older:
        return newer
    if before == newer:
        return older
    if isinstance(newer, list) and isinstance(older, list):
        known = before if isinstance(before, list) else []
        kept = [one for one in known if one in newer and one in older]
        return [*kept, *(one for one in (*newer, *older) if one not in known and one not in kept)]
    return older if newer is None else newer


def _set(document: tomlkit.TOMLDocument, path: Path, value: object) -> None:
    table: Container = document
    for name in path[:-1]:
        if name not in table:
            if value is None:
                return
            table.add(name, tomlkit.table())
        table = cast(Container, table[name])
    if value is None:
        table.pop(path[-1], None)
    else:
        table[path[-1]] = value


def merge_rules(base: bytes | None, newer: bytes, older: bytes) -> bytes:
    """The lines of a list such as .gitignore, each once: as the *newer* has them, then the other's."""
    before, new, old = (_lines(data or b"") for data in (base, newer, older))
    gone = [line for line in before if line and (line not in new or line not in old)]
    merged = [line for line in new if line not in gone]
    merged += [line for line in old if line and line not in gone and line not in merged]
    return b"".join(line + b"\n" for line in merged)


def _lines(data: bytes) -> Sequence[bytes]:
    return data.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n") if data else []
