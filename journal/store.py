"""A journal on disk: the only writer of its files.

Every text goes through redaction on its way in, whoever sends it. A file that a person wrote is
changed only where they asked for it, and nothing is removed except by ``forget``.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from . import files
from .entry import Entry
from .errors import FormatError, NoJournalError, NotFoundError
from .event import SessionHeader
from .frontmatter import set_fields
from .ids import content_key, mint
from .memory_file import render_memory
from .project import project_path
from .reading import Stored
from .redaction import Redacted, Redactor
from .session_file import parse_header, record_id, record_keys, render_forgotten, scan
from .session_log import SessionLog

MARKER: Final = "memjournal.toml"
PROJECT_FOLDER: Final = ".memjournal"
INDEX_FOLDER: Final = "index"
_MAX_SLUG_BYTES: Final = 60
_UUID_START: Final = re.compile(r"[0-9a-f]{8}(?=-[0-9a-f]{4}-)")


def find_journal(start: Path, *, default: Path) -> Path:
    """The journal that is meant in the folder *start*: a project's own, else *default*.

    Raises:
        NoJournalError: there is none.
    """
    for folder in (start, *start.parents):
        for candidate in (folder, folder / PROJECT_FOLDER):
            if (candidate / MARKER).is_file():
                return candidate
    return require_journal(default)


def require_journal(folder: Path) -> Path:
    """*folder*, if it is a journal.

    Raises:
        NoJournalError: it is not.
    """
    if not (folder / MARKER).is_file():
        raise NoJournalError(
            "no journal here", where=str(folder), mend=f"make one with `mem init {folder}`"
        )
    return folder


@dataclass(frozen=True, slots=True)
class Created:
    """An entry as it was stored, and where."""

    entry: Entry
    path: str
    is_new: bool
    n_hidden: int = 0  # private sections and secrets that were not written


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What ``forget`` would do to one file."""

    path: str
    ids: tuple[str, ...]
    removes_file: bool


class Journal:
    """The files of one journal.

    *lookup* answers which entry has an id, for minting ids that are free; without it ids are
    minted as if none were taken.
    """

    def __init__(
        self,
        root: Path,
        *,
        redactor: Redactor,
        lock_timeout_s: float = 10.0,
        lookup: Callable[[str], Entry | None] = lambda _: None,
    ) -> None:
        self.root, self.redactor = root, redactor
        self._lock_timeout_s, self._lookup = lock_timeout_s, lookup
        self._sessions: dict[str, list[Path]] | None = None

    @property
    def index_folder(self) -> Path:
        """Where everything derived lives; it can be deleted at any time."""
        return self.root / INDEX_FOLDER

    def open_session(self, header: SessionHeader) -> SessionLog:
        """The log of a session, in the file that it has already or will have."""
        path = self._session_path(header)
        return SessionLog(
            path,
            header,
            redactor=self.redactor,
            lock_timeout_s=self._lock_timeout_s,
            taken=lambda entry_id: self._lookup(entry_id) is not None,
        )

    def _session_path(self, header: SessionHeader) -> Path:
        short = short_session(header.session)
        known = self._session_files()
        for path in known.get(short, ()):
            if _session_in(path) == self.redactor.redact(header.session).text:
                return path
        name = slug(self.redactor.redact(header.project.rsplit("/", 1)[-1]).text) or "session"
        folder = self.root / "sessions" / f"{header.started:%Y/%m/%d}"
        path = folder / f"{name}--{short}.md"
        n_others = 1
        while path in known.get(short, ()) or path.exists():
            n_others += 1
            path = folder / f"{name}-{n_others}--{short}.md"
        known.setdefault(short, []).append(path)
        return path

    def _session_files(self) -> dict[str, list[Path]]:
        """The session files by the short name of their session; the folders are walked once."""
        if self._sessions is None:
            self._sessions = defaultdict(list)
            for path in sorted((self.root / "sessions").glob("*/*/*/*--*.md")):
                self._sessions[path.stem.rpartition("--")[2]].append(path)
        return self._sessions

    def create(self, draft: Entry) -> Created:
        """Store *draft* as a new memory file, its id minted here; the same words again are one entry.

        Raises:
            CannotCreateError: the file cannot be made.
            StorageError: the disk refused.
        """
        clean, hidden = self._redacted_entry(draft)
        key = content_key(clean.kind, clean.type, clean.project, clean.title, clean.body)
        same: list[Entry] = []

        def is_other(entry_id: str) -> bool:
            found = self._lookup(entry_id)
            if found is not None and _says_the_same(found, clean):
                same.append(found)
                return False
            return found is not None

        entry = replace(clean, id=mint(key, taken=is_other))
        path = memory_path(entry)
        if same or (self.root / path).exists():
            return Created(same[0] if same else entry, path, is_new=False, n_hidden=hidden)
        files.replace(self.root / path, render_memory(entry).encode("utf-8"))
        return Created(entry, path, is_new=True, n_hidden=hidden)

    def _redacted_entry(self, draft: Entry) -> tuple[Entry, int]:
        hidden: list[Redacted] = []

        def clean(text: str) -> str:
            redacted = self.redactor.redact(text)
            hidden.append(redacted)
            return redacted.text

        def clean_all(texts: Iterable[str]) -> tuple[str, ...]:
            return tuple(clean(text) for text in texts)

        entry = replace(
            draft,
            title=" ".join(clean(draft.title).split()),
            body=clean(draft.body),
            project=clean(draft.project),
            tags=clean_all(draft.tags),
            source=clean_all(draft.source),
            files=clean_all(draft.files),
            symbols=clean_all(draft.symbols),
        )
        return entry, sum(one.n_private + one.n_secrets for one in hidden)

    def change_fields(self, path: str, changes: Mapping[str, object]) -> None:
        """Change these frontmatter fields of the file at *path* and not one byte besides.

        Raises:
            FrontmatterError: the file's frontmatter cannot be changed safely; it is as it was.
            StorageError: the disk refused; the file is as it was.
        """
        clean = {name: self.redactor.redact_value(value) for name, value in changes.items()}
        target = self.root / path
        if not target.exists():
            raise NotFoundError("no such file", where=path)
        with files.locked(target, timeout_s=self._lock_timeout_s):
            try:
                text = files.read(target).decode("utf-8")
            except UnicodeDecodeError as error:
                raise FormatError("not UTF-8", where=path, mend="save it as UTF-8") from error
            changed = set_fields(text, clean)
            if changed != text:
                files.replace(target, changed.encode("utf-8"))

    def forget(self, entries: Iterable[Stored]) -> list[Forgetting]:
        """Remove *entries* from the files; what is in git's history stays there.

        Raises:
            StorageError: the disk refused; files that were not reached are as they were.
        """
        plan = plan_forgetting(entries)
        for step in plan:
            target = self.root / step.path
            if step.removes_file:
                files.remove(target)
                continue
            with files.locked(target, timeout_s=self._lock_timeout_s):
                files.replace(target, without_records(files.read(target), frozenset(step.ids)))
        return plan


