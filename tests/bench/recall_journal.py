"""The journal that the labelled prompts of ``recall/`` are asked of, and the prompts themselves.

Four imported transcripts, the notes and memories of the example journal, the evaluation set kodev, and
conversations written for the purpose; around them, made-up memories in any number, the same each time.
A label names a turn (``c04/2``: its prompt or its answers), a whole session (``c09/*``), an example's id,
an entry of kodev (``k12``) or a note (``note:NAME``).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Final, Literal, get_args

from memjournal.hooks.claude_code.discover import ClaudeCodeSource
from memjournal.hooks.claude_code.options import ReadOptions
from memjournal.hooks.import_state import ImportState
from memjournal.hooks.importing import Filters, ImportReport, plan_import, run_import
from memjournal.indexer.catalog.row import Row
from memjournal.indexer.embedding.embedders import SHIPPED_MODEL
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.options import IndexOptions
from memjournal.indexer.text.chunking import MAX_TOKENS, OVERLAP
from memjournal.journal.entry import Entry
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.ids import mint
from memjournal.journal.memory_file import render_memory
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal, memory_path

BENCH: Final = Path(__file__).parent
sys.path.insert(0, str(BENCH))

from make_memories import make_memories  # beside this file, wherever it is run from

LABELLED: Final = BENCH / "recall"
EXAMPLES: Final = BENCH.parents[1] / "examples"
SEOUL: Final = timezone(timedelta(hours=9))
NOW: Final = datetime(2026, 11, 30, 9, 30, tzinfo=SEOUL)
SHOP: Final = "github.com/acme/shop"
THIS_SESSION: Final = "5e551011-0000-4000-8000-000000000001"


Half = Literal["fitted", "held out", "later"]
HALVES: Final[tuple[Half, ...]] = get_args(Half)
"""``fitted``: the weights are fitted on it. ``held out``: they are not, but whoever wrote the rules of
hooks/recall/asked.py knew it. ``later``: written when all of that was settled; see recall/README.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A prompt, and what would help whoever typed it."""

    id: str
    category: str
    language: str
    project: str
    text: str
    relevant: tuple[str, ...]  # labels, any of which helps; none: nothing in the journal does
    forbidden: tuple[str, ...] = ()

    @property
    def half(self) -> Half:
        """What it is for; decided by its text alone, for ever."""
        if self.id.startswith("later-"):
            return "later"
        return "held out" if hashlib.sha256(self.text.encode()).digest()[0] % 2 else "fitted"


def load_prompts() -> tuple[Labelled, ...]:
    """All of them, in the order of the files."""
    return tuple(
        Labelled(
            **{  # pyright: ignore[reportArgumentType]
                key: tuple(value) if isinstance(value, list) else value
                for key, value in row.items()
            }
        )
        for name in ("prompts.jsonl", "later.jsonl")
        for row in _rows(LABELLED / name)
    )


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def build_journal(root: Path, *, n_around: int) -> JournalIndex:
    """The journal below *root* with *n_around* made-up memories beside it, and its index."""
    journal = Journal(root, redactor=Redactor())
    if n_around:
        make_memories(root, count=n_around, sessions=0.3, seed=7)
    shutil.copytree(EXAMPLES / "journal", root, dirs_exist_ok=True)
    _import_transcripts(root, journal)
    for conversation in _conversations():
        log = journal.open_session(conversation.header)
        log.append(conversation.events)
    _write_kodev(root)
    options = IndexOptions(
        vectors=True,
        model=SHIPPED_MODEL,
        chunk_tokens=MAX_TOKENS,
        chunk_overlap_tokens=OVERLAP,
        machine="this machine",
        lock_timeout_s=60,
        n_workers=1,
    )
    index = JournalIndex(root, root / "index", options)
    index.update(now_ns=0)
    return index


def _import_transcripts(root: Path, journal: Journal) -> None:
    options = ReadOptions(
        tz=SEOUL,
        project_of=lambda cwd: cwd.rstrip("/").rsplit("/", 1)[-1],
        mask=Redactor().redact_value,
    )
    source = ClaudeCodeSource(EXAMPLES / "transcripts/projects", options)
    state = ImportState(root / "import.json")
    steps = plan_import(source.transcripts(), state, Filters(), source=source)
    for _ in run_import(steps, source, journal, state=state, report=ImportReport()):
        pass


@dataclass(frozen=True, slots=True)
class _Conversation:
    header: SessionHeader
    events: tuple[Event, ...]


def _conversations() -> Iterator[_Conversation]:
    with (LABELLED / "conversations.jsonl").open(encoding="utf-8") as lines:
        for raw in map(json.loads, lines):
            header = SessionHeader(
                session=raw["session"],
                project=raw["project"],
                agent="claude-code",
                started=datetime.fromisoformat(raw["started"]),
            )
            yield _Conversation(header, tuple(_events(header, raw["turns"])))


def _events(header: SessionHeader, turns: Iterable[Mapping[str, object]]) -> Iterator[Event]:
    at = header.started
    for turn, said in enumerate(turns, 1):
        tools = said["tools"]
        assert isinstance(tools, list)
        parts = [("user_prompt", str(said["prompt"]), {})]
        parts += [
            ("tool_output", one.pop("text"), {**one, "files": tuple(one.get("files", ()))})
            for one in tools
        ]
        parts.append(("assistant_response", str(said["answer"]), {}))
        for number, (type_, text, more) in enumerate(parts):
            at += timedelta(seconds=40)
            make = partial(Event, keys=(f"{header.session}-{turn}-{number}",), at=at, turn=turn)
            yield make(type=type_, text=text, **more)  # type: ignore[arg-type]  # three are types


def _write_kodev(root: Path) -> None:
    """Those entries that are no example already."""
    examples = _titles(EXAMPLES / "journal")
    for number, raw in enumerate(_rows(BENCH / "eval/kodev/docs.jsonl")):
        if raw["title"] in examples:
            continue
        entry = Entry(
            id=mint(raw["id"]),
            kind="fact",
            type="lesson",
            title=raw["title"],
            body=raw["text"],
            created=datetime(2026, 9, 1, tzinfo=UTC) + timedelta(days=number),
            project=SHOP,
        )
        path = root / memory_path(entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render_memory(entry), "utf-8", newline="")


def _titles(journal: Path) -> dict[str, str]:
    """The ids of the memories in *journal*, by their titles."""
    found = {}
    for path in journal.glob("memories/**/*.md"):
        lines = path.read_text("utf-8").splitlines()
        title = next(line for line in lines if line.startswith("# "))
        found[title.removeprefix("# ")] = path.stem.rpartition("--")[2]
    return found


class Labels:
    """Says which entry a label names."""

    def __init__(self) -> None:
        examples = _titles(EXAMPLES / "journal")
        self._ids: dict[str, str] = {}
        for raw in _rows(BENCH / "eval/kodev/docs.jsonl"):
            self._ids[raw["id"]] = examples.get(raw["title"]) or mint(raw["id"])

    def name_one(self, row: Row, labels: Iterable[str]) -> bool:
        """Whether any of *labels* names the entry *row*."""
        return any(self._names(label, row) for label in labels)

    def _names(self, label: str, row: Row) -> bool:
        if label.startswith("note:"):
            return row.path == f"notes/{label.removeprefix('note:')}.md"
        session, slash, turn = label.partition("/")
        if slash:
            is_turn = turn == "*" or (row.turn is not None and str(row.turn) == turn)
            return bool(row.session) and row.session.startswith(session) and is_turn
        return row.id == self._ids.get(label, label)
