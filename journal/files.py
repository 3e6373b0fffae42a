"""Bytes to disk and back: the one module that locks, appends and replaces.

POSIX promises that ``rename`` is atomic, not that anything is on the platter: so a new file is
fsynced before it takes its name, and its folder after. An append is one ``write`` under a lock,
then fsync; if the disk refuses, the file is cut back to where it ended. A file can be replaced
between being opened and being locked: then it is opened again.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from .errors import CannotCreateError, LockedError, NotFoundError, StorageError

Identity = tuple[int, int]  # device and inode

_POLL_S: Final = 0.01
_NO_FILE: Final = "not a file"
_NO_FILE_MEND: Final = "remove what is in its place"
_BINARY: Final = getattr(os, "O_BINARY", 0)
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)  # for the other end of a pipe
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
"""A journal may come from elsewhere, and a link in it lead anywhere."""

if sys.platform == "win32":
    import msvcrt

    def _try_lock(fd: int) -> bool:
        try:
            os.lseek(fd, 0x7FFF_0000, os.SEEK_SET)  # far past the end, so that reads stay free
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class NoFileError(FileNotFoundError):
    """A link, a pipe, a device or a folder is there, and no file."""


@contextlib.contextmanager
def locked(
    path: Path,
    *,
    timeout_s: float,
    wait_on: Callable[[], bool] = lambda: False,
    what: str = "",
    mend: str = "try again",
) -> Iterator[int]:
    """An exclusive lock on the file at *path*, made if need be; yields it open for read and append.

    Each time that *timeout_s* are over, *wait_on* is asked whether it is waited for so long again.
    *what* and *mend* are said when it is not: without them, that somebody has been writing.

    Raises:
        LockedError: somebody kept it for more than that.
        CannotCreateError: something that is no file is in its place.
        StorageError: it cannot be opened for writing.
    """
    waited_s, deadline = timeout_s, time.monotonic() + timeout_s
    while True:
        fd = _open_to_append(path)
        try:
            while not _locks(fd, path):
                now = time.monotonic()
                if now >= deadline:
                    if not wait_on():
                        waited = f"another process has been writing to it for {waited_s:.3g} s"
                        raise LockedError(what or waited, where=str(path), mend=mend)
                    waited_s, deadline = waited_s + timeout_s, now + timeout_s
                time.sleep(_POLL_S)
            if is_still(path, fd):
                yield fd
                return
        finally:
            os.close(fd)  # gives the lock back


def _open_to_append(path: Path) -> int:
    """The file at *path*, made if need be; of a pipe or a device it is only seen that it is none."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY | _NO_LINK | _NO_WAIT
    try:
        make_folder(path.parent)
        fd = os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EISDIR):  # a socket, a folder
            raise CannotCreateError(_NO_FILE, where=str(path), mend=_NO_FILE_MEND) from error
        raise as_storage_error(error, path) from error
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise CannotCreateError(_NO_FILE, where=str(path), mend=_NO_FILE_MEND)


def _locks(fd: int, path: Path) -> bool:
    try:
        return _try_lock(fd)
    except OSError as error:  # a file system without locks
        raise as_storage_error(error, path) from error


def is_still(path: Path, fd: int) -> bool:
    """Whether *path* still names the file that is open: it may have been replaced meanwhile."""
    try:
        return identity_of(os.stat(path)) == identity_of(os.fstat(fd))
    except OSError:
        return False  # opening it again says what is wrong


def identity_of(status: os.stat_result) -> Identity:
    """Which file or folder it is, whatever its name: no two that exist have the same."""
    return status.st_dev, status.st_ino


def make_folder(folder: Path) -> None:
    """Make *folder* and those above it, for good when this returns.

    Raises:
        OSError: it cannot be made.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def make_private_folder(folder: Path) -> None:
    """Make *folder* for its owner alone; from one that is there, take away what others may do.

    Where that is not possible it stays as it is: ``is_private_folder`` tells.

    Raises:
        OSError: it cannot be made.
    """
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    close_to_others(folder)


def close_to_others(folder: Path) -> None:
    """Take away what others may do in *folder*, if it is there and ours to change."""
    with contextlib.suppress(OSError):
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and _is_open(status):
            folder.chmod(0o700)


def is_private_folder(folder: Path) -> bool:
    """Whether *folder* is there, no link, and nobody but the user who runs this may use it."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    is_foreign = hasattr(os, "getuid") and status.st_uid != os.getuid()
    return stat.S_ISDIR(status.st_mode) and not is_foreign and not _is_open(status)


def _is_open(status: os.stat_result) -> bool:
    return os.name == "posix" and bool(status.st_mode & 0o077)


