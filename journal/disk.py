"""What a journal takes on disk, and what of it was hidden: counted from the files themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_HIDDEN: Final = re.compile(
    rb"^(?:<!-- mem:\w+ [^\r\n]*?\bredacted=|redacted: \"?)(\d{1,9})\b", re.MULTILINE
)


def sizes(root: Path) -> dict[str, int]:
    """The bytes in each of the journal's folders; git's own last, files at the top under ``.``."""
    totals: dict[str, int] = {}
    for folder, folders, names in os.walk(root):
        folders.sort()
        part = Path(folder).relative_to(root).parts
        name = part[0] if part else "."
        for one in names:
            try:
                size = os.stat(Path(folder, one), follow_symlinks=False).st_size
            except OSError:  # gone meanwhile
                continue
            totals[name] = totals.get(name, 0) + size
    return dict(sorted(totals.items(), key=lambda item: (item[0] == ".git", item[0])))


def count_hidden(root: Path, paths: Iterable[str]) -> int:
    """How many secrets and private parts were hidden in what these files hold."""
    n_hidden = 0
    for path in paths:
        try:
            data = (root / path).read_bytes()
        except OSError:
            continue
        n_hidden += sum(int(found) for found in _HIDDEN.findall(data))
    return n_hidden
