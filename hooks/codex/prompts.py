"""What a person typed, out of a prompt as Codex hands it to its hooks.

The program puts texts of its own where the user's stand, and editors wrap what was typed in what they have open.
"""

from __future__ import annotations

import re
from typing import Final

_MACHINE_STARTS: Final = (
    *("<environment_context>", "<user_instructions>", "<permissions", "<turn_aborted>"),
    *("<recommended_plugins>", "<hook_prompt", "<skill>", "<subagent_notification>"),
    *("<user_shell_command>", "# AGENTS.md instructions"),
)
_EDITOR_STARTS: Final = ("# Context from my IDE setup:", "# Files mentioned by the user:")
_REQUEST: Final = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)


def read_prompt(text: str) -> str:
    """What was typed; "" where nobody typed it."""
    start = text.lstrip()
    if start.startswith(_EDITOR_STARTS) and (mark := _REQUEST.search(start)):
        start = text = start[mark.end() :]
    return "" if start.startswith(_MACHINE_STARTS) else text.strip()