def append(fd: int, data: bytes, path: Path, *, durable: bool = True) -> int:
    """Add *data* at the end of an open file, on disk when this returns; the offset it stands at.

    What is not *durable* is left to the system: it may be lost with the power, and with nothing less.

    Raises:
        StorageError: the disk refused; the file ends where it ended before.
    """
    end = os.fstat(fd).st_size
    try:
        _write_all(fd, data)
        if durable:
            os.fsync(fd)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.ftruncate(fd, end)
        raise as_storage_error(error, path) from error
    return end


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def replace(path: Path, data: bytes, *, durable: bool = True, mode: int | None = None) -> None:
    """Give the file at *path* the content *data*: afterwards it is all old or all new.

    Its permissions stay, unless there is a *mode* to give it. What is not *durable* is on disk only after
    ``sync_all``.

    Raises:
        StorageError: the disk refused; what was there is still there.
    """
    if mode is None:
        with contextlib.suppress(OSError):
            mode = os.stat(path).st_mode & 0o777
    with _written_beside(path, data, durable=durable, mode=mode) as temporary:
        os.replace(temporary, path)


def create(path: Path, data: bytes, *, durable: bool = True, mode: int | None = None) -> bool:
    """Make a file at *path* with the content *data*; False, and nothing is done, if anything is there.

    Raises:
        StorageError: the disk refused.
    """
    try:
        with _written_beside(path, data, durable=durable, mode=mode) as temporary:
            os.link(temporary, path)
            temporary.unlink()
    except CannotCreateError:
        if os.path.lexists(path):
            return False
        raise
    return True


@contextlib.contextmanager
def _written_beside(path: Path, data: bytes, *, durable: bool, mode: int | None) -> Iterator[Path]:
    """A file with *data* in the folder of *path*, to be given that name; what is left of it is removed."""
    # Not named after the target, whose name may be as long as names can be.
    temporary = path.with_name(f".{os.urandom(8).hex()}.tmp")
    try:
        make_folder(path.parent)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        try:
            if mode is not None and sys.platform != "win32":
                os.fchmod(fd, mode)
            _write_all(fd, data)
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        yield temporary
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise as_storage_error(error, path) from error


def sync_all() -> None:
    """Put on disk all that was written without waiting for it."""
    if hasattr(os, "sync"):
        os.sync()


def remove(path: Path) -> None:
    """Remove the file at *path*, for good when this returns.

    Raises:
        StorageError: the disk refused.
    """
    try:
        path.unlink()
        sync_folder(path.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise as_storage_error(error, path) from error


def sync_folder(folder: Path) -> None:
    """Make a new name, a rename or a removal in *folder* last; a no-op on Windows.

    Raises:
        StorageError: the disk refused.
    """
    if sys.platform == "win32":
        return  # folders cannot be opened there
    try:
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise as_storage_error(error, folder) from error


def open_regular(path: Path | str) -> BinaryIO:
    """The file at *path*, for reading.

    A link, which a journal may bring along and which leads anywhere, a pipe, which is waited for
    without end, and a folder count as no file.

    Raises:
        FileNotFoundError: no file is there; NoFileError: something else is.
        OSError: it cannot be opened.
    """
    try:
        fd = os.open(path, os.O_RDONLY | _BINARY | _NO_LINK | _NO_WAIT)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NoFileError(errno.ENOENT, "a link is no file", str(path)) from error
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NoFileError(errno.ENOENT, "not a file", str(path))
    return open(fd, "rb")


def read(path: Path) -> bytes:
    """All bytes of a file, which ``open_regular`` takes for one.

    Raises:
        NotFoundError: nothing is there.
        StorageError: it cannot be read, or something is there that is no file.
    """
    try:
        with open_regular(path) as stream:
            return stream.read()
    except NoFileError as error:
        raise StorageError(_NO_FILE, where=str(path), mend=_NO_FILE_MEND) from error
    except FileNotFoundError as error:
        raise NotFoundError("no such file", where=str(path)) from error
    except OSError as error:
        refused = as_storage_error(error, path)
        raise StorageError(refused.what, where=refused.where, mend=refused.mend) from error


def as_storage_error(error: OSError, path: Path | str) -> StorageError | CannotCreateError:
    """The same failure as a message that says how to mend it."""
    where = str(path)
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return StorageError("the disk is full", where=where, mend="free some space, then retry")
        case errno.EROFS:
            return StorageError(
                "the file system is read-only", where=where, mend="mount it for writing"
            )
        case errno.EACCES | errno.EPERM:
            return StorageError("permission denied", where=where, mend="check owner and mode")
        case errno.ENOTDIR | errno.EISDIR | errno.EEXIST:
            return CannotCreateError(
                error.strerror or "cannot be made", where=where, mend="something else is in the way"
            )
        case errno.ELOOP:
            return CannotCreateError("it is a link", where=where, mend="put a file in its place")
        case errno.ENAMETOOLONG:
            return CannotCreateError("the name is too long", where=where, mend="use a shorter one")
    return StorageError(error.strerror or str(error), where=where, mend="see the system's log")
