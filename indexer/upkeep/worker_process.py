"""What a worker runs (``workers``): tasks come on standard input, and go out where results are read."""

from __future__ import annotations

import contextlib
import os
import signal

from .workers import serve


def main() -> None:
    """Serve until the process that started this one closes its end, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; who asked decides
    results = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not stand among the results
    with (
        contextlib.suppress(BrokenPipeError),  # when the file is closed, nobody may read any more
        os.fdopen(0, "rb") as stdin,
        os.fdopen(results, "wb") as stdout,
    ):
        serve(stdin, stdout)


if __name__ == "__main__":
    main()
