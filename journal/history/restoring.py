"""Bringing an earlier version of a memory back: its file, or its record where it stood."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from .. import files
from ..errors import NotFoundError
from ..session_file import parse_event, parse_header, record_id, scan
from .entry_history import Version

Redact = Callable[[bytes], bytes]


def restore(
    root: Path,
    version: Version,
    entry_id: str,
    *,
    now: Version,
    redact: Redact,
    lock_timeout_s: float,
) -> list[str]:
    """Write *version* of an entry back; the paths that were written or removed.

    *now* is what there is of it: a memory comes back to where it stands, a record to where something is
    left of it, else both to where they stood last. What *redact* hides was not known as secret when it
    was written.

    Raises:
        NotFoundError: there is nothing of it in that version.
        LockedError, StorageError, CannotCreateError: it cannot be written; all is as it was.
    """
    if not version.is_there or version.data is None:
        raise NotFoundError("there is nothing of it in that version", where=version.path)
    data = redact(version.data)
    if not version.path.startswith("sessions/"):
        path = now.path if now.is_there else version.path
        files.replace(root / path, data)
        return [path]
    path = now.path or version.path
    target = root / path
    with files.locked(target, timeout_s=lock_timeout_s):
        session = files.read(target) or redact(version.head)
        files.replace(target, with_record(session, entry_id, data))
    return [path]


def with_record(session: bytes, entry_id: str, record: bytes) -> bytes:
    """A session with that record of an entry: in the place of what is left of it, else by its time."""
    parts = list(scan(io.BytesIO(session)))
    whole = record if record.endswith(b"\n\n") else record.rstrip(b"\n") + b"\n\n"
    found = next((n for n, part in enumerate(parts) if record_id(part.raw) == entry_id), None)
    if found is not None:
        return b"".join(whole if n == found else part.raw for n, part in enumerate(parts))
    head = parts[0].raw.decode("utf-8", "replace") if parts and parts[0].kind == "head" else ""
    header, _ = parse_header(head)
    at = parse_event(record, header).created
    later = (
        n
        for n, part in enumerate(parts)
        if part.kind == "event" and parse_event(part.raw, header).created > at
    )
    place = next(later, len(parts))
    raws = [part.raw for part in parts]
    if place and not raws[place - 1].endswith(b"\n"):
        whole = b"\n\n" + whole
    return b"".join((*raws[:place], whole, *raws[place:]))
