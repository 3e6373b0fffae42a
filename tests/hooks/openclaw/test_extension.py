"""OpenClaw's plugin tells what persons say, gives back what is told, and is never in the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memjournal.hooks.agents import find_adapter
from memjournal.hooks.happening import Answered, Ignored, Prompted, SessionStarted, ToolUsed

from ..extension_world import BAD_PROGRAMS, TOLD_BACK, ExtensionWorld, needs_node

SAMPLE = Path(__file__).parent / "samples/session-2026.9.6.jsonl"
DRIVER = """
const { default: plugin } = await import("./index.mjs");
const [steps] = given;
const handlers = {};
plugin.register({ on: (event, handler) => (handlers[event] = handler) });
const answers = [];
for (const [event, happened, ctx] of steps) {
  answers.push((await handlers[event](happened, ctx)) ?? null);
}
process.stdout.write(JSON.stringify(answers));
"""
CTX: Mapping[str, object] = {"sessionId": "s1", "sessionKey": "agent:main:main", "trigger": "user"}
HOME: Mapping[str, object] = {**CTX, "workspaceDir": "/home/dev/가게"}
FAILED = {
    "toolName": "exec",
    "params": {"command": "pytest"},
    "toolCallId": "c1",
    "result": {"content": [{"type": "text", "text": "1 failed"}], "details": {"exitCode": 1}},
}
METADATA = (
    'Conversation info (untrusted metadata):\n```json\n{"message_id":"42"}\n```\n\n'
    'Sender (untrusted metadata):\n```json\n{"name":"Kim"}\n```\n'
)
END = {
    "success": True,
    "messages": [{"role": "assistant", "content": [{"type": "text", "text": "고쳤습니다."}]}],
}


def prompt(text: str = "고쳐줘", identity: str = "m1", **more: Any) -> list[object]:
    happened = {
        "prompt": "history and all",
        "currentUserMessage": text,
        "currentUserMessageId": identity,
    }
    return ["before_prompt_build", happened, {**HOME, **more}]


@pytest.fixture
def world(tmp_path: Path) -> ExtensionWorld:
    world = ExtensionWorld(tmp_path)
    world.write("openclaw/index.js.j2", "index.mjs")
    return world


def run(world: ExtensionWorld, *steps: object) -> list[object]:
    answers = world.run_node(DRIVER, steps)
    assert isinstance(answers, list)
    return answers


@needs_node
def test_a_session_is_told_in_order_and_what_is_told_comes_back(world: ExtensionWorld) -> None:
    steps = (
        *(prompt(), prompt(), ["after_tool_call", FAILED, CTX], ["agent_end", END, CTX]),
        *(prompt("그리고", "m2"), ["before_compaction", {"messageCount": 1}, CTX]),
        ["session_end", {"sessionId": "s1", "reason": "reset"}, CTX],
    )
    answers = run(world, *steps)
    both = {
        "appendSystemContext": TOLD_BACK["session-start"],
        "prependContext": TOLD_BACK["prompt"],
    }
    assert answers == [both, both, None, None, both, None, None], "built again, it is the same"
    assert world.events == [
        *("session-start", "prompt", "tool", "answer", "prompt", "compacting", "session-end"),
    ]
    assert {one.payload["cwd"] for one in world.told} == {"/home/dev/가게"}
    assert (world.told[2].payload["exit_code"], world.told[2].payload["output"]) == (1, "1 failed")


@needs_node
@pytest.mark.parametrize(("role", "source"), [("user", "startup"), ("assistant", "resume")])
def test_a_session_that_was_there_before_goes_on(
    world: ExtensionWorld, role: str, source: str
) -> None:
    event, happened, ctx = prompt()
    assert isinstance(happened, dict)
    (answer,) = run(world, [event, {**happened, "messages": [{"role": role}]}, ctx])
    assert isinstance(answer, dict) and answer["appendSystemContext"] == TOLD_BACK["session-start"]
    assert world.told[0].payload["source"] == source


@needs_node
@pytest.mark.parametrize(
    "ctx",
    [
        {"trigger": "heartbeat"},
        {"trigger": "cron"},
        {"sessionKey": "agent:main:cron:job"},
        {"sessionKey": "agent:main:subagent:1"},
        {"sessionKey": "hook:1f"},
        {"inputProvenance": {"kind": "inter_session"}},
    ],
)
def test_what_no_person_wrote_is_neither_kept_nor_answered(
    world: ExtensionWorld, ctx: Mapping[str, Any]
) -> None:
    steps = (
        prompt(**ctx),
        ["after_tool_call", FAILED, {**CTX, **ctx}],
        ["agent_end", END, {**CTX, **ctx}],
    )
    assert run(world, *steps) == [None] * 3
    assert world.told == []


@needs_node
@pytest.mark.parametrize("fault", BAD_PROGRAMS)
def test_openclaw_goes_on_whatever_the_program_does(world: ExtensionWorld, fault: str) -> None:
    world.program_is(BAD_PROGRAMS[fault])
    assert run(world, prompt(), ["agent_end", END, CTX]) == [{}, None]


@needs_node
def test_openclaw_goes_on_without_the_program_and_with_events_of_another_form(
    world: ExtensionWorld,
) -> None:
    world.program.unlink()
    odd = [["after_tool_call", {}, CTX], ["agent_end", {}, CTX], ["agent_end", {}, {}]]
    assert run(world, prompt(), *odd, ["before_prompt_build", {}, CTX]) == [
        {},
        None,
        None,
        None,
        None,
    ]


def test_a_real_session_is_read() -> None:
    calls = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    happenings = [
        find_adapter("openclaw").read(call["event"], call["payload"], {}) for call in calls
    ]
    used = [one for one in happenings if isinstance(one, ToolUsed)]
    assert [(one.name, one.outcome, one.exit_code) for one in used] == [
        *(("exec", "ok", 0), ("exec", "error", 3)) * 2,
    ]
    said = [one for one in happenings if isinstance(one, Prompted | Answered)]
    done = "`TIMEOUT`을 30으로 바꿨습니다. Done."
    assert [one.text for one in said] == ["타임아웃을 30초로 늘려줘", done, "이어서 해줘", done]
    assert len({one.key for one in said}) == 4
    assert [one.source for one in happenings if isinstance(one, SessionStarted)] == [
        *("startup", "resume"),
    ]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        (
            f"{METADATA}[message_id: 42]\n배포 목록 정리해줘",
            "배포 목록 정리해줘",
        ),
        ("[Telegram Kim id:1 2026-05-05 09:00 KST] 안녕", "안녕"),
        ("[Mon 2026-11-30 09:12 UTC] 안녕", "안녕"),
        ("[TODO] is no such block", "[TODO] is no such block"),
        ("Note (untrusted): see\n```json\n{}", "Note (untrusted): see\n```json\n{}"),
        ("Pre-compaction memory flush. Store durable memories now", ""),
        ("[cron:job-1 nightly] run", ""),
        ("  ", ""),
    ],
)
def test_a_prompt_is_what_a_person_wrote(text: str, typed: str) -> None:
    said = find_adapter("openclaw").read("prompt", {"session": "s", "prompt": text}, {})
    assert (said.text if isinstance(said, Prompted) else "") == typed
    assert isinstance(said, Prompted | Ignored)
