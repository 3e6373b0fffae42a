"""Stamps: a file beside each index that proves that it was made here, and for this catalog.

Whoosh's files hold pickles, which run code when they are read, and FAISS trusts its files; a journal
comes by git from anywhere, and one that tracks its ``index/`` must not get them read. So a stamp is
sealed with a token that this machine alone knows and that is never written into a journal. An index
without such a seal is deleted unread. A stamp tells as well what the index was made with, so that
whoever rebuilds it can say why. The seal is of the stamp, not of the index: whoever pushes their own
``index/`` gives away a stamp that holds here, which is why it is ignored by git.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

STAMP_FILE: Final = "stamp"
_MAX_CHARS: Final = 10_000


Recipe = Mapping[str, str]
"""What decides what is in an index, by name, in an order that never changes. What a user can set goes
by the name of its setting, which has a dot in it."""


def make_stamp(recipe: Recipe, fingerprint: str, *, machine: str) -> str:
    """A new stamp for an index by this *recipe*, made with that model by this *machine*."""
    text = f"{'/'.join(_values_of(recipe))} {fingerprint} {os.urandom(8).hex()}"
    return f"{text} {_seal(text, machine)}"


def stamp_fault(stamp: str, *, recipe: Recipe, machine: str) -> str:
    """What an index with *stamp* was, other than made by this *machine* by this *recipe*; "" if nothing.

    It goes on after "the index". Of a stamp that is not sealed by this machine nothing is read.
    """
    text, _, seal = stamp.rpartition(" ")
    if not stamp:
        return "was missing or incomplete"
    if not hmac.compare_digest(seal.encode(), _seal(text, machine).encode()):
        return "was made on another machine or with another state folder"
    found, wanted = text.partition(" ")[0].split("/"), _values_of(recipe)
    pairs = zip(recipe, found, wanted, strict=False)
    others = [name for name, was, is_now in pairs if was != is_now]
    if len(found) != len(wanted) or any("." not in name for name in others):
        return "was made by another version of memjournal"
    return f"was made with other settings: {', '.join(others)}" if others else ""


def _values_of(recipe: Recipe) -> list[str]:
    """The values as they stand in a stamp: what parts it is in none of them, as it may be in a path."""
    return [re.sub("[^!-~]|[%/]", _escaped, value) for value in recipe.values()]


def _escaped(found: re.Match[str]) -> str:
    return f"%{ord(found.group()):x}%"


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
