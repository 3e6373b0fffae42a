"""Appending to one session's file: redacted, once, and on disk before it is acknowledged."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from . import files
from .event import Event, SessionHeader
from .ids import mint
from .redaction import Redactor
from .session_file import event_key, record_id, record_keys, render_event, render_header, scan

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
    ) -> None:
        self.path, self.header = path, header
        self._redactor, self._lock_timeout_s, self._taken = redactor, lock_timeout_s, taken
        self._known: set[str] = set()
        self._ids: set[str] = set()
        self._n_scanned = -1  # the file's size when the two sets were read
        self._ends_whole = True

    def known_keys(self) -> set[str]:
        """The keys of everything that is in the file, or was until it was forgotten."""
        try:
            with open(self.path, "rb") as stream:
                self._scan(stream, os.fstat(stream.fileno()).st_size)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise files.as_storage_error(error, self.path) from error
        return self._known

    def append(self, events: Sequence[Event]) -> AppendReport:
        """Add *events* at the end of the file; on return they are on disk (fsync).

        An event any of whose keys is known is not written twice, nor one that was forgotten.

        Raises:
            LockedError: another process kept the file for too long.
            StorageError: the disk refused; the file ends where it ended before.
        """
        if not events:
            return AppendReport()
        cleaned = [_redacted(event, self._redactor) for event in events]
        with files.locked(self.path, timeout_s=self._lock_timeout_s) as fd:
            size = os.fstat(fd).st_size
            if size != self._n_scanned:
                with open(fd, "rb", closefd=False) as stream:
                    stream.seek(0)
                    self._scan(stream, size)
            fresh = list(self._fresh(cleaned))
            if not fresh:
                return AppendReport(n_known=len(events))
            records: list[bytes] = []
            ids: list[str] = []
            if size == 0:
                records.append(
                    render_header(_redacted_header(self.header, self._redactor)).encode()
                )
            elif not self._ends_whole:
                records.append(b"\n\n")  # what tore the last record must not tear this one
            for event, _, _ in fresh:
                entry_id = mint(event_key(self.header.session, event), taken=self._is_taken)
                self._ids.add(entry_id)
                ids.append(entry_id)
                records.append(render_event(event, entry_id))
            data = b"".join(records)
            try:
                files.append(fd, data, self.path)
            except BaseException:
                self._n_scanned = -1
                raise
            for event, _, _ in fresh:
                self._known.update(event.keys)
            self._n_scanned, self._ends_whole = size + len(data), True
        if size == 0:
            files.sync_folder(self.path.parent)
        return AppendReport(
            ids=tuple(ids),
            n_known=len(events) - len(fresh),
            n_private=sum(n for _, n, _ in fresh),
            n_secrets=sum(n for _, _, n in fresh),
        )

    def _fresh(self, cleaned: Iterable[tuple[Event, int, int]]) -> Iterator[tuple[Event, int, int]]:
        seen: set[str] = set()
        for event, n_private, n_secrets in cleaned:
            if self._known.isdisjoint(event.keys) and seen.isdisjoint(event.keys):
                seen.update(event.keys)
                yield event, n_private, n_secrets

    def _is_taken(self, entry_id: str) -> bool:
        return entry_id in self._ids or self._taken(entry_id)

    def _scan(self, lines: Iterable[bytes], size: int) -> None:
        if size == self._n_scanned:
            return
        self._known, self._ids, self._ends_whole = set(), set(), True
        for part in scan(lines):
            self._ends_whole = part.raw.endswith(b"\n\n") and part.kind != "torn"
            if part.kind in ("event", "forgotten"):
                self._known.update(record_keys(part.raw))
                self._ids.add(record_id(part.raw))
        self._n_scanned = size


def _redacted(event: Event, redactor: Redactor) -> tuple[Event, int, int]:
    """*event* with nothing secret in any of its fields, and how much was hidden."""
    text = redactor.redact(event.text)
    tool = redactor.redact(event.tool)
    paths = [redactor.redact(path) for path in event.files]
    extra = {name: redactor.redact(value) for name, value in event.extra.items()}
    everything = (text, tool, *paths, *extra.values())
    n_private = sum(one.n_private for one in everything)
    n_secrets = sum(one.n_secrets for one in everything)
    values = {name: one.text for name, one in extra.items()}
    if n_private or n_secrets:
        values["redacted"] = str(n_private + n_secrets)
    clean = replace(
        event,
        text=text.text,
        tool=tool.text,
        files=tuple(path.text for path in paths),
        extra=values,
        keys=tuple(map(_safe_key, event.keys)),
    )
    return clean, n_private, n_secrets


def _redacted_header(header: SessionHeader, redactor: Redactor) -> SessionHeader:
    return replace(
        header,
        session=redactor.redact(header.session).text,
        project=redactor.redact(header.project).text,
        agent=redactor.redact(header.agent).text,
    )


def _safe_key(key: str) -> str:
    """*key* as it may stand in a file: the assistants' identifiers as they are, all else hashed."""
    if _SAFE_KEY.fullmatch(key):
        return key
    return "sha256:" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
