"""`mem hooks`: into the settings of an assistant and out again, and how things stand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memjournal.cli.hook_install import find_program

from .conftest import World

SETTINGS = """{
    "permissions": {"allow": ["Bash"]},
  "hooks": {"Stop": [{"hooks": [ {"type": "command", "command": "true"} ]}]}
}"""
N_COMMANDS = 7


@pytest.fixture(autouse=True)
def program(world: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `mem-hook` beside the `mem` that runs."""
    folder = world.home / "bin"
    folder.mkdir()
    for name in ("mem", "mem-hook"):
        (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(folder / "mem")])
    return folder / "mem-hook"


@pytest.fixture
def settings(world: World) -> Path:
    """The user's settings, as a person left them."""
    file = world.home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(SETTINGS, encoding="utf-8")
    return file


def programs_in(file: Path) -> set[str]:
    hooks = json.loads(file.read_bytes())["hooks"].values()
    return {
        handler["command"] for groups in hooks for group in groups for handler in group["hooks"]
    }


def problems(world: World) -> str:
    (state,) = world.ok("hooks", "status", "--json", "--agent", "claude-code").objects
    found = state["problems"]
    assert isinstance(found, list)
    return "\n".join(found)


def test_install_keeps_what_is_there_and_uninstall_leaves_no_trace(
    world: World, settings: Path, program: Path
) -> None:
    world.init()
    before = world.tree()
    ran = world.ok("hooks", "install")
    assert f"written: {settings}" in ran.out
    assert ran.out.count("written: ") == 1 + N_COMMANDS
    assert "what it was before is kept as" in ran.err
    assert programs_in(settings) == {"true", str(program)}
    assert (settings.parent / "commands" / "memory-search.md").is_file()
    again = world.tree()
    assert world.ok("hooks", "install").out == "claude-code: nothing is to be changed\n"
    assert world.tree() == again
    assert f"restored: {settings}" in world.ok("hooks", "uninstall").out
    assert world.tree() == before
    assert not (settings.parent / "commands").exists()
    assert world.ok("hooks", "uninstall").out == "claude-code: nothing is to be changed\n"


def test_a_dry_run_shows_every_line_and_writes_nothing(world: World, settings: Path) -> None:
    before = world.tree()
    shown = world.ok("hooks", "install", "--dry-run").out
    assert f"--- {settings}\n+++ {settings}\n" in shown
    added = [line for line in shown.splitlines() if line.startswith("+")]
    assert sum(line.count("mem-hook") for line in added) == 9
    assert "+description: Search the memory journal" in added
    assert world.tree() == before
    world.ok("hooks", "install")
    installed = world.tree()
    assert '"Stop": [{"hooks": [ {' in world.ok("hooks", "uninstall", "--print").out
    actions = [
        one["action"] for one in world.ok("hooks", "uninstall", "--json", "--dry-run").objects
    ]
    assert actions == ["restored"] + ["removed"] * N_COMMANDS
    assert world.tree() == installed


def test_settings_that_cannot_be_read_are_refused_by_line_and_column(
    world: World, settings: Path
) -> None:
    settings.write_text('{\n  "a": 1,\n}', encoding="utf-8")
    before = world.tree()
    ran = world.run("hooks", "install")
    assert ran.code == 65
    assert f"{settings}:3:1: not JSON: a comma before }}" in ran.error
    assert world.tree() == before
    assert f"{settings}:3:1" in problems(world)


def test_without_a_journal_it_says_what_is_missing(world: World) -> None:
    assert "run `mem init`" in world.ok("hooks", "install").err
    assert not world.root.exists()
    world.init()
    assert "mem init" not in world.ok("hooks", "install").err


def test_hooks_of_a_project_name_no_path_of_this_machine(world: World) -> None:
    world.git("init", "--quiet", folder=world.project)
    world.chdir(world.project / "deep" / "inside")
    ran = world.ok("hooks", "install", "--scope", "project")
    file = world.project / ".claude" / "settings.json"
    assert programs_in(file) == {"mem-hook"}
    assert "in PATH" in ran.err
    world.ok("hooks", "uninstall", "--scope", "project")
    assert not file.parent.exists()


