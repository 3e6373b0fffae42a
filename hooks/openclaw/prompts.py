"""What a person wrote, out of a prompt of OpenClaw: messages come from chats, with blocks before them that nobody typed.

Heartbeats, scheduled runs and the program's own housekeeping are no prompts.
"""

from __future__ import annotations

import re
from typing import Final

_METADATA: Final = re.compile(
    r"\s*[A-Z][\w ]{0,60} \(untrusted[^)\n]{0,60}\):[ \t]*\n```(?:json)?\n.*?\n```[ \t]*\n?",
    re.DOTALL,
)
_CHANNEL_LINE: Final = re.compile(
    r"\s*\[(?:message_id:|Telegram |WhatsApp |Discord |Slack |Signal |iMessage )[^\]\n]{0,300}\][ \t]*"
)
_STAMP: Final = re.compile(
    r"\s*\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}\][ \t]*"
)
_MACHINE_STARTS: Final = (
    *("Read HEARTBEAT.md if it exists", "Pre-compaction memory flush", "[cron:", "System: ["),
    *("A new session was started via", "[OpenClaw heartbeat poll]"),
)


def read_prompt(text: str) -> str:
    """What was written; "" where nobody wrote it."""
    while found := _METADATA.match(text) or _CHANNEL_LINE.match(text) or _STAMP.match(text):
        text = text[found.end() :]
    text = text.strip()
    return "" if text.startswith(_MACHINE_STARTS) else text
