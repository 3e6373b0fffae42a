"""Cursor's `hooks.json` with our hooks in it.

No timeout is given: reports differ whether it counts seconds or milliseconds, and `mem-hook` limits itself.
"""

from __future__ import annotations

from typing import Final

from ..codex.installing import quoted
from ..install.agent import Scope, Surroundings
from ..install.json_hooks import JsonHooks
from ..install.plan import Target
from .hook_adapter import EVENTS

AGENT: Final = "cursor"


def hook_handlers(program: str) -> dict[str, dict[str, object]]:
    """For each event the handler that calls *program*."""
    return {event: {"command": f"{quoted(program)} {AGENT} {event}"} for event in EVENTS}


class CursorInstaller:
    """Hooks of Cursor."""

    agent: Final = AGENT
    scopes: Final[tuple[Scope, ...]] = ("user", "project")

    def is_here(self, around: Surroundings) -> bool:
        return (around.home / ".cursor").is_dir()

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = around.home if scope == "user" else around.project
        edit = JsonHooks(
            items=hook_handlers(around.program_for(scope)), grouped=False, others={"version": 1}
        )
        return (Target(path=folder / ".cursor" / "hooks.json", edit=edit),)

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        if scope == "project":
            return ("whoever works here needs `mem-hook` in PATH, and a journal of their own",)
        return ()

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        return ()
