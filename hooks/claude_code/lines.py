"""Which lines of a transcript need not be decoded.

Half the lines of a real transcript are progress reports and file snapshots. Their type stands
before any nested value, so a match anchored at the line's start reads it as surely as a decoder.
"""

from __future__ import annotations

import re
from typing import Final

RECORD_START: Final = '{"parentUuid":'
"""How most records begin; inside of one it stands nowhere but in a text, with its quotes escaped."""

# Flat members up to "type"; possessive, so that a line that does not match costs one look.
_HEAD_TYPE = re.compile(
    rb'\{(?:"(?!type")[A-Za-z]++":(?:"(?:[^"\\]|\\.)*+"|true|false|null),)*+"type":"([a-z-]++)"'
)
_TWO_OBJECTS = re.compile(rb"\}\s*+\{")
_TEXT_BLOCK = re.compile(rb'"type"\s*+:\s*+"text"')
_SKIPPED: Final = {b"progress": "progress", b"file-history-snapshot": "file-history-snapshot"}
_OUTLINE_MARKS: Final = (b'"user"', b'"queue-operation"', b'-title"', b'"queued_command"')


def skip_reason(raw: bytes) -> str:
    """Why the line can be skipped undecoded; "" when it has to be decoded to know."""
    head = _HEAD_TYPE.match(raw)
    reason = _SKIPPED.get(head[1], "") if head else ""
    if reason and raw.endswith(b"}") and not _TWO_OBJECTS.search(raw):
        return reason
    return ""


def may_shape_outline(raw: bytes) -> bool:
    """Whether a line can hold a prompt, a text typed while the agent worked, or a title.

    True for some lines that do not. False for one that does only if its JSON is spelled as no
    version spells it; that would cost a flag on an event, never a text.
    """
    if not any(mark in raw for mark in _OUTLINE_MARKS):
        return False
    is_result_only = b'"tool_result"' in raw and not _TEXT_BLOCK.search(raw)
    return not is_result_only or bool(_TWO_OBJECTS.search(raw))
