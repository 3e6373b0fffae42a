"""Stamps: a file beside each index that proves that it was made here, and for this catalog.

Whoosh's files hold pickles, which run code when they are read, and FAISS trusts its files; a journal
comes by git from anywhere, and one that tracks its ``index/`` must not get them read. So a stamp is
sealed with a token that this machine alone knows and that is never written into a journal. An index
without such a seal is deleted unread. The seal is of the stamp, not of the index: whoever pushes
their own ``index/`` gives away a stamp that holds here, which is why it is ignored by git.
"""

from __future__ import annotations

import hmac
import os
from pathlib import Path
from typing import Final

STAMP_FILE: Final = "stamp"
_MAX_CHARS: Final = 10_000


def make_stamp(version: str, fingerprint: str, *, machine: str) -> str:
    """A new stamp for an index of this *version*, made with that model by this *machine*."""
    text = f"{version} {fingerprint} {os.urandom(8).hex()}"
    return f"{text} {_seal(text, machine)}"


def holds(stamp: str, *, version: str, machine: str) -> bool:
    """Whether *stamp* was made by this *machine* for an index of this *version*."""
    text, _, seal = stamp.rpartition(" ")
    is_sealed = hmac.compare_digest(seal.encode(), _seal(text, machine).encode())
    return is_sealed and text.startswith(f"{version} ")


def read_stamp(folder: Path) -> str:
    """The stamp of the index in *folder*; "" where there is none that can be read."""
    if not _holds_files_alone(folder):
        return ""
    try:
        with open(folder / STAMP_FILE, encoding="utf-8", newline="") as stream:
            return stream.read(_MAX_CHARS)
    except (OSError, UnicodeDecodeError):
        return ""


def _holds_files_alone(folder: Path) -> bool:
    """Whether no pipe, which is waited for without end, no link and no folder stands for a file of it.

    What is called *.tmp is no part of it: a writer may be at work there.
    """
    try:
        with os.scandir(folder) as entries:
            parts = [entry for entry in entries if not entry.name.endswith(".tmp")]
            return all(entry.is_file(follow_symlinks=False) for entry in parts)
    except OSError:
        return False


def _seal(text: str, machine: str) -> str:
    return hmac.new(machine.encode(), text.encode(), "sha256").hexdigest()
