"""The plugin and the slash commands as the real client takes them: valid, installed, and not to be misused."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memjournal.hooks.claude_code.installing import PLUGIN_FOLDER as PLUGIN

from .client import Client
from .conftest import memories
from .model_api import Says


def claude(client: Client, *arguments: str) -> str:
    """Run the client's own command, which must succeed; what it prints."""
    done = subprocess.run(
        [client.program, *arguments],
        capture_output=True,
        env=client.environment,
        cwd=client.project,
        check=False,
        timeout=120,
    )
    printed = done.stdout.decode() + done.stderr.decode()
    assert done.returncode == 0, printed
    return printed


@pytest.fixture
def with_plugin(bare: Client) -> Client:
    """The client with our plugin, installed by the two commands that are printed, and no other hooks."""
    printed = bare.world.ok("hooks", "plugin").out.splitlines()
    commands = [line.split() for line in printed if line.strip().startswith("claude ")]
    assert len(commands) == 2
    for command in commands:
        claude(bare, *command[1:])
    return bare


@pytest.mark.parametrize("path", [PLUGIN, PLUGIN / ".claude-plugin" / "plugin.json"], ids=str)
def test_the_client_finds_nothing_to_complain_about(bare: Client, path: Path) -> None:
    printed = claude(bare, "plugin", "validate", str(path), "--strict")
    for name in ("hooks: SessionEnd", "skills: memjournal:memory", "memjournal:memory-search"):
        assert name in printed


def test_the_plugin_is_installed_by_the_commands_that_are_printed(with_plugin: Client) -> None:
    listed = json.loads(claude(with_plugin, "plugin", "list", "--json"))
    (ours,) = [one for one in listed if one["id"] == "memjournal@memjournal-local"]
    assert ours["enabled"]
    (state,) = with_plugin.world.ok("hooks", "status", "--json", "--agent", "claude-code").objects
    assert any("the plugin is on" in problem for problem in state["problems"])  # type: ignore[attr-defined]


def test_hooks_of_the_plugin_keep_what_is_said(with_plugin: Client) -> None:
    with_plugin.model.on("환불 열쇠", [Says("주문 번호를 열쇠로 씁니다.")])
    with_plugin.say("환불 열쇠는 무엇으로?")
    kept = [one.body for one in memories(with_plugin.world)]
    assert kept == ["환불 열쇠는 무엇으로?", "주문 번호를 열쇠로 씁니다."]


def test_settings_that_the_client_has_rewritten_lose_only_what_is_ours(bare: Client) -> None:
    before = json.loads(bare.settings.read_bytes())
    bare.world.ok("hooks", "install")
    claude(bare, "plugin", "marketplace", "add", str(PLUGIN))  # it writes the whole file anew
    added = json.loads(bare.settings.read_bytes())["extraKnownMarketplaces"]
    bare.world.ok("hooks", "uninstall")
    assert json.loads(bare.settings.read_bytes()) == {**before, "extraKnownMarketplaces": added}


@pytest.mark.parametrize("name", ["search", "forget", "stats"])
def test_what_is_typed_behind_a_slash_command_reaches_the_model_and_no_shell(
    bare: Client, name: str
) -> None:
    bare.world.ok("hooks", "install")
    trap = bare.project / "ran"
    typed = f"""x"; touch {trap}; ' $(touch {trap}) `touch {trap}` it's"""
    bare.model.on("touch", [Says("done")])
    said = bare.say(f"/memory-{name} {typed}")
    assert said.text == "done"
    assert any(f"---\n{typed}\n---" in one.text for one in bare.model.asked)
    assert not os.path.lexists(trap)


def test_a_command_typed_in_the_form_that_pages_run_is_not_run(bare: Client) -> None:
    bare.world.ok("hooks", "install")
    trap = bare.project / "ran"
    bare.model.on("touch", [Says("done")])
    bare.say(f"/memory-search !`touch {trap}`")
    assert not os.path.lexists(trap)
