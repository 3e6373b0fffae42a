"""How many folders the kernel really watches for us, where it tells (Linux).

The watching library goes on in silence when it cannot watch one more folder, and keeps the watch of a
folder that was moved away; so the number of watches is compared with the number of folders.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_DESCRIPTORS: Final = Path("/proc/self/fd")
_DETAILS: Final = Path("/proc/self/fdinfo")


class KernelWatches:
    """The inotify descriptors of one watch, and what the kernel says of them."""

    def __init__(self) -> None:
        self._own: frozenset[str] = frozenset()
        self.n_short = 0  # watches that were missing at the last count; negative: too many

    def descriptors(self) -> frozenset[str]:
        """The inotify descriptors of this process."""
        found = set()
        with contextlib.suppress(OSError):
            for name in os.listdir(_DESCRIPTORS):
                with contextlib.suppress(OSError):
                    if "inotify" in os.readlink(_DESCRIPTORS / name):
                        found.add(name)
        return frozenset(found)

    def adopt(self, before: frozenset[str]) -> None:
        """The descriptors that were opened since *before* are those of this watch."""
        self._own = self.descriptors() - before

    def count(self) -> int | None:
        """How many folders are watched; None where the kernel does not tell."""
        if not self._own:
            return None
        n_watches = 0
        try:
            for name in self._own:
                text = (_DETAILS / name).read_text("ascii", "replace")
                n_watches += sum(line.startswith("inotify wd:") for line in text.splitlines())
        except OSError:
            return None
        return n_watches


def count_folders(root: Path, names: Iterable[str]) -> int:
    """How many folders there are at and below *names*, the hidden ones too: they are watched as well."""
    waiting = [os.path.join(root, name) for name in names]
    n_folders = 0
    while waiting:
        folder = waiting.pop()
        try:
            if os.path.islink(folder):
                continue
            with os.scandir(folder) as found:
                waiting += [entry.path for entry in found if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue  # it cannot be watched either
        n_folders += 1
    return n_folders
