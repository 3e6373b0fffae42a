"""Pi's extension: one file, loaded when Pi starts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..extension import extension_file
from ..install.agent import Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "pi"


class PiInstaller:
    """The extension of Pi coding agent."""

    agent: Final = AGENT
    scopes: Final[tuple[Scope, ...]] = ("user", "project")

    def is_here(self, around: Surroundings) -> bool:
        return _agent_folder(around).is_dir()

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = _agent_folder(around) if scope == "user" else around.project / ".pi"
        edit = extension_file("pi/memjournal.js.j2", around.program_for(scope))
        return (Target(path=folder / "extensions" / "memjournal.js", edit=edit),)

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        reload = "type `/reload` in Pi where it runs"
        if scope == "project":
            return (
                reload,
                "trust the project in `pi`: its extensions are loaded only then",
                "whoever works here needs `mem-hook` in PATH, and a journal of their own",
            )
        return (reload,)

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        return ()


def _agent_folder(around: Surroundings) -> Path:
    named = around.environ.get("PI_CODING_AGENT_DIR", "")
    return around.project / named if named else around.home / ".pi" / "agent"
