"""What bringing an index up to date did, and what a person should know about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...journal.reading import Oddity
from ..catalog.changes import Change

ProgressCallback = Callable[[str, int, int], None]  # what, how many done, of how many


@dataclass(slots=True)
class UpdateReport:
    """What an update did; filled while it goes on."""

    change: Change = field(default_factory=Change)
    n_files: int = 0
    n_withheld: int = 0  # files that are gone and were kept in the index
    remarks: list[str] = field(default_factory=list)
    failures: list[Oddity] = field(default_factory=list)  # files that could not be read now
    no_vectors: str = ""  # why there are none; "" if there are

    def add(self, other: UpdateReport) -> None:
        """Take in what another update did after this one."""
        self.change += other.change
        self.n_files += other.n_files
        self.remarks += other.remarks
        self.failures += [one for one in other.failures if one not in self.failures]

    def note_withheld(self, paths: Sequence[str]) -> None:
        """Say that most files are gone at once, and were kept in the index therefore."""
        if paths:
            self.n_withheld = len(paths)
            self.remarks.append(withheld_remark(len(paths)))


def withheld_remark(n_files: int) -> str:
    """What is said as long as so many files are gone and kept in the index."""
    return (
        f"{n_files:,} indexed files are gone at once; the index keeps them in case the"
        " folder is only not mounted (`mem index --accept-deletions` if it was meant)"
    )


def unreadable_remark(place: Oddity) -> str:
    """What is said as long as a file or folder cannot be read."""
    return f"{place.path}: {place.what}; what was known of it is kept"
