"""What each assistant tells about having our hooks installed; the rest is the same for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from .json_hooks import PROGRAM
from .plan import Target

Scope = Literal["user", "project", "local"]
"""For all projects of the user; for all who use this project; for this user in this project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where hooks are installed to."""

    home: Path
    project: Path  # the folder that an assistant is started in
    environ: Mapping[str, str]
    program: (
        str  # the path of `mem-hook` on this machine, links not followed: they stay on upgrades
    )

    def program_for(self, scope: Scope) -> str:
        """How the hooks of *scope* call it: a project's settings are read on other machines too."""
        return PROGRAM if scope == "project" else self.program


class AgentInstaller(Protocol):
    """One assistant."""

    @property
    def agent(self) -> str:
        """Its name in the journal, such as ``claude-code``."""
        ...

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """For whom it can be installed; the first is the default."""
        ...

    def is_here(self, around: Surroundings) -> bool:
        """Whether the assistant is used on this machine."""
        ...

    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        """The files that hooks stand in, and what is ours in them."""
        ...

    def next_steps(self, around: Surroundings, scope: Scope) -> tuple[str, ...]:
        """What the user has to do after an install before the hooks run; often nothing."""
        ...

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        """What keeps installed hooks from running, or lets them run twice."""
        ...
