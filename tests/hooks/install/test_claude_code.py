"""What Claude Code is given: hooks that it and we understand alike, and commands that cannot be misused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import frontmatter
import pytest

from memjournal.cli.program import GROUPS
from memjournal.cli.version import VERSION
from memjournal.hooks.adapter import PayloadError
from memjournal.hooks.claude_code.hook_adapter import HookAdapter
from memjournal.hooks.claude_code.installing import (
    EVENTS,
    PLUGIN_FOLDER,
    ClaudeCodeInstaller,
    groups,
)
from memjournal.hooks.claude_code.plugin import hooks_json, plugin_files, write_plugin
from memjournal.hooks.happening import Ignored
from memjournal.hooks.install.agent import Scope, Surroundings
from memjournal.hooks.install.json_hooks import PROGRAM
from memjournal.journal.errors import CannotCreateError

PAGES = sorted((*(PLUGIN_FOLDER / "commands").glob("*.md"), *PLUGIN_FOLDER.rglob("SKILL.md")))
READ_ONLY = {"search", "timeline", "show", "history", "stats", "list", "status", "doctor", "hooks"}


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return Surroundings(
        home=tmp_path / "home",
        project=tmp_path / "shop",
        environ={},
        program="/usr/local/bin/mem-hook",
    )


@pytest.mark.parametrize("event", EVENTS)
def test_something_is_done_about_every_event_that_a_process_is_started_for(event: str) -> None:
    try:
        read = HookAdapter().read(
            event, {"session_id": "s", "cwd": "/", "hook_event_name": event}, {}
        )
    except PayloadError:
        return
    assert not isinstance(read, Ignored) or "nothing is done about" not in read.reason


@pytest.mark.parametrize(
    ("tool", "is_worth_it"),
    [
        *((one, True) for one in ("Bash", "Agent", "Task", "ExitPlanMode", "AskUserQuestion")),
        *((one, True) for one in ("mcp__github__create_issue", "Write", "NotebookEdit")),
        *((one, False) for one in ("Read", "Grep", "Glob", "WebFetch", "TodoWrite")),
        *((one, False) for one in ("TaskCreate", "BashOutput", "TaskOutput", "NotebookRead")),
    ],
)
def test_a_process_is_started_only_for_tools_that_can_tell_something(
    tool: str, is_worth_it: bool
) -> None:
    matcher = str(groups(PROGRAM)["PostToolUse"]["matcher"])
    assert re.search(r"[^A-Za-z0-9_\- ,|]", matcher), "else it would be a list of whole names"
    assert bool(re.search(matcher, tool)) is is_worth_it


def test_hooks_need_no_shell_and_are_given_up_in_seconds() -> None:
    for event, group in groups("/a path/mem-hook").items():
        (handler,) = group["hooks"]  # type: ignore[misc]  # a list
        assert handler["command"] == "/a path/mem-hook"
        assert handler["args"] == ["claude-code", event]
        assert 1 <= handler["timeout"] <= 10
        assert handler.keys() == {"type", "command", "args", "timeout"}


@pytest.mark.parametrize(
    ("scope", "path", "program"),
    [
        ("user", "home/.claude/settings.json", "/usr/local/bin/mem-hook"),
        ("project", "shop/.claude/settings.json", "mem-hook"),
        ("local", "shop/.claude/settings.local.json", "/usr/local/bin/mem-hook"),
    ],
)
def test_each_scope_has_its_file_and_one_that_others_read_names_no_path(
    around: Surroundings, scope: Scope, path: str, program: str
) -> None:
    first, *others = ClaudeCodeInstaller().targets(around, scope)
    assert first.path == around.home.parent / path
    assert first.edit.find(first.edit.install(None)).commands == (program,)
    assert first.edit.find(first.edit.install(None)).events == tuple(EVENTS)
    names = {one.path.name for one in others}
    assert names == (set() if scope == "local" else {one.name for one in PAGES} - {"SKILL.md"})


# --- the plugin ---------------------------------------------------------------------------------


def test_the_plugin_has_the_hooks_that_settings_have() -> None:
    assert (PLUGIN_FOLDER / "hooks" / "hooks.json").read_text("utf-8") == hooks_json(PROGRAM)


def test_the_plugin_is_of_this_version() -> None:
    manifest = json.loads((PLUGIN_FOLDER / ".claude-plugin" / "plugin.json").read_bytes())
    assert manifest["version"] == VERSION


def test_the_plugin_is_written_and_written_again_but_over_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    write_plugin(folder, "/1/mem-hook")
    write_plugin(folder, "/2/mem-hook")
    written = {
        one.relative_to(folder): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }
    assert written == dict(plugin_files("/2/mem-hook"))
    assert b"/2/mem-hook" in written[Path("hooks/hooks.json")]
    with pytest.raises(CannotCreateError, match="something else"):
        write_plugin(tmp_path, "mem-hook")


def test_the_plugin_is_found_in_settings_whichever_marketplace_it_is_from(
    around: Surroundings,
) -> None:
    file = around.home / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    for name, is_on, is_found in [
        ("memjournal@some", True, True),
        ("memjournal@memjournal-local", False, False),
        ("memjournals@some", True, False),
    ]:
        file.write_text(json.dumps({"enabledPlugins": {name: is_on}}), encoding="utf-8")
        hindrances = ClaudeCodeInstaller().hindrances(around)
        assert any(one.startswith(f"{file}: the plugin is on") for one in hindrances) is is_found


# --- slash commands and the skill ---------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_nothing_before_the_model_has_seen_it(page: Path) -> None:
    """What is typed is put in before that, so a quote or a back-tick could break out of a command."""
    text = page.read_text("utf-8")
    assert "!`" not in text and "```!" not in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_names_commands_that_exist(page: Path) -> None:
    named = set(re.findall(r"`mem ([a-z]+)", page.read_text("utf-8")))
    assert named and named <= {name for names in GROUPS.values() for name in names}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_runs_without_asking_only_reads(page: Path) -> None:
    allowed = str(frontmatter.load(str(page))["allowed-tools"])
    for rule in re.split(r",\s*", allowed):
        words = re.fullmatch(r"Bash\(mem ([^)*]+?)(?: \*)?\)", rule)
        assert words is not None, rule
        name, *options = words[1].split()
        assert name in READ_ONLY or "--dry-run" in options, rule
        assert name != "hooks" or options == ["status"], rule
        assert name != "doctor" or "*" not in rule, rule  # `--fix` changes files


def test_forgetting_is_asked_about() -> None:
    text = (PLUGIN_FOLDER / "commands" / "memory-forget.md").read_text("utf-8")
    assert text.index("--dry-run` with the ids") < text.index("Ask the user") < text.index("--yes")
