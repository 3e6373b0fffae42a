"""Codex's hooks: what their payloads tell, and the envelope that it takes context in.

Observed with 0.171.0: its output schemas are closed, and a single field that it does not know discards the whole
answer. What a shell command printed comes as a bare text, without its exit code: a failure looks like
success there, so the outcome of every call is unknown unless its text begins with one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..happening import (
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
from ..keys import said_key, summary_key
from ..payload import (
    as_text,
    check_event,
    filled_at,
    hook_output,
    is_error,
    key_at,
    needed_key_at,
    optional_text,
    start_source,
    text_at,
)
from ..text import clean
from ..tool_call import read_outcome
from .prompts import read_prompt

EVENTS: Final = (
    *("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact"),
    *("Stop", "SubagentStop", "SessionEnd"),
)
_TAKE_CONTEXT: Final = ("SessionStart", "UserPromptSubmit")


class HookAdapter:
    """Codex CLI."""

    agent = "codex"
    max_size = 8_000  # bytes of UTF-8; from 10,000 on, the middle is cut out

    def read(
        self, event: str, payload: Mapping[str, object], environ: Mapping[str, str]
    ) -> Happening | Ignored:
        if event not in EVENTS:
            return Ignored(reason=f"nothing is done about {event}")
        check_event(payload, event)
        session = filled_at(payload, "session_id", event=event)
        cwd, turn = optional_text(payload, "cwd"), key_at(payload, "turn_id")
        match event:
            case "SessionStart":
                return SessionStarted(session=session, cwd=cwd, source=start_source(payload))
            case "UserPromptSubmit":
                text = read_prompt(clean(text_at(payload, "prompt", event=event)))
                if not text:
                    return Ignored(reason="a prompt that no person typed")
                key = said_key(turn, text)
                return Prompted(session=session, cwd=cwd, text=text, key=key)
            case "PostToolUse":
                return _tool_used(payload, session, cwd)
            case "PreCompact":
                return Compacting(session=session, cwd=cwd)
            case "PostCompact":  # the summary stays with the program
                return Compacted(session=session, cwd=cwd, summary="", key=summary_key(turn))
            case "Stop" | "SubagentStop":
                return _answered(event, payload, session, cwd, turn)
        return SessionEnded(session=session, cwd=cwd)

    def write(self, event: str, context: str) -> str:
        return hook_output(event, context, taken_at=_TAKE_CONTEXT)

    def size_of(self, context: str) -> int:
        return len(clean(context).encode("utf-8"))


def _tool_used(payload: Mapping[str, object], session: str, cwd: str) -> ToolUsed:
    name = filled_at(payload, "tool_name", event="PostToolUse")
    key = needed_key_at(payload, "tool_use_id", event="PostToolUse")
    response = payload.get("tool_response")
    result = as_text(response)
    outcome, exit_code = read_outcome(result, is_error=is_error(response), data=response)
    return ToolUsed(
        session=session,
        cwd=cwd,
        name=clean(name),
        given=payload.get("tool_input"),
        result=result,
        outcome="unknown" if outcome == "ok" and exit_code is None else outcome,
        exit_code=exit_code,
        key=key,
        by_subagent=key_at(payload, "agent_id"),
    )


def _answered(
    event: str, payload: Mapping[str, object], session: str, cwd: str, turn: str
) -> Answered | Ignored:
    text = optional_text(payload, "last_assistant_message")
    if not text.strip():
        return Ignored(reason="a turn that ended without an answer")
    if event == "Stop":
        return Answered(session=session, cwd=cwd, text=text, key=said_key(turn, text))
    agent, kind = key_at(payload, "agent_id"), clean(optional_text(payload, "agent_type"))
    if not agent or not kind:
        return Ignored(reason="the program's own helper")
    key = said_key(agent, text)
    return Answered(
        session=session, cwd=cwd, text=text, key=key, subagent=agent, subagent_type=kind
    )
