"""Which transcripts were imported, so that a second run need not open them.

Derived: the file lies below ``index/`` and may be deleted at any time; the journal's own keys
keep events from being written twice. What cannot be read is ignored, and `ImportState.trouble`
says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..journal import files

FORMAT: Final = 1
_NAME: Final = "memjournal-imports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A transcript as it was when it was imported to its end."""

    size_bytes: int
    mtime_ns: int
    session: str
    reader: str  # `Source.reader`: another reader may find more in the same file
    since: str = ""  # RFC 3339; older events were left out, "" when none were


class ImportState:
    """The transcripts imported so far: loaded, asked, added to, saved."""

    def __init__(self, path: Path, *, seen: dict[str, Seen], trouble: str = "") -> None:
        self.path = path
        self.trouble = trouble  # why a file that is there could not be used; "" if all is well
        self._seen = seen
        self._is_changed = False

    @classmethod
    def load(cls, path: Path) -> ImportState:
        """What was saved at *path*; empty when there is nothing, or nothing usable."""
        try:
            lines = path.read_bytes().decode("utf-8").splitlines()
        except FileNotFoundError:
            return cls(path, seen={})
        except (OSError, UnicodeDecodeError) as error:
            return cls(path, seen={}, trouble=f"cannot be read ({type(error).__name__})")
        try:
            return cls(path, seen=_parse(lines))
        except ValueError as error:
            return cls(path, seen={}, trouble=str(error))

    def find(self, transcript: Path) -> Seen | None:
        """How the transcript was when last imported."""
        return self._seen.get(str(transcript))

    def record(self, transcript: Path, seen: Seen) -> None:
        """Remember that *transcript* is imported; on disk after `save`."""
        self._seen[str(transcript)] = seen
        self._is_changed = True

    def save(self) -> None:
        """Write what has changed, if anything has, all or nothing.

        Raises:
            StorageError: the disk refused.
        """
        if not self._is_changed:
            return
        files.replace(self.path, "".join(_render(self._seen.items())).encode("utf-8"))
        self._is_changed = False


def _render(seen: Iterable[tuple[str, Seen]]) -> Iterable[str]:
    yield json.dumps({"format": _NAME, "version": FORMAT}) + "\n"
    for path, each in seen:
        fields = {
            "path": path,
            "size_bytes": each.size_bytes,
            "mtime_ns": each.mtime_ns,
            "session": each.session,
            "reader": each.reader,
            "since": each.since,
        }
        yield json.dumps(fields) + "\n"  # ASCII: a path may hold bytes that are no text


def _parse(lines: list[str]) -> dict[str, Seen]:
    """The saved lines as values.

    Raises:
        ValueError: they are of another version, or damaged.
    """
    try:
        head, *rest = (json.loads(line) for line in lines)
    except (ValueError, RecursionError):
        raise ValueError("is damaged and was ignored") from None
    if head != {"format": _NAME, "version": FORMAT}:
        raise ValueError("is of another version and was ignored")
    seen = {}
    for fields in rest:
        match fields:
            case {
                "path": str(path),
                "size_bytes": int(size_bytes),
                "mtime_ns": int(mtime_ns),
                "session": str(session),
                "reader": str(reader),
                "since": str(since),
            }:
                seen[path] = Seen(
                    size_bytes=size_bytes,
                    mtime_ns=mtime_ns,
                    session=session,
                    reader=reader,
                    since=since,
                )
            case _:
                raise ValueError("is damaged and was ignored")
    return seen
