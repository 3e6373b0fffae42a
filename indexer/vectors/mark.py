"""Whether the vectors on disk are all that work was ticked off for; without loading any library."""

from __future__ import annotations

from pathlib import Path


def reaches(folder: Path, mark: str) -> bool:
    """Whether the log of *mark* (``VectorIndex.mark``) is as long as it was then.

    Also where another base has taken its place: then there is no such log.
    """
    generation, _, end = mark.partition("/")
    logs = folder.glob(f"*.{generation}.log") if mark else ()
    return all(_is_as_long(path, int(end)) for path in logs)


def _is_as_long(path: Path, size: int) -> bool:
    """Also where the log is gone since the folder was listed."""
    try:
        return path.stat().st_size >= size
    except FileNotFoundError:
        return True
