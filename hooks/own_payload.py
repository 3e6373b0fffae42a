"""The payload that our own extensions send, for assistants that run no command at their hooks but load a file.

It is ours to define, so it is small: a JSON object with `session`, `cwd`, and what the event tells.

    session-start   source: startup, resume, clear, compact or fork
    prompt          prompt; id
    tool            tool, input, output, id; failed, interrupted, exit_code
    answer          answer; id
    compacting
    compacted       summary; id
    session-end

What stands behind a semicolon may be missing; more may stand there. `id` is the assistant's own id of what is told, and `turn`, with any of
them, that of the turn. What the hook prints is `{"context": TEXT}`, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .happening import (
    Answered,
    Compacted,
    Compacting,
    Happening,
    Ignored,
    Prompted,
    SessionEnded,
    SessionStarted,
    ToolUsed,
)
from .keys import said_key, summary_key
from .payload import (
    as_json,
    as_text,
    filled_at,
    key_at,
    needed_key_at,
    optional_text,
    start_source,
    text_at,
    utf16_units,
)
from .text import clean
from .tool_call import read_outcome

EVENTS: Final = (
    *("session-start", "prompt", "tool", "answer", "compacting", "compacted", "session-end"),
)
_TAKE_CONTEXT: Final = ("session-start", "prompt")


class OwnHooks:
    """What the adapters of such assistants have in common; each of them says whose prompts are no person's."""

    max_size = 8_000  # UTF-16 units: what the most careful of these assistants takes whole

    def __init__(self, agent: str, *, read_prompt: Callable[[str], str] = str.strip) -> None:
        """*read_prompt* gives what was typed of a prompt, "" where nobody typed it."""
        self.agent, self._read_prompt = agent, read_prompt

    def read(
        self, event: str, payload: Mapping[str, object], environ: Mapping[str, str]
    ) -> Happening | Ignored:
        if event not in EVENTS:
            return Ignored(reason=f"nothing is done about {event}")
        session = filled_at(payload, "session", event=event)
        cwd, turn = optional_text(payload, "cwd"), key_at(payload, "turn")
        own_id = key_at(payload, "id")
        match event:
            case "session-start":
                return SessionStarted(session=session, cwd=cwd, source=start_source(payload))
            case "prompt":
                text = self._read_prompt(clean(text_at(payload, "prompt", event=event)))
                if not text:
                    return Ignored(reason="a prompt that no person typed")
                key = own_id or said_key(turn, text)
                return Prompted(session=session, cwd=cwd, text=text, key=key)
            case "tool":
                return _tool_used(payload, session, cwd)
            case "answer":
                text = text_at(payload, "answer", event=event)
                if not text.strip():
                    return Ignored(reason="a turn that ended without an answer")
                key = own_id or said_key(turn, text)
                return Answered(session=session, cwd=cwd, text=text, key=key)
            case "compacting":
                return Compacting(session=session, cwd=cwd)
            case "compacted":
                summary = text_at(payload, "summary", event=event)
                key = own_id or summary_key(turn)
                return Compacted(session=session, cwd=cwd, summary=summary, key=key)
        return SessionEnded(session=session, cwd=cwd)

    def write(self, event: str, context: str) -> str:
        if not context or event not in _TAKE_CONTEXT:
            return ""
        return as_json({"context": clean(context)})

    def size_of(self, context: str) -> int:
        return utf16_units(clean(context))


def _tool_used(payload: Mapping[str, object], session: str, cwd: str) -> ToolUsed:
    name = filled_at(payload, "tool", event="tool")
    key = needed_key_at(payload, "id", event="tool")
    text = as_text(payload.get("output"))
    exit_code = payload.get("exit_code")
    code = exit_code if isinstance(exit_code, int) and not isinstance(exit_code, bool) else None
    outcome, code_in_text = read_outcome(
        text,
        is_error=payload.get("failed") is True or bool(code),
        data={"interrupted": payload.get("interrupted") is True},
    )
    return ToolUsed(
        session=session,
        cwd=cwd,
        name=clean(name),
        given=payload.get("input"),
        result=text,
        outcome=outcome,
        exit_code=code_in_text if code is None else code,
        key=key,
    )
