"""Which journals are shared: a name in the user's own settings, and a clone in their own folder.

What a shared journal says of itself never makes it one, and where it is follows from its name alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..errors import FormatError, UsageError
from ..place import MARKER

OWN: Final = "mine"
"""What the user's own journal is called beside that of a project; no share goes by it."""
READ_ONLY: Final = "read-only"
READ_WRITE: Final = "read-write"
_NAME: Final = re.compile(r"\w[\w.-]{0,38}\w|\w")
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")  # no folders on Windows


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A shared journal: what it is called here, where its clone is, and whether it may be written."""

    name: str
    root: Path
    is_read_only: bool


def shares_of(journals: Mapping[str, str], folder: Path) -> tuple[Share, ...]:
    """The shares of the setting ``sharing.journals``, whose clones are in *folder*; sorted by name.

    Raises:
        UsageError: a name is none.
    """
    return tuple(
        Share(name=check_name(name), root=folder / name, is_read_only=journals[name] == READ_ONLY)
        for name in sorted(journals)
    )


def check_name(name: str) -> str:
    """*name*, if a share can be called so.

    Raises:
        UsageError: it cannot: it would be no plain folder everywhere, or is another journal's.
    """
    is_plain = _NAME.fullmatch(name) and name == unicodedata.normalize("NFC", name)
    if not is_plain or _DEVICES.fullmatch(name.casefold()) or name.casefold() == OWN:
        raise UsageError(
            f"a shared journal cannot be called {name[:40]!r}",
            mend="use letters, digits, hyphens and dots, as in --name team",
        )
    return name


def name_of_url(url: str) -> str:
    """What the repository at *url* is called, for want of another name; "" if that is no name."""
    last = re.split(r"[/\\:]", url.rstrip("/\\"))[-1].removesuffix(".git")
    words = re.findall(r"[\w.]+", unicodedata.normalize("NFC", last).casefold())
    return "-".join(words)[:40].strip(".-_")


def check_journal(root: Path, *, where: str) -> None:
    """Nothing, if the clone at *root* of the repository at *where* is a journal.

    Raises:
        FormatError: it is not.
    """
    marker = root / MARKER
    if not marker.is_file() or marker.is_symlink():
        raise FormatError(
            f"not a journal: it has no {MARKER} at its top",
            where=where,
            mend="name the repository of a journal, or an empty one, in which one is made",
        )
