"""Every assistant's adapter keeps the same promises, whatever it is sent, and is found by name or by its process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.adapter import Adapter, PayloadError
from memjournal.hooks.agents import AGENTS, OTHER, detect_agent, find_adapter
from memjournal.hooks.happening import Ignored, Prompted, SessionStarted, ToolUsed
from memjournal.hooks.recall.fence import fenced
from memjournal.hooks.text import clean
from memjournal.journal.errors import UsageError

_EVENTS = """
    SessionStart UserPromptSubmit PostToolUse PostToolUseFailure Stop SubagentStop
    PreCompact PostCompact SessionEnd BeforeAgent AfterAgent AfterTool PreCompress
    sessionStart beforeSubmitPrompt postToolUse postToolUseFailure afterAgentResponse
    preCompact sessionEnd stop session-start prompt tool answer compacting compacted
    session-end Interrupt
"""
EVENTS = (*_EVENTS.split(), "", "없는 일")
_FIELDS = """
    session_id conversation_id session cwd workspace_roots hook_event_name source prompt
    text answer turn_id generation_id turn id prompt_id timestamp tool tool_name
    tool_input tool_use_id tool_response tool_output input output error error_message
    is_interrupt failed exit_code last_assistant_message prompt_response agent_id
    agent_type trigger summary compact_summary reason