def test_local_hooks_are_in_a_file_that_is_not_committed(world: World, program: Path) -> None:
    world.ok("hooks", "install", "--scope", "local")
    assert [one.name for one in (world.project / ".claude").iterdir()] == ["settings.local.json"]
    assert programs_in(world.project / ".claude" / "settings.local.json") == {str(program)}


def test_the_folder_that_claude_is_told_to_use_is_used(world: World, tmp_path: Path) -> None:
    world.set_env(CLAUDE_CONFIG_DIR=str(tmp_path / "설정"))
    world.ok("hooks", "install")
    assert (tmp_path / "설정" / "settings.json").is_file()
    assert not (world.home / ".claude").exists()


def test_a_slash_command_that_the_user_wrote_is_kept(world: World, settings: Path) -> None:
    mine = settings.parent / "commands" / "memory-search.md"
    mine.parent.mkdir()
    mine.write_text("mine", encoding="utf-8")
    ran = world.ok("hooks", "install")
    assert "left as it is" in ran.err
    world.ok("hooks", "uninstall")
    assert mine.read_text("utf-8") == "mine"
    assert os.listdir(mine.parent) == ["memory-search.md"]


def test_no_such_assistant_and_no_such_scope_are_said(world: World) -> None:
    ran = world.run("hooks", "install", "--agent", "clippy")
    assert ran.code == 2 and "claude-code" in ran.err
    ran = world.run("hooks", "install", "--scope", "galaxy")
    assert ran.code == 64 and "user, project, local" in ran.error


def test_all_means_those_that_are_used_here(world: World, settings: Path) -> None:
    installed = world.ok("hooks", "install", "--agent", "all", "--json").objects
    assert {one["agent"] for one in installed} == {"claude-code"}


# --- status -------------------------------------------------------------------------------------


def test_status_says_where_what_and_whether_it_can_run(
    world: World, settings: Path, program: Path
) -> None:
    assert "not installed" in world.ok("hooks", "status").out
    world.ok("hooks", "install")
    (state,) = world.ok("hooks", "status", "--json").objects
    user, *others = state["scopes"]  # type: ignore[misc]  # a list
    assert user["installed"] and user["current"] and user["programs"] == [str(program)]
    assert "UserPromptSubmit" in user["events"] and len(user["events"]) == 9
    assert not any(one["installed"] for one in others)
    assert state["problems"] == []
    assert "9 hooks" in world.ok("hooks", "status").out


def test_status_says_when_a_hook_was_last_heard(world: World) -> None:
    assert "last hook: none" in world.ok("hooks", "status").out
    world.init()
    (state,) = world.ok("hooks", "status", "--json").objects
    assert state["last_hook"] is None
    before = datetime.now(UTC)
    payload = {"session_id": "s", "cwd": str(world.project), "prompt": "어제 정한 것은?"}
    subprocess.run(
        [sys.executable, "-c", "from memjournal.cli.mem_hook import main; main()"]
        + ["claude-code", "UserPromptSubmit"],
        input=json.dumps({**payload, "hook_event_name": "UserPromptSubmit"}).encode(),
        env={**os.environ, "MEMJOURNAL_HOOK_BUDGET_S": "60"},
        check=True,
        timeout=120,
    )
    (state,) = world.ok("hooks", "status", "--json").objects
    heard = datetime.fromisoformat(str(state["last_hook"]))
    assert before - timedelta(seconds=2) <= heard <= datetime.now(UTC) + timedelta(seconds=2)
    assert f"last hook: {heard:%Y-%m-%d}" in world.ok("hooks", "status").out


