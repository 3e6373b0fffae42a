"""What this machine is called in a journal's ledger: a name that a person knows, and that stays.

It is made of the host's name and a few random signs, for two machines are often called the same, and
kept beside the machine's token, with which it has nothing to do: it is written into every journal. A
host that is called otherwise later keeps it, so that its files in the ledger go on.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ..journal import files
from ..journal.errors import CannotCreateError, LockedError, StorageError
from .user_folders import state_folder

FILE_NAME: Final = "machine-name"
_FORM: Final = re.compile(rb"[a-z0-9][a-z0-9-]{0,39}\n")
_MAX_HOST_CHARS: Final = 24
_PATIENCE_S: Final = 2.0


def machine_name(home: Path) -> str:
    """This machine's name: small letters, digits and ``-``, valid as a folder's on every system.

    It is kept in the user's state folder, and made if there is none. Where it cannot be kept, it
    follows from the host's name and *home*, and is the same for as long as they are.
    """
    return name_kept_at(state_folder() / FILE_NAME, host=_ask_host, home=home)


def _ask_host() -> str:
    import platform  # a hook that finds a name does without

    return platform.node()


def name_kept_at(path: Path, *, host: Callable[[], str], home: Path) -> str:
    """The name that is kept at *path*; if there is none, one for *host*, which is only then asked."""
    try:
        kept = files.read(path) if path.exists() else b""
        if not _FORM.fullmatch(kept):
            kept = _keep(path, f"{_slug(host())}-{os.urandom(3).hex()}\n".encode())
        return kept.decode().strip()
    except (CannotCreateError, LockedError, StorageError):
        name = host()
        origin = f"{name}\0".encode("utf-8", "surrogatepass") + os.fsencode(home)
        return f"{_slug(name)}-{hashlib.sha256(origin).hexdigest()[:6]}"


def _keep(path: Path, name: bytes) -> bytes:
    """Write *name* at *path*, unless another process was faster; what stands there then."""
    with files.locked(path, timeout_s=_PATIENCE_S) as fd:
        kept = files.read(path)
        if _FORM.fullmatch(kept):
            return kept
        os.ftruncate(fd, 0)
        files.append(fd, name, path)
    files.sync_folder(path.parent)
    return name


def _slug(host: str) -> str:
    """The first part of a host's name in letters that every file system and shell takes."""
    plain = unicodedata.normalize("NFKD", host.partition(".")[0]).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.casefold())[:_MAX_HOST_CHARS].strip("-")
    return slug or "machine"
