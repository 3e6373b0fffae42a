"""Payloads of the real client are read as what they tell, and what is told stands in its envelope."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.adapter import PayloadError
from memjournal.hooks.claude_code.hook_adapter import EVENTS, HookAdapter
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

SAMPLES = Path(__file__).parent / "samples" / "hooks"
ADAPTER = HookAdapter()


def read_sample(name: str) -> Happening | Ignored:
    payload = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))
    return ADAPTER.read(name.partition("-")[0], payload, {})


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("SessionStart-1", "startup"),
        ("SessionStart-2", "resume"),
        ("SessionStart-3", "compact"),
        ("SessionStart-4", "fork"),
        ("SessionStart-5", "clear"),
    ],
)
def test_a_start_says_how_the_session_begins(name: str, source: str) -> None:
    start = read_sample(name)
    assert isinstance(start, SessionStarted)
    assert start.source == source
    assert start.cwd == "/home/user/shop"


@pytest.mark.parametrize("name", ["UserPromptSubmit-1", "UserPromptSubmit-7", "UserPromptSubmit-9"])
def test_a_korean_prompt_is_read_as_it_was_typed(name: str) -> None:
    said = read_sample(name)
    assert isinstance(said, Prompted)
    assert any("가" <= char <= "힣" for char in said.text)
    assert said.key.startswith("said.")


@pytest.mark.parametrize("name", ["UserPromptSubmit-4", "UserPromptSubmit-11"])
def test_what_the_client_says_in_a_users_place_is_no_prompt(name: str) -> None:
    assert isinstance(read_sample(name), Ignored)


@pytest.mark.parametrize("source", ["system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_a_prompt_that_no_person_typed_is_none(source: object) -> None:
    payload = {"session_id": "s", "prompt": "go on", "source": source}
    assert isinstance(ADAPTER.read("UserPromptSubmit", payload, {}), Ignored)


@pytest.mark.parametrize("source", ["user", "sdk"])
def test_a_prompt_that_a_person_or_a_program_of_theirs_typed_is_one(source: str) -> None:
    payload = {"session_id": "s", "prompt": "계속", "source": source}
    assert isinstance(ADAPTER.read("UserPromptSubmit", payload, {}), Prompted)


def test_two_prompts_of_one_id_have_keys_of_their_own() -> None:
    first, second = read_sample("UserPromptSubmit-7"), read_sample("UserPromptSubmit-8")
    assert isinstance(first, Prompted)
    assert isinstance(second, Prompted)
    assert first.key != second.key


def tool(name: str) -> ToolUsed:
    used = read_sample(name)
    assert isinstance(used, ToolUsed)
    return used


def test_a_command_that_went_well_has_its_output_and_the_exit_code_0() -> None:
    used = tool("PostToolUse-1")
    assert (used.name, used.result) == ("Bash", "2 passed in 0.10s")
    assert (used.outcome, used.exit_code) == ("ok", 0)


def test_a_command_in_the_background_has_not_ended() -> None:
    assert tool("PostToolUse-10").exit_code is None


def test_a_failed_command_has_its_exit_code() -> None:
    used = tool("PostToolUseFailure-1")
    assert (used.outcome, used.exit_code) == ("error", 3)
    assert used.result.startswith("Exit code 3")


def test_a_tool_of_a_server_answers_with_the_words_of_its_blocks() -> None:
    assert tool("PostToolUse-9").result == "주문 7건"


def test_a_sub_agents_tool_says_whose_it_is() -> None:
    assert tool("PostToolUse-8").by_subagent


def test_a_sub_agent_that_has_just_begun_says_nothing_yet() -> None:
    assert isinstance(read_sample("PostToolUse-7"), Ignored)


def test_a_choice_is_read_as_question_and_answer() -> None:
    payload = {
        "session_id": "s",
        "tool_name": "AskUserQuestion",
        "tool_use_id": "toolu_01",
        "tool_input": {"questions": []},
        "tool_response": {
            "answers": {"어느 DB로 할까요?": "PostgreSQL", "Cache?": ["Redis", "none"]}
        },
    }
    used = ADAPTER.read("PostToolUse", payload, {})
    assert isinstance(used, ToolUsed)
    assert used.result == "어느 DB로 할까요? → PostgreSQL\nCache? → Redis\nnone"


def test_an_answer_is_the_last_words_of_a_turn() -> None:
    said = read_sample("Stop-1")
    assert isinstance(said, Answered)
    assert said.text.startswith("Decision:")
    assert said.subagent == ""


def test_an_answer_of_blanks_has_no_text() -> None:
    said = read_sample("Stop-3")
    assert isinstance(said, Answered)
    assert said.text == ""


def test_a_sub_agents_answer_says_whose_it_is() -> None:
    said = read_sample("SubagentStop-1")
    assert isinstance(said, Answered)
    assert (said.text, said.subagent_type) == ("That is all.", "general-purpose")
    assert said.subagent


def test_the_helper_that_writes_a_summary_is_no_sub_agent() -> None:
    assert isinstance(read_sample("SubagentStop-2"), Ignored)


def test_compaction_is_announced_and_its_summary_comes_without_the_analysis() -> None:
    assert isinstance(read_sample("PreCompact-1"), Compacting)
    compacted = read_sample("PostCompact-1")
    assert isinstance(compacted, Compacted)
    assert compacted.summary == "1. 환불 키는 UUID로 정했다.\n2. notes.md was written."


def test_a_session_ends() -> None:
    assert isinstance(read_sample("SessionEnd-2"), SessionEnded)


@pytest.mark.parametrize(
    "name", ["PreToolUse-1", "PostToolBatch-1", "SubagentStart-1", "StopFailure-1"]
)
def test_events_that_nothing_is_done_about_are_ignored(name: str) -> None:
    assert isinstance(read_sample(name), Ignored)


def test_without_a_folder_the_sessions_own_counts() -> None:
    start = ADAPTER.read(
        "SessionStart", {"session_id": "s"}, {"CLAUDE_PROJECT_DIR": "/home/user/shop"}
    )
    assert isinstance(start, SessionStarted)
    assert start.cwd == "/home/user/shop"


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("session", [None, "", " ", 7, ["s"]])
def test_a_payload_without_a_session_is_refused(event: str, session: object) -> None:
    with pytest.raises(PayloadError, match="session_id"):
        ADAPTER.read(event, {"session_id": session}, {})


def test_a_payload_of_another_event_is_refused() -> None:
    with pytest.raises(PayloadError, match="another event"):
        ADAPTER.read("Stop", {"session_id": "s", "hook_event_name": "SessionEnd"}, {})


FIELDS = sorted(
    {
        name
        for path in SAMPLES.glob("*.json")
        for name in json.loads(path.read_text("utf-8"))
        if name != "hook_event_name"
    }
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(st.sampled_from(EVENTS), st.dictionaries(st.sampled_from(FIELDS), VALUES))
def test_whatever_stands_in_a_payload_it_is_read_or_refused(
    event: str, payload: dict[str, object]
) -> None:
    with contextlib.suppress(PayloadError):
        ADAPTER.read(event, payload, {})


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_context_stands_in_the_envelope_of_its_event(event: str) -> None:
    assert json.loads(ADAPTER.write(event, "기억")) == {
        "hookSpecificOutput": {"hookEventName": event, "additionalContext": "기억"}
    }


@pytest.mark.parametrize("event", [*EVENTS[2:], "Unknown"])
def test_events_that_take_no_context_print_nothing(event: str) -> None:
    assert ADAPTER.write(event, "text") == ""


def test_no_context_prints_nothing() -> None:
    assert ADAPTER.write("SessionStart", "") == ""


def test_sizes_are_counted_as_the_client_counts_them() -> None:
    assert ADAPTER.size_of("가나다") == 3
    assert ADAPTER.size_of("😀") == 2
