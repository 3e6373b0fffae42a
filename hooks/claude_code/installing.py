"""Claude Code's settings files with our hooks in them, and its slash commands.

Hooks are in exec form: no shell stands in between, and no path needs quotes. None is ``async`` or
``http``: the answer is the context, a process that is not waited for is killed at the end of
``claude -p``, and an address needs a server that is always there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ... import templates
from ...journal import files
from ...journal.errors import MemjournalError
from ..install.agent import AgentInstaller, Scope, Surroundings
from ..install.json_hooks import JsonHooks, hook_groups
from ..install.own_file import OwnFile
from ..install.plan import Target, real_path

AGENT: Final = "claude-code"
PLUGIN: Final = "memjournal"
MARKETPLACE: Final = "memjournal-local"
PLUGIN_FOLDER: Final = Path(templates.__file__).parent / "claude_code_plugin"
_TOOLS: Final = (
    "^(Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|Agent|Task|ExitPlanMode|AskUserQuestion"
    "|mcp__.*)$"
)
"""Those that can tell an outcome, a decision, or which files a turn has changed. Any other would cost a
process for nothing: what was read and searched is in the files. With anchors, for without them
a part of a name would be enough."""
EVENTS: Final[Mapping[str, tuple[str, int]]] = {
    "SessionStart": ("startup|resume|clear|compact|fork", 10),
    "UserPromptSubmit": ("", 5),
    "PostToolUse": (_TOOLS, 10),
    "PostToolUseFailure": ("", 10),
    "Stop": ("", 10),
    "SubagentStop": ("", 10),
    "PreCompact": ("", 10),
    "PostCompact": ("", 10),
    "SessionEnd": ("", 5),
}
"""What each event is matched by, and the seconds after which it is given up. Far more than is needed:
they only matter when the machine is stuck. That of SessionEnd also raises the 1.5 s that all hooks
of that event otherwise have together."""
_MANAGED: Final = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
    Path(r"C:\Program Files\ClaudeCode\managed-settings.json"),
)


def groups(program: str) -> dict[str, dict[str, object]]:
    """For each event the group that calls *program*, as settings and plugins have it."""

    def handler(event: str, timeout_s: int) -> dict[str, object]:
        arguments = [AGENT, event]
        return {"type": "command", "command": program, "args": arguments, "timeout": timeout_s}

    return hook_groups(EVENTS, handler)


class ClaudeCodeInstaller(AgentInstaller):
    """Hooks of Claude Code, and the slash commands that can be typed as they are."""

    agent = AGENT
    scopes = ("user", "project", "local")
    folder = ".claude"
    variable = "CLAUDE_CONFIG_DIR"

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        edit = JsonHooks(items=groups(around.program_for(scope)))
        hooks = Target(path=self.settings_file(around, scope), edit=edit)
        return (hooks, *_slash_commands(self.folder_for(around, scope), scope))

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        files_of_scopes = [self.settings_file(around, scope) for scope in self.scopes]
        return tuple(_hindrances(files_of_scopes))

    def folder_for(self, around: Surroundings, scope: Scope) -> Path:
        """Where the settings of *scope* are, and its slash commands."""
        return self.home(around) if scope == "user" else around.project / self.folder

    def settings_file(self, around: Surroundings, scope: Scope) -> Path:
        """The settings file of *scope*."""
        name = "settings.local.json" if scope == "local" else "settings.json"
        return self.folder_for(around, scope) / name


def _slash_commands(folder: Path, scope: Scope) -> Iterator[Target]:
    """A file for each command; none for `local`: what a folder of commands has, is committed."""
    if scope == "local":
        return
    for source in sorted((PLUGIN_FOLDER / "commands").glob("*.md")):
        path = folder / "commands" / source.name
        yield Target(path=path, edit=OwnFile(data=source.read_bytes()))


def _hindrances(settings_files: Sequence[Path]) -> Iterator[str]:
    for path in settings_files:
        match _settings(path):
            case {"disableAllHooks": True}:
                yield f"{path}: disableAllHooks is on, so no hook runs"
    for path in _MANAGED:
        match _settings(path):
            case {"allowManagedHooksOnly": True}:
                yield f"{path}: allowManagedHooksOnly is on, so only hooks of that file run"
            case {"disableAllHooks": True}:
                yield f"{path}: disableAllHooks is on, so no hook runs"
    if (switch := _plugin_in(settings_files)) is not None:
        yield (
            f"{switch}: the plugin is on; with hooks in a settings file as well each of them runs twice,"
            " which stores nothing twice but costs a second process"
        )


def _plugin_in(settings_files: Sequence[Path]) -> Path | None:
    """The settings file that has our plugin switched on, if one has."""
    for path in settings_files:
        match _settings(path):
            case {"enabledPlugins": dict(plugins)}:
                if any(is_on and _is_our_plugin(name) for name, is_on in plugins.items()):
                    return path
    return None


def _is_our_plugin(name: object) -> bool:
    """Whether *name* is that of our plugin, from whichever marketplace."""
    return str(name).partition("@")[0] == PLUGIN


def _settings(path: Path) -> object:
    """What a settings file says; None where there is none, or it cannot be read."""
    try:
        return json.loads(files.read(real_path(path)))
    except (MemjournalError, OSError, ValueError, RecursionError):
        return None
