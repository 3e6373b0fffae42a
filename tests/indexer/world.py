"""A small world for the indexer: a journal that people and programs write, its index, and questions.

Its model is made here from arrays and loads in milliseconds; the shipped one is for the tests that
are about it.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.entry_filter import EntryFilter
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.options import IndexOptions
from memjournal.indexer.search.answer import Answer, SearchRequest
from memjournal.indexer.search.searcher import Searcher
from memjournal.indexer.upkeep.report import UpdateReport
from memjournal.journal.entry import Entry, EntryId
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.reading import Stored
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

OPTIONS = IndexOptions(
    vectors=True,
    model="memjournal-static-v1",
    chunk_tokens=320,
    chunk_overlap_tokens=40,
    machine="this machine",
    lock_timeout_s=60,
)
NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
STARTED = datetime(2026, 11, 30, 9, 12, 4, tzinfo=UTC)
ENGLISH = (
    *("pool", "timeout", "session", "cookie", "token", "order", "refund", "retry", "queue"),
    *("deploy", "rollback", "cache", "index", "parser", "webhook", "signature", "latency"),
    *("leak", "profile", "budget", "tenant", "invoice"),
)
KOREAN = (
    *("커넥션", "풀", "고갈", "주문", "환불", "세션", "토큰", "쿠키", "서명", "배포", "롤백"),
    *("캐시", "색인", "지연", "누수", "결제"),
)
QUERIES = (
    "pool timeout",
    "session cookie",
    "refund retry queue",
    "why did the deploy roll back?",
    "invoice",
    "커넥션 풀 고갈",
    "세션 토큰은 어디에 저장하나",
    "환불",
    "주문 latency 지연",
    "캐시",
)


def make_model(folder: Path, *, seed: int = 0, dimension: int = 32) -> Path:
    """A static model of the plain form that knows the words and syllables of this module."""
    syllables = sorted({syllable for word in KOREAN for syllable in word})
    words = ["[UNK]", *ENGLISH, *syllables, "needle"]
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, "[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Split(Regex("[가-힣]"), "isolated")]
    )
    table = np.random.default_rng(seed).normal(size=(len(words), dimension)).astype("<f4")
    header = json.dumps(
        {"embeddings": {"dtype": "F32", "shape": table.shape, "data_offsets": [0, table.nbytes]}}
    ).encode()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text('{"normalize": true}', "utf-8")
    (folder / "model.safetensors").write_bytes(
        len(header).to_bytes(8, "little") + header + table.tobytes()
    )
    return folder


class World:
    """A journal, its index, and what can be asked of it."""

    def __init__(self, root: Path, model: Path | str, **options: Any) -> None:
        self.root = root
        self.options = replace(OPTIONS, model=str(model), **options)
        self.index = self.open()
        self.journal = Journal(root, redactor=Redactor())
        self._numbers = itertools.count()
        for folder in ("sessions", "memories", "notes"):
            (root / folder).mkdir(parents=True, exist_ok=True)

    def open(self, folder: str = "index", **options: object) -> JournalIndex:
        """The index in *folder*, as another process would open it."""
        changed = replace(self.options, **options)  # type: ignore[arg-type]  # test helper
        return JournalIndex(self.root, self.root / folder, changed)

    # --- writing ----------------------------------------------------------------------------

    def memory(self, title: str, body: str = "", **more: object) -> str:
        """Store a memory; its path."""
        fields: dict[str, object] = {
            "id": EntryId("000000"),
            "kind": "fact",
            "type": "note",
            "title": title,
            "body": body,
            "created": STARTED + timedelta(minutes=next(self._numbers)),
            "project": "github.com/acme/shop",
        }
        return self.journal.create(Entry(**{**fields, **more})).path  # type: ignore[arg-type]

    def note(self, path: str, text: str | bytes) -> Path:
        """Write a file as an editor does, in place."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return target

    def events(
        self,
        texts: Iterable[str],
        *,
        session: str = "s1",
        type_: str = "user_prompt",
        turn: int = 1,
    ) -> tuple[str, ...]:
        """Append events to a session; their ids."""
        header = SessionHeader(
            session=session, project="github.com/acme/shop", agent="claude-code", started=STARTED
        )
        events = [
            Event(
                keys=(f"{session}-{number}",),
                type=type_,  # type: ignore[arg-type]  # test helper
                at=STARTED + timedelta(seconds=number),
                text=text,
                turn=turn,
            )
            for text, number in zip(texts, self._numbers, strict=False)
        ]
        return self.journal.open_session(header).append(events).ids

    def forget(self, *ids: str) -> None:
        """Remove entries from their files, as ``mem forget`` does."""
        with self.catalog() as catalog:
            rows = [row for entry_id in ids for row in catalog.by_prefix(entry_id)]
        stored = [found for row in rows if (found := self.index.read(row))]
        self.journal.forget(stored)

    def paths(self, *folders: str) -> list[str]:
        """All Markdown files below *folders*."""
        found = [
            path.relative_to(self.root).as_posix()
            for folder in folders or ("sessions", "memories", "notes")
            for path in (self.root / folder).rglob("*.md")
        ]
        return sorted(found)

    # --- indexing and asking ----------------------------------------------------------------

    def update(self, *, later_s: int = 0) -> UpdateReport:
        """Let the index follow the files; *later_s* on, when no file counts as just changed."""
        return self.index.update(now_ns=time.time_ns() + later_s * 10**9)

    def catalog(self) -> _Closing:
        return _Closing(self.index)

    def stored(self, entry_id: str) -> Stored:
        with self.catalog() as catalog:
            (row,) = catalog.by_prefix(entry_id)
        found = self.index.read(row)
        assert found is not None
        return found

    def ask(self, text: str, index: JournalIndex | None = None, **more: object) -> Answer:
        """The answer of a searcher that was just opened; nothing may have to be mended for it."""
        searcher, answer = self.search(text, index, **more)
        assert searcher.remarks == []
        return answer

    def search(
        self, text: str, index: JournalIndex | None = None, **more: object
    ) -> tuple[Searcher, Answer]:
        """The answer, and the searcher that gave it."""
        with _Closing(index or self.index) as catalog:
            searcher = Searcher(index or self.index, catalog)
            request = SearchRequest(**{"text": text, "now": NOW, **more})  # type: ignore[arg-type]
            try:
                return searcher, searcher.search(request)
            finally:
                searcher.close()

    def found(self, text: str, **more: Any) -> list[str]:
        """The titles of what is found."""
        return [hit.row.title for hit in self.ask(text, **more).hits]

    def answers(
        self, index: JournalIndex | None = None, queries: Sequence[str] = QUERIES
    ) -> list[list[tuple[str, str, float]]]:
        """Ids, paths and scores for each of *queries*."""
        answers = []
        with _Closing(index or self.index) as catalog:
            searcher = Searcher(index or self.index, catalog)
            for text in queries:
                answer = searcher.search(SearchRequest(text=text, now=NOW, limit=20))
                answers.append(
                    [(hit.row.id, hit.row.path, round(hit.score, 6)) for hit in answer.hits]
                )
            assert searcher.remarks == [], searcher.remarks
            searcher.close()
        return answers

    def rebuilt(self) -> JournalIndex:
        """An index made from nothing, elsewhere."""
        index = self.open(f"rebuilt-{next(self._numbers)}")
        report = index.rebuild(now_ns=time.time_ns())
        assert report.remarks == []
        return index

    def check_against_a_rebuild(self, queries: Sequence[str] = QUERIES) -> None:
        """The index is whole, and answers as one that was made from nothing."""
        assert (differences := self.index.verify()) == [], differences
        assert self.answers(queries=queries) == self.answers(self.rebuilt(), queries)


class _Closing:
    """A catalog open for reading, closed on leaving."""

    def __init__(self, index: JournalIndex) -> None:
        self._catalog = index.read_catalog()

    def __enter__(self) -> Catalog:
        return self._catalog

    def __exit__(self, *_: object) -> None:
        self._catalog.close()


def pick(**wanted: object) -> EntryFilter:
    """A filter."""
    return EntryFilter(**wanted)  # type: ignore[arg-type]  # test helper


def tree(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything below *folder*: names, sizes and times."""
    found = {}
    for top, names, files in os.walk(folder):
        for name in (*names, *files):
            status = os.lstat(os.path.join(top, name))
            found[os.path.relpath(os.path.join(top, name), folder)] = (
                status.st_size,
                status.st_mtime_ns,
            )
    return found


DAMAGES = {
    "emptied": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "a byte short": lambda data: data[:-1],
    "zeros": lambda data: bytes(len(data)),
    "noise": lambda data: np.random.default_rng(len(data)).bytes(len(data)),
    "longer": lambda data: data + b"\0" * 512,
}
"""What a disk may make of a file; ``gone`` is for the tests to add."""
