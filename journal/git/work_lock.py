"""One process at a time works on a repository, and what one leaves behind that is killed is cleared away.

The lock is a file that is locked, and not empty while somebody works. The system takes the lock from a
process that dies, but not what it wrote: so the next one knows that a git may have died too, and that a
lock file of git that is as new as that belongs to nobody.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .. import files
from .program import OLD_LOCK

_LOCK_SUFFIX: Final = ".lock"
_AT_WORK: Final = b"at work\n"
_PATIENCE_S: Final = 5.0  # for a git that outlives the process that started it
_POLL_S: Final = 0.05


@contextlib.contextmanager
def working(lock: Path, *, git_folder: Path, timeout_s: float, what: str = "") -> Iterator[None]:
    """Work on the repository at *git_folder* alone, until left; *what* is said if another is at it.

    Raises:
        LockedError: another process has been at it for longer than *timeout_s*.
        StorageError, CannotCreateError: the lock cannot be made.
    """
    with files.locked(lock, timeout_s=timeout_s, what=what) as fd:
        left = os.fstat(fd)
        os.ftruncate(fd, 0)
        os.write(fd, _AT_WORK)
        if left.st_size:
            # As the clock of the file system has it, by which locks are dated.
            now_s = os.fstat(fd).st_mtime
            clear_left_locks(git_folder, since_s=left.st_mtime, now_s=now_s)
        try:
            yield
        finally:
            os.ftruncate(fd, 0)


def clear_left_locks(git_folder: Path, *, since_s: float, now_s: float) -> list[Path]:
    """Remove git's lock files that were made since then, once no git is at work there; which they were."""
    left = [path for path in _locks(git_folder) if _made(path) >= since_s - 1.0]
    deadline = time.monotonic() + _PATIENCE_S
    while left and _is_at_work(git_folder, now_s) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
        left = [path for path in left if path.exists()]
    if _is_at_work(git_folder, now_s):
        return []
    for path in left:
        with contextlib.suppress(OSError):
            path.unlink()
    return left


def _locks(git_folder: Path) -> list[Path]:
    top = git_folder.glob(f"*{_LOCK_SUFFIX}")
    refs = (git_folder / "refs").rglob(f"*{_LOCK_SUFFIX}")
    packs = (git_folder / "objects").glob(f"*/*{_LOCK_SUFFIX}")  # info/commit-graphs and the like
    return [path for some in (top, refs, packs) for path in some if path.is_file()]


def _made(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _is_at_work(git_folder: Path, now_s: float) -> bool:
    """Whether a git runs in the work tree of *git_folder*, as far as the system tells.

    Where it does not tell, one counts as at work while its lock is younger than any git takes.
    """
    if not Path("/proc/self/cwd").exists():
        return any(now_s - _made(path) < OLD_LOCK.total_seconds() for path in _locks(git_folder))
    top = git_folder.parent.resolve()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and _is_git_in(folder, top):
            return True
    return False


def _is_git_in(process: Path, top: Path) -> bool:
    try:
        name = (process / "comm").read_text(errors="replace").strip()
        if not name.startswith("git"):
            return False
        return Path(os.readlink(process / "cwd")).is_relative_to(top)
    except OSError:  # it has ended, or is somebody else's
        return False
