"""A small world: a journal that can be written to, broken and read back."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.reading import JournalFile, Oddity, Stored, read_entries, stat_file
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

SEOUL = timezone(timedelta(hours=9))
HEADER = SessionHeader(
    session="0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
    project="github.com/acme/shop",
    agent="claude-code",
    started=datetime(2026, 11, 30, 9, 12, 4, tzinfo=SEOUL),
)


def make_event(key: str, text: str = "로그인 버그 고쳐줘", **more: object) -> Event:
    event = {"keys": (key,), "type": "user_prompt", "at": HEADER.started, "text": text}
    return Event(**{**event, **more})  # type: ignore[arg-type]  # test helper


def keys_of(stored: Stored) -> tuple[str, ...]:
    """The dedupe keys of a record; none of one that is torn."""
    keys = stored.entry.extra.get("keys", ())
    assert isinstance(keys, tuple)
    return keys


class World:
    """A journal and what can be seen of it from outside."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.journal = self.open()
        self.path = folder / "sessions/2026/11/30/shop--0f6d0c0e.md"

    def open(self, **more: object) -> Journal:
        """The journal as another process sees it."""
        return Journal(self.root, redactor=Redactor(), **more)  # type: ignore[arg-type]  # test helper

    def append(self, *events: Event, header: SessionHeader = HEADER) -> tuple[str, ...]:
        return self.open().open_session(header).append(events).ids

    def write(self, path: str, data: bytes | str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return target

    def file(self, path: str = "") -> JournalFile:
        found = stat_file(self.root, path or self.path.relative_to(self.root).as_posix())
        assert found is not None
        return found

    def read(self, path: str = "") -> list[Stored | Oddity]:
        return list(read_entries(self.root, self.file(path)))

    def stored(self, path: str = "") -> list[Stored]:
        return [one for one in self.read(path) if isinstance(one, Stored)]

    def oddities(self, path: str = "") -> list[str]:
        return [one.what for one in self.read(path) if isinstance(one, Oddity)]

    def keys(self) -> list[str]:
        """The dedupe keys of all whole records of the session, in order."""
        return [key for one in self.stored() for key in keys_of(one)]
