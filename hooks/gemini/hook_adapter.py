"""Gemini CLI's hooks: what their payloads tell, and the envelope that it takes context in.

Observed with 0.61.0: ``<`` and ``>`` of a context reach the model as ``&lt;`` and ``&gt;``, so it is told between heavy
lines instead of tags. `PreCompress` comes before every request, compressed or not: nothing is done about it.
A tool call has no id there; its moment and its input tell one from another.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...journal.digests import sha256
from ..adapter import PayloadError
from ..happening import (
    Answered,
    Happening,
    Ignored,
    Prompted,
    SessionEnded,
    SessionStarted,
    ToolUsed,
)
from ..keys import said_key
from ..payload import (
    as_json,
    check_event,
    filled_at,
    hook_output,
    key_at,
    optional_text,
    start_source,
    text_at,
    utf16_units,
)
from ..text import clean
from .prompts import read_prompt
from .tools import read_response

EVENTS: Final = ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")
_TAKE_CONTEXT: Final = ("SessionStart", "BeforeAgent")
_NO_BRACKETS: Final = str.maketrans("<>", "‹›")


class HookAdapter:
    """Gemini CLI."""

    agent = "gemini"
    max_size = 8_000  # UTF-16 units

    def read(
        self, event: str, payload: Mapping[str, object], environ: Mapping[str, str]
    ) -> Happening | Ignored:
        if event not in EVENTS:
            return Ignored(reason=f"nothing is done about {event}")
        check_event(payload, event)
        session = filled_at(payload, "session_id", event=event)
        cwd = optional_text(payload, "cwd") or environ.get("GEMINI_PROJECT_DIR", "")
        match event:
            case "SessionStart":
                return SessionStarted(session=session, cwd=cwd, source=start_source(payload))
            case "BeforeAgent":
                text = read_prompt(clean(text_at(payload, "prompt", event=event)))
                if not text:
                    return Ignored(reason="a prompt that no person typed")
                key = said_key(key_at(payload, "timestamp"), text)
                return Prompted(session=session, cwd=cwd, text=text, key=key)
            case "AfterAgent":
                text = text_at(payload, "prompt_response", event=event)
                if not text.strip():
                    return Ignored(reason="a turn that ended without an answer")
                key = said_key(key_at(payload, "timestamp"), text)
                return Answered(session=session, cwd=cwd, text=text, key=key)
            case "AfterTool":
                return _tool_used(payload, session, cwd)
        return SessionEnded(session=session, cwd=cwd)

    def write(self, event: str, context: str) -> str:
        told = _without_brackets(context) if context else ""
        return hook_output(event, told, taken_at=_TAKE_CONTEXT)

    def size_of(self, context: str) -> int:
        return utf16_units(_without_brackets(context))


def _without_brackets(context: str) -> str:
    """*context* between heavy lines; what of it has brackets yet, has them as ‹ and ›."""
    from ..recall.fence import as_plain  # a hook of a tool tells nothing

    return as_plain(clean(context)).translate(_NO_BRACKETS)


def _tool_used(payload: Mapping[str, object], session: str, cwd: str) -> ToolUsed:
    name = filled_at(payload, "tool_name", event="AfterTool")
    moment = key_at(payload, "timestamp")
    if not moment:
        raise PayloadError("timestamp is missing or not a time", where="AfterTool")
    given = payload.get("tool_input")
    response = read_response(name, payload.get("tool_response"))
    words = f"{moment}\0{name}\0{as_json(given)}".encode("utf-8", "surrogatepass")
    return ToolUsed(
        session=session,
        cwd=cwd,
        name=clean(name),
        given=given,
        result=response.text,
        outcome=response.outcome,
        exit_code=response.exit_code,
        key=f"tool.{sha256(words).hexdigest()[:32]}",
    )
