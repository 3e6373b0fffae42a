"""Pi's extension: one file, loaded when Pi starts."""

from __future__ import annotations

from typing import Final

from ..extension import extension_file
from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "pi"


class PiInstaller(AgentInstaller):
    """The extension of Pi coding agent."""

    agent = AGENT
    folder = ".pi/agent"
    variable = "PI_CODING_AGENT_DIR"

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = self.home(around) if scope == "user" else around.project / ".pi"
        edit = extension_file("pi/memjournal.js.j2", around.program_for(scope))
        return (Target(path=folder / "extensions" / "memjournal.js", edit=edit),)

    def steps(self, scope: Scope) -> tuple[str, ...]:
        reload = "type `/reload` in Pi where it runs"
        if scope == "project":
            return (reload, "trust the project in `pi`: its extensions are loaded only then")
        return (reload,)
