"""Gemini CLI's settings with our hooks in them. Its timeouts are in milliseconds; comments may stand in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.json_hooks import JsonHooks, hook_groups
from ..install.plan import Target
from ..install.quoting import quoted

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


def groups(program: str) -> dict[str, dict[str, object]]:
    """For each event the group that calls *program*."""

    def handler(event: str, timeout_ms: int) -> dict[str, object]:
        return {
            "name": "memjournal",
            "type": "command",
            "command": f"{quoted(program)} {AGENT} {event}",
            "timeout": timeout_ms,
        }

    return hook_groups(EVENTS, handler)


class GeminiInstaller(AgentInstaller):
    """Hooks of Gemini CLI."""

    agent = AGENT
    folder = ".gemini"

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = self.home(around) if scope == "user" else around.project / self.folder
        edit = JsonHooks(items=groups(around.program_for(scope)), comments=True)
        return (Target(path=folder / "settings.json", edit=edit),)

    def steps(self, scope: Scope) -> tuple[str, ...]:
        if scope == "project":
            return ("trust the folder in `gemini`: hooks of a project run only there",)
        return ()
