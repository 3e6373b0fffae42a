"""What stands where a file or a folder should: named, so that a message says what is in the way."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from .errors import CannotCreateError

_KINDS: Final = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def kind_at(path: Path) -> str:
    """What stands at *path*, as in ``a pipe``; "" where nothing does, or it cannot be told."""
    try:
        return kind_of(os.lstat(path).st_mode)
    except OSError:
        return ""


def kind_of(mode: int) -> str:
    """What has that mode, as in ``a pipe``."""
    return next((kind for has_kind, kind in _KINDS if has_kind(mode)), "something else")


def find_obstacle(folder: Path) -> CannotCreateError | None:
    """What keeps *folder* from being one: it, or what is above it, is something else.

    The system blames a file for it that would be in there, where nothing is.
    """
    for one in (*reversed(folder.parents), folder):
        if not os.path.isdir(one):
            kind = kind_at(one)
            what = f"there is {kind} where a folder is needed"
            return CannotCreateError(what, where=str(one), mend="move it away") if kind else None
    return None
