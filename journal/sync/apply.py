"""Writing what a merge brought into the journal's files, while others write there too.

Git's own checkout replaces a file under whoever has it open, and a hook appends to a session's file at
any moment. So each file is locked as its writers lock it, and one that is not as the last commit has it
is merged with what comes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from .. import files
from ..errors import CannotCreateError
from ..git.commits import move_branch
from ..git.objects import ObjectReader
from ..git.program import Git
from ..git.trees import Version, changed_between, commit_at, empty_tree, index_lines
from ..layout import ALL_FOLDERS
from .pending import Pending, forget_pending, note_pending, read_pending

MergeText = Callable[[str, bytes | None, bytes, bytes | None], bytes | None]
"""Path, what both come from, what is on disk and what comes: what is to be on disk."""
_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_EXECUTABLE: Final = "100755"
_IGNORED_IN_NAMES: Final = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)  # what macOS leaves out when it compares names: `.g\u200cit` is `.git` there


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of the files."""

    paths: tuple[str, ...]  # that were written or removed


def apply_commit(
    git: Git,
    git_folder: Path,
    reader: ObjectReader,
    pending: Pending,
    *,
    merge_text: MergeText,
    reason: str,
    lock_timeout_s: float,
    nobodys: Mapping[str, bytes] = MappingProxyType({}),
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Applied:
    """Let branch, index and files go to a commit; killed on the way, `finish_pending` does the rest.

    What is *nobodys* may be overwritten where a file holds just that.

    Raises:
        CannotCreateError: a path leads out of the journal; nothing was done.
        LockedError: another process keeps a file, or git, for too long.
        StorageError: git or the disk refused; the next command tries it again.
    """
    before = pending.old or empty_tree(git)
    changes = changed_between(git, before, pending.new)
    for path in changes:
        check_place(git.root, path)
    note_pending(git_folder, pending)
    writer = _Writer(git.root, reader, merge_text=merge_text, lock_timeout_s=lock_timeout_s)
    writer.nobodys = nobodys
    for number, (path, (old, new)) in enumerate(_removals_first(changes).items(), 1):
        writer.write(path, old, new)
        progress("writing files", number, len(changes))
    files.sync_all()
    if commit_at(git, "HEAD") != pending.new:
        move_branch(git, pending.new, old=pending.old, reason=reason)
    versions = {path: new for path, (_, new) in changes.items()}
    git.run(["update-index", "-z", "--index-info"], stdin=index_lines(versions))
    git.run(["update-index", "-q", "--refresh"], ok=(0, 1))
    forget_pending(git_folder)
    return Applied(tuple(writer.written))


def finish_pending(
    git: Git,
    git_folder: Path,
    reader: ObjectReader,
    *,
    merge_text: MergeText,
    lock_timeout_s: float,
) -> Applied | None:
    """Finish what a command that was killed had begun; None where there is nothing to finish.

    Where the branch has been moved by hand meanwhile, the files are left to whoever did it: what was
    to come is in the history that is fetched, and merged anew.
    """
    pending = read_pending(git_folder)
    if pending is None:
        return None
    head = commit_at(git, "HEAD")
    if head not in (pending.old, pending.new) or not commit_at(git, pending.new):
        forget_pending(git_folder)
        return None
    return apply_commit(
        git,
        git_folder,
        reader,
        pending,
        merge_text=merge_text,
        reason="sync: finish what was begun",
        lock_timeout_s=lock_timeout_s,
    )


def _removals_first(
    changes: Mapping[str, tuple[Version | None, Version | None]],
) -> dict[str, tuple[Version | None, Version | None]]:
    """*changes* in an order in which no file is in the way of a folder."""
    return dict(sorted(changes.items(), key=lambda change: (change[1][1] is not None, change[0])))


class _Writer:
    """Writes files of a commit into the journal at *root*."""

    def __init__(
        self, root: Path, reader: ObjectReader, *, merge_text: MergeText, lock_timeout_s: float
    ) -> None:
        self._root, self._reader = root, reader
        self._merge_text, self._lock_timeout_s = merge_text, lock_timeout_s
        self.nobodys: Mapping[str, bytes] = MappingProxyType({})
        self.written: list[str] = []

    def write(self, path: str, old: Version | None, new: Version | None) -> None:
        """Bring the file at *path* from *old* to *new*, with whatever else has been done to it since.

        Raises:
            StorageError, CannotCreateError, LockedError: it cannot be written.
        """
        if new is not None and new.mode == _SUBMODULE:
            return
        target = self._root / path
        try:
            if new is not None and new.mode == _LINK:
                self._write_link(target, self._content(new))
            elif new is not None and not target.exists() and not target.is_symlink():
                self._create(path, target, old, new)
            else:
                self._change(path, target, old, new)
        except OSError as error:
            raise files.as_storage_error(error, target) from error

    def _content(self, version: Version) -> bytes:
        return self._reader.read(version.sha)

    def _create(self, path: str, target: Path, old: Version | None, new: Version) -> None:
        if files.create(target, self._content(new), durable=False, mode=_mode_of(new)):
            self.written.append(path)
        else:  # somebody was faster
            self._change(path, target, old, new)

    def _change(self, path: str, target: Path, old: Version | None, new: Version | None) -> None:
        if target.is_symlink():
            if new is None:
                target.unlink()
                self.written.append(path)
                return
            target.unlink()
            self._create(path, target, old, new)
            return
        if not target.exists():
            return  # to be removed, and gone already
        with files.locked(target, timeout_s=self._lock_timeout_s):
            current = files.read(target)
            wanted = self._wanted(path, current, old, new)
            if wanted is None:
                files.remove(target)
            elif wanted != current or (new is not None and _is_other_mode(target, new)):
                is_other = new is not None and _is_other_mode(target, new)
                mode = _mode_of(new) if new is not None and is_other else None
                files.replace(target, wanted, durable=False, mode=mode)
            else:
                return
        if wanted is None:
            self._remove_empty_folders(target.parent)
        self.written.append(path)

    def _wanted(
        self, path: str, current: bytes, old: Version | None, new: Version | None
    ) -> bytes | None:
        base = self._content(old) if old is not None and old.mode != _SUBMODULE else None
        coming = self._content(new) if new is not None else None
        if current in (base, coming, self.nobodys.get(path)):
            return coming
        return self._merge_text(path, base, current, coming)

    def _write_link(self, target: Path, content: bytes) -> None:
        """A link as git makes it; nothing of memjournal ever follows one."""
        if target.is_symlink() and os.fsencode(os.readlink(target)) == content:
            return
        files.make_folder(target.parent)
        temporary = target.with_name(f".{os.urandom(8).hex()}.tmp")
        os.symlink(os.fsdecode(content), temporary)
        try:
            os.replace(temporary, target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        self.written.append(target.relative_to(self._root).as_posix())

    def _remove_empty_folders(self, folder: Path) -> None:
        """As git does, but for the folders that every journal has."""
        kept = {self._root, *(self._root / name for name in ALL_FOLDERS)}
        while folder not in kept:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent


def check_place(root: Path, path: str) -> None:
    """
    Raises:
        CannotCreateError: what stands at *path* of a tree would not stand in the journal.
    """
    what = "" if is_safe(path) else "a name that leads out of the journal"
    folder = root
    for name in path.split("/")[:-1]:
        folder = folder / name
        if folder.is_symlink():
            what = "a link leads out of the journal"
    if what:
        raise CannotCreateError(what, where=path, mend="remove it there with git, then sync again")


def is_safe(path: str) -> bool:
    """Whether a path of a tree stays in the work tree and out of the repository, on every system."""
    if "\0" in path or path.startswith("/") or (os.name == "nt" and ("\\" in path or ":" in path)):
        return False
    for name in path.split("/"):
        plain = name.translate(_IGNORED_IN_NAMES).casefold().rstrip(" .")
        if not plain or plain in (".git", "git~1") or name in (".", ".."):
            return False
    return True


def _mode_of(version: Version) -> int:
    return 0o700 if version.mode == _EXECUTABLE else 0o600


def _is_other_mode(target: Path, version: Version) -> bool:
    """Whether only one of them may be executed."""
    if os.name == "nt":
        return False
    may = bool(target.stat().st_mode & stat.S_IXUSR)
    return may != (version.mode == _EXECUTABLE)
