"""A secret of this machine, which tells its own indexes from those that came with a journal.

Index files hold pickles. A journal that was cloned may track its ``index/``, and such an index must not
be read; it cannot carry a seal made with this token, for the token is in no journal. Where it
cannot be kept, as in a home that is read-only, each run has one of its own: an index is then
built anew each time, which is slow, and said, but safe.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from ..journal import files
from ..journal.errors import CannotCreateError, NotFoundError, StorageError
from ..journal.obstacle import find_obstacle
from . import output

_FORM: Final = re.compile(rb"[0-9a-f]{64}\n")


def machine_token(path: Path) -> str:
    """The token that is kept at *path*; made there, for the user alone, if there is none."""
    try:
        kept = _read(path)
        if not _FORM.fullmatch(kept):
            files.replace(path, _make().encode() + b"\n")
            kept = _read(path)  # another process may have been faster
        return kept.decode().strip()
    except (CannotCreateError, StorageError) as error:
        reason = find_obstacle(path.parent) or error
        output.warn(f"an index cannot be kept for the next run: {reason}")
        return _make()


def _make() -> str:
    return os.urandom(32).hex()  # as `secrets` does, which loads more than a search beside a daemon


def _read(path: Path) -> bytes:
    try:
        return files.read(path)
    except NotFoundError:
        return b""
