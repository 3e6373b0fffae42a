"""What the files of a journal are called: in words of what they hold, in letters of any script."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from .entry import Entry
from .project import project_path

_MAX_SLUG_BYTES: Final = 60


def memory_path(entry: Entry) -> str:
    """Where the file of a memory stands: a folder per project and month, so that none grows large."""
    project = project_path(entry.project or "general")
    name = slug(entry.title) or slug(entry.type) or entry.kind
    return f"memories/{project}/{entry.created:%Y-%m}/{name}--{entry.id}.md"


def slug(text: str) -> str:
    """*text* as part of a file name: letters and digits of any script, joined by hyphens."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).casefold())
    joined = "-".join(words).encode("utf-8")[:_MAX_SLUG_BYTES].decode("utf-8", "ignore")
    return joined.strip("-")
