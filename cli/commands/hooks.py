"""The hooks of assistants: put into their settings, taken out again, and looked at."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import NoJournalError
from .. import options, output
from ..context import Context

if TYPE_CHECKING:
    from ...hooks.install.plan import Change
    from ...hooks.install.state import AgentState
    from ...journal.health import Finding

_hooks = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="For this assistant (repeatable); all: for those that are used here. Default:"
        " claude-code.",
    ),
]
ScopeName = Annotated[
    str | None,
    typer.Option(
        "--scope",
        metavar="SCOPE",
        help="user: all your projects; project: all who use this one; local: you in this one."
        " Default: user, where the assistant has that.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", "--print", help="Only show what would change.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(
        _hooks,
        name="hooks",
        help="Let an assistant keep what is said and done, and be told what is remembered.",
    )


@_hooks.command()
def install(
    context: typer.Context,
    agent: Agents = None,
    scope: ScopeName = None,
    dry_run: DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Put the hooks into an assistant's settings; everything else in them stays as it is."""
    from ...hooks.install.carry_out import carry_out_install, copies_of
    from ...hooks.install.plan import plan_install
    from ..hook_install import chosen_agents, chosen_scope, find_program, receipts, surroundings_of

    surroundings: Context = context.obj
    around = surroundings_of(surroundings, find_program(surroundings.environ))
    plans = []
    for installer in chosen_agents(agent or (), around):
        chosen = chosen_scope(installer, scope)
        changes = plan_install(installer.targets(around, chosen), receipts())
        plans.append((installer, chosen, changes))
    for installer, chosen, changes in plans:  # only when all of them can be changed
        if not dry_run:
            carry_out_install(changes, receipts())
        _print_changes(changes, installer.agent, chosen, dry_run=dry_run, as_json=as_json)
        for copy in () if dry_run else copies_of(changes, receipts()):
            output.note(f"what it was before is kept as {copy}")
        for step in () if dry_run else installer.next_steps(chosen):
            output.note(f"{installer.agent}: {step}")
        for hindrance in installer.hindrances(around):
            output.warn(f"{installer.agent}: {hindrance}")
    if not dry_run:
        _note_no_journal(surroundings)


@_hooks.command()
def uninstall(
    context: typer.Context,
    agent: Agents = None,
    scope: ScopeName = None,
    dry_run: DryRun = False,
    as_json: options.AsJson = False,
) -> None:
    """Take the hooks out again; a file that nobody else has changed is as it was, byte for byte."""
    from ...hooks.install.carry_out import carry_out_removal
    from ...hooks.install.plan import plan_removal
    from ..hook_install import around_if_any, chosen_agents, chosen_scope, receipts

    around = around_if_any(context.obj)
    plans = []
    for installer in chosen_agents(agent or (), around):
        chosen = chosen_scope(installer, scope)
        changes = plan_removal(installer.targets(around, chosen), receipts())
        plans.append((installer, chosen, changes))
    for installer, chosen, changes in plans:
        if not dry_run:
            carry_out_removal(changes, receipts())
        _print_changes(changes, installer.agent, chosen, dry_run=dry_run, as_json=as_json)


def _print_changes(
    changes: Sequence[Change], agent: str, scope: str, *, dry_run: bool, as_json: bool
) -> None:
    for change in changes:
        if as_json:
            fields = {"agent": agent, "scope": scope, "path": change.path}
            done = {"action": _action(change), "dry_run": dry_run, "remark": change.remark}
            output.emit("hook_change", {**fields, **done})
        elif dry_run and change.is_change:
            _print_difference(change)
        elif change.remark:
            output.note(f"{change.path}: {change.remark}")
        elif change.is_change:
            output.line(f"{_action(change)}: {output.safe(str(change.path))}")
    if not as_json and not any(change.is_change for change in changes):
        output.line(f"{agent}: nothing is to be changed")


def _action(change: Change) -> str:
    """What becomes of the file, in a word."""
    if change.after is None and change.before is not None:
        return "removed"
    if change.is_change:
        return "restored" if change.restores else "written"
    return "kept" if change.remark else "unchanged"


