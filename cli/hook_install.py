"""Installing hooks from the command line: what is found around, and the assistants that were asked for."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from ..hooks.install.agent import AgentInstaller, Scope, Surroundings
from ..hooks.install.agents import all_agents
from ..hooks.install.json_hooks import PROGRAM
from ..hooks.install.receipts import Receipts
from ..journal.errors import NoJournalError, UnavailableError, UsageError
from .text_encoding import is_text
from .user_folders import state_folder

if TYPE_CHECKING:
    from .context import Context

ALL: Final = "all"


def receipts() -> Receipts:
    """What was done to files of assistants on this machine."""
    return Receipts(state_folder() / "installed")


def plugin_folder() -> Path:
    """Where Claude Code's plugin is written to if nothing else is said; its path must not change."""
    return state_folder() / "claude-code-plugin"


def surroundings_of(context: Context, program: str = PROGRAM) -> Surroundings:
    """Where hooks are installed to, calling *program*."""
    return Surroundings(
        home=context.home,
        project=_project_folder(context),
        environ=context.environ,
        program=program,
    )


def around_if_any(context: Context) -> Surroundings:
    """Where hooks are installed to, also where there is no program that they could call."""
    try:
        return surroundings_of(context, find_program(context.environ))
    except UnavailableError:
        return surroundings_of(context)


def _project_folder(context: Context) -> Path:
    """The top of the repository that the current folder is in, else the current folder."""
    from ..journal.project import identify_project

    return identify_project(context.cwd, home=context.home, aliases={}).root or context.cwd


def find_program(environ: Mapping[str, str]) -> str:
    """The path of `mem-hook`: that beside this `mem`, else that in PATH.

    Links are not followed: those that installers make stay where they are on an upgrade.

    Raises:
        UnavailableError: there is none.
    """
    beside = [Path(one).absolute().parent for one in (sys.argv[0], sys.executable) if one]
    for folders in (*map(str, beside), environ.get("PATH", "")):
        found = shutil.which(PROGRAM, path=folders)
        if found is not None and is_text(found):
            return str(Path(found).absolute())
    raise UnavailableError(
        f"`{PROGRAM}` is neither beside `mem` nor in PATH",
        mend="install memjournal again, as a command: `pipx install memjournal`",
    )


def is_runnable(program: str, environ: Mapping[str, str]) -> bool:
    """Whether *program*, a path or a name, can be run here."""
    return shutil.which(program, path=environ.get("PATH", "")) is not None


def last_hook(context: Context) -> datetime | None:
    """When a hook of any assistant was last heard of, for this journal; None if never, or long ago."""
    from .daemon_link import place_of

    try:
        folder = state_folder() / "hooks" / place_of(context).name
    except NoJournalError:
        return None
    times = [one.stat().st_mtime for one in folder.glob("*.json")]
    return datetime.fromtimestamp(max(times), tz=context.now.tzinfo) if times else None


def chosen_agents(names: Sequence[str], around: Surroundings) -> tuple[AgentInstaller, ...]:
    """The assistants of *names*; ``all`` means those that are used here, none the first.

    Raises:
        typer.BadParameter: no assistant goes by a name.
    """
    known = {one.agent: one for one in all_agents()}
    if not names:
        return (next(iter(known.values())),)
    if ALL in names:
        return tuple(one for one in known.values() if one.agent in names or one.is_here(around))
    for name in names:
        if name not in known:
            listed = ", ".join((*known, ALL))
            raise typer.BadParameter(f"{name!r} is none of {listed}", param_hint="--agent")
    return tuple(known[name] for name in dict.fromkeys(names))


def chosen_scope(installer: AgentInstaller, asked: str | None) -> Scope:
    """The scope that is meant.

    Raises:
        UsageError: the assistant has no such scope.
    """
    if asked is None:
        return installer.scopes[0]
    for scope in installer.scopes:
        if scope == asked:
            return scope
    raise UsageError(
        f"{installer.agent} has no scope {asked!r}", mend=f"it has {', '.join(installer.scopes)}"
    )
