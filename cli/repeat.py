"""Imports that would do nothing if repeated, recognised before anything is loaded.

`mem import` is run over and over, by hand, by hooks, by a timer, and nearly always there is nothing
new. Typer and what an import needs cost ten times what Python itself does; comparing the files that the
last run looked at with how they are now costs little. What is remembered is in the user's cache folder
and can be deleted at any time; the slightest difference means a run in full.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .version import VERSION

_KEPT = 16  # different command lines
_SETTLED_NS = 1_000_000_000  # what changed later than this before the run may still be changing
_VARIABLES = ("CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE", "TZ", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")


def recall(arguments: Sequence[str]) -> str | None:
    """What the same command printed when it had nothing to do, if it would have nothing to do now."""
    asked = _key(arguments)
    for run in _load():
        if run.get("key") == asked:
            seen = run.get("seen")
            text = run.get("text")
            if isinstance(seen, dict) and isinstance(text, str) and _is_unchanged(seen):
                return text
    return None


def remember(
    arguments: Sequence[str],
    text: str,
    *,
    paths: Iterable[str],
    folders: Iterable[str],
    written: str,
    now_ns: int,
) -> None:
    """Note that *arguments* print *text*, and nothing else happens, while *paths* are as they are.

    *paths* are the files that decided it, *folders* those whose transcripts did, with all below
    them; *written* is the one that the run itself wrote. Nothing is noted while another may still
    be changing, or where notes cannot be written.
    """
    looked_at = {*paths, *(each for folder in folders for each in _folders_below(folder))}
    seen = {path: _state(path) for path in sorted(looked_at)}
    if any(state and state[1] > now_ns - _SETTLED_NS for state in seen.values()):
        return
    seen[written] = _state(written)
    key = _key(arguments)
    runs: list[Mapping[str, object]] = [run for run in _load() if run.get("key") != key]
    runs.append({"key": key, "text": text, "seen": seen})
    _save(runs[-_KEPT:])


def _key(arguments: Sequence[str]) -> list[str]:
    own = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith("MEMJOURNAL_") or name in _VARIABLES
    )
    try:
        return [VERSION, os.getcwd(), *own, "--", *arguments]
    except OSError:  # the current folder is gone
        return [VERSION, "", *own, "--", *arguments]


def _is_unchanged(seen: Mapping[object, object]) -> bool:
    return all(isinstance(path, str) and _state(path) == state for path, state in seen.items())


def _state(path: str) -> list[int]:
    """Size and modification time of a file, the time alone of a folder; [] where there is nothing."""
    try:
        status = os.stat(path)
    except OSError:
        return []
    is_folder = os.path.isdir(path)
    return [0 if is_folder else status.st_size, status.st_mtime_ns]


def _folders_below(folder: str) -> Iterator[str]:
    """*folder* and every folder below it: their times tell whether a file came or went."""
    yield folder
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _folders_below(entry.path)


def _file() -> str:
    # Not `user_folders`: platformdirs costs more than all that is done here.
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "memjournal", "imports.json")


def _load() -> list[dict[str, object]]:
    if not os.path.isfile(_file()):  # a pipe would be waited for
        return []
    try:
        with open(_file(), encoding="utf-8") as stream:
            runs = json.load(stream)
    except (OSError, ValueError, RecursionError):
        return []
    return [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []


def _save(runs: Sequence[Mapping[str, object]]) -> None:
    from pathlib import Path

    from ..journal import files
    from ..journal.errors import MemjournalError

    try:
        files.replace(Path(_file()), json.dumps(runs).encode("utf-8"))
    except MemjournalError:
        return  # the next import takes longer, that is all
