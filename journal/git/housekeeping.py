"""Packing what commits leave loose: while a session grows, each commit stores it whole.

Measured by ``tests/bench/repository.py``: a session of 2,000 events, committed every 20, leaves 30 MB of
loose objects, and one of 20,000 ninety times as much; packed, they are about as large as the session itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from .program import Git

_MOST_LOOSE: Final = 3_000
_MOST_LOOSE_KIB: Final = 50 * 1024
_MOST_PACKS: Final = 20

Work = Literal["none", "pack", "collect"]


@dataclass(frozen=True, slots=True)
class Storage:
    """What a repository stores its objects in."""

    n_loose: int
    loose_kib: int
    n_packs: int

    @property
    def due(self) -> Work:
        """What there is to be done: packing what is loose takes as long as that is large; collecting all
        in one pack, as long as the repository is."""
        if self.n_packs > _MOST_PACKS:
            return "collect"
        is_loose = self.n_loose > _MOST_LOOSE or self.loose_kib > _MOST_LOOSE_KIB
        return "pack" if is_loose else "none"


def storage_of(git: Git) -> Storage:
    """How the objects of the repository are stored."""
    lines = (line.split(": ") for line in git.run(["count-objects", "-v"]).splitlines())
    counted = {name: int(number) for name, number in lines if number.isdigit()}
    return Storage(counted["count"], counted["size"], counted["packs"])


def keep_house(git: Git) -> Work:
    """Do what is due, if anything is; what that was.

    Others may use the repository meanwhile, and it can be killed: git writes the new pack first.

    Raises:
        GitError: git refused.
    """
    work = storage_of(git).due
    if work == "pack":
        # What only grows is like its last version: more to compare with takes 13 times as long for 10 %.
        git.run(["repack", "-d", "-l", "-q", "--window=1"])
        # What no branch needs stays loose, and would have us look again and again.
        work = "pack" if storage_of(git).due == "none" else "collect"
    if work == "collect":
        git.run(["gc", "--quiet"], options=["-c", "gc.cruftPacks=true"])
    return work
