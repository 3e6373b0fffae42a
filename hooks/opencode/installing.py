"""OpenCode's plugin: one file, loaded when OpenCode starts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..extension import extension_file
from ..install.agent import Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "opencode"


class OpenCodeInstaller:
    """The plugin of OpenCode."""

    agent: Final = AGENT
    scopes: Final[tuple[Scope, ...]] = ("user", "project")

    def is_here(self, around: Surroundings) -> bool:
        return _config_folder(around).is_dir()

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = _config_folder(around) if scope == "user" else around.project / ".opencode"
        edit = extension_file("opencode/memjournal.js.j2", around.program_for(scope))
        return (Target(path=folder / "plugins" / "memjournal.js", edit=edit),)

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        restart = "restart OpenCode where it runs"
        if scope == "project":
            return (
                restart,
                "whoever works here needs `mem-hook` in PATH, and a journal of their own",
            )
        return (restart,)

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        return ()


def _config_folder(around: Surroundings) -> Path:
    if named := around.environ.get("OPENCODE_CONFIG_DIR", ""):
        return around.project / named
    base = around.environ.get("XDG_CONFIG_HOME", "")
    return (around.project / base if base else around.home / ".config") / "opencode"
