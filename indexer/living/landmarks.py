"""Landmarks: what tells that a journal is still the one that was opened, and that git moved it.

A watch stays with the folder it was set on: when the disk is unmounted, or another folder takes the
name, nothing is reported any more. So the identities are looked at again and again; it costs a
handful of ``stat`` calls. A folder that cannot be looked at now is not a folder that is gone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...journal.files import Identity, identity_of
from ...journal.reading import FOLDERS, is_missing
from ...journal.remote import Repository, repository_around

_REFLOG_TAIL: Final = 4_096  # bytes; a line has at most some hundred
_SHARED: Final = frozenset(
    {"nfs", "nfs3", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "9p", "afs", "ceph", "glusterfs"}
    | {"lustre", "gpfs", "davfs", "vboxsf", "vmhgfs", "prl_fs", "virtiofs", "drvfs"}
    | {"fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.ceph"}
    | {"fuse.vmhgfs-fuse", "fuse.grpcfuse", "fuse.davfs", "fuse.portal", "fuse.osxfs"}
)
"""File systems that others change behind the kernel's back: it reports its own changes alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmarks:
    """How the journal at one place looked at one moment."""

    root: Identity | None  # None: there is none, or it cannot be looked at
    trouble: str  # why it cannot be looked at, for people; "" if it can, or is not there
    folders: Mapping[str, Identity]  # those of the three that are there
    head: tuple[object, ...]  # compares unequal when git has checked out something else


def look_at(root: Path) -> Landmarks:
    """The landmarks of the journal at *root* as they are now."""
    try:
        identity = identity_of(os.stat(root))
    except OSError as error:
        trouble = "" if is_missing(error) else error.strerror or str(error)
        return Landmarks(root=None, trouble=trouble, folders={}, head=())
    head = _head(repository_around(root))
    return Landmarks(root=identity, trouble="", folders=folders_of(root), head=head)


def folders_of(root: Path) -> dict[str, Identity]:
    """Those of the three folders of the journal at *root* that are there."""
    folders = {}
    for name in FOLDERS:
        try:
            status = os.lstat(root / name)
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode):
            folders[name] = identity_of(status)
    return folders


def _head(repository: Repository | None) -> tuple[object, ...]:
    """What differs after a checkout, pull, merge, reset or rebase, and not after a commit.

    The log of HEAD has a line for each of them. Where git keeps none, HEAD and the list of what is
    checked out must do, which a commit changes too.
    """
    if repository is None or repository.own is None:
        return ()
    own = repository.own
    try:
        with open(own / "logs" / "HEAD", "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - _REFLOG_TAIL))
            lines = stream.read().splitlines()
    except OSError:
        return tuple(_time_of(own / name) for name in ("HEAD", "index"))
    moved = [line for line in lines if not line.partition(b"\t")[2].startswith(b"commit")]
    return (moved[-1],) if moved else ()


def _time_of(path: Path) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def shared_file_system(root: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """The kind of file system that *root* is on, if others may change it unnoticed; "" if not, or
    if this system does not tell.
    """
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    place = os.path.realpath(root)
    best, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        top = _unescaped(fields[4])
        inside = place == top or place.startswith(top.rstrip("/") + "/")
        if inside and len(top) >= len(best):  # of two at one place the later one covers the earlier
            best, kind = top, after.split(" ")[0]
    return kind if kind in _SHARED else ""


def _unescaped(text: str) -> str:
    """A path as it is; mountinfo writes blanks, tabs, newlines and backslashes as octal numbers."""
    for code, character in (("040", " "), ("011", "\t"), ("012", "\n"), ("134", "\\")):
        text = text.replace(f"\\{code}", character)
    return text
