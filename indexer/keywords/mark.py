"""Whether the postings on disk are all that work was ticked off for; without loading any library."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

INDEX_NAME: Final = "terms"
_CONTENTS: Final = re.compile(rf"_{INDEX_NAME}_(\d+)\.toc")  # Whoosh numbers its commits


def mark_of(folder: Path) -> str:
    """The number of the last commit in *folder*; "" where there is none."""
    try:
        names = os.listdir(folder)
    except OSError:
        return ""
    commits = [int(found[1]) for name in names if (found := _CONTENTS.fullmatch(name))]
    return str(max(commits)) if commits else ""


def reaches(folder: Path, mark: str) -> bool:
    """Whether the commit of *mark*, or one after it, is there: an older copy has neither."""
    return not mark or int(mark_of(folder) or -1) >= int(mark)
