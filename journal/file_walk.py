"""The files below some folders: one folder at a time, and in the order of their paths.

Every command asks each file of a journal whether it has changed, so that what one of them costs is felt:
it becomes one tuple, and is looked up by its name in its folder instead of by its path from the top.
The order is that of the whole paths, in which ``a-b/x`` and ``a.md`` stand before ``a/x``. Whoever has a
list in that order can compare the two side by side, and holds little of either.
"""

from __future__ import annotations

import contextlib
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from operator import attrgetter
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import Final

from .files import as_storage_error
from .obstacle import kind_of

FoundFile = tuple[str, int, int, int]
"""A file: its path below the root, POSIX; its bytes; when it was changed, and when its inode was, in ns."""

_BY_DESCRIPTOR: Final = os.scandir in os.supports_fd
_NAME: Final = attrgetter("name")


class FileWalk:
    """The files whose names end with one of *suffixes*, at and below *places*; to be walked once.

    Symbolic links are skipped and named: what came from elsewhere must not be able to point outside,
    and a loop must not be walked.
    """

    def __init__(self, root: Path, places: Iterable[str], *, suffixes: tuple[str, ...]) -> None:
        """*places* are folders or files below *root*, POSIX; one in another is walked with it."""
        self._root, self._suffixes = root, suffixes
        self.places = _outermost(places)
        self.unreadable: list[tuple[str, str]] = []  # a path, and why
        self.skipped: list[tuple[str, str]] = []

    def files(self) -> Iterator[list[FoundFile]]:
        """All of them, some of one folder at a time."""
        for place in self.places:
            yield from self.below(place)

    def below(self, place: str) -> Iterator[list[FoundFile]]:
        """Those at or below one of ``places``."""
        waiting = self._begin_at(place)
        while waiting:
            found = waiting.pop()
            if isinstance(found, str):
                waiting += reversed(self._look_into(found))
            elif found:
                yield found

    def _begin_at(self, place: str) -> list[str | list[FoundFile]]:
        """*place* itself, unless a walk from the top would not have come there."""
        files: list[FoundFile] = []
        folders: list[str] = []
        names = place.split("/")
        try:
            for n_names in range(1, len(names)):
                above = "/".join(names[:n_names])
                if os.path.islink(f"{self._root}/{above}"):
                    self._skip(above, "a symbolic link, not followed")
                    return []
            self._sort(place, os.lstat(f"{self._root}/{place}"), files, folders)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            self._leave_out(place, error)
        return [files, *folders]

    def _look_into(self, folder: str) -> list[str | list[FoundFile]]:
        """What is in *folder*: its files, and between them the folders in it, where they belong."""
        files: list[FoundFile] = []
        folders: list[str] = []
        try:
            with _opened(self._root / folder) as place, os.scandir(place) as entries:
                shown = [entry for entry in entries if not entry.name.startswith(".")]
                for entry in sorted(shown, key=_NAME):
                    path = f"{folder}/{entry.name}"
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError as error:
                        self._leave_out(path, error)
                    else:
                        self._sort(path, status, files, folders)
        except FileNotFoundError:
            return []
        except OSError as error:
            self._leave_out(folder, error)
            return []
        return _in_order(files, folders)

    def _sort(
        self, path: str, status: os.stat_result, files: list[FoundFile], folders: list[str]
    ) -> None:
        mode = status.st_mode
        if S_ISREG(mode):
            if not self._is_wanted(path):
                return
            if path.isascii() or is_utf8(path):
                files.append((path, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
            else:
                self.unreadable.append((path, "the name is not UTF-8; rename it"))
        elif S_ISLNK(mode):
            self._skip(path, "a symbolic link, not followed")
        elif S_ISDIR(mode):
            folders.append(path)
        elif self._is_wanted(path):  # reading a pipe would never end
            self._skip(path, f"{kind_of(mode)}, not read")

    def _is_wanted(self, path: str) -> bool:
        # most names are in small letters, and to see that is quicker than to make them so
        return path.endswith(self._suffixes) or path.lower().endswith(self._suffixes)

    def _skip(self, path: str, why: str) -> None:
        self.skipped.append((path, why))

    def _leave_out(self, path: str, error: OSError) -> None:
        self.unreadable.append((path, as_storage_error(error, "").what))


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[Path | int]:
    """*folder* as a descriptor where the system can list one; where it cannot, as it is.

    Nothing else can take the folder's place while it is open, and no link in its place is followed.
    """
    if not _BY_DESCRIPTOR:
        yield folder
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _in_order(files: list[FoundFile], folders: list[str]) -> list[str | list[FoundFile]]:
    """*files* of one folder, cut where one of its *folders* comes between them."""
    cut: list[str | list[FoundFile]] = []
    start = 0
    for folder in sorted(folders, key=_as_prefix):
        end = bisect_left(files, (_as_prefix(folder),), start)
        cut += [files[start:end], folder]
        start = end
    return [*cut, files[start:]]


def _outermost(places: Iterable[str]) -> tuple[str, ...]:
    """Those of *places* that lie in no other one, in the order of what lies in them."""
    kept: list[str] = []
    for place in sorted(set(places), key=_as_prefix):
        if not kept or not _as_prefix(place).startswith(_as_prefix(kept[-1])):
            kept.append(place)
    return tuple(kept)


def _as_prefix(folder: str) -> str:
    return f"{folder}/"


def printable(path: str) -> str:
    """*path* as it can be printed: what is not UTF-8 in it becomes a question mark."""
    return path.encode("utf-8", "replace").decode("utf-8")


def is_utf8(path: str) -> bool:
    """Whether the bytes of *path*, as the system has it, are UTF-8."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