def _print_difference(change: Change) -> None:
    sides = (change.before, change.after)
    old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in sides)
    old_name, new_name = (str(change.path) if data is not None else "/dev/null" for data in sides)
    for line in difflib.unified_diff(old, new, old_name, new_name, lineterm=""):
        output.line(output.safe(line))


def _note_no_journal(surroundings: Context) -> None:
    try:
        surroundings.root  # noqa: B018  # it looks for one
    except NoJournalError:
        output.note("there is no journal yet, and until then nothing is kept: run `mem init`")


@_hooks.command()
def status(context: typer.Context, agent: Agents = None, as_json: options.AsJson = False) -> None:
    """Show where hooks are installed, and what keeps them from running."""
    from ..hook_install import ALL, around_if_any, chosen_agents, last_hook

    surroundings: Context = context.obj
    default = chosen_agents((), around_if_any(surroundings))[0].agent
    heard = last_hook(surroundings)
    for state in _states(surroundings, agent or (ALL, default)):
        if as_json:
            output.emit("hooks", {**_fields(state), "last_hook": heard})
        else:
            _print_state(state)
    if not as_json:
        time = output.when(heard, surroundings.now) if heard else ""
        output.line(f"last hook: {time or 'none of late'}")
        _note_no_journal(surroundings)


def _states(surroundings: Context, names: Sequence[str]) -> Iterator[AgentState]:
    from ...hooks.install.state import find_state
    from ..hook_install import around_if_any, chosen_agents, is_runnable, receipts

    around = around_if_any(surroundings)
    environ = surroundings.environ
    for installer in chosen_agents(names, around):
        yield find_state(
            installer, around, receipts(), is_runnable=lambda one: is_runnable(one, environ)
        )


def _fields(state: AgentState) -> dict[str, object]:
    scopes = [
        {
            "scope": one.scope,
            "path": one.path,
            "installed": one.is_installed,
            "events": one.events,
            "programs": one.programs,
            "current": one.is_current,
        }
        for one in state.scopes
    ]
    fields = {"agent": state.agent, "here": state.is_here, "scopes": scopes}
    return {**fields, "problems": state.problems}


def _print_state(state: AgentState) -> None:
    output.line(state.agent if state.is_here else f"{state.agent} (not found on this machine)")
    for one in state.scopes:
        what = output.count(len(one.events), "hook") if one.is_installed else "not installed"
        path = output.safe(str(one.path))
        output.line(f"  {one.scope:<8} {'unreadable' if one.problem else what:<14} {path}")
        for program in one.programs:
            output.line(f"  {'':<8} {'they call':<14} {output.safe(program)}")
    for problem in state.problems:
        output.line(f"  ! {output.safe(problem)}")


@_hooks.command()
def plugin(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            help="Where to; it then calls `mem-hook` by its name alone, so that it can be passed on."
            " Default: a folder of memjournal's own.",
        ),
    ] = None,
) -> None:
    """Write the plugin for Claude Code: hooks, slash commands and a skill in one folder."""
    from ...hooks.claude_code.plugin import commands_to_install, write_plugin
    from ...hooks.install.json_hooks import PROGRAM
    from ..hook_install import find_program, plugin_folder

    surroundings: Context = context.obj
    if folder is None:
        target, program = plugin_folder(), find_program(surroundings.environ)
    else:
        target, program = surroundings.expanded(folder).absolute(), PROGRAM
    write_plugin(target, program)
    output.line(f"written: {output.safe(str(target))}")
    output.note("two commands install it:")
    for command in commands_to_install(target):
        output.line(f"  {output.safe(shlex.join(command))}")


def check_hooks(surroundings: Context) -> Finding:
    """How the hooks of all assistants are, in a line; that there are none is nothing odd."""
    from ...journal.health import Finding
    from ..hook_install import ALL

    states = list(_states(surroundings, (ALL,)))
    installed = [
        f"{state.agent} ({', '.join(one.scope for one in state.installed)})"
        for state in states
        if state.installed
    ]
    what = f"installed: {', '.join(installed)}" if installed else "not installed"
    problems = tuple(f"{state.agent}: {one}" for state in states for one in state.problems)
    if problems:
        return Finding("hooks", "odd", what, "", problems)
    return Finding("hooks", "ok", what)
