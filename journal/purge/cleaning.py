"""Nothing of a rewritten history is left in the repository: no name, no reflog, no object."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .. import files
from ..git.program import Git

_LEFT_BY_GIT: Final = ("ORIG_HEAD", "FETCH_HEAD")
_STASH: Final = "refs/stash"
_OURS: Final = "refs/memjournal"


def clean(git: Git, git_folder: Path) -> None:
    """Forget where branches stood before, and remove every object that no branch needs.

    Stashes are kept, and what they hold with them.

    Raises:
        GitError: git refused.
    """
    _drop_refs(git, _OURS)
    for name in _LEFT_BY_GIT:
        files.remove(git_folder / name)
    logs = [name for name in _reflogs(git_folder) if name != _STASH]
    if logs:
        git.run(["reflog", "expire", "--expire=now", "--expire-unreachable=now", *logs])
    git.run(["gc", "--quiet", "--prune=now"])


def drop_remote_heads(git: Git) -> None:
    """Forget where the remote stood: it may stand at what was rewritten, and is asked anew."""
    _drop_refs(git, "refs/remotes")


def _drop_refs(git: Git, below: str) -> None:
    for ref in git.run(["for-each-ref", "--format=%(refname)", below]).split():
        git.run(["update-ref", "--no-deref", "-d", ref])


def _reflogs(git_folder: Path) -> list[str]:
    top = git_folder / "logs"
    return sorted(path.relative_to(top).as_posix() for path in top.rglob("*") if path.is_file())
