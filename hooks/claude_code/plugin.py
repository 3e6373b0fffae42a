"""The folder that Claude Code takes as a plugin, and as the marketplace that offers it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from ...journal import files
from ...journal.errors import CannotCreateError, NotFoundError
from .installing import MARKETPLACE, PLUGIN, PLUGIN_FOLDER, groups

_MANIFEST = Path(".claude-plugin", "plugin.json")
_HOOKS = Path("hooks", "hooks.json")


def plugin_files(program: str) -> Iterator[tuple[Path, bytes]]:
    """Each file of the plugin, relative to its folder; its hooks call *program*."""
    for source in sorted(PLUGIN_FOLDER.rglob("*")):
        path = source.relative_to(PLUGIN_FOLDER)
        if source.is_file() and path != _HOOKS:
            yield path, source.read_bytes()
    yield _HOOKS, hooks_json(program).encode()


def hooks_json(program: str) -> str:
    """The plugin's hooks: the same as in settings."""
    said = json.loads((PLUGIN_FOLDER / _HOOKS).read_text("utf-8"))["description"]
    hooks = {event: [group] for event, group in groups(program).items()}
    return json.dumps({"description": said, "hooks": hooks}, ensure_ascii=False, indent=2) + "\n"


def write_plugin(folder: Path, program: str) -> None:
    """Make *folder* the plugin, or bring the plugin that it is up to date.

    Raises:
        CannotCreateError: something else is in *folder*.
        StorageError: the disk refused.
    """
    if not _is_free(folder):
        raise CannotCreateError(
            "there is something else in this folder", where=str(folder), mend="name a new one"
        )
    for path, data in plugin_files(program):
        files.replace(folder / path, data)


def _is_free(folder: Path) -> bool:
    """Whether *folder* is missing, empty, or our plugin."""
    try:
        return bool(json.loads(files.read(folder / _MANIFEST))["name"] == PLUGIN)
    except (NotFoundError, ValueError, TypeError, KeyError):
        return not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))


def commands_to_install(folder: Path) -> tuple[tuple[str, ...], ...]:
    """What makes Claude Code use the plugin in *folder*."""
    return (
        ("claude", "plugin", "marketplace", "add", str(folder)),
        ("claude", "plugin", "install", f"{PLUGIN}@{MARKETPLACE}"),
    )
