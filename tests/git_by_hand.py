"""git as a user runs it beside memjournal: as nobody in particular, whatever this machine has set."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_ROLES = [f"GIT_{role}_{what}" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")]


def git(folder: Path, *arguments: str, may_fail: bool = False) -> str:
    """What ``git`` prints in *folder*, with no configuration but the repository's.

    It must succeed, unless it *may_fail*, as a merge does that finds a conflict.
    """
    environ = {
        **{name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ},
        **dict.fromkeys(_ROLES, "kim@example.org"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }
    command = ["git", "-c", "protocol.file.allow=always", "-C", str(folder), *arguments]
    done = subprocess.run(command, env=environ, check=False, capture_output=True, encoding="utf-8")
    assert may_fail or done.returncode == 0, (arguments, done.stderr)
    return done.stdout.strip()
