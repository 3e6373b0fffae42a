"""Appending to one session's file: redacted, once, and on disk before it is acknowledged."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from . import files
from .digests import sha256
from .errors import CannotCreateError
from .event import Event, SessionHeader
from .ids import mint
from .redaction import KnownSecrets, Redactor
from .screening import FLAGGED, screen
from .session_file import (
    event_key,
    is_torn_header,
    record_id,
    record_keys,
    render_event,
    render_header,
    scan,
    session_in,
)
from .values import dataclass, field, replace

_USUAL_KEY: Final = re.compile(
    r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|toolu_\w{10,40})(?:\.\w{1,8})?"
)
_SAFE_KEY: Final = re.compile(r"[\w.:-]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class AppendReport:
    """What became of the events handed to ``append``."""

    ids: tuple[str, ...] = ()  # of those written, in order
    n_known: int = 0  # were there already, by their keys
    n_private: int = 0  # private sections hidden
    n_secrets: int = 0  # secrets replaced

    @property
    def n_written(self) -> int:
        return len(self.ids)


class SessionLog:
    """One session of a journal, open for appending. Any number of processes may have it open."""

    def __init__(
        self,
        path: Path,
        header: SessionHeader,
        *,
        redactor: Redactor,
        lock_timeout_s: float,
        taken: Callable[[str], bool],
        other_path: Callable[[], Path] | None = None,
        check_place: Callable[[], None] = lambda: None,
    ) -> None:
        """*other_path* names another file when *path* turns out to hold another session;
        *check_place* raises when nothing may be written there any more."""
        self.path, self.header = path, header
        self._written = _redact_header(header, redactor)
        self._redactor, self._lock_timeout_s, self._taken = redactor, lock_timeout_s, taken
        self._other_path, self._check_place = other_path, check_place
        self._state = _State()
        self._scanned: tuple[int, int] | None = None  # inode and size of what the state was read of

    def known_keys(self) -> set[str]:
        """The keys of everything that is in the file, or was until it was forgotten."""
        try:
            with open(self.path, "rb") as stream:
                state = _State.read(stream)
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise files.as_storage_error(error, self.path) from error
        if self._is_foreign(state):
            self._move()
            return self.known_keys()
        return state.keys

    def append(
        self, events: Sequence[Event], *, secrets: KnownSecrets | None = None
    ) -> AppendReport:
        """Add *events* at the end of the file; on return they are on disk (fsync).

        An event any of whose keys is known is not written twice, nor one that was forgotten. *secrets* are
        hidden wherever they stand, and what is recognised as one is added to them.

        Raises:
            LockedError: another process kept the file for too long.
            StorageError: the disk refused; the file ends where it ended before.
        """
        if not events:
            return AppendReport()
        self._check_place()
        redacted = [_redact(event, self._redactor, secrets) for event in events]
        while True:
            with files.locked(self.path, timeout_s=self._lock_timeout_s) as fd:
                self._refresh(fd)
                if not self._is_foreign(self._state):
                    return self._append(fd, redacted)
            self._move()

    def _refresh(self, fd: int) -> None:
        """Read the file again if it is not as it was left."""
        if self._scanned != _signature(fd):
            with open(fd, "rb", closefd=False) as stream:
                stream.seek(0)
                self._state = _State.read(stream)
        if self._state.header_torn:  # nothing in it was ever acknowledged
            os.ftruncate(fd, 0)
            self._state = _State()
        self._scanned = _signature(fd)

    def _is_foreign(self, state: _State) -> bool:
        return state.session is not None and state.session != self._written.session

    def _move(self) -> None:
        if self._other_path is None:
            raise CannotCreateError(
                "the file holds another session", where=str(self.path), mend="move it elsewhere"
            )
        self.path, self._scanned = self._other_path(), None

    def _append(self, fd: int, redacted: list[_Redacted]) -> AppendReport:
        state, size = self._state, os.fstat(fd).st_size
        fresh = list(self._fresh(redacted))
        if not fresh:
            return AppendReport(n_known=len(redacted))
        records: list[bytes] = []
        ids: list[str] = []
        if size == 0:
            records.append(render_header(self._written).encode())
        elif not state.ends_whole:
            records.append(b"\n\n")  # what tore the last record must not tear this one
        for one in fresh:
            entry_id = mint(
                event_key(self.header.session, one.event),
                taken=lambda text: text in state.ids or text in ids or self._taken(text),
            )
            ids.append(entry_id)
            records.append(render_event(one.event, entry_id))
        self._scanned = None  # until the records are down, nothing is certain
        files.append(fd, b"".join(records), self.path)
        if size == 0:
            files.sync_folder(self.path.parent)
        state.session, state.ends_whole = self._written.session, True
        state.ids.update(ids)
        state.keys.update(key for one in fresh for key in one.event.keys)
        self._scanned = _signature(fd)
        return AppendReport(
            ids=tuple(ids),
            n_known=len(redacted) - len(fresh),
            n_private=sum(one.n_private for one in fresh),
            n_secrets=sum(one.n_secrets for one in fresh),
        )

    def _fresh(self, redacted: Iterable[_Redacted]) -> Iterator[_Redacted]:
        seen: set[str] = set()
        for one in redacted:
            keys = one.event.keys
            if self._state.keys.isdisjoint(keys) and seen.isdisjoint(keys):
                seen.update(keys)
                yield one


@dataclass(slots=True)
class _State:
    """What has to be known of a session's file to add to it."""

    session: str | None = None  # whose it is; None when it does not say
    keys: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    ends_whole: bool = True
    header_torn: bool = False  # there is only the beginning of a header: no record was ever whole

    @classmethod
    def read(cls, lines: Iterable[bytes]) -> _State:
        state = cls()
        for part in scan(lines):
            if part.start == 0:
                state.session = session_in(part.raw)
                state.header_torn = is_torn_header(part.raw)
            elif part.raw.strip(b"\0"):
                state.header_torn = False
            state.ends_whole = part.raw.endswith(b"\n\n") and part.kind != "torn"
            if part.kind in ("event", "forgotten"):
                state.keys.update(record_keys(part.raw))
                state.ids.add(record_id(part.raw))
        return state


