"""What memjournal needs of the machine, as `mem doctor` checks it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from ..journal.health import Finding

PACKAGE: Final = "memjournal"
NEEDED_PYTHON: Final = (3, 11)
FEW_BYTES: Final = 500_000_000
TOO_FEW_BYTES: Final = 50_000_000


def check_machine(root: Path) -> Iterator[Finding]:
    """Python, the packages, git, the disk and the mode of the journal's folder."""
    found = platform.python_version()
    if sys.version_info >= NEEDED_PYTHON:
        yield Finding("python", "ok", found)
    else:
        yield Finding("python", "wrong", f"{found} is too old", "install Python 3.11 or newer")
    yield _packages()
    if shutil.which("git"):
        yield Finding("git", "ok", "installed")
    else:
        yield Finding("git", "odd", "not installed", "install git to keep the history")
    yield _disk(root)
    yield _access(root)


def _packages() -> Finding:
    try:
        needed = [one for one in requires(PACKAGE) or () if "extra ==" not in one]
    except PackageNotFoundError:
        return Finding("packages", "odd", "memjournal runs without being installed")
    names = [re.split(r"[ ;<>=!~\[]", one, maxsplit=1)[0] for one in needed]
    missing = tuple(name for name in names if not _is_installed(name))
    if missing:
        return Finding("packages", "wrong", "some are missing", "reinstall memjournal", missing)
    return Finding("packages", "ok", f"memjournal {version(PACKAGE)} and {len(names)} others")


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _disk(root: Path) -> Finding:
    from .output import size

    free = shutil.disk_usage(root).free
    what = f"{size(free)} free"
    if free < TOO_FEW_BYTES:
        return Finding("disk", "wrong", what, "free some space: nothing can be remembered soon")
    return Finding("disk", "odd" if free < FEW_BYTES else "ok", what)


def _access(root: Path) -> Finding:
    if not os.access(root, os.W_OK):
        return Finding("access", "odd", "the journal can be read, not written")
    if os.name == "posix" and root.stat().st_mode & 0o077:
        what = "other users of this machine can look into the journal"
        return Finding("access", "odd", what, f"chmod 700 {root}")
    return Finding("access", "ok", "the journal can be written, by you alone")
