"""Whether the vectors on disk are all that work was ticked off for; without loading any library."""

from __future__ import annotations

from pathlib import Path


def reaches(folder: Path, mark: str) -> bool:
    """Whether the log of *mark* (``VectorIndex.mark``) is as long as it was then.

    Also where another base has taken its place: then there is no such log.
    """
    generation, _, end = mark.partition("/")
    sizes = [path.stat().st_size for path in folder.glob(f"*.{generation}.log")] if mark else []
    return all(size >= int(end) for size in sizes)