def test_a_program_that_is_gone_is_a_problem(
    world: World, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.init()
    old = world.home / "old" / "mem-hook"
    settings.write_text(SETTINGS.replace('"true"', f'"{old}"'), encoding="utf-8")
    assert f"{old} cannot be run" in problems(world)
    found = {one["check"]: one for one in world.run("doctor", "--json").objects}
    assert found["hooks"]["verdict"] == "odd"


def test_hooks_of_another_version_are_a_problem(world: World, settings: Path) -> None:
    world.ok("hooks", "install")
    settings.write_text(settings.read_text("utf-8").replace('"timeout": 5', '"timeout": 9'))
    assert "not as this version installs it" in problems(world)
    world.ok("hooks", "install")
    assert problems(world) == ""


def test_what_keeps_hooks_from_running_is_said(world: World, settings: Path) -> None:
    settings.write_text('{"disableAllHooks": true}', encoding="utf-8")
    assert "disableAllHooks" in world.ok("hooks", "install").err
    assert "disableAllHooks" in problems(world)


def test_hooks_that_would_run_twice_are_said(world: World, settings: Path) -> None:
    world.ok("hooks", "install")
    world.ok("hooks", "install", "--scope", "project")
    world.set_env(PATH=f"{world.home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert "installed for user and project" in problems(world)
    world.ok("hooks", "uninstall", "--scope", "project")
    assert problems(world) == ""
    settings.write_text('{"enabledPlugins": {"memjournal@x": true}}', encoding="utf-8")
    assert "the plugin is on" in problems(world)


def test_doctor_has_a_line_of_hooks(world: World, settings: Path) -> None:
    world.init()
    found = {one["check"]: one for one in world.run("doctor", "--json").objects}
    assert (found["hooks"]["verdict"], found["hooks"]["what"]) == ("ok", "not installed")
    world.ok("hooks", "install")
    found = {one["check"]: one for one in world.run("doctor", "--json").objects}
    assert found["hooks"]["what"] == "installed: claude-code (user)"


# --- the program and the plugin -----------------------------------------------------------------


def test_the_program_is_the_one_beside_mem_with_its_links_as_they_are(
    world: World, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = tmp_path / "links"
    links.mkdir()
    for name in ("mem", "mem-hook"):
        (links / name).symlink_to(program.parent / name)
    monkeypatch.setattr(sys, "argv", [str(links / "mem")])
    assert find_program({"PATH": str(program.parent)}) == str(links / "mem-hook")


def test_else_it_is_the_one_in_path_and_without_any_nothing_is_installed(
    world: World, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["/nowhere/mem"])
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert find_program({"PATH": f"/nowhere{os.pathsep}{program.parent}"}) == str(program)
    world.set_env(PATH="/nowhere")
    before = world.tree()
    ran = world.run("hooks", "install")
    assert ran.code == 69 and "mem-hook" in ran.error
    assert world.tree() == before


def test_the_plugin_is_written_where_it_stays_or_where_it_is_wanted(
    world: World, program: Path
) -> None:
    ran = world.ok("hooks", "plugin")
    folder = Path(ran.out.splitlines()[0].removeprefix("written: "))
    assert f"claude plugin marketplace add {folder}" in ran.out
    assert programs_in(folder / "hooks" / "hooks.json") == {str(program)}
    world.ok("hooks", "plugin", "shared")
    assert programs_in(world.project / "shared" / "hooks" / "hooks.json") == {"mem-hook"}
    assert world.run("hooks", "plugin", str(world.home)).code == 73


def test_status_says_that_there_is_no_journal(world: World) -> None:
    assert "there is no journal yet" in world.ok("hooks", "status").err
    world.init()
    assert "there is no journal yet" not in world.ok("hooks", "status").err


def test_in_the_home_the_projects_settings_are_the_users(
    world: World, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ok("hooks", "install")
    monkeypatch.chdir(world.home)
    (state,) = world.ok("hooks", "status", "--json", "--agent", "claude-code").objects
    scopes = state["scopes"]
    assert isinstance(scopes, list)
    assert [one["scope"] for one in scopes] == ["user", "local"]
    assert problems(world) == ""


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' * 5_000 + "1" + "}" * 5_000])
def test_settings_that_are_nested_without_end_are_a_problem(
    world: World, settings: Path, text: str
) -> None:
    settings.write_text(text, encoding="utf-8")
    assert "levels" in problems(world)


def test_settings_that_are_a_link_to_themselves_are_a_problem(world: World, settings: Path) -> None:
    settings.unlink()
    settings.symlink_to(settings)
    assert str(settings) in problems(world)
