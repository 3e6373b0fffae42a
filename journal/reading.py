"""From the files of a journal to entries: what is there, where it stands, and what is odd about it.

Reading writes nothing and never stops at one bad file: what cannot be read is named, and the rest
goes on.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple

from .entry import Entry, EntryId
from .event import SessionHeader
from .file_walk import FileWalk, printable
from .files import open_regular
from .frontmatter import parse_document
from .ids import mint
from .memory_file import parse_memory
from .session_file import Part, event_title, parse_event, parse_header, record_id, scan
from .values import dataclass

FOLDERS: Final = ("sessions", "memories", "notes")
MARKDOWN: Final = (".md", ".markdown")
MAX_NOTE_BYTES: Final = 64 * 1024 * 1024

_TITLE = re.compile(r"\A\s*# [^\r\n]*[\r\n]*")

FileKind = Literal["session", "memory", "note"]


class JournalFile(NamedTuple):
    """One Markdown file of a journal, as the file system describes it: a ``FoundFile``, named.

    A tuple, not a dataclass: equal to the plain one that a walk and the catalog make for each file.
    """

    path: str  # relative to the journal, POSIX
    size_bytes: int
    mtime_ns: int
    ctime_ns: int = 0  # also changes when another file takes the name, or the time is set back

    @property
    def kind(self) -> FileKind:
        """What is to be expected in it."""
        return kind_of(self.path)


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something about a file that its author may want to mend; it never stopped the reading."""

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry and the bytes it was read from."""

    entry: Entry
    path: str
    offset: int
    raw: bytes

    @property
    def length(self) -> int:
        return len(self.raw)


@dataclass(frozen=True, slots=True)
class Listing:
    """All files of a journal, and the places that could not be looked into.

    Whoever compares a listing with an index must not take what lies below ``unreadable`` for gone.
    """

    files: tuple[JournalFile, ...]
    unreadable: tuple[Oddity, ...]
    skipped: tuple[Oddity, ...]


def walk_files(root: Path, *, below: Iterable[str] | None = None) -> FileWalk:
    """A walk over every Markdown file below the journal's folders.

    With *below*, paths of files or folders relative to the journal, only over what is there; what is
    no place for a journal's files is not looked at.
    """
    places = FOLDERS if below is None else filter(_may_hold_files, below)
    return FileWalk(root, places, suffixes=MARKDOWN)


def _may_hold_files(place: str) -> bool:
    names = place.split("/")
    is_hidden = any(not name or name.startswith(".") for name in names)
    return names[0] in FOLDERS and not is_hidden and "\0" not in place


def list_files(root: Path, *, below: Iterable[str] | None = None) -> Listing:
    """What ``walk_files`` finds, all of it, in the order of the paths."""
    walk = walk_files(root, below=below)
    files = sorted(JournalFile._make(found) for some in walk.files() for found in some)
    return Listing(tuple(files), as_oddities(walk.unreadable), as_oddities(walk.skipped))


def as_oddities(places: Iterable[tuple[str, str]]) -> tuple[Oddity, ...]:
    """What a walk says of *places*, in the order of their paths."""
    return tuple(Oddity(printable(path), what) for path, what in sorted(places, key=itemgetter(0)))


def stat_file(root: Path, path: str) -> JournalFile | None:
    """The file at *path* as it is now, or None when there is none that would be listed."""
    try:
        status = os.stat(root / path, follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return JournalFile(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def kind_of(path: str) -> FileKind:
    """What is to be expected in the file at *path*: its top folder decides."""
    match path.partition("/")[0]:
        case "sessions":
            return "session"
        case "memories":
            return "memory"
    return "note"


def read_entries(root: Path, file: JournalFile) -> Iterator[Stored | Oddity]:
    """Each entry of *file* in its order, and each oddity; one record at a time is in memory.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open_regular(root / file.path) as stream:
        if file.kind == "session":
            yield from _read_session(stream, file)
        else:
            yield from _read_note(stream, file)


def read_records(root: Path, path: str, start: int) -> list[Stored] | None:
    """The entries of a session file from *start* on, where a record ends; None if more than whole
    records stands there, so that the file must be read from its top.

    Costs as much as what stands there.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open_regular(root / path) as stream:
        head = next(iter(scan(stream)), None)
        header, _ = parse_header(_text(head.raw) if head else "")
        stream.seek(start)
        found: list[Stored] = []
        for part in scan(stream):
            if part.kind not in ("event", "forgotten"):
                return None
            at = Part(part.kind, start + part.start, part.raw)
            stored = _stored_part(at, path, header) if part.kind == "event" else None
            if stored is not None:
                found.append(stored)
    return found


def read_at(root: Path, path: str, offset: int, length: int, mtime_ns: int) -> Stored | None:
    """The entry that stood at *offset* when the file was indexed; None if it stands there no more.

    Raises:
        OSError: the file cannot be opened or read.
    """
    kind = kind_of(path)
    with open_regular(root / path) as stream:
        if kind != "session":
            file = JournalFile(path, length, mtime_ns)
            return next((s for s in _read_note(stream, file) if isinstance(s, Stored)), None)
        head = next(iter(scan(stream)), None)
        header, _ = parse_header(_text(head.raw)) if head else (None, "")
        stream.seek(offset)
        raw = stream.read(length)
    if header is None or len(raw) != length:
        return None
    parts = list(scan(io.BytesIO(raw)))
    if len(parts) != 1:
        return None
    alone = parts[0].kind  # words without a heading are a head when they are read alone
    part = Part("loose" if alone == "head" and offset > 0 else alone, offset, raw)
    return _stored_part(part, path, header) if alone != "forgotten" else None


def read_raw(root: Path, path: str, offset: int, length: int) -> bytes:
    """The bytes that stand at *offset* now, *length* of them; of a note, whatever its length, all that
    is indexed of its file, so that one that has grown is seen.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open_regular(f"{root}/{path}") as stream:  # which costs half of what joining paths does
        if kind_of(path) != "session":
            return _note_bytes(stream)[0]
        stream.seek(offset)
        return stream.read(length)


