"""TOML files that people write: read whole, changed one key at a time.

A change keeps comments, order and layout of everything else, and replaces the file in one step:
whoever reads it sees the old text or the new. Reading uses the standard library, because hooks
read settings; only writing pays for tomlkit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Final

from .errors import SettingsError
from .files import open_regular
from .obstacle import kind_at

Table = MutableMapping[str, object]  # tomlkit's document and tables, and tomllib's
MAX_BYTES: Final = 1 << 20  # nobody writes so many settings


def read_toml(file: Path) -> dict[str, object]:
    """The tables of a TOML file; nothing when there is no such file.

    Raises:
        SettingsError: it cannot be read or is not TOML.
    """
    return _parse(file, _read(file))


def replace_key(file: Path, keys: tuple[str, ...], value: object) -> None:
    """Give the key at the end of the path *keys* a value, making file and tables if need be.

    Raises:
        SettingsError: the file cannot be read or is not TOML, or a key on the path is no table.
        StorageError: the disk refused; the file is as it was.
    """
    import tomlkit

    def put(table: Table) -> None:
        for depth, key in enumerate(keys[:-1]):
            if key not in table:  # one that holds only tables needs no heading of its own
                only_tables = depth < len(keys) - 2 or isinstance(value, Mapping)
                table[key] = tomlkit.table(is_super_table=only_tables)
            table = _subtable(table, key, file)
        table[keys[-1]] = tomlkit.item(value)

    _change(file, put)


def remove_key(file: Path, keys: tuple[str, ...]) -> bool:
    """Take out the key at the end of the path *keys*; whether it was there.

    Raises:
        SettingsError: the file cannot be read or is not TOML, or a key on the path is no table.
        StorageError: the disk refused; the file is as it was.
    """

    def take(table: Table) -> None:
        for key in keys[:-1]:
            table = _subtable(table, key, file)
        del table[keys[-1]]

    there = _look_up(read_toml(file), keys) is not None
    if there:
        _change(file, take)
    return there


def _change(file: Path, change: Callable[[Table], None]) -> None:
    import tomllib

    import tomlkit

    from .files import replace

    text = _read(file)
    expected = _parse(file, text)
    change(expected)
    ends_in_crlf = text.count("\r\n") == text.count("\n") > 0
    document = tomlkit.parse(text.replace("\r\n", "\n") if ends_in_crlf else text)
    change(document)
    changed = tomlkit.dumps(document)
    meaning = _without_empty_tables(tomllib.loads(changed))
    assert meaning == _without_empty_tables(expected), "the layout was kept, the meaning lost"
    if ends_in_crlf:
        changed = changed.replace("\n", "\r\n")
    replace(Path(os.path.realpath(file)), changed.encode())


def _subtable(table: Table, key: str, file: Path) -> Table:
    found = table[key]
    if isinstance(found, MutableMapping):
        return found
    raise SettingsError(f"{key} must be a table", where=str(file), mend=f"write [{key}]")


def _without_empty_tables(table: Mapping[str, object]) -> dict[str, object]:
    pruned = {
        key: _without_empty_tables(value) if isinstance(value, Mapping) else value
        for key, value in table.items()
    }
    return {key: value for key, value in pruned.items() if value != {}}


def _look_up(table: object, keys: tuple[str, ...]) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table


def _read(file: Path) -> str:
    real = Path(os.path.realpath(file))  # dotfiles are often links
    try:
        with open_regular(real) as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            what = f"cannot be read: more than {MAX_BYTES:,} bytes are no settings"
            raise SettingsError(what, where=str(file), mend="take out what does not belong there")
        return data.decode("utf-8-sig")  # some editors on Windows put a BOM
    except OSError as error:
        if (kind := kind_at(real)) not in ("", "a file"):
            what = f"cannot be read: it is {kind}"
            raise SettingsError(what, where=str(file), mend="put a file in its place") from error
        if isinstance(error, FileNotFoundError):
            return ""
        raise SettingsError(f"cannot be read: {error.strerror}", where=str(file)) from error
    except UnicodeDecodeError as error:
        raise SettingsError("is not UTF-8", where=str(file), mend="save it as UTF-8") from error


def _parse(file: Path, text: str) -> dict[str, object]:
    if all(not line or (line[0] == "#" and line.isprintable()) for line in text.split("\n")):
        return {}  # as `mem init` writes it: a parser takes 2 ms to load, which each hook would wait for
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of a number with 5,000 digits
        raise _broken(file, text, str(error)) from error


def _broken(file: Path, text: str, message: str) -> SettingsError:
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", message)
    line = int(found[1]) if found and found[1] else text.count("\n") + 1
    mend = "put texts in quotes, and names with other characters than A-Z a-z 0-9 _ - as well"
    if re.search(r"^(<<<<<<<|=======|>>>>>>>)", text, re.MULTILINE):
        mend = "a merge left both versions in it; keep the lines you want and remove the marks"
    what = message[: found.start()] if found else message
    return SettingsError(f"not TOML: {what}", where=f"{file}:{line}", mend=mend)
