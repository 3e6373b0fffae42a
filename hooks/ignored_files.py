"""`.memignore`: which files of a project nothing is remembered about, in the syntax of `.gitignore`.

A tool call that names such a file is not kept, neither what it was given nor what came back; that holds for
a word of a command line too. What people and assistants say about the file is not kept from them. Where no
`.memignore` is, nothing else is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..journal.values import dataclass
from .named_paths import Named, paths_named

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE: Final = ".memignore"
_MAX_BYTES: Final = 1_000_000
_MAX_LEVELS: Final = 64
_MAX_LOOKED_UP: Final = 500  # words of a command line that are looked for on the disk
_MAX_GLOBS: Final = 16
_MAX_WILD_LEVELS: Final = 3  # of `*/*/x`, each multiplies what is read; outside the project: 1
_MAX_FOUND: Final = 2_000


def is_ignored(given: object, cwd: str) -> bool:
    """Whether a tool call with the input *given* names a file that is to be ignored.

    The `.memignore` files that count stand in *cwd* and above it, up to the top of its repository,
    each for what lies below it. One that cannot be read ignores everything below: it was put there
    to keep something out.
    """
    if not os.path.isabs(cwd):
        return False
    rules = tuple(_rules_above(cwd))
    if not rules:
        return False
    named = dict.fromkeys(paths_named(given, cwd))
    return any(_names_ignored(rules, one) for one in named) or _leads_to_ignored(rules, named)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What a `.memignore` says; None: it cannot be read."""

    all: GitIgnoreSpec | None
    of_names: GitIgnoreSpec | None  # those without a slash, which name a file wherever it is

    def match(self, path: str) -> bool:
        return self.all is None or _is_matched(self.all, path)

    def match_name(self, name: str) -> bool:
        return self.of_names is not None and _is_matched(self.of_names, name)


_Rules = tuple[tuple[str, _Patterns], ...]  # by the folder that they stand in


def _is_matched(spec: GitIgnoreSpec, path: str) -> bool:
    return spec.match_file(path) or spec.match_file(f"{path}/")


def _rules_above(cwd: str) -> Iterator[tuple[str, _Patterns]]:
    """The folders from *cwd* up that have rules, as they are named and where links lead, and these."""
    folder = os.path.normpath(cwd)
    for _ in range(_MAX_LEVELS):
        path = os.path.join(folder, IGNORE_FILE)
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            pass
        else:
            patterns = _patterns_in(path, status.st_mtime_ns, status.st_size)
            for name in {folder, os.path.realpath(folder)}:
                yield name, patterns
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = parent


@lru_cache(maxsize=64)
def _patterns_in(path: str, mtime_ns: int, size: int) -> _Patterns:
    from pathspec import GitIgnoreSpec

    from ..journal.files import open_regular

    try:
        with open_regular(Path(path)) as stream:
            lines = stream.read(_MAX_BYTES).decode("utf-8-sig").splitlines()
        names = [line for line in lines if "/" not in line.strip().rstrip("/")]
        return _Patterns(GitIgnoreSpec.from_lines(lines), GitIgnoreSpec.from_lines(names))
    except (OSError, ValueError):  # no UTF-8, or a pattern that is none
        return _Patterns(None, None)


def _names_ignored(rules: _Rules, named: Named) -> bool:
    if not named.path:
        return False
    whole = _whole(named)
    if _is_ignored_path(rules, whole):
        return True
    if named.is_sure:
        return False
    name = os.path.basename(whole)  # somewhere: the folder that it is in is not known
    return any(patterns.match_name(name) for _, patterns in rules if name)


def _is_ignored_path(rules: _Rules, whole: str) -> bool:
    for folder, patterns in rules:
        below = os.path.relpath(whole, folder)
        is_below = below != os.pardir and not below.startswith(os.pardir + os.sep)
        if is_below and patterns.match(below.replace(os.sep, "/")):
            return True
    return False


def _leads_to_ignored(rules: _Rules, named: dict[Named, None]) -> bool:
    """Whether a link, or a pattern of a command line, that is there leads to such a file."""
    n_globs = 0
    for one in islice(named, _MAX_LOOKED_UP):
        places: Iterator[str] = iter((_whole(one),))
        if one.is_word and any(sign in one.path for sign in "*?[") and n_globs < _MAX_GLOBS:
            n_globs += 1
            places = _found_by(one, rules)
        if any(_is_ignored_path(rules, path) for place in places for path in _ends_of(place)):
            return True
    return False


def _found_by(named: Named, rules: _Rules) -> Iterator[str]:
    """The files that a pattern of a command line stands for."""
    from glob import has_magic, iglob

    pattern = os.path.expanduser(named.path)
    parts = pattern.split(os.sep)
    fixed = takewhile(lambda part: not has_magic(part), parts)
    start = os.path.normpath(os.path.join(named.folder, os.sep.join(fixed) or os.curdir))
    is_below = any(os.path.join(start, "").startswith(os.path.join(one, "")) for one, _ in rules)
    if sum(map(has_magic, parts)) > (_MAX_WILD_LEVELS if is_below else 1):
        return
    for path in islice(iglob(pattern, root_dir=named.folder, include_hidden=True), _MAX_FOUND):
        yield os.path.normpath(os.path.join(named.folder, path))


def _ends_of(path: str) -> Iterator[str]:
    """*path*, and where its links lead."""
    yield path
    try:
        if os.path.lexists(path):
            yield os.path.realpath(path)
    except (OSError, ValueError):
        return


def _whole(named: Named) -> str:
    return os.path.normpath(os.path.join(named.folder, os.path.expanduser(named.path)))
