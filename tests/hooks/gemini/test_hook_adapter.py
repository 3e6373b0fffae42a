"""Gemini CLI's payloads, as the client 0.61.0 sent them, and what it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from memjournal.hooks.adapter import PayloadError
from memjournal.hooks.gemini.hook_adapter import EVENTS, HookAdapter
from memjournal.hooks.gemini.installing import EVENTS as INSTALLED
from memjournal.hooks.happening import (
    Answered,
    Happening,
    Ignored,
    Prompted,
    SessionEnded,
    SessionStarted,
    ToolUsed,
)
from memjournal.hooks.recall.fence import fenced, strip_fences

SAMPLE = Path(__file__).parent / "samples/session-0.61.0.jsonl"
NOW = "2026-11-30T23:01:38.824Z"


def read(event: str, **payload: object) -> Happening | Ignored:
    common = {"session_id": "s", "cwd": "/p", "timestamp": NOW}
    return HookAdapter().read(event, {**common, **payload}, {})


def read_shell(llm_content: str, **more: object) -> tuple[str, str, int | None]:
    wrapped = f"<untrusted_context>\n{llm_content}\n</untrusted_context>"
    response = {"llmContent": wrapped, "returnDisplay": "", **more}
    used = read("AfterTool", tool_name="run_shell_command", tool_response=response)
    assert isinstance(used, ToolUsed)
    return used.result, used.outcome, used.exit_code


def test_a_real_session_is_told_in_full() -> None:
    calls = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    read_all = [HookAdapter().read(call["event"], call["payload"], {}) for call in calls]
    happenings = [one for one in read_all if not isinstance(one, Ignored)]
    assert [type(one) for one in happenings] == [
        *(SessionStarted, Prompted, ToolUsed, ToolUsed, ToolUsed, ToolUsed, Answered, SessionEnded),
    ]
    prompt, answer = happenings[1], happenings[6]
    assert isinstance(prompt, Prompted) and prompt.text == "타임아웃을 30초로 늘려줘"
    assert isinstance(answer, Answered) and answer.text == "`TIMEOUT`을 30으로 바꿨습니다. Done."
    used = [one for one in happenings if isinstance(one, ToolUsed)]
    assert [(one.name, one.outcome, one.exit_code) for one in used] == [
        ("run_shell_command", "ok", 0),
        ("write_file", "ok", None),
        ("run_shell_command", "error", 3),
        ("read_file", "error", None),
    ]
    assert [used[0].result, used[2].result] == ["안녕", "failing"]
    assert "missing.txt" in used[3].result
    assert len({one.key for one in used}) == 4


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("startup", "startup"),
        ("resume", "resume"),
        ("clear", "clear"),
        ("new", "startup"),
        (["x"], "startup"),
    ],
)
def test_how_a_session_starts_is_told(source: object, expected: str) -> None:
    started = read("SessionStart", source=source)
    assert isinstance(started, SessionStarted) and started.source == expected


def test_what_was_told_before_does_not_come_back_as_a_prompt() -> None:
    block = "<hook_context>━━ 지난 결정: &lt;b&gt; [mem:a7Bc3x]</hook_context>\n\n"
    said = read("BeforeAgent", prompt=block + block + "고쳐줘 <hook_context>")
    assert isinstance(said, Prompted) and said.text == "고쳐줘 <hook_context>"
    assert isinstance(read("BeforeAgent", prompt=block), Ignored)


@pytest.mark.parametrize(
    "prompt", ["<session_context>\nx", "System: Please continue.", "<hook_context>open", " "]
)
def test_a_prompt_that_nobody_typed_is_none(prompt: str) -> None:
    assert isinstance(read("BeforeAgent", prompt=prompt), Ignored)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Output: (empty)\nProcess Group PGID: 5", ("", "ok", 0)),
        ("Output: 두 줄\n둘째\nProcess Group PGID: 5", ("두 줄\n둘째", "ok", 0)),
        ("Output: a\nExit Code: 3\nProcess Group PGID: 5", ("a", "error", 3)),
        ("Output: a\nExit Code: x\nProcess Group PGID: 5", ("a", "error", 1)),
        ("Output: Exit Code: 3\nend\nProcess Group PGID: 5", ("Exit Code: 3\nend", "ok", 0)),
        (
            "Output: a\nError: spawn ENOENT\nSignal: 9",
            ("a\nError: spawn ENOENT\nSignal: 9", "error", None),
        ),
        ("Command was cancelled by user before it could complete.", None),
    ],
)
def test_how_a_command_ended_is_in_its_text(
    content: str, expected: tuple[str, str, int | None] | None
) -> None:
    assert read_shell(content) == (expected or (content, "interrupted", None))


def test_a_command_with_an_error_beside_its_text_has_failed() -> None:
    error = {"message": "boom", "type": "shell_execute_error"}
    assert read_shell("Output: a", error=error) == ("a", "error", None)


def test_equal_calls_at_different_moments_are_two_and_a_call_told_twice_is_one() -> None:
    def key(path: str = "a", **more: object) -> str:
        used = read("AfterTool", tool_name="read_file", tool_input={"file_path": path}, **more)
        assert isinstance(used, ToolUsed)
        return used.key

    assert key() == key() != key(timestamp="2026-11-30T23:01:38.825Z")
    assert key() != key("b")


@pytest.mark.parametrize(
    ("event", "payload", "missing"),
    [
        ("BeforeAgent", {}, "prompt is missing"),
        ("AfterAgent", {"prompt": "x"}, "prompt_response is missing"),
        ("AfterTool", {}, "tool_name is missing"),
        ("AfterTool", {"tool_name": "x", "timestamp": None}, "timestamp is missing"),
        ("SessionEnd", {"session_id": 1}, "session_id is missing"),
        ("SessionEnd", {"hook_event_name": "SessionStart"}, "another event"),
    ],
)
def test_what_is_missing_is_named(event: str, payload: Mapping[str, object], missing: str) -> None:
    with pytest.raises(PayloadError, match=missing):
        read(event, **payload)


def test_a_compression_that_may_be_none_is_ignored() -> None:
    assert isinstance(read("PreCompress", trigger="auto"), Ignored)


@pytest.mark.parametrize("text", ("서명 쿠키로 바꿨다", "signed cookies: Map<str, int> -> x"))
def test_what_is_told_has_no_angle_brackets_and_is_known_as_ours_again(text: str) -> None:
    written = json.loads(HookAdapter().write("BeforeAgent", fenced(text)))
    told = written["hookSpecificOutput"]["additionalContext"]
    assert not set(told) & set("<>")
    assert text.replace("<", "‹").replace(">", "›") in told
    assert strip_fences(told).strip() == "", (
        "an answer that repeats it does not repeat it into the journal"
    )
    assert HookAdapter().size_of(fenced(text)) == len(told)


@pytest.mark.parametrize("event", ("AfterAgent", "SessionEnd", "PreCompress"))
def test_nothing_is_printed_where_nothing_is_taken(event: str) -> None:
    assert HookAdapter().write(event, "context") == ""


def test_every_event_that_is_installed_is_read() -> None:
    assert set(INSTALLED) == set(EVENTS)
