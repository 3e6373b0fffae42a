"""Codex's payloads, as the client 0.171.0 sent them, and what it accepts for an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from memjournal.hooks.adapter import PayloadError
from memjournal.hooks.codex.hook_adapter import EVENTS, HookAdapter
from memjournal.hooks.codex.installing import EVENTS as INSTALLED
from memjournal.hooks.happening import (
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

SAMPLE = Path(__file__).parent / "samples/session-0.171.0.jsonl"
SESSION = "01a22ec2-91bc-7cf3-889a-5e4ff8efbb09"


def read(event: str, **payload: object) -> Happening | Ignored:
    return HookAdapter().read(event, {"session_id": "s", "cwd": "/p", **payload}, {})


def read_sample() -> list[Happening | Ignored]:
    lines = SAMPLE.read_text("utf-8").splitlines()
    calls = [json.loads(line) for line in lines]
    return [HookAdapter().read(call["event"], call["payload"], {}) for call in calls]


def test_a_real_session_is_told_in_full() -> None:
    happenings = read_sample()
    assert [type(one) for one in happenings] == [
        *(SessionStarted, Prompted, ToolUsed, ToolUsed, Answered, SessionEnded),
        *(SessionStarted, Prompted, Answered, SessionEnded),
        *(Compacting, Compacted, SessionStarted, SessionStarted, Prompted, Answered, SessionEnded),
    ]
    assert {one.session for one in happenings if not isinstance(one, Ignored)} == {SESSION}
    assert {one.cwd for one in happenings if not isinstance(one, Ignored)} == {"/home/dev/shop"}
    assert [one.text for one in happenings if isinstance(one, Prompted)] == [
        *("타임아웃을 30초로 늘려줘", "계속해줘", "세 번째"),
    ]
    assert [one.text for one in happenings if isinstance(one, Answered)] == [
        *("`TIMEOUT`을 30으로 바꿨습니다. Done.", "이어서 했습니다.", "이어서 했습니다."),
    ]
    sources = [one.source for one in happenings if isinstance(one, SessionStarted)]
    assert sorted(sources) == ["compact", "resume", "resume", "startup"]


def test_what_is_said_and_answered_has_a_key_of_its_own() -> None:
    said = [one for one in read_sample() if isinstance(one, Prompted | Answered)]
    assert all(one.key for one in said)
    assert len({one.key for one in said}) == len(said), "two equal answers are two"


def test_a_command_that_failed_is_not_said_to_have_gone_well() -> None:
    """Its payload has no exit code: the 1 of this command is not in it."""
    ok, failed = [one for one in read_sample() if isinstance(one, ToolUsed)]
    assert (ok.name, ok.given, ok.result) == ("Bash", {"command": "echo 안녕"}, "안녕\n")
    assert "1 failed, 2 passed" in failed.result
    assert {one.outcome for one in (ok, failed)} == {"unknown"}
    assert ok.key != failed.key


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("로그인 버그 고쳐줘\n", "로그인 버그 고쳐줘"),
        (
            "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\n고쳐줘",
            "고쳐줘",
        ),
        (
            "What does `## My request for Codex:` mean?",
            "What does `## My request for Codex:` mean?",
        ),
        ("\x1b[31mred\x1b[0m", "red"),
    ],
)
def test_a_prompt_is_what_was_typed(prompt: str, text: str) -> None:
    said = read("UserPromptSubmit", turn_id="t1", prompt=prompt)
    assert isinstance(said, Prompted)
    assert said.text == text


@pytest.mark.parametrize(
    "prompt",
    [
        *(
            "<environment_context>\n<cwd>/p</cwd>",
            "<user_instructions>x",
            "<permissions instructions>",
        ),
        *(
            "<turn_aborted>",
            "# AGENTS.md instructions for /p",
            "<hook_prompt hook_run_id='1'>x",
            "  \n",
        ),
    ],
)
def test_a_prompt_that_nobody_typed_is_none(prompt: str) -> None:
    assert isinstance(read("UserPromptSubmit", prompt=prompt), Ignored)


def test_two_prompts_typed_in_one_turn_are_two() -> None:
    first = read("UserPromptSubmit", turn_id="t1", prompt="고쳐줘")
    second = read("UserPromptSubmit", turn_id="t1", prompt="아니, 되돌려줘")
    again = read("UserPromptSubmit", turn_id="t1", prompt="고쳐줘")
    assert isinstance(first, Prompted) and isinstance(second, Prompted)
    assert first.key != second.key and first == again


@pytest.mark.parametrize(
    ("event", "payload", "what"),
    [
        ("Stop", {"last_assistant_message": None, "stop_hook_active": False}, "without an answer"),
        ("Stop", {}, "without an answer"),
        (
            "SubagentStop",
            {"last_assistant_message": "x", "agent_id": "a", "agent_type": ""},
            "helper",
        ),
        ("PreToolUse", {}, "PreToolUse"),
        ("Interrupt", {}, "Interrupt"),
        ("SomethingNew", {"session_id": 3}, "SomethingNew"),
    ],
)
def test_what_tells_nothing_is_ignored(
    event: str, payload: Mapping[str, object], what: str
) -> None:
    ignored = read(event, **payload)
    assert isinstance(ignored, Ignored) and what in ignored.reason


@pytest.mark.parametrize(
    ("event", "payload", "missing"),
    [
        ("UserPromptSubmit", {}, "prompt is missing"),
        ("UserPromptSubmit", {"prompt": 3}, "prompt is missing"),
        ("UserPromptSubmit", {"prompt": "x", "session_id": None}, "session_id is missing"),
        ("UserPromptSubmit", {"prompt": "x", "session_id": " "}, "session_id is empty"),
        ("PostToolUse", {"tool_use_id": "c"}, "tool_name is missing"),
        ("PostToolUse", {"tool_name": "Bash"}, "tool_use_id is missing"),
        ("Stop", {"hook_event_name": "SessionEnd"}, "another event"),
    ],
)
def test_what_is_missing_is_named(event: str, payload: Mapping[str, object], missing: str) -> None:
    with pytest.raises(PayloadError, match=missing):
        read(event, **payload)


def test_an_answer_of_a_server_that_speaks_mcp_is_read() -> None:
    response = {"content": [{"type": "text", "text": "없는 표"}], "isError": True}
    used = read("PostToolUse", tool_name="mcp__db__query", tool_use_id="c1", tool_response=response)
    assert isinstance(used, ToolUsed)
    assert (used.result, used.outcome) == ("없는 표", "error")


@pytest.mark.parametrize("event", ("SessionStart", "UserPromptSubmit"))
def test_an_answer_has_only_the_fields_that_the_client_knows(event: str) -> None:
    told = json.loads(HookAdapter().write(event, "지난 결정 <b> \ud800"))
    assert told == {
        "hookSpecificOutput": {"hookEventName": event, "additionalContext": "지난 결정 <b> \ufffd"}
    }


@pytest.mark.parametrize(
    "event", ("PostToolUse", "Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd")
)
def test_nothing_is_printed_where_text_would_be_an_error(event: str) -> None:
    assert HookAdapter().write(event, "context") == ""


def test_size_is_counted_in_bytes() -> None:
    assert HookAdapter().size_of("가a") == 4


def test_every_event_that_is_installed_is_read() -> None:
    assert set(INSTALLED) <= set(EVENTS)
