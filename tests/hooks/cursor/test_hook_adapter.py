"""Cursor's payloads, as integrations describe them: nothing here was seen from the program itself."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from memjournal.hooks.adapter import PayloadError
from memjournal.hooks.cursor.hook_adapter import HookAdapter
from memjournal.hooks.happening import (
    Answered,
    Compacting,
    Happening,
    Ignored,
    Prompted,
    SessionEnded,
    SessionStarted,
    ToolUsed,
)

COMMON: Mapping[str, object] = {
    "conversation_id": "c1",
    "generation_id": "g1",
    "model": "m",
    "cursor_version": "3.20",
    "workspace_roots": ["/home/dev/shop", "/home/dev/other"],
    "user_email": None,
    "transcript_path": None,
}


def read(event: str, **payload: object) -> Happening | Ignored:
    return HookAdapter().read(event, {**COMMON, "hook_event_name": event, **payload}, {})


def used(event: str = "postToolUse", **payload: object) -> ToolUsed:
    tool = read(event, **{"tool_name": "Shell", "tool_use_id": "u1", **payload})
    assert isinstance(tool, ToolUsed)
    return tool


def test_a_conversation_is_told() -> None:
    assert read("sessionStart") == SessionStarted(
        session="c1", cwd="/home/dev/shop", source="startup"
    )
    said = read("beforeSubmitPrompt", prompt="로그인 고쳐줘", attachments=[])
    assert isinstance(said, Prompted)
    assert (said.text, said.cwd) == ("로그인 고쳐줘", "/home/dev/shop")
    answer = read("afterAgentResponse", text="고쳤습니다.")
    assert isinstance(answer, Answered)
    assert answer.text == "고쳤습니다."
    assert isinstance(read("preCompact", trigger="auto", context_tokens=9), Compacting)
    assert read("sessionEnd", reason="completed") == SessionEnded(
        session="c1", cwd="/home/dev/shop"
    )


def test_two_answers_in_one_turn_are_two() -> None:
    first, second = (
        read("afterAgentResponse", text="보겠습니다."),
        read("afterAgentResponse", text="끝"),
    )
    assert isinstance(first, Answered) and isinstance(second, Answered)
    assert first.key != second.key


@pytest.mark.parametrize(
    ("roots", "cwd"),
    [
        (["/c:/Users/개발/shop"], "c:/Users/개발/shop"),
        (["/home/c:x"], "/home/c:x"),
        ([], "/project"),
        (None, "/project"),
        ([3], "/project"),
    ],
)
def test_the_folder_is_the_first_of_the_window(roots: object, cwd: str) -> None:
    payload = {**COMMON, "workspace_roots": roots}
    started = HookAdapter().read("sessionStart", payload, {"CURSOR_PROJECT_DIR": "/project"})
    assert isinstance(started, SessionStarted) and started.cwd == cwd


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ('{"exitCode":0,"stdout":"안녕","stderr":""}', ("안녕", "ok", 0)),
        ({"exit_code": 2, "output": "bad"}, ("bad", "error", 2)),
        ("plain text", ("plain text", "ok", None)),
        ("{no json", ("{no json", "ok", None)),
        (None, ("", "ok", None)),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], ("a\nb", "ok", None)),
        ({"rows": 3}, ('{"rows":3}', "ok", None)),
    ],
)
def test_what_a_tool_answered_is_read_in_every_form(
    output: object, expected: tuple[str, str, int | None]
) -> None:
    tool = used(tool_output=output, tool_input='{"command": "echo 안녕"}')
    assert (tool.result, tool.outcome, tool.exit_code) == expected
    assert tool.given == {"command": "echo 안녕"}


def test_a_failure_is_one_and_an_interruption_too() -> None:
    failed = used("postToolUseFailure", error_message="no such file", failure_type="error")
    assert (failed.result, failed.outcome) == ("no such file", "error")
    stopped = used("postToolUseFailure", error_message="stopped", is_interrupt=True)
    assert stopped.outcome == "interrupted"


def test_a_tool_without_an_id_is_known_by_its_turn_and_its_input() -> None:
    first = used(tool_use_id=None, tool_input={"command": "a"})
    assert first.key == used(tool_use_id=None, tool_input={"command": "a"}).key
    assert first.key != used(tool_use_id=None, tool_input={"command": "b"}).key


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("<user_query>\n고쳐줘\n</user_query>", "고쳐줘"),
        (
            "<attached_files>\na.py\n</attached_files>\n<user_query>\n고쳐줘\n</user_query>",
            "고쳐줘",
        ),
        ("what is <user_query>?", "what is <user_query>?"),
    ],
)
def test_what_the_editor_put_around_a_prompt_is_cut_off(prompt: str, text: str) -> None:
    said = read("beforeSubmitPrompt", prompt=prompt)
    assert isinstance(said, Prompted) and said.text == text


@pytest.mark.parametrize(
    ("event", "payload", "missing"),
    [
        ("beforeSubmitPrompt", {}, "prompt is missing"),
        ("afterAgentResponse", {"text": None}, "text is missing"),
        ("postToolUse", {}, "tool_name is missing"),
        ("postToolUse", {"tool_name": "x", "generation_id": None}, "tool_use_id is missing"),
        ("sessionStart", {"conversation_id": 4}, "conversation_id is missing"),
        ("sessionStart", {"hook_event_name": "stop"}, "another event"),
    ],
)
def test_what_is_missing_is_named(event: str, payload: Mapping[str, object], missing: str) -> None:
    with pytest.raises(PayloadError, match=missing):
        read(event, **payload)


def test_a_session_that_is_only_named_so_is_one() -> None:
    started = HookAdapter().read("sessionStart", {"session_id": "c2"}, {})
    assert isinstance(started, SessionStarted) and started.session == "c2"
    with pytest.raises(PayloadError, match="conversation_id is missing"):
        HookAdapter().read("sessionStart", {}, {})


@pytest.mark.parametrize("event", ("stop", "afterFileEdit", "beforeTabFileRead", "nonsense"))
def test_what_tells_nothing_is_ignored(event: str) -> None:
    assert isinstance(read(event), Ignored)


def test_context_stands_in_the_field_of_its_event() -> None:
    assert json.loads(HookAdapter().write("sessionStart", "기억")) == {"additional_context": "기억"}
    assert json.loads(HookAdapter().write("beforeSubmitPrompt", "기억")) == {
        "continue": True,
        "additional_context": "기억",
    }
    assert HookAdapter().write("afterAgentResponse", "기억") == ""
