"""How git is to treat a journal: settings of the repository itself, which no clone brings along.

Without them plain git still merges a journal without losing anything: the ledger and the sessions line by
line, for so the journal's .gitattributes has it, and all else by stopping at a conflict.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Final

from .program import Git

_FALLBACK: Final = "git merge-file --quiet"


def wanted_settings(command: Sequence[str]) -> dict[str, str]:
    """The settings by their names; *command* is how `mem` is started.

    ``merge.union.driver`` takes the place of git's own driver of that name: a clone without it joins
    lines. Where `mem` cannot be started, plain git does the merge.
    """
    driver = f"{shlex.join(command)} merge-driver %O %A %B %P"
    return {
        "merge.memjournal.driver": f"{driver} || {_FALLBACK} %A %O %B",
        "merge.union.driver": f"{driver} || {_FALLBACK} --union %A %O %B",
        "merge.renames": "false",  # likeness is no identity: two memories may be alike but for a word
    }


def lacking_settings(git: Git, command: Sequence[str]) -> dict[str, str]:
    """Those of the wanted settings that the repository does not have.

    A driver that starts another `mem` is as good as ours.
    """
    printed = git.run(["config", "--local", "--null", "--list"])
    present: dict[str, str] = {}
    for line in filter(None, printed.split("\0")):
        name, _, value = line.partition("\n")
        present[name] = value
    return {
        name: value
        for name, value in wanted_settings(command).items()
        if not _suits(present.get(name), value, name)
    }


def _suits(present: str | None, wanted: str, name: str) -> bool:
    if present is None:
        return False
    return present == wanted or (name.endswith(".driver") and " merge-driver %O" in present)


def configure(git: Git, settings: Mapping[str, str]) -> None:
    """Set *settings* in the repository's own configuration.

    Raises:
        GitError: git refused.
    """
    for name, value in settings.items():
        git.run(["config", "--local", name, value])
