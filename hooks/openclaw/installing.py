"""OpenClaw's plugin: a folder among its global ones. What it may hear is a setting of OpenClaw, which the user makes."""

from __future__ import annotations

from typing import Final

from ..extension import extension_file, plain_file
from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "openclaw"
PLUGIN: Final = "memjournal"
_EVENTS: Final = ("session-start", "prompt", "tool", "answer", "compacting", "session-end")


class OpenClawInstaller(AgentInstaller):
    """The plugin of OpenClaw."""

    agent = AGENT
    scopes = ("user",)
    folder = ".openclaw"
    variable = "OPENCLAW_STATE_DIR"

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = self.home(around) / "extensions" / PLUGIN
        index = extension_file("openclaw/index.js.j2", around.program_for(scope), _EVENTS)
        manifest = plain_file("openclaw/openclaw.plugin.json")
        return (
            Target(path=folder / "index.js", edit=index),
            Target(path=folder / "package.json", edit=plain_file("openclaw/package.json")),
            Target(path=folder / "openclaw.plugin.json", edit=manifest),
        )

    def steps(self, scope: Scope) -> tuple[str, ...]:
        entry = f"plugins.entries.{PLUGIN}"
        return (
            f"run `openclaw plugins enable {PLUGIN}`",
            f"run `openclaw config set {entry}.hooks.allowConversationAccess true`: else it hears nothing",
            "restart the gateway: `openclaw gateway restart`",
        )
