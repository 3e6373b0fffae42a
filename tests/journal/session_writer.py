"""A program that appends to a session and says what was acknowledged; tests kill and crowd it.

``append ROOT KEY…`` appends one event a key. ``be_killed ROOT N`` starts N writers, one after the
other, and kills each at a random moment; on stdout are the keys that were acknowledged.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from killed_writers import kill_writers

from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

STARTED = datetime(2026, 11, 30, 9, 12, 4, tzinfo=timezone(timedelta(hours=9)))
HEADER = SessionHeader(
    session="0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
    project="github.com/acme/shop",
    agent="claude-code",
    started=STARTED,
)


def append(root: Path, keys: list[str], *, out: int, text: str = "한 줄\n") -> None:
    """Append an event a key and acknowledge each as soon as ``append`` has returned."""
    log = Journal(root, redactor=Redactor(), lock_timeout_s=60.0).open_session(HEADER)
    for key in keys:
        log.append([Event(keys=(key,), type="user_prompt", at=STARTED, text=text)])
        os.write(out, f"{key}\n".encode())


def be_killed(root: Path, n_writers: int) -> None:
    """Kill writers while they append."""

    def write(n: int, out: int) -> None:
        append(root, [f"w{n}-{k}" for k in range(10_000)], out=out, text="긴 글 " * 20_000)

    kill_writers(write, n_writers)


if __name__ == "__main__":
    if sys.argv[1] == "append":
        append(Path(sys.argv[2]), sys.argv[3:], out=sys.stdout.fileno())
    else:
        be_killed(Path(sys.argv[2]), int(sys.argv[3]))
