"""Cursor's `hooks.json` with our hooks in it.

No timeout is given: reports differ whether it counts seconds or milliseconds, and `mem-hook` limits itself.
"""

from __future__ import annotations

from typing import Final

from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.json_hooks import JsonHooks
from ..install.plan import Target
from ..install.quoting import quoted
from .hook_adapter import EVENTS

AGENT: Final = "cursor"


def hook_handlers(program: str) -> dict[str, dict[str, object]]:
    """For each event the handler that calls *program*."""
    return {event: {"command": f"{quoted(program)} {AGENT} {event}"} for event in EVENTS}


class CursorInstaller(AgentInstaller):
    """Hooks of Cursor."""

    agent = AGENT
    folder = ".cursor"

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = self.home(around) if scope == "user" else around.project / self.folder
        items = hook_handlers(around.program_for(scope))
        edit = JsonHooks(items=items, grouped=False, others={"version": 1})
        return (Target(path=folder / "hooks.json", edit=edit),)