"""
FIELDS = tuple(_FIELDS.split())
WORDS = st.sampled_from(
    (
        "",
        " ",
        "s1",
        "타임아웃",
        "<hook_context>",
        "</hook_context>",
        "Exit code 3",
        "{",
        '{"exitCode": 1}',
    )
    + (
        "\nExit Code: 3",
        "Output: x",
        "\ud800",
        "\x00",
        "<environment_context>",
        "[message_id: 1]",
        "👩‍💻",
    )
    + (
        "Conversation info (untrusted metadata):\n```json\n{}\n```\n",
        "# Context from my IDE setup:",
    )
)
TEXTS = st.lists(WORDS | st.text(max_size=20), max_size=4).map("".join)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from((*FIELDS, "exitCode", "llmContent", "content", "text", "stdout")),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
PAYLOADS = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=5), TEXTS | JSON, max_size=14)


@pytest.mark.parametrize("agent", (*AGENTS, OTHER))
@given(event=st.sampled_from(EVENTS), payload=PAYLOADS)
def test_whatever_is_sent_nothing_but_a_payload_error_is_raised(
    agent: str, event: str, payload: Mapping[str, object]
) -> None:
    adapter = find_adapter(agent)
    try:
        happening = adapter.read(event, payload, {})
    except PayloadError as error:
        assert len(str(error)) < 200, "an error names a field, and quotes nothing of it"
        return
    if isinstance(happening, Ignored):
        return
    assert happening.session.strip()
    if isinstance(happening, ToolUsed):
        assert happening.key and happening.name.strip()
        assert not set(happening.key) & set(" \n\t")
    if isinstance(happening, Prompted):
        assert happening.text.strip()
        assert not set(happening.key) & set(" \n\t")


@pytest.mark.parametrize("agent", (*AGENTS, OTHER))
@given(event=st.sampled_from(EVENTS), context=TEXTS.map(clean))
def test_what_is_written_is_nothing_or_one_json_object(
    agent: str, event: str, context: str
) -> None:
    adapter = find_adapter(agent)
    written = adapter.write(event, context)
    if written:
        assert isinstance(json.loads(written.encode("utf-8")), dict)
        assert context
    assert adapter.size_of(context) >= 0


@pytest.mark.parametrize("agent", (*AGENTS, OTHER))
def test_an_empty_context_prints_nothing(agent: str) -> None:
    assert all(find_adapter(agent).write(event, "") == "" for event in EVENTS)


@pytest.mark.parametrize("agent", (*AGENTS, OTHER))
def test_a_block_of_the_greatest_size_fits_below_what_is_cut(agent: str) -> None:
    adapter = find_adapter(agent)
    text = "서명 쿠키로 바꿨다 < a > b 👩‍💻 "
    while adapter.size_of(fenced(text + text)) <= adapter.max_size:
        text += text
    for event in EVENTS:
        if written := adapter.write(event, fenced(text)):
            told = _longest(json.loads(written))
            assert len(told.encode("utf-8")) < 10_000 or agent != "codex"
            assert len(told.encode("utf-16-le")) // 2 < 10_000


def _longest(value: object) -> str:
    if isinstance(value, dict):
        return max(map(_longest, value.values()), key=len)
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize("agent", (*AGENTS, OTHER))
def test_it_goes_by_its_name_in_the_journal(agent: str) -> None:
    adapter: Adapter = find_adapter(agent)
    assert adapter.agent == agent


def test_a_name_that_nobody_has_is_named_with_those_that_are_known() -> None:
    with pytest.raises(UsageError, match="no assistant is called 'klaude'.*codex.*other or auto"):
        find_adapter("klaude")


@pytest.mark.parametrize(
    ("environ", "agent"),
    [
        ({"CURSOR_VERSION": "3.20", "CLAUDE_PROJECT_DIR": "/p", "CLAUDECODE": "1"}, "cursor"),
        ({"GEMINI_SESSION_ID": "s", "CLAUDE_PROJECT_DIR": "/p"}, "gemini"),
        ({"CLAUDECODE": "1"}, "claude-code"),
        ({"CURSOR_VERSION": "", "PATH": "/bin"}, "codex"),
        ({}, "codex"),
    ],
)
def test_auto_goes_by_the_variables_of_the_process(environ: Mapping[str, str], agent: str) -> None:
    assert detect_agent(environ) == agent
    assert find_adapter("auto", environ).agent == agent


def test_only_the_adapter_that_is_asked_for_is_loaded() -> None:
    code = (
        "import sys; from memjournal.hooks.agents import find_adapter; find_adapter('codex');"
        "print([name for name in sys.modules if name.endswith(('.hook_adapter', '.own_payload'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['memjournal.hooks.codex.hook_adapter']"


@pytest.mark.parametrize("agent", ("opencode", "openclaw", "hermes", "pi", "other"))
@pytest.mark.parametrize(
    ("event", "payload", "missing"),
    [
        ("prompt", {"prompt": "x"}, "session"),
        ("prompt", {"session": "  ", "prompt": "x"}, "session"),
        ("prompt", {"session": "s"}, "prompt"),
        ("prompt", {"session": "s", "prompt": ["x"]}, "prompt"),
        ("tool", {"session": "s", "id": "c1"}, "tool"),
        ("tool", {"session": "s", "tool": "bash"}, "id"),
        ("answer", {"session": "s"}, "answer"),
        ("compacted", {"session": "s", "summary": None}, "summary"),
    ],
)
def test_what_our_own_files_leave_out_is_named(
    agent: str, event: str, payload: Mapping[str, object], missing: str
) -> None:
    with pytest.raises(PayloadError, match=rf"^{event}: {missing} is "):
        find_adapter(agent).read(event, payload, {})


@pytest.mark.parametrize("agent", ("opencode", "openclaw", "hermes", "pi", "other"))
def test_a_tool_of_our_own_files_tells_how_it_ended(agent: str) -> None:
    def read(**more: object) -> object:
        payload = {"session": "s", "tool": "bash", "id": "c1", "output": "실패했다", **more}
        used = find_adapter(agent).read("tool", payload, {})
        assert isinstance(used, ToolUsed)
        return used.outcome, used.exit_code

    assert read() == ("ok", None)
    assert read(exit_code=0) == ("ok", 0)
    assert read(exit_code=3) == ("error", 3)
    assert read(failed=True) == ("error", None)
    assert read(exit_code=True) == ("ok", None)
    assert read(interrupted=True) == ("interrupted", None)
    assert read(output="Exit code 4\nout") == ("error", 4)


@pytest.mark.parametrize("source", ("startup", "resume", "clear", "compact", "fork"))
def test_how_a_session_starts_is_told(source: str) -> None:
    for agent in ("claude-code", "codex"):
        payload = {"session_id": "s", "source": source}
        started = find_adapter(agent).read("SessionStart", payload, {})
        assert isinstance(started, SessionStarted) and started.source == source
    started = find_adapter("pi").read("session-start", {"session": "s", "source": source}, {})
    assert isinstance(started, SessionStarted) and started.source == source
