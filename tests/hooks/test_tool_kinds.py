"""What kind a tool is of is answered in one place, for all assistants."""

from __future__ import annotations

import pytest

from memjournal.hooks.tool_kinds import (
    CHOICE_TOOLS,
    asks_user,
    is_editor,
    is_helper,
    is_quiet,
    is_shell,
)
from memjournal.indexer.text.content import DECIDING_TOOLS, READING_TOOLS


@pytest.mark.parametrize(
    ("is_of_kind", "names"),
    [
        (is_shell, ("Bash", "mcp__acp__Bash", "run_shell_command", "exec", "PowerShell")),
        (is_editor, ("Edit", "apply_patch", "write_file", "str_replace")),
        (asks_user, ("AskUserQuestion", "ExitPlanMode", "ask_user", "exit_plan_mode")),
        (is_helper, ("Agent", "Task", "delegate_task")),
        (is_quiet, ("Read", "read_file", "TodoWrite", "write_todos", "update_plan")),
    ],
)
def test_names_differ_by_signs_and_capitals_alone(
    is_of_kind: object, names: tuple[str, ...]
) -> None:
    kinds = (is_shell, is_editor, asks_user, is_helper, is_quiet)
    for name in names:
        assert [kind for kind in kinds if kind(name)] == [is_of_kind]


def test_whose_results_are_told_as_choices_ask_the_user() -> None:
    assert all(map(asks_user, CHOICE_TOOLS))


def test_a_tool_of_a_server_is_of_no_kind_whatever_it_is_called() -> None:
    for kind in (is_shell, is_editor, asks_user, is_helper, is_quiet):
        assert not kind("mcp__jira__search") and not kind("mcp__x__Bash")


def test_what_the_index_knows_of_tools_is_known_here() -> None:
    assert all(map(is_quiet, READING_TOOLS))
    assert all(asks_user(name) or is_helper(name) for name in DECIDING_TOOLS)
