"""Pi's extension tells what happens in order, gives back what is told, and is never in the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memjournal.hooks.agents import find_adapter
from memjournal.hooks.happening import Answered, Compacted, Ignored, Prompted, ToolUsed

from ..extension_world import BAD_PROGRAMS, TOLD_BACK, ExtensionWorld, needs_node

SAMPLE = Path(__file__).parent / "samples/session-1.6.0.jsonl"
DRIVER = """
import { readFileSync } from "node:fs";
const { default: extension } = await import("./memjournal.mjs");
const [steps, branch, file] = given;
const handlers = {};
extension({ on: (event, handler) => (handlers[event] = handler) });
const sessionManager = { getSessionFile: () => file, getSessionId: () => "s1", getBranch: () => branch, getLeafId: () => null };
const answers = [];
for (const [event, happened] of steps) {
  if (event === "told") answers.push(readFileSync("told.jsonl", "utf-8").trim().split("\\n").length);
  else answers.push((await handlers[event](happened, { cwd: "/home/dev/가게", sessionManager })) ?? null);
}
process.stdout.write(JSON.stringify(answers));
"""
START = ["session_start", {"reason": "startup"}]
TYPED = ["input", {"text": "고쳐줘", "source": "interactive"}]
PROMPT = ["before_agent_start", {"messageType": "user", "prompt": "고쳐줘"}]
FAILED = {
    "toolName": "bash",
    "toolCallId": "c1",
    "input": {"command": "pytest"},
    "content": [{"type": "text", "text": "1 failed\n\nCommand exited with code 1"}],
    "isError": True,
}
READ = {"toolName": "read", "toolCallId": "c2", "input": {}, "content": [], "isError": False}
END = {
    "messages": [
        {"role": "user", "content": "고쳐줘"},
        {"role": "assistant", "content": [{"type": "text", "text": "고쳤습니다."}]},
        {"role": "toolResult", "content": []},
    ]
}
COMPACTED = {"compactionEntry": {"id": "e9", "summary": "요약"}, "reason": "manual"}


@pytest.fixture
def world(tmp_path: Path) -> ExtensionWorld:
    world = ExtensionWorld(tmp_path)
    world.write("pi/memjournal.js.j2", "memjournal.mjs")
    return world


def run(
    world: ExtensionWorld, *steps: object, branch: object = (), file: str | None = "/s"
) -> list[object]:
    answers = world.run_node(DRIVER, steps, branch, file)
    assert isinstance(answers, list)
    return answers


def message(*texts: str) -> object:
    content = "\n\n".join(texts)
    return {"message": {"customType": "memjournal", "content": content, "display": False}}


@needs_node
def test_a_session_is_told_in_order_and_what_is_told_comes_back(world: ExtensionWorld) -> None:
    steps = (
        *(START, TYPED, PROMPT, ["tool_result", FAILED], ["tool_result", READ], ["agent_end", END]),
        *(TYPED, PROMPT, ["session_shutdown", {"reason": "quit"}]),
    )
    answers = run(world, *steps)
    brief, recall = TOLD_BACK["session-start"], TOLD_BACK["prompt"]
    assert [answer for answer in answers if answer] == [message(brief, recall), message(recall)]
    assert world.events == [
        *("session-start", "prompt", "tool", "answer", "prompt", "session-end"),
    ]
    assert {one.payload["cwd"] for one in world.told} == {"/home/dev/가게"}
    tool = world.told[2].payload
    assert (tool["failed"], tool["exit_code"], tool["input"]) == (True, 1, {"command": "pytest"})


@needs_node
def test_a_session_that_goes_on_is_not_told_its_brief_again(world: ExtensionWorld) -> None:
    told_before = [{"type": "custom_message", "customType": "memjournal"}]
    assert run(world, START, TYPED, PROMPT, branch=told_before)[2] == message(TOLD_BACK["prompt"])
    assert world.told[0].payload["source"] == "resume"


@needs_node
def test_after_a_compaction_the_brief_is_told_again(world: ExtensionWorld) -> None:
    steps = (
        *(START, TYPED, PROMPT, ["session_before_compact", {"reason": "manual"}]),
        *(["session_compact", COMPACTED], TYPED, PROMPT),
    )
    brief, recall = TOLD_BACK["session-start"], TOLD_BACK["prompt"]
    assert run(world, *steps)[-1] == message(brief, recall)
    assert world.events[2:5] == ["compacting", "compacted", "session-start"]
    assert world.told[3].payload["summary"] == "요약"


@needs_node
def test_what_is_said_while_it_works_is_told_too(world: ExtensionWorld) -> None:
    steered = [
        "input",
        {"text": "아니, 되돌려줘", "source": "interactive", "streamingBehavior": "steer"},
    ]
    run(world, START, TYPED, PROMPT, steered, ["agent_end", END])
    said = [one.payload["prompt"] for one in world.told if one.event == "prompt"]
    assert said == ["고쳐줘", "아니, 되돌려줘"]


@needs_node
def test_what_an_extension_says_is_no_prompt(world: ExtensionWorld) -> None:
    by_extension = ["input", {"text": "x", "source": "extension"}]
    custom = ["before_agent_start", {"messageType": "custom", "message": {}}]
    assert run(world, START, by_extension, PROMPT, TYPED, custom)[2:] == [None, None, None]
    assert world.events == ["session-start"]


@needs_node
def test_a_session_that_pi_does_not_keep_is_not_kept(world: ExtensionWorld) -> None:
    assert run(world, START, TYPED, PROMPT, ["agent_end", END], file=None) == [None] * 4
    assert world.told == []


@needs_node
@pytest.mark.parametrize("fault", BAD_PROGRAMS)
def test_pi_goes_on_whatever_the_program_does(world: ExtensionWorld, fault: str) -> None:
    world.program_is(BAD_PROGRAMS[fault])
    assert run(world, START, TYPED, PROMPT, ["tool_result", FAILED]) == [None] * 4


@needs_node
def test_a_prompt_does_not_wait_for_all_that_hangs_before_it(world: ExtensionWorld) -> None:
    world.program_is("#!/bin/sh\necho $2 >> told.jsonl\nexec sleep 60\n")
    tools = [["tool_result", FAILED]] * 4
    *_, prompt, n_begun = run(world, START, TYPED, *tools, PROMPT, ["told", {}])
    assert prompt is None
    assert isinstance(n_begun, int) and n_begun < 6, "the prompt's own turn has not come yet"


@needs_node
def test_pi_goes_on_without_the_program_and_with_events_of_another_form(
    world: ExtensionWorld,
) -> None:
    world.program.unlink()
    odd = [
        ["tool_result", {}],
        ["agent_end", {}],
        ["session_compact", {}],
        ["before_agent_start", {}],
    ]
    assert run(world, START, TYPED, PROMPT, *odd) == [None] * 7


def test_a_real_session_is_read() -> None:
    calls = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    happenings = [find_adapter("pi").read(call["event"], call["payload"], {}) for call in calls]
    assert not [one for one in happenings if isinstance(one, Ignored | Compacted)]
    used = [one for one in happenings if isinstance(one, ToolUsed)]
    assert [(one.name, one.outcome, one.exit_code) for one in used] == [
        *(("bash", "ok", 0), ("bash", "error", 3)) * 2,
    ]
    said = [one for one in happenings if isinstance(one, Prompted | Answered)]
    done = "`TIMEOUT`을 30으로 바꿨습니다. Done."
    assert [one.text for one in said] == ["타임아웃을 30초로 늘려줘", done, "이어서 해줘", done]
    assert len({one.key for one in said}) == 4
