"""What a person typed, out of a prompt as Gemini CLI hands it to its hooks.

Observed with 0.61.0: without a terminal, what was told at the start of the session is put before the first
prompt, and comes back with it. It is cut off here, or the journal would remember what it has told.
"""

from __future__ import annotations

import re
from typing import Final

_HOOK_CONTEXT: Final = re.compile(r"\s*<hook_context>.*?</hook_context>\s*", re.DOTALL)
_MACHINE_STARTS: Final = ("<session_context>", "<hook_context>", "System: Please continue.")


def read_prompt(text: str) -> str:
    """What was typed; "" where nobody typed it."""
    while found := _HOOK_CONTEXT.match(text):
        text = text[found.end() :]
    text = text.strip()
    return "" if text.startswith(_MACHINE_STARTS) else text
