"""OpenCode's plugin: one file, loaded when OpenCode starts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..extension import extension_file
from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "opencode"


class OpenCodeInstaller(AgentInstaller):
    """The plugin of OpenCode."""

    agent = AGENT
    folder = "opencode"  # in that of all programs' settings
    variable = "OPENCODE_CONFIG_DIR"

    def home(self, around: Surroundings) -> Path:
        if around.environ.get(self.variable):
            return super().home(around)
        return around.folder_of("XDG_CONFIG_HOME", ".config") / self.folder

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = self.home(around) if scope == "user" else around.project / ".opencode"
        edit = extension_file("opencode/memjournal.js.j2", around.program_for(scope))
        return (Target(path=folder / "plugins" / "memjournal.js", edit=edit),)

    def steps(self, scope: Scope) -> tuple[str, ...]:
        return ("restart OpenCode where it runs",)
