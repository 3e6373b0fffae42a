"""A small world of hooks: a journal, a desk that attends to them, and what stands in the files after."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from memjournal.hooks.desk import HookDesk
from memjournal.hooks.desk_options import DeskOptions
from memjournal.hooks.recall.teller import Teller
from memjournal.hooks.session_state import SessionStates
from memjournal.journal.entry import Entry
from memjournal.journal.reading import Stored, list_files, read_entries
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

SEOUL = timezone(timedelta(hours=9))
SESSION = "aa2f6800-d406-4870-9916-0d4b76f97258"


class World:
    """A journal in *folder*, and Claude Code's hooks that come to it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "journal"
        self.root.mkdir()
        self.states = folder / "state" / "hooks"
        self.reports: list[str] = []
        self.moments: list[str] = []
        self.now = datetime(2026, 11, 30, 9, 12, 4, tzinfo=SEOUL)
        self.desk = self.open()

    def open(self, *, teller: Callable[[], Teller] | None = None, **options: object) -> HookDesk:
        """The desk as another process has it."""
        redactor = Redactor()
        return HookDesk(
            Journal(self.root, redactor=redactor),
            options=DeskOptions(**options),  # type: ignore[arg-type]  # test helper
            states=SessionStates(self.states, lock_timeout_s=10, report=self.reports.append),
            clock=self._tick,
            project_of=lambda cwd: "local/" + cwd.rsplit("/", 1)[-1],
            mask=redactor.redact_value,
            report=self.reports.append,
            written=self.moments.append,
            teller=teller,
        )

    def _tick(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def hook(self, event: str, **fields: object) -> str:
        payload = {"session_id": SESSION, "cwd": "/home/user/shop", "hook_event_name": event}
        return self.send({**payload, **fields})

    def send(self, payload: dict[str, object]) -> str:
        raw = json.dumps(payload).encode()
        return self.desk.handle("claude-code", str(payload["hook_event_name"]), raw, {})

    def prompt(self, text: str, n: int = 1) -> str:
        return self.hook("UserPromptSubmit", prompt=text, prompt_id=prompt_id(n))

    def stop(self, text: str, n: int = 1) -> str:
        return self.hook("Stop", last_assistant_message=text, prompt_id=prompt_id(n))

    def bash(self, command: str, out: str, *, use: str = "toolu_0000000001", **more: object) -> str:
        return self.hook(
            "PostToolUse",
            tool_name="Bash",
            tool_use_id=use,
            tool_input={"command": command},
            tool_response={"stdout": out, "stderr": "", "interrupted": False},
            **more,
        )

    @property
    def files(self) -> list[str]:
        return [file.path for file in list_files(self.root).files]

    @property
    def entries(self) -> list[Entry]:
        """What stands in the journal, file by file, in the order of each."""
        found = [
            one for file in list_files(self.root).files for one in read_entries(self.root, file)
        ]
        assert all(isinstance(one, Stored) for one in found), found
        return [one.entry for one in found if isinstance(one, Stored)]

    @property
    def said(self) -> list[tuple[int | None, str, str]]:
        return outline(self.entries)


def outline(entries: Iterable[Entry]) -> list[tuple[int | None, str, str]]:
    """Turn, type and text of each."""
    return [(one.turn, one.type, one.body) for one in entries]


def prompt_id(n: int) -> str:
    return f"679268eb-afb4-4d0a-9cfd-{n:012d}"
