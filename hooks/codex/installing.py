"""Codex's `hooks.json` with our hooks in it.

Hooks are run by a shell, so the program's path is quoted. Codex runs none that the user has not looked at: each
change of a command has to be approved again, so the command depends on nothing that changes by itself.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..install.agent import Scope, Surroundings
from ..install.json_hooks import JsonHooks
from ..install.plan import Target

AGENT: Final = "codex"
_SPECIAL: Final = re.compile(r'["$`]')
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


def hook_groups(program: str) -> dict[str, dict[str, object]]:
    """For each event the group that calls *program*."""
    groups: dict[str, dict[str, object]] = {}
    for event, (matcher, timeout_s) in EVENTS.items():
        command = f"{quoted(program)} {AGENT} {event}"
        handler = {"type": "command", "command": command, "timeout": timeout_s}
        groups[event] = {**({"matcher": matcher} if matcher else {}), "hooks": [handler]}
    return groups


def quoted(program: str) -> str:
    """*program* as a shell reads it: that of a POSIX system, or on Windows `cmd` and PowerShell."""
    if "\\" in program:
        return f'"{program}"' if " " in program else program
    if "'" in program:  # in one piece, so that what is ours is found again
        return '"' + _SPECIAL.sub(r"\\\g<0>", program) + '"'
    return shlex.quote(program)


class CodexInstaller:
    """Hooks of Codex CLI."""

    agent: Final = AGENT
    scopes: Final[tuple[Scope, ...]] = ("user", "project")

    def is_here(self, around: Surroundings) -> bool:
        return _home(around).is_dir()

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        folder = _home(around) if scope == "user" else around.project / ".codex"
        edit = JsonHooks(items=hook_groups(around.program_for(scope)))
        return (Target(path=folder / "hooks.json", edit=edit),)

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        trust = "start `codex`, type `/hooks` and trust the new hooks: until then none of them runs"
        if scope == "project":
            return (
                trust,
                "whoever works here needs `mem-hook` in PATH, and a journal of their own",
            )
        return (trust,)

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        return ()


def _home(around: Surroundings) -> Path:
    named = around.environ.get("CODEX_HOME", "")
    return around.project / named if named else around.home / ".codex"
