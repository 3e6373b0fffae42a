"""Hermes's plugin tells what happens in order, gives back what is told, and is never in the way."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from memjournal.hooks.agents import find_adapter
from memjournal.hooks.extension import plain_file
from memjournal.hooks.happening import Answered, Prompted, SessionStarted, ToolUsed

from ..extension_world import BAD_PROGRAMS, TOLD_BACK, ExtensionWorld

SAMPLE = Path(__file__).parent / "samples/session-0.19.0.jsonl"
needs_scripts = pytest.mark.skipif(
    sys.platform == "win32", reason="a script stands for the program"
)


class Hermes:
    """What Hermes does with the plugin: handlers by name, called with whatever there is."""

    def __init__(self, world: ExtensionWorld) -> None:
        path = world.write("hermes/__init__.py.j2", "plugin_of_hermes.py")
        spec = importlib.util.spec_from_file_location("plugin_of_hermes", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.handlers: dict[str, Callable[..., Any]] = {}
        module.register(self)

    def register_hook(self, name: str, handler: Callable[..., Any]) -> None:
        self.handlers[name] = handler

    def call(self, name: str, **happened: object) -> object:
        return self.handlers[name](
            session_id="s1", turn_id="t1", telemetry_schema_version=1, **happened
        )


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ExtensionWorld:
    monkeypatch.setenv("TERMINAL_CWD", "/home/dev/가게")
    return ExtensionWorld(tmp_path)


@needs_scripts
def test_a_session_is_told_in_order_and_what_is_told_comes_back(world: ExtensionWorld) -> None:
    hermes = Hermes(world)
    brief, recall = TOLD_BACK["session-start"], TOLD_BACK["prompt"]
    first = hermes.call("pre_llm_call", user_message="고쳐줘", platform="cli", is_first_turn=True)
    assert first == {"context": f"{brief}\n\n{recall}"}
    result = json.dumps({"output": "1 failed", "exit_code": 1, "error": None})
    call = {"tool_call_id": "c1", "args": {"command": "pytest"}, "result": result, "status": "ok"}
    hermes.call("post_tool_call", tool_name="terminal", **call)
    hermes.call("post_tool_call", tool_name="read_file", **call)
    hermes.call("post_llm_call", assistant_response="고쳤습니다.")
    parts = [{"type": "text", "text": "그리고"}, {"type": "image_url", "image_url": {}}]
    second = hermes.call("pre_llm_call", user_message=parts, platform="cli", is_first_turn=False)
    assert second == {"context": recall}
    hermes.call("on_session_finalize", reason="shutdown", platform="cli")
    assert world.events == ["session-start", "prompt", "tool", "answer", "prompt", "session-end"]
    assert {one.payload["cwd"] for one in world.told} == {"/home/dev/가게"}
    assert world.told[4].payload["prompt"] == "그리고"
    assert (world.told[2].payload["exit_code"], world.told[2].payload["output"]) == (1, "1 failed")


@needs_scripts
def test_a_session_that_goes_on_has_its_brief(world: ExtensionWorld) -> None:
    told = Hermes(world).call(
        "pre_llm_call", user_message="이어서", platform="cli", is_first_turn=False
    )
    assert told == {"context": TOLD_BACK["prompt"]}
    assert world.told[0].payload["source"] == "resume"


@needs_scripts
@pytest.mark.parametrize("platform", ("subagent", "cron"))
def test_what_no_person_says_is_not_told(world: ExtensionWorld, platform: str) -> None:
    hermes = Hermes(world)
    assert hermes.call("pre_llm_call", user_message="look", platform=platform) is None
    hermes.call("post_llm_call", assistant_response="seen", platform=platform)
    hermes.call("on_session_finalize")
    assert world.told == []


@needs_scripts
@pytest.mark.parametrize("fault", BAD_PROGRAMS)
def test_hermes_goes_on_whatever_the_program_does(world: ExtensionWorld, fault: str) -> None:
    world.program_is(BAD_PROGRAMS[fault])
    assert Hermes(world).call("pre_llm_call", user_message="고쳐줘", platform="cli") is None


@needs_scripts
def test_hermes_goes_on_without_the_program_and_with_events_of_another_form(
    world: ExtensionWorld,
) -> None:
    world.program.unlink()
    hermes = Hermes(world)
    for name, handler in hermes.handlers.items():
        assert handler() is None, name
    assert hermes.call("pre_llm_call", user_message={"odd": 1}) is None
    assert hermes.call("pre_llm_call", user_message="고쳐줘", platform=["odd"]) is None
    assert hermes.call("post_tool_call", tool_name=["odd"], tool_call_id="c") is None


def test_the_manifest_names_the_hooks(world: ExtensionWorld) -> None:
    manifest = yaml.safe_load(plain_file("hermes/plugin.yaml").data)
    assert manifest["name"] == "memjournal"
    assert manifest["provides_hooks"] == list(Hermes(world).handlers)


def test_a_real_session_is_read() -> None:
    calls = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]
    happenings = [find_adapter("hermes").read(call["event"], call["payload"], {}) for call in calls]
    assert [one.source for one in happenings if isinstance(one, SessionStarted)] == [
        *("startup", "resume"),
    ]
    used = [one for one in happenings if isinstance(one, ToolUsed)]
    assert [(one.name, one.outcome, one.exit_code) for one in used] == [
        *(("terminal", "ok", 0), ("terminal", "error", 3)) * 2,
    ]
    said = [one for one in happenings if isinstance(one, Prompted | Answered)]
    assert [one.text for one in said[:2]] == [
        "타임아웃을 30초로 늘려줘",
        "`TIMEOUT`을 30으로 바꿨습니다. Done.",
    ]
    assert len({one.key for one in said}) == len(said)
