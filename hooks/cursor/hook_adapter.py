"""Cursor's hooks: what their payloads tell, and the field that it takes context in.

No package of it can be read; names and types of fields are as integrations with 3.7 to 3.20 report them. So only
the conversation, the prompt, the answer and the tool's name are insisted on, and the rest may be anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from ..adapter import PayloadError
from ..happening import (
    Answered,
    Compacting,
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
    as_text,
    check_event,
    filled_at,
    key_at,
    optional_text,
    text_at,
    utf16_units,
)
from ..text import clean
from ..tool_call import read_outcome

EVENTS: Final = (
    *("sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure"),
    *("afterAgentResponse", "preCompact", "sessionEnd"),
)
_TAKE_CONTEXT: Final = ("sessionStart", "beforeSubmitPrompt")
_WINDOWS_ROOT: Final = re.compile(r"/(?=[A-Za-z]:[/\\])")
_INJECTED: Final = re.compile(
    r"\s*<(attached_files|open_and_recently_viewed_files|user_info|system_reminder|manually_attached_skills)>"
    r".*?</\1>\s*",
    re.DOTALL,
)
_QUERY: Final = re.compile(r"\s*<user_query>\n?(.*?)\n?</user_query>\s*", re.DOTALL)


class HookAdapter:
    """Cursor."""

    agent = "cursor"
    max_size = 8_000  # UTF-16 units; from 10,000 on, the context is put into a file instead

    def read(
        self, event: str, payload: Mapping[str, object], environ: Mapping[str, str]
    ) -> Happening | Ignored:
        if event not in EVENTS:
            return Ignored(reason=f"nothing is done about {event}")
        check_event(payload, event)
        session = _session(payload, event)
        cwd, turn = _folder(payload, environ), key_at(payload, "generation_id")
        match event:
            case "sessionStart":
                return SessionStarted(session=session, cwd=cwd, source="startup")
            case "beforeSubmitPrompt":
                text = _read_prompt(clean(text_at(payload, "prompt", event=event)))
                if not text:
                    return Ignored(reason="a prompt without text")
                key = said_key(turn, text)
                return Prompted(session=session, cwd=cwd, text=text, key=key)
            case "afterAgentResponse":
                text = text_at(payload, "text", event=event)
                if not text.strip():
                    return Ignored(reason="an answer without text")
                return Answered(session=session, cwd=cwd, text=text, key=said_key(turn, text))
            case "postToolUse" | "postToolUseFailure":
                return _tool_used(event, payload, session, cwd, turn)
            case "preCompact":
                return Compacting(session=session, cwd=cwd)
        return SessionEnded(session=session, cwd=cwd)

    def write(self, event: str, context: str) -> str:
        if not context or event not in _TAKE_CONTEXT:
            return ""
        told: dict[str, object] = {"additional_context": clean(context)}
        if event == "beforeSubmitPrompt":
            told = {"continue": True, **told}
        return as_json(told)

    def size_of(self, context: str) -> int:
        return utf16_units(clean(context))


def _session(payload: Mapping[str, object], event: str) -> str:
    named = "conversation_id" if "conversation_id" in payload else "session_id"
    if named not in payload:
        raise PayloadError("conversation_id is missing or not a text", where=event)
    return filled_at(payload, named, event=event)


def _folder(payload: Mapping[str, object], environ: Mapping[str, str]) -> str:
    """The first folder of the window; on Windows it comes as ``/c:/Users/…``."""
    match payload.get("workspace_roots"):
        case [str(root), *_] if root:
            return _WINDOWS_ROOT.sub("", root, count=1) if _WINDOWS_ROOT.match(root) else root
    return environ.get("CURSOR_PROJECT_DIR", "")


def _read_prompt(text: str) -> str:
    """What was typed; what the editor put before it is cut off."""
    while found := _INJECTED.match(text):
        text = text[found.end() :]
    if query := _QUERY.fullmatch(text):
        text = query[1]
    return text.strip()


def _tool_used(
    event: str, payload: Mapping[str, object], session: str, cwd: str, turn: str
) -> ToolUsed:
    name = filled_at(payload, "tool_name", event=event)
    given = _decoded(payload.get("tool_input"))
    key = key_at(payload, "tool_use_id") or said_key(turn, f"{name}\0{as_json(given)}")
    if not key:
        raise PayloadError("tool_use_id is missing or not an id", where=event)
    failed = event == "postToolUseFailure"
    output = _decoded(payload.get("error_message" if failed else "tool_output"))
    text, exit_code = _printed(output)
    data = {"interrupted": True} if payload.get("is_interrupt") is True else None
    outcome, code_in_text = read_outcome(text, is_error=failed or bool(exit_code), data=data)
    return ToolUsed(
        session=session,
        cwd=optional_text(payload, "cwd") or cwd,
        name=clean(name),
        given=given,
        result=text,
        outcome=outcome,
        exit_code=code_in_text if exit_code is None else exit_code,
        key=key,
    )


def _decoded(value: object) -> object:
    """*value*, which some versions give as JSON in a text."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _printed(output: object) -> tuple[str, int | None]:
    """What a tool printed, and its exit code where that is told."""
    if not isinstance(output, Mapping):
        return as_text(output), None
    exit_code: int | None = None
    match output:
        case {"exitCode": int(code)} | {"exit_code": int(code)}:
            exit_code = code
    parts = [optional_text(output, name) for name in ("stdout", "output", "stderr", "error")]
    return "\n".join(filter(None, parts)) or as_text(output), exit_code
