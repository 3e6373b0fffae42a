"""Questions to a made-up journal: words that stand in it, common and rare, in both languages."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from memjournal.journal.reading import Oddity, list_files, read_entries


def make_questions(root: Path, n: int, *, seed: int = 5) -> Iterator[str]:
    """*n* questions of one to eight words, each of one entry; always the same."""
    rng = random.Random(seed)
    memories = [file for file in list_files(root).files if file.kind == "memory"]
    for file in rng.choices(memories, k=n):
        entry = next(one for one in read_entries(root, file) if not isinstance(one, Oddity)).entry
        words = re.findall(r"[^\W\d_]{2,}", f"{entry.title} {entry.body}")
        start = rng.randrange(len(words))
        yield " ".join(words[start : start + rng.randint(1, 8)])


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that *percent* of *values* do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]
