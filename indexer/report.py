"""What bringing an index up to date did, and what a person should know about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..journal.reading import Oddity
from .catalog import Change

ProgressCallback = Callable[[str, int, int], None]  # what, how many done, of how many


@dataclass(slots=True)
class UpdateReport:
    """What an update did; filled while it goes on."""

    change: Change = field(default_factory=Change)
    n_files: int = 0
    remarks: list[str] = field(default_factory=list)
    failures: list[Oddity] = field(default_factory=list)  # files that could not be read now
    no_vectors: str = ""  # why there are none; "" if there are

    def note_withheld(self, paths: Sequence[str]) -> None:
        """Say that files are gone, all at once, and were kept in the index therefore."""
        if paths:
            self.remarks.append(
                f"no file is left of the {len(paths)} that were indexed; the index is kept in"
                " case the folder is only not mounted (`mem index --rebuild` empties it)"
            )
