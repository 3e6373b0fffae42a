"""How an assistant's hooks stand: found by reading what is there, whoever put it there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ...journal.errors import MemjournalError
from .agent import AgentInstaller, Scope, Surroundings
from .plan import find_ours, plan_install, real_path
from .receipts import Receipts


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallState:
    """What of ours one assistant has, in one scope."""

    agent: str
    scope: Scope
    path: Path  # the file that hooks stand in
    events: tuple[str, ...] = ()  # by the assistant's names
    programs: tuple[str, ...] = ()  # that they call
    is_current: bool = False  # whether all is as this version would write it
    problem: str = ""  # why it cannot be told

    @property
    def is_installed(self) -> bool:
        """Whether any hook of ours is there."""
        return bool(self.events)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """How the hooks of one assistant stand."""

    agent: str
    is_here: bool  # whether the assistant is used on this machine
    scopes: tuple[InstallState, ...]
    problems: tuple[str, ...]  # each of them for people, with how to mend it

    @property
    def installed(self) -> tuple[InstallState, ...]:
        """The scopes that have hooks of ours."""
        return tuple(one for one in self.scopes if one.is_installed)


def find_state(
    installer: AgentInstaller,
    around: Surroundings,
    receipts: Receipts,
    *,
    is_runnable: Callable[[str], bool],
) -> AgentState:
    """How things stand; what cannot be read is a problem told, not an error.

    *is_runnable* tells whether a program, by its path or its name, can be run.
    """
    scopes = tuple(
        _find_scope(installer, around, scope, receipts)
        for scope in _scopes_apart(installer, around)
    )
    state = AgentState(
        agent=installer.agent, is_here=installer.is_here(around), scopes=scopes, problems=()
    )
    problems = (*_problems(state, is_runnable), *installer.hindrances(around))
    return replace(state, problems=problems)


def _scopes_apart(installer: AgentInstaller, around: Surroundings) -> Iterator[Scope]:
    """The scopes without those whose file is that of one before: in the home, the project's is the user's."""
    seen: set[Path] = set()
    for scope in installer.scopes:
        file = real_path(installer.targets(around, scope)[0].path)
        if file not in seen:
            seen.add(file)
            yield scope


def _find_scope(
    installer: AgentInstaller, around: Surroundings, scope: Scope, receipts: Receipts
) -> InstallState:
    targets = installer.targets(around, scope)
    path = targets[0].path
    try:
        found = [one for target in targets if (one := find_ours(target)) is not None]
        is_there = any(one.events for one in found)
        changes = plan_install(targets, receipts) if is_there else ()
    except MemjournalError as error:
        return InstallState(agent=installer.agent, scope=scope, path=path, problem=str(error))
    return InstallState(
        agent=installer.agent,
        scope=scope,
        path=path,
        events=tuple(dict.fromkeys(event for one in found for event in one.events)),
        programs=tuple(dict.fromkeys(program for one in found for program in one.commands)),
        is_current=is_there and not any(change.is_change for change in changes),
    )


def _problems(state: AgentState, is_runnable: Callable[[str], bool]) -> Iterator[str]:
    for one in state.scopes:
        if one.problem:
            yield one.problem
    for one in state.installed:
        command = f"`mem hooks install --agent {one.agent} --scope {one.scope}`"
        missing = [program for program in one.programs if not is_runnable(program)]
        for program in missing:
            yield f"{one.path}: {program} cannot be run, so nothing is kept; {command} mends it"
        if not missing and not one.is_current:
            yield f"{one.path}: not as this version installs it; {command} brings it up to date"
    if len(state.installed) > 1:
        names = " and ".join(one.scope for one in state.installed)
        yield (
            f"installed for {names}: each hook runs more than once, which stores nothing twice but costs"
            f" processes; `mem hooks uninstall --agent {state.agent} --scope SCOPE` takes one out"
        )
