"""What may stand where a file should: none of it may be waited for or followed."""

from __future__ import annotations

import contextlib
import os
import socket
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


def a_socket(place: Path) -> None:
    """A socket that nobody listens on."""
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("this system has no such files")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as one, contextlib.chdir(place.parent):
        one.bind(place.name)  # the path to a socket must be short


def a_loop(place: Path) -> None:
    """A link that leads to itself."""
    place.symlink_to(place.name)


def an_endless_device(place: Path) -> None:
    """A link to a device that never runs out of bytes."""
    if not os.path.exists("/dev/zero"):
        pytest.skip("this system has no such device")
    place.symlink_to("/dev/zero")
