"""Hermes Agent's plugin: a folder among the user's. It leaves the one place for a memory provider free."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..extension import extension_file, plain_file
from ..install.agent import Scope, Surroundings
from ..install.plan import Target

AGENT: Final = "hermes"
PLUGIN: Final = "memjournal"
_EVENTS: Final = ("session-start", "prompt", "tool", "answer", "session-end")


class HermesInstaller:
    """The plugin of Hermes Agent."""

    agent: Final = AGENT
    scopes: Final[tuple[Scope, ...]] = ("user",)

    def is_here(self, around: Surroundings) -> bool:
        return _home(around).is_dir()

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = _home(around) / "plugins" / PLUGIN
        module = extension_file("hermes/__init__.py.j2", around.program_for(scope), _EVENTS)
        return (
            Target(path=folder / "__init__.py", edit=module),
            Target(path=folder / "plugin.yaml", edit=plain_file("hermes/plugin.yaml")),
        )

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        return (
            f"run `hermes plugins enable {PLUGIN}`: it adds {PLUGIN} to plugins.enabled in config.yaml",
        )

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        return ()


def _home(around: Surroundings) -> Path:
    named = around.environ.get("HERMES_HOME", "")
    return around.project / named if named else around.home / ".hermes"
