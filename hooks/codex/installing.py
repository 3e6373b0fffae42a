"""Codex's `hooks.json` with our hooks in it.

Hooks are run by a shell, so the program's path is quoted. Codex runs none that the user has not looked at: each
change of a command has to be approved again, so the command depends on nothing that changes by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.json_hooks import JsonHooks, hook_groups
from ..install.plan import Target
from ..install.quoting import quoted

AGENT: Final = "codex"
EVENTS: Final[Mapping[str, tuple[str, int]]] = {
    "SessionStart": ("startup|resume|clear|compact|fork", 10),
    "UserPromptSubmit": ("", 5),
    "PostToolUse": ("^(Bash|mcp__.*)$", 10),
    "PreCompact": ("", 10),
    "Stop": ("", 10),
    "SubagentStop": ("", 10),
    "SessionEnd": ("", 3),
}
"""What each event is matched by, and the seconds after which it is given up; at the end of a session more than
three are cut to that, with a warning on every start. Of the tools, those that can tell an outcome; PostCompact
is left out, as it tells no summary."""


def groups(program: str) -> dict[str, dict[str, object]]:
    """For each event the group that calls *program*."""

    def handler(event: str, timeout_s: int) -> dict[str, object]:
        command = f"{quoted(program)} {AGENT} {event}"
        return {"type": "command", "command": command, "timeout": timeout_s}

    return hook_groups(EVENTS, handler)


class CodexInstaller(AgentInstaller):
    """Hooks of Codex CLI."""

    agent = AGENT
    folder = ".codex"
    variable = "CODEX_HOME"

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = self.home(around) if scope == "user" else around.project / self.folder
        edit = JsonHooks(items=groups(around.program_for(scope)))
        return (Target(path=folder / "hooks.json", edit=edit),)

    def steps(self, scope: Scope) -> tuple[str, ...]:
        return (
            "start `codex`, type `/hooks` and trust the new hooks: until then none of them runs",
        )
