"""Gemini CLI's settings with our hooks in them. Its timeouts are in milliseconds; comments may stand in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..codex.installing import quoted
from ..install.agent import Scope, Surroundings
from ..install.json_hooks import JsonHooks
from ..install.plan import Target

AGENT: Final = "gemini"
_TOOLS: Final = "^(run_shell_command|ask_user|exit_plan_mode|mcp_.*)$"
"""Those that can tell an outcome or a decision, by a regular expression; the rest is in the files and in git."""
EVENTS: Final[Mapping[str, tuple[str, int]]] = {
    "SessionStart": ("", 10_000),
    "BeforeAgent": ("", 5_000),
    "AfterTool": (_TOOLS, 10_000),
    "AfterAgent": ("", 10_000),
    "SessionEnd": ("", 5_000),
}
"""PreCompress is left out: it comes before every request to the model, whether anything is compressed or not."""


def hook_groups(program: str) -> dict[str, dict[str, object]]:
    """For each event the group that calls *program*."""
    groups: dict[str, dict[str, object]] = {}
    for event, (matcher, timeout_ms) in EVENTS.items():
        handler = {
            "name": "memjournal",
            "type": "command",
            "command": f"{quoted(program)} {AGENT} {event}",
            "timeout": timeout_ms,
        }
        groups[event] = {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
    return groups


class GeminiInstaller:
    """Hooks of Gemini CLI."""

    agent: Final = AGENT
    scopes: Final[tuple[Scope, ...]] = ("user", "project")

    def is_here(self, around: Surroundings) -> bool:
        return (around.home / ".gemini").is_dir()

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = around.home if scope == "user" else around.project
        edit = JsonHooks(items=hook_groups(around.program_for(scope)), comments=True)
        return (Target(path=folder / ".gemini" / "settings.json", edit=edit),)

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        if scope == "project":
            return (
                "trust the folder in `gemini`: hooks of a project run only there",
                "whoever works here needs `mem-hook` in PATH, and a journal of their own",
            )
        return ()

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        return ()
