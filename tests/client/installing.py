"""The real client, from npm's registry, in a folder of its own below ``build/``.

It is some 400 MB and changes every week, so the range of versions is written down here, and a client
that is there already is used as it is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from memjournal.journal import files

PACKAGE = "@anthropic-ai/claude-code"
VERSIONS = "~2.1.332"  # 2.1.332 or a later one of 2.x; what its hooks tell was read off the first
_FIRST = (2, 1, 332)
_LONGEST_S = 900

FOLDER = Path(__file__).resolve().parents[2] / "build" / "client"


class NotInstalledError(Exception):
    """There is no client, and this is why."""


def install(folder: Path = FOLDER) -> Path:
    """The program of a client that fits; it is fetched if there is none.

    Raises:
        NotInstalledError: there is no npm, or it could not fetch the client.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with files.locked(folder / "installing.lock", timeout_s=_LONGEST_S):
        found = _program(folder)
        if found is None or _version(found) < _FIRST:
            found = _fetch(folder)
    return found


def _fetch(folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalledError("the client comes from npm's registry, and there is no npm")
    arguments = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    done = subprocess.run(
        [npm, "install", *arguments, "--prefix", str(folder), f"{PACKAGE}@{VERSIONS}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=_LONGEST_S,
    )
    found = _program(folder)
    if done.returncode != 0 or found is None:
        said = done.stderr.strip().partition("\n")[0] or "there is none for this kind of machine"
        raise NotInstalledError(f"npm could not install the client: {said}")
    return found


def _program(folder: Path) -> Path | None:
    """The program of the package for this machine; npm installs that one alone."""
    scope = folder / "node_modules" / "@anthropic-ai"
    found = [
        path
        for path in (*scope.glob("claude-code-*/claude"), *scope.glob("claude-code-*/claude.exe"))
        if os.access(path, os.X_OK)
    ]
    return next((path for path in sorted(found) if _version(path) != (0, 0, 0)), None)


def _version(program: Path) -> tuple[int, int, int]:
    """What *program* says its version is; zeros if it does not run here."""
    try:
        ran = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0, 0, 0
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", ran.stdout)
    return (int(match[1]), int(match[2]), int(match[3])) if match else (0, 0, 0)