def _note_bytes(stream: BinaryIO) -> tuple[bytes, bool]:
    """What is indexed of a note, in whole characters, and whether that is all of its file."""
    raw = stream.read(MAX_NOTE_BYTES + 1)
    if len(raw) <= MAX_NOTE_BYTES:
        return raw, True
    raw = raw[:MAX_NOTE_BYTES]
    while raw and raw[-1] & 0xC0 == 0x80:  # not in the middle of a character
        raw = raw[:-1]
    return raw[:-1], False


def _read_note(stream: BinaryIO, file: JournalFile) -> Iterator[Stored | Oddity]:
    raw, is_whole = _note_bytes(stream)
    if b"\0" in raw[:8192] and not raw.startswith(b"---\n"):  # a memory may quote such a byte
        yield Oddity(file.path, "not a text file; it is not indexed")
        return
    if not is_whole:
        yield Oddity(file.path, f"larger than {MAX_NOTE_BYTES >> 20} MiB; the rest is not indexed")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        yield Oddity(f"{file.path}:{line}", "not UTF-8; what cannot be read is shown as \ufffd")
        text = raw.decode("utf-8", "replace")
    entry, problem = parse_memory(text, path=file.path, fallback_time=_modified(file))
    if problem:
        yield Oddity(file.path, problem)
    yield Stored(entry, file.path, 0, raw)


def _modified(file: JournalFile) -> datetime:
    try:
        return datetime.fromtimestamp(file.mtime_ns / 1e9, UTC)
    except (ValueError, OverflowError, OSError):  # a file system may hold any number
        return datetime.fromtimestamp(0, UTC)


def _read_session(stream: BinaryIO, file: JournalFile) -> Iterator[Stored | Oddity]:
    header: SessionHeader | None = None
    torn: dict[str, Stored] = {}
    fragments: list[bytes] = []
    for part in scan(stream):
        if header is None:
            header, problem = parse_header(_text(part.raw) if part.kind == "head" else "")
            if problem:
                yield Oddity(file.path, problem)
        if part.kind == "forgotten":
            continue
        if part.kind == "torn" and not record_id(part.raw):
            fragments.append(part.raw.strip(b"\r\n\0"))
            continue
        stored = _stored_part(part, file.path, header)
        if stored is None:
            continue
        if part.kind == "torn":  # held back: a retry may have written it again, whole
            torn[stored.entry.id] = stored
            continue
        if part.kind == "event":
            torn.pop(stored.entry.id, None)
            fragments = [one for one in fragments if not part.raw.startswith(one)]
        yield stored
    if fragments:
        yield Oddity(file.path, "an entry is torn: only the beginning of its heading is there")
    for stored in torn.values():
        yield Oddity(
            f"{file.path}: mem:{stored.entry.id}", "the entry is torn: its closing line is missing"
        )
        yield stored


def _stored_part(part: Part, path: str, header: SessionHeader) -> Stored | None:
    if part.kind in ("event", "torn"):
        if not record_id(part.raw):
            return None
        entry = parse_event(part.raw, header)
        return Stored(entry, path, part.start, part.raw)
    text = loose_text(part)
    if not text:
        return None
    # Words that a person added between the records: an entry of their own.
    entry = Entry(
        id=loose_id(path, text),
        kind="fact",
        type="note",
        title=event_title("note", "", text),
        body=text.strip("\r\n"),
        created=header.started,
        project=header.project,
        session=header.session,
        agent=header.agent,
    )
    return Stored(entry, path, part.start, part.raw)


def loose_text(part: Part) -> str:
    """The words in a part that a person wrote into a session file; "" if there are none."""
    text = _text(part.raw[loose_start(part) :])
    return text if text.strip() else ""


def loose_start(part: Part) -> int:
    """Where in a part the words of a person begin: after the header and title that we wrote."""
    if part.kind != "head":
        return 0
    document = parse_document(part.raw.decode("utf-8", "surrogateescape"))
    if not document.opening:
        return 0
    title = _TITLE.match(document.body)
    own = document.opening + document.block + document.closing + (title.group() if title else "")
    return len(own.encode("utf-8", "surrogateescape"))


def loose_id(path: str, text: str) -> EntryId:
    """The id of words that a person wrote into the session file at *path*: by place and text."""
    return mint(f"loose:{unicodedata.normalize('NFC', path)}\0{text}")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def is_missing(error: OSError) -> bool:
    """Whether *error* says that the file is gone, rather than that it cannot be read now."""
    return error.errno in (errno.ENOENT, errno.ENOTDIR)
