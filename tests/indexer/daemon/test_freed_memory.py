"""What the daemon has freed is not its own any more, where the C library can be told to give it back."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memjournal.indexer.daemon import freed_memory

A_DAY = """
import threading
from memjournal.indexer.daemon.freed_memory import give_back, keep_little, resident_bytes

keep_little()

def work():
    pieces = [bytes(100_000) for _ in range(500)]
    kept.append(pieces[-1])  # lies above all others

kept = []
for _ in range(4):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
give_back()
print(resident_bytes())
large = [bytes(40_000_000), bytes(30_000_000)]
del large
give_back()
print(resident_bytes())
"""


@pytest.mark.skipif(
    freed_memory._of_libc("malloc_trim") is None or freed_memory.resident_bytes() is None,
    reason="this C library gives back by itself, or the system does not say what is resident",
)
def test_what_was_freed_goes_back_to_the_system() -> None:
    done = subprocess.run([sys.executable, "-c", A_DAY], capture_output=True, check=True, text=True)
    after_many_small, after_two_large = map(int, done.stdout.split())
    assert after_many_small < 40_000_000
    assert after_two_large < after_many_small + 10_000_000


def test_where_nothing_can_be_given_back_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freed_memory, "_of_libc", lambda _: None)
    freed_memory.keep_little()
    freed_memory.give_back()
