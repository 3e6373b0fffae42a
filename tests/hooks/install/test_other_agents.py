"""What the other assistants are given: hooks that they and we understand alike, in and out again without a trace."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memjournal.hooks.adapter import PayloadError
from memjournal.hooks.agents import AGENTS, find_adapter
from memjournal.hooks.codex import installing as codex
from memjournal.hooks.cursor import installing as cursor
from memjournal.hooks.gemini import installing as gemini
from memjournal.hooks.happening import Ignored
from memjournal.hooks.install.agent import AgentInstaller, Scope, Surroundings
from memjournal.hooks.install.agents import all_agents
from memjournal.hooks.install.carry_out import carry_out_install, carry_out_removal
from memjournal.hooks.install.plan import find_ours, plan_install, plan_removal
from memjournal.hooks.install.receipts import Receipts

ODD_PROGRAM = "/opt/it's a 기억/bin/mem-hook"
OTHERS = {one.agent: one for one in all_agents() if one.agent != "claude-code"}
CASES = [(agent, scope) for agent, one in OTHERS.items() for scope in one.scopes]
WITH_SETTINGS = ("codex", "gemini", "cursor")
THEIRS = b'{\n\t"version": 1, "mine": [1,2],\n\t"hooks": {"Stop": []}}\n'


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    home, project = tmp_path / "home", tmp_path / "가게"
    home.mkdir()
    project.mkdir()
    return Surroundings(home=home, project=project, environ={}, program=ODD_PROGRAM)


@pytest.fixture
def receipts(tmp_path: Path) -> Receipts:
    return Receipts(tmp_path / "state")


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below, with what is in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_every_assistant_that_is_understood_can_be_installed_into() -> None:
    assert [one.agent for one in all_agents()] == list(AGENTS)


@pytest.mark.parametrize(("agent", "scope"), CASES)
def test_it_goes_in_once_and_out_without_a_trace(
    agent: str, scope: Scope, around: Surroundings, receipts: Receipts, tmp_path: Path
) -> None:
    targets = OTHERS[agent].targets(around, scope)
    before = tree(around.home) | tree(around.project)
    carry_out_install(plan_install(targets, receipts), receipts)
    assert all(target.path.is_file() for target in targets)
    assert not any(change.is_change for change in plan_install(targets, receipts))
    found = [one for target in targets if (one := find_ours(target)) and one.events]
    assert len(found) == 1
    expected = "mem-hook" if scope == "project" else ODD_PROGRAM
    assert found[0].commands == (expected,) or agent in WITH_SETTINGS
    carry_out_removal(plan_removal(targets, receipts), receipts)
    assert tree(around.home) | tree(around.project) == before


@pytest.mark.parametrize("agent", WITH_SETTINGS)
def test_what_others_have_in_the_file_stays_byte_for_byte(
    agent: str, around: Surroundings, receipts: Receipts
) -> None:
    targets = OTHERS[agent].targets(around, "user")
    targets[0].path.parent.mkdir(parents=True)
    targets[0].path.write_bytes(THEIRS)
    carry_out_install(plan_install(targets, receipts), receipts)
    installed = json.loads(targets[0].path.read_bytes())
    assert (installed["mine"], installed["version"]) == ([1, 2], 1)
    carry_out_removal(plan_removal(targets, receipts), receipts)
    assert targets[0].path.read_bytes() == THEIRS


@pytest.mark.parametrize(("agent", "scope"), CASES)
def test_something_is_done_about_every_event_that_is_installed(
    agent: str, scope: Scope, around: Surroundings
) -> None:
    payload = {"session_id": "s", "conversation_id": "s", "session": "s"}
    for target in OTHERS[agent].targets(around, scope):
        installed = target.edit.install(None)
        assert installed is not None
        for event in target.edit.find(installed).events:
            try:
                read = find_adapter(agent).read(event, payload, {})
            except PayloadError:
                continue
            assert not isinstance(read, Ignored) or "nothing is done about" not in read.reason


def commands(program: str) -> Iterator[tuple[str, list[str]]]:
    """Each command line that a shell is given, and the words that are meant."""
    for groups, agent in (
        (codex.groups(program), "codex"),
        (gemini.groups(program), "gemini"),
    ):
        for event, group in groups.items():
            (handler,) = group["hooks"]  # type: ignore[misc]  # a list
            yield handler["command"], [program, agent, event]
    for event, handler in cursor.hook_handlers(program).items():
        yield str(handler["command"]), [program, "cursor", event]


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
@pytest.mark.parametrize(
    "program", ("mem-hook", ODD_PROGRAM, "/$HOME/`x`/mem-hook", "/it's $HOME/`x`")
)
def test_a_shell_finds_the_program_wherever_it_is(program: str) -> None:
    lines = [f'for word in {command}; do echo "$word"; done' for command, _ in commands(program)]
    done = subprocess.run(["/bin/sh", "-c", "\n".join(lines)], capture_output=True, check=True)
    meant = [word for _, words in commands(program) for word in words]
    assert done.stdout.decode().splitlines() == meant


def test_a_path_of_windows_is_quoted_for_its_shells() -> None:
    command, _ = next(commands(r"C:\Users\김\mem-hook.exe"))
    assert command == r"C:\Users\김\mem-hook.exe codex SessionStart"
    command, _ = next(commands(r"C:\Program Files\mem-hook.exe"))
    assert command == r'"C:\Program Files\mem-hook.exe" codex SessionStart'


def test_each_counts_time_in_its_own_unit() -> None:
    for event, group in codex.groups("mem-hook").items():
        (handler,) = group["hooks"]  # type: ignore[misc]  # a list
        assert 1 <= handler["timeout"] <= (3 if event == "SessionEnd" else 10), "seconds"
    for group in gemini.groups("mem-hook").values():
        (handler,) = group["hooks"]  # type: ignore[misc]  # a list
        assert 1_000 <= handler["timeout"] <= 10_000, "milliseconds"
    assert all("timeout" not in one for one in cursor.hook_handlers("mem-hook").values())


@pytest.mark.parametrize(
    ("agent", "variable", "path"),
    [
        ("codex", "CODEX_HOME", "hooks.json"),
        ("opencode", "OPENCODE_CONFIG_DIR", "plugins/memjournal.js"),
        ("openclaw", "OPENCLAW_STATE_DIR", "extensions/memjournal/index.js"),
        ("hermes", "HERMES_HOME", "plugins/memjournal/__init__.py"),
        ("pi", "PI_CODING_AGENT_DIR", "extensions/memjournal.js"),
    ],
)
def test_a_folder_that_was_moved_is_found(
    agent: str, variable: str, path: str, around: Surroundings, tmp_path: Path
) -> None:
    moved = tmp_path / "elsewhere"
    there = Surroundings(
        home=around.home, project=around.project, environ={variable: str(moved)}, program="mem-hook"
    )
    installer: AgentInstaller = OTHERS[agent]
    assert installer.targets(there, "user")[0].path == moved / path
    assert not installer.is_here(there)
    moved.mkdir()
    assert installer.is_here(there) and not installer.is_here(around)


@pytest.mark.parametrize("agent", OTHERS)
def test_what_is_left_to_do_is_said(agent: str, around: Surroundings) -> None:
    steps = {
        "codex": "/hooks",
        "opencode": "restart",
        "openclaw": "allowConversationAccess",
        "hermes": "hermes plugins enable memjournal",
        "pi": "/reload",
    }
    said = " ".join(OTHERS[agent].next_steps("user"))
    assert steps.get(agent, "") in said
    if "project" in OTHERS[agent].scopes:
        assert "mem-hook" in " ".join(OTHERS[agent].next_steps("project"))
