"""OpenCode's plugin tells what happens in order, gives back what is told, and is never in the way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memjournal.hooks.agents import find_adapter
from memjournal.hooks.happening import Answered, Compacted, Prompted, ToolUsed

from ..extension_world import BAD_PROGRAMS, TOLD_BACK, ExtensionWorld, needs_node

SAMPLE = Path(__file__).parent / "samples/session-1.18.33.jsonl"
DRIVER = """
const { Memjournal } = await import("./memjournal.mjs");
const [steps, info, messages] = given;
const client = {
  session: { get: async () => ({ data: info }), messages: async () => ({ data: messages }) },
};
const hooks = await Memjournal({ client, directory: "/start" });
const outputs = [];
for (const [name, input, output] of steps) {
  await hooks[name](input, output);
  outputs.push(output ?? null);
}
await hooks.dispose();
process.stdout.write(JSON.stringify(outputs));
"""
INFO = {"id": "s1", "directory": "/home/dev/가게"}
TEXT = {"id": "prt_1", "type": "text", "text": "고쳐줘"}
PASTED = {"id": "prt_2", "type": "text", "text": "a file's text", "synthetic": True}
MESSAGES = [
    {"info": {"id": "m0", "role": "user"}, "parts": [TEXT]},
    {"info": {"id": "m1", "role": "assistant"}, "parts": [{"type": "text", "text": "고쳤습니다."}]},
    {
        "info": {"id": "m2", "role": "assistant", "summary": True},
        "parts": [{"type": "text", "text": "요약"}],
    },
]
FAILED = {"title": "", "output": "1 failed", "metadata": {"exit": 1}}


def prompt() -> list[object]:
    return ["chat.message", {"sessionID": "s1"}, {"message": {"id": "m0"}, "parts": [TEXT, PASTED]}]


def tool(name: str) -> list[object]:
    return [
        "tool.execute.after",
        {"tool": name, "sessionID": "s1", "callID": "c1", "args": {"a": 1}},
        FAILED,
    ]


def event(kind: str, **properties: object) -> list[object]:
    return ["event", {"event": {"type": kind, "properties": {"sessionID": "s1", **properties}}}]


SYSTEM = ["experimental.chat.system.transform", {"sessionID": "s1"}, {"system": ["base"]}]


@pytest.fixture
def world(tmp_path: Path) -> ExtensionWorld:
    world = ExtensionWorld(tmp_path)
    world.write("opencode/memjournal.js.j2", "memjournal.mjs")
    return world


def run(
    world: ExtensionWorld, *steps: object, info: object = INFO, messages: object = MESSAGES
) -> list[object]:
    outputs = world.run_node(DRIVER, steps, info, messages)
    assert isinstance(outputs, list)
    return outputs


@needs_node
def test_a_session_is_told_in_order_and_what_is_told_comes_back(world: ExtensionWorld) -> None:
    steps = (
        *(
            prompt(),
            SYSTEM,
            tool("bash"),
            tool("read"),
            event("message.updated"),
            event("session.idle"),
        ),
        *(["experimental.session.compacting", {"sessionID": "s1"}, {"context": []}],),
        *(event("session.compacted"), SYSTEM, event("session.deleted", info={"id": "s1"})),
    )
    outputs = run(world, *steps)
    told = {"type": "text", "text": TOLD_BACK["prompt"], "synthetic": True}
    part = {"id": "prt_2zz", "sessionID": "s1", "messageID": "m0", **told}
    assert outputs[0] == {"message": {"id": "m0"}, "parts": [TEXT, PASTED, part]}
    assert outputs[1] == outputs[8] == {"system": ["base", TOLD_BACK["session-start"]]}
    assert world.events == [
        *("session-start", "prompt", "tool", "answer", "compacting", "compacted", "session-end"),
    ]
    assert {one.payload["cwd"] for one in world.told} == {"/home/dev/가게"}
    assert world.told[1].payload["prompt"] == "고쳐줘", (
        "what was typed, not what was pasted with it"
    )
    assert world.told[2].payload["exit_code"] == 1
    assert [world.told[at].payload["id"] for at in (1, 3, 5)] == ["m0", "m1", "m2"]


@needs_node
@pytest.mark.parametrize(
    ("steps", "source"), [([], "resume"), ([event("session.created")], "startup")]
)
def test_a_session_that_was_there_before_goes_on(
    world: ExtensionWorld, steps: list[object], source: str
) -> None:
    outputs = run(world, *steps, prompt(), SYSTEM)
    assert world.told[0].payload["source"] == source
    assert outputs[-1] == {"system": ["base", TOLD_BACK["session-start"]]}, "it has its brief again"


@needs_node
def test_a_sub_agents_session_is_not_told_of(world: ExtensionWorld) -> None:
    outputs = run(
        world,
        prompt(),
        SYSTEM,
        tool("bash"),
        event("session.idle"),
        info={**INFO, "parentID": "s0"},
    )
    assert outputs[1] == {"system": ["base"]}
    assert world.told == []


@needs_node
@pytest.mark.parametrize("fault", BAD_PROGRAMS)
def test_opencode_goes_on_whatever_the_program_does(world: ExtensionWorld, fault: str) -> None:
    world.program_is(BAD_PROGRAMS[fault])
    outputs = run(world, prompt(), SYSTEM)
    assert outputs == [{"message": {"id": "m0"}, "parts": [TEXT, PASTED]}, {"system": ["base"]}]


@needs_node
def test_opencode_goes_on_without_the_program_and_with_events_of_another_form(
    world: ExtensionWorld,
) -> None:
    world.program.unlink()
    odd = [["chat.message", {"sessionID": "s1"}, {}], ["tool.execute.after", {}, None]]
    odd += [["event", {"event": {"type": "session.idle", "properties": {}}}]]
    assert run(world, *odd, prompt(), messages=None)[-1] == {
        "message": {"id": "m0"},
        "parts": [TEXT, PASTED],
    }


def test_a_real_session_is_read() -> None:
    calls = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    happenings = [
        find_adapter("opencode").read(call["event"], call["payload"], {}) for call in calls
    ]
    used = [one for one in happenings if isinstance(one, ToolUsed)]
    assert [(one.name, one.outcome, one.exit_code) for one in used] == [
        *(("bash", "ok", 0), ("bash", "error", 3), ("task", "ok", None)),
    ]
    assert sum(isinstance(one, Prompted) for one in happenings) == 2
    answers = [one for one in happenings if isinstance(one, Answered)]
    assert len(answers) == 3 and len({one.key for one in answers}) == 2, "one was told twice"
    assert [one.summary for one in happenings if isinstance(one, Compacted)] == ["요약: 완료."]