def plan_forgetting(entries: Iterable[Stored]) -> list[Forgetting]:
    """What removing *entries* does to each file: a memory's file goes, a session keeps the rest."""
    by_path: dict[str, list[str]] = {}
    for stored in entries:
        by_path.setdefault(stored.path, []).append(str(stored.entry.id))
    return [
        Forgetting(path, tuple(ids), removes_file=not path.startswith("sessions/"))
        for path, ids in sorted(by_path.items())
    ]


def without_records(data: bytes, ids: frozenset[str]) -> bytes:
    """A session file's bytes with these records replaced by a line that only keeps their keys."""
    kept: list[bytes] = []
    for part in scan(io.BytesIO(data)):
        gone = part.kind in ("event", "torn") and record_id(part.raw) in ids
        kept.append(
            render_forgotten(record_id(part.raw), record_keys(part.raw)) if gone else part.raw
        )
    return b"".join(kept)


def memory_path(entry: Entry) -> str:
    """Where the file of a memory stands: a folder per project and month, so that none grows large."""
    project = project_path(entry.project or "general")
    name = slug(entry.title) or entry.type
    return f"memories/{project}/{entry.created:%Y-%m}/{name}--{entry.id}.md"


def slug(text: str) -> str:
    """*text* as part of a file name: letters and digits of any script, joined by hyphens."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", text).casefold())
    joined = "-".join(words).encode("utf-8")[:_MAX_SLUG_BYTES].decode("utf-8", "ignore")
    return joined.strip("-")


def short_session(session: str) -> str:
    """A few characters that stand for a session in its file's name."""
    found = _UUID_START.match(session)
    return found.group() if found else mint(f"session:{session}")


def _session_in(path: Path) -> str:
    with open(path, "rb") as stream:
        head = stream.read(4096).decode("utf-8", "replace")
    return parse_header(head)[0].session


def _says_the_same(one: Entry, other: Entry) -> bool:
    return (one.kind, one.type, one.project, one.title, one.body) == (
        other.kind,
        other.type,
        other.project,
        other.title,
        other.body,
    )
