"""A journal on disk: the only writer of its files.

Every text goes through redaction on its way in, whoever sends it. A file that a person wrote is
changed only where they asked for it, and nothing is removed except by ``forget``.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from . import files
from .entry import Edge, Entry, EntryId
from .errors import (
    CannotCreateError,
    FormatError,
    FrontmatterError,
    NoJournalError,
    NotFoundError,
)
from .event import SessionHeader
from .file_names import memory_path
from .frontmatter import parse_document, set_fields
from .ids import content_key, mint
from .redaction import Redacted, Redactor
from .screening import FLAGGED, screen
from .session_file import record_id, record_keys, render_forgotten, scan
from .session_files import FoundSession, find_session, session_path
from .session_log import SessionLog
from .settings import DEFAULTS
from .values import dataclass, replace

if TYPE_CHECKING:
    from .reading import Stored


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
        lock_timeout_s: float = DEFAULTS.journal.lock_timeout_s,
        lookup: Callable[[str], Entry | None] = lambda _: None,
        project_words: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        is_purged: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """*project_words* are hidden in the entries of a project besides what *redactor* hides. An id that
        *is_purged* is given to nothing else: every machine takes out of the history what has it."""
        self.root, self.redactor = root, redactor
        self._project_words = project_words
        self._lock_timeout_s, self._lookup = lock_timeout_s, lookup
        self._is_purged = is_purged

    def open_session(self, header: SessionHeader, *, is_new: bool = False) -> SessionLog:
        """The log of a session, in the file that it has already or will have.

        One that *is_new* is not looked for on other days than its first.
        """
        header = replace(
            header,
            session=_well_formed(header.session),
            project=_well_formed(header.project),
            agent=_well_formed(header.agent),
        )
        session = self.redactor.redact(header.session).text
        redactor = self.redactor_of(header.project)

        def is_other(entry_id: str) -> bool:  # in the session's own file, the file itself decides
            if self._is_purged(entry_id):
                return True
            found = self._lookup(entry_id)
            return found is not None and found.session != session

        return SessionLog(
            self._session_path(header, is_new=is_new),
            header,
            redactor=redactor,
            lock_timeout_s=self._lock_timeout_s,
            taken=is_other,
            other_path=lambda: self._session_path(header),
            check_place=lambda: self._check_place("sessions"),
        )

    def redactor_of(self, project: str) -> Redactor:
        """What hides secrets in the entries of *project*."""
        words = self._project_words.get(project)
        if not words:
            return self.redactor
        rules = self.redactor.rules
        return Redactor(replace(rules, words=(*rules.words, *words)))

    def find_session(self, session: str) -> FoundSession | None:
        """The session with that id, wherever its file stands; None if there is none.

        Raises:
            StorageError: its file cannot be read.
        """
        written = self.redactor.redact(_well_formed(session)).text
        return find_session(self.root, session, written=written)

    def _session_path(self, header: SessionHeader, *, is_new: bool = False) -> Path:
        project = header.project.rsplit("/", 1)[-1]
        return session_path(
            self.root,
            header,
            written=self.redactor.redact(header.session).text,
            project=self.redactor.redact(project).text,
            is_new=is_new,
        )

    def _check_place(self, folder: str) -> None:
        """Refuse to write where the journal is no more, or through a link out of it.

        Raises:
            NoJournalError: it was moved or removed meanwhile.
            CannotCreateError: *folder* is a symbolic link.
        """
        if not self.root.is_dir():
            raise NoJournalError(
                "the journal is not there any more", where=str(self.root), mend="was it moved?"
            )
        if (self.root / folder).is_symlink():
            raise CannotCreateError(
                "a symbolic link, and links are not followed",
                where=str(self.root / folder),
                mend="put a folder there",
            )

    def create(self, draft: Entry) -> Created:
        """Store *draft* as a new memory file, its id minted here; the same words again are one entry.

        Raises:
            FrontmatterError: its fields are too many, too long or too deep.
            CannotCreateError: the file cannot be made.
            StorageError: the disk refused.
        """
        self._check_place("memories")
        redacted, n_hidden = self._redact_entry(draft)
        key = _content_key(redacted)
        same: list[tuple[Entry, str]] = []

        def is_other(entry_id: str) -> bool:
            if self._is_purged(entry_id):
                return True
            path = memory_path(replace(redacted, id=EntryId(entry_id)))
            found = self._entry_at(path)
            if found is None and (found := self._lookup(entry_id)):
                path = self._path_of(found)
            if found is None or _content_key(found) != key:
                return found is not None
            if path:  # else its file is gone, and the index does not know yet
                same.append((found, path))
            return False

        entry = replace(redacted, id=mint(key, taken=is_other))
        if same:
            return Created(*same[0], is_new=False, n_hidden=n_hidden)
        path = memory_path(entry)
        from .memory_file import render_memory

        files.replace(self.root / path, render_memory(entry).encode("utf-8"))
        return Created(entry, path, is_new=True, n_hidden=n_hidden)

    def _entry_at(self, path: str) -> Entry | None:
        """The memory at *path*, or None when that name is free."""
        try:
            text = files.read(self.root / path).decode("utf-8", "replace")
        except NotFoundError:
            return None
        from .memory_file import parse_memory

        return parse_memory(text, path=path, fallback_time=datetime.fromtimestamp(0, UTC))[0]

    def _path_of(self, entry: Entry) -> str:
        """Where the file of a memory stands, were it moved to another folder; "" if nowhere."""
        path = memory_path(entry)
        if (self.root / path).is_file():
            return path
        found = (self.root / "memories").glob(f"**/*--{entry.id}.md")
        return next((one.relative_to(self.root).as_posix() for one in found), "")

    def _redact_entry(self, draft: Entry) -> tuple[Entry, int]:
        hidden: list[Redacted] = []
        redactor = self.redactor_of(draft.project)

        def redact(text: str) -> str:
            redacted = redactor.redact(text)
            hidden.append(redacted)
            return redacted.text

        def redact_all(texts: Iterable[str]) -> tuple[str, ...]:
            return tuple(redact(text) for text in texts)

        extra = redactor.redact_value(draft.extra)
        assert isinstance(extra, dict)
        extra.pop(FLAGGED, None)  # a mark that was brought along says nothing
        entry = replace(
            draft,
            title=" ".join(redact(draft.title).split()),
            type=redact(draft.type),
            body=redact(draft.body),
            project=redact(draft.project),
            session=redact(draft.session),
            agent=redact(draft.agent),
            tool=redact(draft.tool),
            tags=redact_all(draft.tags),
            source=redact_all(draft.source),
            edges=tuple(Edge(redact(one.relation), redact(one.target)) for one in draft.edges),
            files=redact_all(draft.files),
            symbols=redact_all(draft.symbols),
            extra=extra,
        )
        if flagged := _flags_of(entry):
            entry = replace(entry, extra={**extra, FLAGGED: flagged})
        return entry, sum(one.n_hidden for one in hidden)

    def change_fields(self, path: str, changes: Mapping[str, object]) -> None:
        """Change these frontmatter fields of the file at *path* and not one byte besides.

        A title is changed where it stands, which may be the first heading.

        Raises:
            NotFoundError: there is no such file in the journal.
            FrontmatterError: the file's frontmatter cannot be changed safely; it is as it was.
            StorageError: the disk refused; the file is as it was.
        """
        target = self._existing(path)
        with files.locked(target, timeout_s=self._lock_timeout_s):
            try:
                text = files.read(target).decode("utf-8")
            except UnicodeDecodeError as error:
                raise FormatError("not UTF-8", where=path, mend="save it as UTF-8") from error
            try:
                changed = self._with_changes(text, changes)
                if path.startswith("memories/"):  # in other files a mark is not asked for
                    changed = _with_mark(changed, path)
            except FrontmatterError as error:
                raise FrontmatterError(
                    error.what, where=": ".join(filter(None, (path, error.where))), mend=error.mend
                ) from error
            if changed != text:
                files.replace(target, changed.encode("utf-8"))

    def _with_changes(self, text: str, changes: Mapping[str, object]) -> str:
        """A memory's *text* with these fields, redacted as those of its project."""
        from .memory_file import replace_title

        project = changes.get("project", parse_document(text).fields.get("project"))
        redacted = self.redactor_of(str(project or "")).redact_value(changes)
        assert isinstance(redacted, dict)
        retitled = replace_title(text, str(redacted["title"])) if redacted.get("title") else None
        if retitled is not None:  # the title is a heading, not a field
            text = retitled
            del redacted["title"]
        return set_fields(text, redacted) if redacted else text

    def forget(self, entries: Iterable[Stored]) -> list[Forgetting]:
        """Remove *entries* from the files; what is in git's history stays there.

        Raises:
            NotFoundError: a session's file is gone.
            StorageError: the disk refused; files that were not reached are as they were.
        """
        plan = plan_forgetting(entries)
        for step in plan:
            if step.removes_file:
                files.remove(self.root / step.path)
                continue
            target = self._existing(step.path)
            with files.locked(target, timeout_s=self._lock_timeout_s):
                data = files.read(target)
                kept = without_records(data, frozenset(step.ids), path=step.path)
                if kept != data:
                    files.replace(target, kept)
        return plan

    def _existing(self, path: str) -> Path:
        """The file at *path*, which must be one of the journal's own."""
        target = self.root / path
        try:
            inside = target.resolve().is_relative_to(self.root.resolve())
        except (OSError, ValueError, RuntimeError):  # links in a circle; a name no file can have
            inside = False
        if not inside:
            raise NotFoundError("not in this journal", where=path)
        if not target.is_file():
            raise NotFoundError("no such file", where=path)
        return target


