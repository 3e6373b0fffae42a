"""What a desk is set to; nothing here is read from the environment or a configuration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from ..journal.values import dataclass, field
from .text import Limits

if TYPE_CHECKING:
    from .capture import Policy

Tells = Literal["always", "starts"]
"""When recall may be loaded: always, or where a session starts and nothing else is happening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskOptions:
    """What is kept of what happens, and what is told."""

    captures: bool = True
    policy: Policy = "outcomes"
    keeps_subagents: bool = False
    limits: Limits = field(default_factory=Limits)
    skips: tuple[str, ...] = ()  # names of projects, ``*`` for any part: nothing is kept or told
    tells: Tells = "always"
    learns: bool = True  # secrets from what is not kept; of no use to a process that soon ends


def is_skipped(project: str, skips: Iterable[str]) -> bool:
    """Whether one of *skips* is the name of *project*."""
    from fnmatch import fnmatchcase  # seldom: most skip none

    return any(fnmatchcase(project, pattern) for pattern in skips)
