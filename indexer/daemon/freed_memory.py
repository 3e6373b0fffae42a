"""What was freed goes back to the system, and not into the stock that the C library keeps of it.

glibc keeps what is freed for what comes next, in a stock for each of many threads, and once a large
piece was freed, pieces as large as that one too, up to 32 MB. A daemon lives for days between two large
tasks, and would be as large all the time as in the largest of them. Elsewhere nothing is done: macOS
and musl have no such switches, and give large pieces back at once.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

# malloc.h
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8

_LARGE_BYTES: Final = 1 << 20  # a piece from here on comes from the system and goes back to it
_KEPT_BYTES: Final = 16 << 20
"""Free at the end of a stock, until it is given back: with glibc's 128 kB, which setting the limit above makes it
keep to, each array of a search is taken from the system anew, and a prompt costs 700 page faults, not 240."""
_N_STOCKS: Final = 2  # Python has one lock: more threads than these are seldom at work at once


def keep_little() -> None:
    """Let the C library keep little of what is freed; to be called before there are threads."""
    if mallopt := _of_libc("mallopt"):
        mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_M_ARENA_MAX, _N_STOCKS)


def give_back() -> None:
    """Give back what is free: a millisecond after much work, and next to nothing after none."""
    if malloc_trim := _of_libc("malloc_trim"):
        malloc_trim(0)


def resident_bytes() -> int | None:
    """The memory that this process has now; None where the system does not say."""
    try:
        n_pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return n_pages * os.sysconf("SC_PAGE_SIZE")


def _of_libc(name: str) -> Callable[..., int] | None:
    """A function of the C library; None where it has none of that name."""
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no such library
        return None
    return found
