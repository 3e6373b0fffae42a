"""A small world of transcripts: write records, read them back as events."""

from __future__ import annotations

import json
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from memjournal.hooks.claude_code.discover import ClaudeCodeSource
from memjournal.hooks.claude_code.options import ReadOptions
from memjournal.hooks.claude_code.transcript import TranscriptReading
from memjournal.hooks.source import Tally, Transcript
from memjournal.journal.event import Event, SessionHeader

SEOUL = timezone(timedelta(hours=9))
OPTIONS = ReadOptions(
    tz=SEOUL,
    project_of=lambda cwd: cwd.rstrip("/").rsplit("/", 1)[-1],
    mask=lambda value: value,
)


@dataclass(frozen=True)
class Read:
    """All that one reading gave."""

    header: SessionHeader
    events: list[Event]
    tally: Tally

    def of(self, type_: str) -> list[Event]:
        return [event for event in self.events if event.type == type_]

    @property
    def prompts(self) -> list[str]:
        return [event.text for event in self.of("user_prompt")]

    @property
    def keys(self) -> set[str]:
        return {key for event in self.events for key in event.keys}


class World:
    """A projects folder with one session that can be written and read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "-home-dev-shop" / "0b1f6c1e-0000-4000-8000-000000000001.jsonl"
        self.path.parent.mkdir(parents=True)
        self.options = OPTIONS
        self.max_line_bytes = 64 * 1024 * 1024
        self._n = 0

    def write(self, *records: object, end: bytes = b"\n") -> None:
        """Append records, one a line; bytes are written as they are."""
        with self.path.open("ab") as file:
            for record in records:
                line = record if isinstance(record, bytes) else json.dumps(record).encode()
                file.write(line + end)

    def read(self, path: Path | None = None, *, known: Container[str] = frozenset()) -> Read:
        reading = TranscriptReading(
            self.transcript(path), self.options, max_line_bytes=self.max_line_bytes
        )
        events = list(reading.events(known))
        tally = reading.tally
        assert tally.n_records == tally.n_used + tally.n_known + tally.skipped.total()
        assert reading.n_bytes_done == (path or self.path).stat().st_size
        return Read(reading.header, events, tally)

    def transcript(self, path: Path | None = None) -> Transcript:
        return next(iter(ClaudeCodeSource(path or self.path, self.options).transcripts()))

    def with_options(self, **changes: object) -> None:
        self.options = replace(self.options, **changes)  # type: ignore[arg-type]  # test helper

    # Records

    def user(self, content: object, uuid: str = "", **more: object) -> dict[str, object]:
        message = {"role": "user", "content": content}
        return self._common("user", uuid) | {"message": message} | more

    def reply(
        self, *blocks: object, message: str, uuid: str = "", **more: object
    ) -> dict[str, object]:
        texts = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        body = {"id": message, "role": "assistant", "model": "m", "content": texts}
        return self._common("assistant", uuid) | {"message": body} | more

    def call(self, id_: str, name: str = "Bash", **given: object) -> dict[str, object]:
        return {"type": "tool_use", "id": id_, "name": name, "input": given}

    def result(self, id_: str, content: object, **more: object) -> dict[str, object]:
        return {"type": "tool_result", "tool_use_id": id_, "content": content} | more

    def queue(self, operation: str, content: str | None = None) -> dict[str, object]:
        record = self._common("queue-operation", "")
        del record["uuid"], record["parentUuid"]
        record["operation"] = operation
        return record | ({} if content is None else {"content": content})

    def _common(self, kind: str, uuid: str) -> dict[str, object]:
        self._n += 1
        return {
            "type": kind,
            "uuid": uuid or f"line-{self._n}",
            "parentUuid": None,
            "sessionId": "s-1",
            "cwd": "/home/dev/shop",
            "timestamp": f"2026-02-20T01:{self._n // 60:02}:{self._n % 60:02}.000Z",
        }


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "projects")


@pytest.fixture
def samples() -> Path:
    return Path(__file__).parent / "samples"


@pytest.fixture(scope="session")
def new_world(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], World]:
    """A fresh world for each example of a property."""
    return lambda: World(tmp_path_factory.mktemp("world") / "projects")


@pytest.fixture(scope="session")
def samples_bytes() -> bytes:
    """A whole transcript with Korean text, calls and queue operations."""
    path = Path(__file__).parent / "samples" / "korean-queue-2.1.38.jsonl"
    return path.read_bytes().rstrip(b"\n") + b"\n"
