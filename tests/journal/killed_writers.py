"""Writers that are killed at a random moment, one after the other; the programs beside this one use it."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable


def kill_writers(write: Callable[[int, int], None], n_writers: int) -> None:
    """Start *n_writers* of *write*, which is given its number and a descriptor to acknowledge on.

    Each is killed after a few acknowledgements and a moment more, in which it writes on. What was
    acknowledged is on stdout then.
    """
    for n in range(n_writers):
        reading, writing = os.pipe()
        writer = os.fork()
        if writer == 0:
            os.close(reading)
            write(n, writing)
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
