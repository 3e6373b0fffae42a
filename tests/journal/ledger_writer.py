"""A program that appends to a ledger and says what was acknowledged; tests kill and crowd it.

``append ROOT MACHINE SESSION N`` appends N uses, one by one. ``be_killed ROOT N`` starts N writers, one
after the other, and kills each at a random moment; on stdout are the sessions and numbers that were
acknowledged.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

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
    """Kill writers after a few acknowledgements and a moment more, in which they write on."""
    for n in range(n_writers):
        reading, writing = os.pipe()
        writer = os.fork()
        if writer == 0:
            os.close(reading)
            append(root, "host-1", f"w{n}", 100_000, out=writing)
        os.close(writing)
        acknowledged = b""
        while acknowledged.count(b"\n") < random.randrange(3):
            acknowledged += os.read(reading, 4096)
        time.sleep(random.random() * 0.02)
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        while more := os.read(reading, 4096):
            acknowledged += more
        os.close(reading)
        sys.stdout.write(acknowledged.decode())


if __name__ == "__main__":
    if sys.argv[1] == "append":
        root, machine, session, n_records = sys.argv[2:]
        append(Path(root), machine, session, int(n_records), out=sys.stdout.fileno())
    else:
        be_killed(Path(sys.argv[2]), int(sys.argv[3]))
