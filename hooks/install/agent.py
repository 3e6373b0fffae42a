"""What each assistant tells about having our hooks installed; the rest is the same for all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from .json_hooks import PROGRAM
from .plan import Target

Scope = Literal["user", "project", "local"]
"""For all projects of the user; for all who use this project; for this user in this project."""

_OTHERS: Final = "whoever works here needs `mem-hook` in PATH, and a journal of their own"


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

    def folder_of(self, variable: str, usual: str) -> Path:
        """The folder that *variable* names, or else the *usual* one in the user's home."""
        named = self.environ.get(variable, "") if variable else ""
        return self.project / named if named else self.home / usual


class AgentInstaller(ABC):
    """One assistant."""

    agent: ClassVar[str]
    """Its name in the journal, such as ``claude-code``."""

    scopes: ClassVar[tuple[Scope, ...]] = ("user", "project")
    """For whom it can be installed; the first is the default."""

    folder: ClassVar[str]
    """Where its settings are in the user's home, unless *variable* names another place."""

    variable: ClassVar[str] = ""

    def home(self, around: Surroundings) -> Path:
        """The folder of the user's settings for it."""
        return around.folder_of(self.variable, self.folder)

    def is_here(self, around: Surroundings) -> bool:
        """Whether the assistant is used on this machine."""
        return self.home(around).is_dir()

    @abstractmethod
    def targets(self, around: Surroundings, scope: Scope) -> tuple[Target, ...]:
        """The files that hooks stand in, and what is ours in them."""

    def steps(self, scope: Scope) -> tuple[str, ...]:
        """What this assistant in particular asks the user to do after an install."""
        return ()

    def next_steps(self, scope: Scope) -> tuple[str, ...]:
        """All that has to be done after an install before the hooks run; often nothing."""
        return (*self.steps(scope), *((_OTHERS,) if scope == "project" else ()))

    def hindrances(self, around: Surroundings) -> tuple[str, ...]:
        """What keeps installed hooks from running, or lets them run twice."""
        return ()
