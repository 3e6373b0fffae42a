"""What may stand where a file should: none of it may be waited for or followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def a_pipe(place: Path) -> None:
    """A named pipe, which whoever opens it to read waits for without end."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no such files")
    os.mkfifo(place)


def a_folder(place: Path) -> None:
    """A folder with something in it."""
    place.mkdir()
    (place / "in the way").write_text("x")
