"""`.memignore`: which files of a project nothing is remembered about, in the syntax of `.gitignore`.

A tool call that names such a file is not kept, neither what it was given nor what came back; that holds for
a word of a command line too. What people and assistants say about the file is not kept from them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .capture import command_of

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE: Final = ".memignore"
_MAX_BYTES: Final = 1_000_000
_MAX_LEVELS: Final = 64
_PATH_KEYS: Final = ("file_path", "notebook_path", "path", "filePath", "absolute_path", "file")
_WORD: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^\s'\"|;&<>()=:]+)")


def is_ignored(given: object, cwd: str) -> bool:
    """Whether a tool call with the input *given* names a file that is to be ignored.

    The `.memignore` files that count stand in *cwd* and above it, up to the top of its repository,
    each for what lies below it. One that cannot be read ignores everything below: it was put there
    to keep something out.
    """
    if not os.path.isabs(cwd):
        return False
    rules = tuple(_rules_above(cwd))
    return bool(rules) and any(_matches(rules, path, cwd) for path in _paths_in(given))


def _rules_above(cwd: str) -> Iterator[tuple[str, GitIgnoreSpec | None]]:
    """The folders from *cwd* up that have rules, and these; None: they cannot be read."""
    folder = os.path.normpath(cwd)
    for _ in range(_MAX_LEVELS):
        path = os.path.join(folder, IGNORE_FILE)
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            pass
        else:
            yield folder, _rules_in(path, status.st_mtime_ns, status.st_size)
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = parent


@lru_cache(maxsize=64)
def _rules_in(path: str, mtime_ns: int, size: int) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    from ..journal.files import open_regular

    try:
        with open_regular(Path(path)) as stream:
            text = stream.read(_MAX_BYTES).decode("utf-8-sig")
        return GitIgnoreSpec.from_lines(text.splitlines())
    except (OSError, ValueError):  # no UTF-8, or a pattern that is none
        return None


def _matches(rules: tuple[tuple[str, GitIgnoreSpec | None], ...], path: str, cwd: str) -> bool:
    whole = os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))
    for folder, spec in rules:
        below = os.path.relpath(whole, folder)
        if below.startswith(os.pardir):
            continue
        below = below.replace(os.sep, "/")
        if spec is None or spec.match_file(below) or spec.match_file(f"{below}/"):
            return True
    return False


def _paths_in(given: object) -> Iterator[str]:
    """What may be a path in a tool's input: its fields for one, and the words of a command line."""
    if not isinstance(given, Mapping):
        return
    for key in _PATH_KEYS:
        if isinstance(value := given.get(key), str) and value:
            yield value.replace("\\", "/") if os.sep == "/" and value[1:3] == ":\\" else value
    for quoted, double, bare in _WORD.findall(command_of(given)):
        if word := (quoted or double or bare).strip():
            yield word
