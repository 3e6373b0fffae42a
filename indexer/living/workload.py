"""How much an update would have to do, told before it is begun: little is done at once, much elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from ...journal.reading import Oddity, as_oddities, walk_files
from ..catalog.outbox import TARGETS, Target
from ..errors import IndexDamagedError, NoIndexError
from ..index import JournalIndex
from ..upkeep.reconcile import plan_update

_MEMORY_BYTES: Final = 2_000  # what a memory takes on disk, about; a session's file is many of them
_WITHOUT_VECTORS: Final[tuple[Target, ...]] = ("keyword",)


@dataclass(frozen=True, slots=True)
class Workload:
    """What an update would find to do."""

    n_pieces: int  # of about a memory's size
    n_gone: int = 0  # files that are gone, and are so many that it may not be believed
    from_nothing: bool = False  # there is nothing to search in until it is done
    unreadable: tuple[Oddity, ...] = ()  # places that cannot be looked at, whatever is done

    def __bool__(self) -> bool:
        return self.n_pieces > 0 or self.n_gone > 0


def measure_workload(index: JournalIndex, only: Collection[str] | None, *, now_ns: int) -> Workload:
    """What `JournalIndex.update` would find to do at the places in *only*, or everywhere.

    Costs one look at each of the files there and writes nothing.

    Raises:
        LockedError, StorageError: the catalog cannot be read now.
    """
    try:
        with contextlib.closing(index.read_catalog()) as catalog:
            plan, unreadable = plan_update(catalog, index.root, now_ns=now_ns, only=only)
            n_pieces = len(plan.removed)
            for file in plan.changed:
                before = catalog.known_file(file.path)
                n_pieces += _pieces(file.size_bytes - (before.size_bytes if before else 0))
            targets = TARGETS if index.embedder() is not None else _WITHOUT_VECTORS
            stale = [target for target in targets if not index.is_current(catalog, target)]
            n_pieces += sum(catalog.outbox.count(target) for target in targets)
            if stale:
                n_pieces += len(stale) * sum(catalog.tally("kind").values())
            is_new = "keyword" in stale
            return Workload(n_pieces, len(plan.withheld), is_new, unreadable)
    except (NoIndexError, IndexDamagedError):
        walk = walk_files(index.root)
        n_pieces = 1 + sum(_pieces(size) for some in walk.files() for _, size, *_ in some)
        return Workload(n_pieces, from_nothing=True, unreadable=as_oddities(walk.unreadable))


def _pieces(n_bytes: int) -> int:
    return max(1, n_bytes // _MEMORY_BYTES)
