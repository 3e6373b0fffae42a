"""A journal that is made: its own files, how git is to treat it, and its first commit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..journal.errors import MemjournalError
from . import output

if TYPE_CHECKING:
    from .context import Context


def journal_texts(root: Path) -> dict[str, str]:
    """The journal's own files by name, as they are when they are new."""
    from ..journal.file_walk import printable
    from ..journal.place import MARKER
    from ..templates import render

    name = printable(root.name.lstrip(".")) or "memjournal"  # that of a folder may be no text
    return {
        MARKER: render("journal/memjournal.toml.j2", groups=_setting_groups()),
        "README.md": render("journal/README.md.j2", name=name),
        ".gitignore": render("journal/gitignore.j2"),
        ".gitattributes": render("journal/gitattributes.j2"),
    }


def _setting_groups() -> list[dict[str, object]]:
    """The settings that a journal may have, as its file shows them."""
    from ..journal.setting import format_value
    from ..journal.setting_groups import DEFINITIONS

    groups: dict[str, list[dict[str, str]]] = {}
    for name, setting in DEFINITIONS.items():
        if not setting.user_only:
            group, _, key = name.rpartition(".")
            default = setting.default
            is_text = isinstance(default, str)
            value = json.dumps(default) if is_text else format_value(default)  # type: ignore[arg-type]  # a Value
            groups.setdefault(group, []).append({"key": key, "value": value, "help": setting.help})
    return [{"name": name, "settings": listed} for name, listed in groups.items()]


def configure_git(root: Path, environ: Mapping[str, str]) -> None:
    """Have plain git merge the journal as `mem sync` does."""
    from ..journal.git.configuring import configure, lacking_settings
    from ..journal.git.program import Git
    from .daemon_link import program_command

    try:
        git = Git(root, environ)
        configure(git, lacking_settings(git, program_command()))
    except MemjournalError as error:
        output.warn(f"git was not told how to merge a journal: {error}")


def commit_first(surroundings: Context, root: Path, names: list[str]) -> None:
    """Begin the history of the journal at *root* with these files; what hinders it is said."""
    from ..journal import git

    try:
        git.commit(
            root,
            names,
            "init: make the journal",
            environ=surroundings.environ,
            machine=surroundings.machine,
        )
    except git.GitLockedError as error:
        output.warn(f"not committed: {error.left_behind()}")
    except MemjournalError as error:
        output.warn(f"not committed: {error}")
