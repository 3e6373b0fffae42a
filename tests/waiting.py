"""Waiting for what another thread or process does: for the condition itself, and not for ever.

The deadline is far off, for a busy machine; only a test that fails waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

_TICK_S = 0.01


def wait_until(is_true: Callable[[], object], *, timeout_s: float = 60.0) -> None:
    """Return as soon as *is_true* says so."""
    deadline = time.monotonic() + timeout_s
    while not is_true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(_TICK_S)
