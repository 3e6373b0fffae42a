"""A small journal for what is told of one: memories and sessions, and the catalog that knows them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

from memjournal.hooks.recall.brief import make_brief
from memjournal.hooks.recall.items import ItemMaker
from memjournal.hooks.recall.recalled import Recalled
from memjournal.hooks.recall.request import RecallRequest
from memjournal.hooks.recall.timeline import recent_timeline
from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.in_files import read_entry
from memjournal.indexer.catalog.row import Row
from memjournal.indexer.upkeep.reconcile import reconcile
from memjournal.indexer.upkeep.report import UpdateReport
from memjournal.journal.entry import Entry, EntryId
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.reading import Stored
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

SEOUL = timezone(timedelta(hours=9))
STARTED = datetime(2026, 11, 30, 9, 12, 4, tzinfo=SEOUL)
NOW = datetime(2026, 12, 1, 9, tzinfo=SEOUL)
SHOP = "github.com/acme/shop"
OLD, NEW = "0f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11", "aaaaaaaa-1f0b-4b7e-9d3e-1c2b7f0a9c11"


class SmallJournal:
    """A journal that is written through the store, and what is told of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True)
        self.journal = Journal(root, redactor=Redactor())
        self._minutes = itertools.count(1)

    def memory(self, title: str, body: str = "", **more: object) -> str:
        """Write a memory down; its id."""
        fields: dict[str, object] = {
            "id": EntryId("000000"),
            "kind": "fact",
            "type": "decision",
            "title": title,
            "body": body,
            "created": self._later(),
            "project": SHOP,
        }
        entry = Entry(**{**fields, **more})  # type: ignore[arg-type]  # test helper
        return str(self.journal.create(entry).entry.id)

    def say(self, type_: str, text: str, *, turn: int, session: str = OLD, **more: object) -> str:
        """Something is said or done in a session; its id."""
        at = self._later()
        project = str(more.pop("project", SHOP))
        fields: dict[str, object] = {
            "keys": (f"key-{at.isoformat()}",),
            "type": type_,
            "at": at,
            "text": text,
            "turn": turn,
        }
        header = SessionHeader(
            session=session, project=project, agent="claude-code", started=STARTED
        )
        event = Event(**{**fields, **more})  # type: ignore[arg-type]  # test helper
        (entry_id,) = self.journal.open_session(header).append([event]).ids
        return str(entry_id)

    def ask(self, text: str, *, turn: int, **more: object) -> str:
        return self.say("user_prompt", text, turn=turn, **more)  # type: ignore[arg-type]

    def answer(self, text: str, *, turn: int, **more: object) -> str:
        return self.say("assistant_response", text, turn=turn, **more)  # type: ignore[arg-type]

    def run(
        self, command: str, output: str, *, turn: int, outcome: str = "ok", **more: object
    ) -> str:
        """A command is run by the assistant."""
        text = f"```bash\n{command}\n```\n\n```\n{output}\n```"
        return self.say(
            "tool_output",
            text,
            turn=turn,
            tool="Bash",
            outcome=outcome,
            **more,  # type: ignore[arg-type]
        )

    def run_often(self, n_times: int, *, turn: int) -> None:
        """As many commands in a row, written down at once."""
        text = "```bash\nsed -i s/a/b/ file\n```"
        header = SessionHeader(session=OLD, project=SHOP, agent="claude-code", started=STARTED)
        events = [
            Event(
                keys=(f"often-{number}",),
                type="tool_output",
                at=self._later(),
                text=text,
                turn=turn,
            )
            for number in range(n_times)
        ]
        self.journal.open_session(header).append(events)

    def _later(self) -> datetime:
        return STARTED + timedelta(minutes=next(self._minutes))

    # --- what is told -----------------------------------------------------------------------

    def catalog(self) -> Catalog:
        """The catalog as the files are now."""
        catalog = Catalog.in_memory()
        reconcile(catalog, self.root, UpdateReport(), now_ns=int(NOW.timestamp() * 1e9))
        return catalog

    def read(self, row: Row) -> Stored | None:
        return read_entry(self.root, row)

    def maker(self, catalog: Catalog, *, project: str = SHOP) -> ItemMaker:
        return ItemMaker(catalog, self.read, project=project, now=NOW, redactor=Redactor())

    def brief(
        self,
        *,
        project: str = SHOP,
        session: str = NEW,
        max_tokens: int = 1_500,
        fits: Callable[[str], bool] = lambda _: True,
    ) -> Recalled:
        return make_brief(
            self._request(project=project, session=session, max_tokens=max_tokens, fits=fits)
        )

    def timeline(
        self, *, session: str = NEW, told: Sequence[str] = (), max_tokens: int = 800
    ) -> Recalled:
        return recent_timeline(self._request(session=session, max_tokens=max_tokens), told=told)

    def _request(
        self,
        *,
        project: str = SHOP,
        session: str,
        max_tokens: int,
        fits: Callable[[str], bool] = lambda _: True,
    ) -> RecallRequest:
        return RecallRequest(
            catalog=self.catalog(),
            read=self.read,
            project=project,
            session=session,
            now=NOW,
            max_tokens=max_tokens,
            fits=fits,
            redactor=Redactor(),
        )