def _signature(fd: int) -> tuple[int, int]:
    status = os.fstat(fd)
    return status.st_ino, status.st_size


@dataclass(frozen=True, slots=True)
class _Redacted:
    """An event with nothing secret in it, and how much was hidden."""

    event: Event
    n_private: int
    n_secrets: int


def _redact(event: Event, redactor: Redactor, secrets: KnownSecrets | None) -> _Redacted:
    redact = partial(redactor.redact, known=secrets)
    text, tool = redact(event.text), redact(event.tool)
    paths = [redact(path) for path in event.files]
    extra = {name: redact(value) for name, value in event.extra.items()}
    everything = (text, tool, *paths, *extra.values())
    n_private = sum(one.n_private for one in everything)
    n_secrets = sum(one.n_secrets for one in everything)
    values = {name: one.text for name, one in extra.items() if name != FLAGGED}
    if n_private or n_secrets:
        values["redacted"] = str(n_private + n_secrets)
    if flagged := screen("\n".join(one.text for one in everything)):
        values[FLAGGED] = ",".join(flagged)
    redacted = replace(
        event,
        text=text.text,
        tool=tool.text,
        files=tuple(path.text for path in paths),
        extra=values,
        keys=tuple(_safe_key(key, redactor) for key in event.keys),
    )
    return _Redacted(redacted, n_private, n_secrets)


def _redact_header(header: SessionHeader, redactor: Redactor) -> SessionHeader:
    return replace(
        header,
        session=redactor.redact(header.session).text,
        project=redactor.redact(header.project).text,
        agent=redactor.redact(header.agent).text,
    )


def _safe_key(key: str, redactor: Redactor) -> str:
    """*key* as it may stand in a file: the assistants' identifiers as they are, all else hashed."""
    if _USUAL_KEY.fullmatch(key):
        return key
    if _SAFE_KEY.fullmatch(key) and redactor.redact(key).text == key:
        return key
    return "sha256:" + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
