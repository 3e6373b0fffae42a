"""Hermes Agent's plugin: a folder among the user's. It leaves the one place for a memory provider free."""

from __future__ import annotations

from typing import Final

from ..extension import extension_file, plain_file
from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "hermes"
PLUGIN: Final = "memjournal"
_EVENTS: Final = ("session-start", "prompt", "tool", "answer", "session-end")


class HermesInstaller(AgentInstaller):
    """The plugin of Hermes Agent."""

    agent = AGENT
    scopes = ("user",)
    folder = ".hermes"
    variable = "HERMES_HOME"

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = self.home(around) / "plugins" / PLUGIN
        module = extension_file("hermes/__init__.py.j2", around.program_for(scope), _EVENTS)
        return (
            Target(path=folder / "__init__.py", edit=module),
            Target(path=folder / "plugin.yaml", edit=plain_file("hermes/plugin.yaml")),
        )

    def steps(self, scope: Scope) -> tuple[str, ...]:
        return (
            f"run `hermes plugins enable {PLUGIN}`: it adds {PLUGIN} to plugins.enabled in config.yaml",
        )
