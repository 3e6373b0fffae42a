"""Programs that are run on a world's journal as processes of their own, as another ``mem`` would be."""

from __future__ import annotations

import sys

from .world import World

_BEGINNING = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.options import IndexOptions
root = Path(sys.argv[1])
def open_index():
    return JournalIndex(root, root / "index", IndexOptions(
        vectors=True, model=sys.argv[2], chunk_tokens=320, chunk_overlap_tokens=40,
        machine="this machine", lock_timeout_s=60,
    ))
"""


def program(world: World, code: str, *arguments: str) -> list[str]:
    """The command for *code*, which has ``root``, ``open_index()`` and ``sys.argv[3:]``."""
    path, model = str(world.root), world.options.model
    return [sys.executable, "-W", "ignore", "-c", _BEGINNING + code, path, model, *arguments]
