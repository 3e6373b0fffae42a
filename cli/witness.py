"""What this machine remembers of a journal's history, outside of it: a history that is rewritten cannot
take that along."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..journal.errors import MemjournalError

if TYPE_CHECKING:
    from .context import Context


def witness_folder(context: Context) -> Path:
    """Where it is kept."""
    from .daemon_link import place_of
    from .user_folders import state_folder

    return state_folder() / "seen" / place_of(context).name


def note_head(context: Context, commit: str) -> None:
    """Remember that the history stood at *commit*; where that cannot be, it is not."""
    from ..journal.history import witness

    with contextlib.suppress(MemjournalError):
        witness.note_head(witness_folder(context), commit, context.now)


def note_rewritten(context: Context, commits: Mapping[str, str]) -> None:
    """Remember, of commits that were rewritten on purpose, what they are now."""
    from ..journal.history import witness

    with contextlib.suppress(MemjournalError):
        witness.rewrite(witness_folder(context), commits)
