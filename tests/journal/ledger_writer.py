"""A program that appends to a ledger and says what was acknowledged; tests kill and crowd it.

``append ROOT MACHINE SESSION N`` appends N uses, one by one. ``be_killed ROOT N`` starts N writers, one
after the other, and kills each at a random moment; on stdout are the sessions and numbers that were
acknowledged.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from killed_writers import kill_writers

from memjournal.journal.ledger import Ledger
from memjournal.journal.ledger_records import Told

AT = datetime(2026, 11, 30, 0, 12, 4, tzinfo=UTC)


def append(root: Path, machine: str, session: str, n_records: int, *, out: int) -> None:
    """Append and acknowledge each as soon as ``append`` has returned."""
    ledger = Ledger(root, machine=machine, redact=str, lock_timeout_s=60.0)
    for n in range(n_records):
        ids = tuple(f"{n:06}{k:04}" for k in range(200))
        told = Told(at=AT, session=session, project="p", agent="a", event="prompt", ids=ids)
        ledger.append(told)
        os.write(out, f"{session} {n:06}\n".encode())


def be_killed(root: Path, n_writers: int) -> None:
    """Kill writers while they append."""

    def write(n: int, out: int) -> None:
        append(root, "host-1", f"w{n}", 100_000, out=out)

    kill_writers(write, n_writers)


if __name__ == "__main__":
    if sys.argv[1] == "append":
        root, machine, session, n_records = sys.argv[2:]
        append(Path(root), machine, session, int(n_records), out=sys.stdout.fileno())
    else:
        be_killed(Path(sys.argv[2]), int(sys.argv[3]))