def _with_mark(text: str, path: str) -> str:
    """The memory *text* with a mark that is true of it as it is now, or with none."""
    from .memory_file import parse_memory

    entry, _ = parse_memory(text, path=path, fallback_time=datetime.fromtimestamp(0, UTC))
    flagged = _flags_of(entry)
    if flagged == entry.extra.get(FLAGGED, []):
        return text
    return set_fields(text, {FLAGGED: flagged or None})


def _flags_of(entry: Entry) -> list[str]:
    """The ids of what is threatening in a memory, wherever it stands."""
    texts = (
        *(entry.title, entry.type, entry.body, entry.project, entry.session, entry.agent),
        *(entry.tool, *entry.tags, *entry.source, *entry.files, *entry.symbols),
        *(part for edge in entry.edges for part in (edge.relation, edge.target)),
        *_texts_in({name: one for name, one in entry.extra.items() if name != FLAGGED}),
    )
    return list(screen("\n".join(texts)))


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for one in value:
            yield from _texts_in(one)
    else:
        yield str(value)


def _well_formed(text: str) -> str:
    """*text* without the halves of characters that JSON can hold and a file cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plan_forgetting(entries: Iterable[Stored]) -> list[Forgetting]:
    """What removing *entries* does to each file: a memory's file goes, a session keeps the rest."""
    by_path: dict[str, list[str]] = {}
    for stored in entries:
        by_path.setdefault(stored.path, []).append(str(stored.entry.id))
    return [
        Forgetting(path, tuple(ids), removes_file=not path.startswith("sessions/"))
        for path, ids in sorted(by_path.items())
    ]


def without_records(data: bytes, ids: frozenset[str], *, path: str = "") -> bytes:
    """A session file's bytes with these records replaced by a line that only keeps their keys.

    Words that a person wrote between the records of the file at *path* leave nothing behind.
    """
    from .reading import loose_id, loose_start, loose_text

    kept: list[bytes] = []
    for part in scan(io.BytesIO(data)):
        raw = part.raw
        if part.kind in ("event", "torn"):
            if (gone := record_id(raw)) in ids:
                raw = render_forgotten(gone, record_keys(raw))
        elif (text := loose_text(part)) and loose_id(path, text) in ids:
            raw = raw[: loose_start(part)]
        kept.append(raw)
    return b"".join(kept)


def _content_key(entry: Entry) -> str:
    return content_key(entry.kind, entry.type, entry.project, entry.title, entry.body)
