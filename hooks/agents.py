"""The assistants whose hooks are understood, and which of them has called.

Only the adapter that is asked for is loaded: a hook pays for every import.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..journal.errors import UsageError
from .adapter import Adapter

AGENTS: Final = (
    *("claude-code", "codex", "gemini", "cursor", "opencode", "openclaw", "hermes", "pi"),
)
"""Those that hooks can be installed into."""
OTHER: Final = "other"
"""Any program that tells what happens in the payload that our own extensions send."""
AUTO: Final = "auto"
"""In place of a name: whoever it is, by the variables of the hook's process."""

_BY_VARIABLE: Final = (
    ("CURSOR_VERSION", "cursor"),  # first: it also runs the hooks of Claude Code's plugins
    ("GEMINI_SESSION_ID", "gemini"),  # it sets CLAUDE_PROJECT_DIR, too
    ("CLAUDECODE", "claude-code"),
)


def detect_agent(environ: Mapping[str, str]) -> str:
    """Who runs a process with the variables *environ*; Codex sets none of its own."""
    return next((agent for name, agent in _BY_VARIABLE if environ.get(name)), "codex")


def find_adapter(agent: str, environ: Mapping[str, str] | None = None) -> Adapter:
    """The adapter of *agent*, which may be ``auto``.

    Raises:
        UsageError: no assistant goes by that name.
    """
    match detect_agent(environ or {}) if agent == AUTO else agent:
        case "claude-code":
            from .claude_code.hook_adapter import HookAdapter as ClaudeCode

            return ClaudeCode()
        case "codex":
            from .codex.hook_adapter import HookAdapter as Codex

            return Codex()
        case "gemini":
            from .gemini.hook_adapter import HookAdapter as Gemini

            return Gemini()
        case "cursor":
            from .cursor.hook_adapter import HookAdapter as Cursor

            return Cursor()
        case "openclaw":
            from .openclaw.prompts import read_prompt
            from .own_payload import OwnHooks

            return OwnHooks("openclaw", read_prompt=read_prompt)
        case "opencode" | "hermes" | "pi" | "other" as own:
            from .own_payload import OwnHooks

            return OwnHooks(own)
    known = ", ".join(AGENTS)
    raise UsageError(
        f"no assistant is called {agent!r}", mend=f"name one of {known}, {OTHER} or {AUTO}"
    )
