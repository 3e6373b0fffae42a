"""OpenClaw's plugin: a folder among its global ones. What it may hear is a setting of OpenClaw, which the user makes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..extension import extension_file, plain_file
from ..install.agent import Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "openclaw"
PLUGIN: Final = "memjournal"
_EVENTS: Final = ("session-start", "prompt", "tool", "answer", "compacting", "session-end")


class OpenClawInstaller:
    """The plugin of OpenClaw."""

    agent: Final = AGENT
    scopes: Final[tuple[Scope, ...]] = ("user",)

    def is_here(self, around: Surroundings) -> bool:
        return _state_folder(around).is_dir()

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = _state_folder(around) / "extensions" / PLUGIN
        index = extension_file("openclaw/index.js.j2", around.program_for(scope), _EVENTS)
        return (
            Target(path=folder / "index.js", edit=index),
            Target(path=folder / "package.json", edit=plain_file("openclaw/package.json")),
            Target(
                path=folder / "openclaw.plugin.json",
                edit=plain_file("openclaw/openclaw.plugin.json"),
            ),
        )

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        entry = f"plugins.entries.{PLUGIN}"
        return (
            f"run `openclaw plugins enable {PLUGIN}`",
            f"run `openclaw config set {entry}.hooks.allowConversationAccess true`: else it hears nothing",
            "restart the gateway: `openclaw gateway restart`",
        )

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        return ()


def _state_folder(around: Surroundings) -> Path:
    named = around.environ.get("OPENCLAW_STATE_DIR", "")
    return around.project / named if named else around.home / ".openclaw"
