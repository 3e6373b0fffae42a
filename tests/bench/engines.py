"""What other engines need for the same texts: SQLite's FTS5, tantivy where it is installed, and grep.

Each runs as a process of its own and prints its figures as JSON. Reading the texts is not counted:
only what the engine itself does with them. Questions are asked word or word, as by memjournal.

    python tests/bench/engines.py fts5 JOURNAL SCRATCH
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

sys.path.insert(0, str(Path(__file__).parent))

from questions import make_questions, percentile

from memjournal.journal.reading import Oddity, list_files, read_entries

_BATCH: Final = 2_000
_N_QUESTIONS: Final = 200
_N_EDITS: Final = 50


class Engine(Protocol):
    """A full-text engine, for what is measured."""

    def add(self, texts: Sequence[tuple[int, str]]) -> None:
        """Take in texts with their numbers; searchable after ``commit``."""

    def commit(self) -> None:
        """Let everything be on disk and searchable."""

    def replace(self, number: int, text: str) -> None:
        """Put another text in place of one, on disk and searchable on return."""

    def search(self, words: Sequence[str]) -> int:
        """How many of at most ten are found."""
        ...


class Fts5:
    """SQLite's, as it is without settings."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._database = sqlite3.connect(folder / "fts.sqlite")
        self._database.execute("CREATE VIRTUAL TABLE texts USING fts5(body)")

    def add(self, texts: Sequence[tuple[int, str]]) -> None:
        self._database.executemany("INSERT INTO texts(rowid, body) VALUES (?, ?)", texts)

    def commit(self) -> None:
        self._database.commit()

    def replace(self, number: int, text: str) -> None:
        self._database.execute("UPDATE texts SET body = ? WHERE rowid = ?", (text, number))
        self._database.commit()

    def search(self, words: Sequence[str]) -> int:
        query = " OR ".join(f'"{word}"' for word in words)
        found = self._database.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT 10", (query,)
        )
        return len(found.fetchall())


class Tantivy:
    """tantivy through its Python package, with one thread that writes."""

    def __init__(self, folder: Path) -> None:
        self._tantivy: Any = import_module("tantivy")  # installed by whoever wants to compare
        folder.mkdir(parents=True)
        builder = self._tantivy.SchemaBuilder()
        builder.add_integer_field("number", stored=True, indexed=True)
        builder.add_text_field("body")
        self._index: Any = self._tantivy.Index(builder.build(), path=str(folder))
        self._writer: Any = self._index.writer(heap_size=200_000_000, num_threads=1)

    def add(self, texts: Sequence[tuple[int, str]]) -> None:
        for number, text in texts:
            self._writer.add_document(self._tantivy.Document(number=number, body=text))

    def commit(self) -> None:
        self._writer.commit()
        self._index.reload()

    def replace(self, number: int, text: str) -> None:
        self._writer.delete_documents("number", number)
        self.add([(number, text)])
        self.commit()

    def search(self, words: Sequence[str]) -> int:
        query = self._index.parse_query(" ".join(words), ["body"])
        return len(self._index.searcher().search(query, 10).hits)


@dataclass(slots=True)
class Clock:
    """Seconds of an engine's own work."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    each_s: list[float] = field(default_factory=list)

    def count(self, act: Callable[[], object]) -> None:
        """Do this and count what it takes."""
        cpu_s, wall_s = time.process_time(), time.perf_counter()
        act()
        self.each_s.append(time.perf_counter() - wall_s)
        self.cpu_s += time.process_time() - cpu_s
        self.wall_s += self.each_s[-1]


ENGINES: Final[dict[str, type[Fts5 | Tantivy]]] = {"fts5": Fts5, "tantivy": Tantivy}


def texts_of(root: Path) -> Iterator[str]:
    """The words of each entry of a journal."""
    for file in list_files(root).files:
        for one in read_entries(root, file):
            if not isinstance(one, Oddity):
                yield f"{one.entry.title}\n{one.entry.body}"


def build(engine: Engine, root: Path) -> Clock:
    """Take in all texts of a journal."""
    clock = Clock()
    waiting: list[tuple[int, str]] = []
    for number, text in enumerate(texts_of(root), 1):
        waiting.append((number, text))
        if len(waiting) == _BATCH:
            clock.count(partial(engine.add, waiting))
            waiting = []
    clock.count(partial(engine.add, waiting))
    clock.count(engine.commit)
    return clock


def measure(name: str, root: Path, scratch: Path) -> dict[str, float]:
    """Build, ask and change; the figures."""
    folder = scratch / name
    engine: Engine = ENGINES[name](folder)
    building, asking, editing = build(engine, root), Clock(), Clock()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    for question in make_questions(root, _N_QUESTIONS):
        asking.count(partial(engine.search, re.findall(r"\w+", question)))
    for number in range(1, _N_EDITS + 1):
        editing.count(partial(engine.replace, number, f"edited {number} pool timeout"))
    shutil.rmtree(folder, ignore_errors=True)  # an engine may still be writing behind
    return {
        "build_cpu_s": building.cpu_s,
        "build_wall_s": building.wall_s,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "disk_mb": size / 1e6,
        "search_p50_ms": 1e3 * percentile(asking.each_s, 50),
        "search_p95_ms": 1e3 * percentile(asking.each_s, 95),
        "edit_p50_ms": 1e3 * percentile(editing.each_s, 50),
        "edit_p95_ms": 1e3 * percentile(editing.each_s, 95),
    }


def measure_grep(root: Path) -> dict[str, float]:
    """One word looked for in all files, by what is installed: ripgrep, else grep."""
    (question,) = make_questions(root, 1)
    program = ["rg", "-l"] if shutil.which("rg") else ["grep", "-rlF"]
    command = [*program, question.split()[0], str(root / "memories"), str(root / "sessions")]
    clock = Clock()
    for _ in range(5):
        clock.count(partial(subprocess.run, command, capture_output=True, check=False))
    return {"search_p50_ms": 1e3 * percentile(clock.each_s, 50)}


def main() -> None:
    name, root, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    print(json.dumps(measure_grep(root) if name == "grep" else measure(name, root, scratch)))


if __name__ == "__main__":
    main()
