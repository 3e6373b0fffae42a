"""Which transcripts were imported, and what others told, so that a second run need not open them.

Derived: the file lies below ``index/`` and may be deleted at any time; the journal's own keys
keep events from being written twice. What cannot be read is ignored, and `ImportState.trouble`
says so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from ..journal import files

FORMAT: Final = 2
_NAME: Final = "memjournal-imports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A transcript as it was when it was imported to its end."""

    size_bytes: int
    mtime_ns: int
    session: str
    reader: str  # `Source.reader`: another reader may find more in the same file
    since: str = ""  # RFC 3339; older events were left out, "" when none were


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What the first lines of a transcript told, as it was then; it need not have been imported."""

    size_bytes: int
    mtime_ns: int
    session: str
    cwd: str  # "" when they name none
    reader: str


class ImportState:
    """What is known of transcripts: loaded, asked, added to, saved."""

    def __init__(
        self,
        path: Path,
        *,
        seen: dict[str, Seen] | None = None,
        glances: dict[str, Glance] | None = None,
        trouble: str = "",
        may_keep: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """*may_keep* says of a path or a name whether it may be written: some hold a secret."""
        self.path, self._may_keep = path, may_keep
        self.trouble = trouble  # why a file that is there could not be used; "" if all is well
        self._seen, self._glances = seen or {}, glances or {}
        self._is_changed = False

    @classmethod
    def load(cls, path: Path, *, may_keep: Callable[[str], bool] = lambda _: True) -> ImportState:
        """What was saved at *path*; empty when there is nothing, or nothing usable."""
        try:
            with files.open_regular(path) as stream:
                lines = stream.read().decode("utf-8").splitlines()
        except FileNotFoundError:
            return cls(path, may_keep=may_keep)
        except (OSError, UnicodeDecodeError) as error:
            trouble = f"cannot be read ({type(error).__name__})"
            return cls(path, trouble=trouble, may_keep=may_keep)
        try:
            seen, glances = _parse(lines)
        except ValueError as error:
            return cls(path, trouble=str(error), may_keep=may_keep)
        return cls(path, seen=seen, glances=glances, may_keep=may_keep)

    def find(self, transcript: Path) -> Seen | None:
        """How the transcript was when last imported."""
        return self._seen.get(str(transcript))

    def record(self, transcript: Path, seen: Seen) -> None:
        """Remember that *transcript* is imported; on disk after `save`."""
        self._seen[str(transcript)] = seen
        self._is_changed = True

    def glance(self, transcript: Path) -> Glance | None:
        """What the first lines of the transcript told when last asked."""
        return self._glances.get(str(transcript))

    def note_glance(self, transcript: Path, glance: Glance) -> None:
        """Remember what the first lines of *transcript* told; on disk after `save`."""
        self._glances[str(transcript)] = glance
        self._is_changed = True

    def save(self) -> None:
        """Write what has changed, if anything has, all or nothing.

        Raises:
            StorageError: the disk refused.
        """
        if not self._is_changed:
            return
        seen = {path: one for path, one in self._seen.items() if self._keeps(path, one.session)}
        glances = {
            path: one
            for path, one in self._glances.items()
            if self._keeps(path, one.session, one.cwd)
        }
        lines = _render(seen, glances)
        files.replace(self.path, "".join(lines).encode("utf-8"))
        self._is_changed = False

    def _keeps(self, *texts: str) -> bool:
        """Whether all of it may be written; what may not is read again next time."""
        return all(self._may_keep(text) for text in texts)


def _render(seen: Mapping[str, Seen], glances: Mapping[str, Glance]) -> Iterator[str]:
    yield json.dumps({"format": _NAME, "version": FORMAT}) + "\n"
    for values in (seen, glances):
        for path, value in values.items():  # ASCII: a path may hold bytes that are no text
            yield json.dumps({"path": path, **asdict(value)}) + "\n"


def _parse(lines: list[str]) -> tuple[dict[str, Seen], dict[str, Glance]]:
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
    seen: dict[str, Seen] = {}
    glances: dict[str, Glance] = {}
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
            case {
                "path": str(path),
                "size_bytes": int(size_bytes),
                "mtime_ns": int(mtime_ns),
                "session": str(session),
                "cwd": str(cwd),
                "reader": str(reader),
            }:
                glances[path] = Glance(
                    size_bytes=size_bytes,
                    mtime_ns=mtime_ns,
                    session=session,
                    cwd=cwd,
                    reader=reader,
                )
            case _:
                raise ValueError("is damaged and was ignored")
    return seen, glances
