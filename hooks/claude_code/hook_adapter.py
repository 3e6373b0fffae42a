"""Claude Code's hooks: what their payloads tell, and the envelope that it takes context in.

Observed with 2.1.332: `hookEventName` must be the running event's name, and a field of a wrong type
discards the whole answer; so an answer has these two fields and no other. Fields of payloads come and go
with versions: what is not needed may be missing.
"""

from __future__ import annotations

import re
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
    utf16_units,
)
from ..text import clean
from ..tool_call import read_outcome
from .prompts import read_said

EVENTS: Final = (
    *("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"),
    *("SubagentStop", "PreCompact", "PostCompact", "SessionEnd"),
)
_TAKE_CONTEXT: Final = ("SessionStart", "UserPromptSubmit")
_HUMAN: Final = ("", "user", "sdk")
_ANALYSIS: Final = re.compile(r"<analysis>.*?(?:</analysis>|\Z)", re.DOTALL)
_SUMMARY: Final = re.compile(r"</?summary>")


class HookAdapter:
    """Claude Code."""

    agent = "claude-code"
    max_size = 8_000  # UTF-16 units; from 10,000 on, the context is put into a file instead

    def read(
        self, event: str, payload: Mapping[str, object], environ: Mapping[str, str]
    ) -> Happening | Ignored:
        if event not in EVENTS:
            return Ignored(reason=f"nothing is done about {event}")
        check_event(payload, event)
        session = filled_at(payload, "session_id", event=event)
        cwd = optional_text(payload, "cwd") or environ.get("CLAUDE_PROJECT_DIR", "")
        prompt = key_at(payload, "prompt_id")
        match event:
            case "SessionStart":
                return SessionStarted(session=session, cwd=cwd, source=start_source(payload))
            case "UserPromptSubmit":
                return _prompted(payload, session, cwd, prompt)
            case "PostToolUse" | "PostToolUseFailure":
                return _tool_used(event, payload, session, cwd)
            case "Stop":
                text = optional_text(payload, "last_assistant_message")
                return Answered(session=session, cwd=cwd, text=text, key=said_key(prompt, text))
            case "SubagentStop":
                return _subagent_answered(payload, session, cwd)
            case "PreCompact":
                return Compacting(session=session, cwd=cwd)
            case "PostCompact":
                summary = _without_analysis(optional_text(payload, "compact_summary"))
                key = summary_key(prompt)
                return Compacted(session=session, cwd=cwd, summary=summary, key=key)
        return SessionEnded(session=session, cwd=cwd)

    def write(self, event: str, context: str) -> str:
        return hook_output(event, context, taken_at=_TAKE_CONTEXT)

    def size_of(self, context: str) -> int:
        return utf16_units(clean(context))


def _prompted(
    payload: Mapping[str, object], session: str, cwd: str, prompt: str
) -> Prompted | Ignored:
    text = text_at(payload, "prompt", event="UserPromptSubmit")
    if payload.get("source", "") not in _HUMAN:
        return Ignored(reason="a prompt that no person typed")
    said = read_said((clean(text),))
    if not said.text:
        return Ignored(reason=said.reason)
    key = said_key(prompt, said.text)
    return Prompted(session=session, cwd=cwd, text=said.text, key=key)


def _tool_used(
    event: str, payload: Mapping[str, object], session: str, cwd: str
) -> ToolUsed | Ignored:
    name = filled_at(payload, "tool_name", event=event)
    key = needed_key_at(payload, "tool_use_id", event=event)
    given, data = payload.get("tool_input"), payload.get("tool_response")
    if event == "PostToolUseFailure":
        result = optional_text(payload, "error")
        data = {"interrupted": payload.get("is_interrupt") is True}
    elif name in ("Agent", "Task") and _is_in_background(data):
        return Ignored(reason="a sub-agent that has just begun")
    else:
        result = _text_of_response(data)
    outcome, exit_code = read_outcome(
        result, is_error=event == "PostToolUseFailure" or is_error(data), data=data
    )
    if name == "Bash" and outcome == "ok" and not _is_in_background(data):
        exit_code = 0
    return ToolUsed(
        session=session,
        cwd=cwd,
        name=clean(name),
        given=given,
        result=result,
        data=data,
        outcome=outcome,
        exit_code=exit_code,
        key=key,
        by_subagent=key_at(payload, "agent_id"),
    )


def _subagent_answered(payload: Mapping[str, object], session: str, cwd: str) -> Answered | Ignored:
    agent, kind = key_at(payload, "agent_id"), optional_text(payload, "agent_type")
    if not agent or not kind:
        return Ignored(reason="the client's own helper, as it compacts")
    text = optional_text(payload, "last_assistant_message")
    return Answered(
        session=session,
        cwd=cwd,
        text=text,
        subagent=agent,
        subagent_type=clean(kind),
        key=said_key(agent, text),
    )


def _text_of_response(response: object) -> str:
    """What a tool answered, as text: how depends on the tool, and differs between versions."""
    match response:
        case {"stdout": str(out), "stderr": str(error)}:
            return "\n".join(filter(None, (out, error)))
        case {"plan": str(text)}:
            return text
        case {"answers": dict(answers)}:
            return "\n".join(f"{asked} → {as_text(answer)}" for asked, answer in answers.items())
    return as_text(response)


def _is_in_background(response: object) -> bool:
    match response:
        case {"status": "async_launched"} | {"isAsync": True}:
            return True
        case {"backgroundTaskId": str(task)}:
            return bool(task)
    return False


def _without_analysis(summary: str) -> str:
    return _SUMMARY.sub("", _ANALYSIS.sub("", summary)).strip() or summary.strip()
