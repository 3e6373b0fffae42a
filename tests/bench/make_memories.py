"""A made-up journal of any size for speed tests: the same seed gives the same files.

60 % English, 25 % Korean, 15 % mixed; bodies of 40 to 350 words, 250 files a month folder. A journal
of 100,000 begins with the files of the one of 10,000. With *sessions*, a share of the entries are
events of conversations, most of sixty events and some of thousands.

    python tests/bench/make_memories.py FOLDER --count 10000 --sessions 0.3
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

import numpy as np
from made_words import english, error_line, korean, line, mixed, text

from memjournal.journal.entry import Entry
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.ids import mint
from memjournal.journal.memory_file import render_memory
from memjournal.journal.place import MARKER
from memjournal.journal.session_file import event_key, render_event, render_header
from memjournal.journal.store import memory_path

PROJECTS: Final = (
    "github.com/acme/shop",
    "github.com/acme/payments",
    "gitlab.com/acme/infra/deploy",
)
_TYPES: Final = ("decision", "lesson", "constraint", "note", "spec", "plan")
_TAGS: Final = ("auth", "db", "ui", "ci", "결제", "검색")
_FIRST_MONTH: Final = 2023 * 12 + 11
_N_MONTHS: Final = 36
_PER_FOLDER: Final = 250
_LONG_SESSION: Final = 3_000
_SEVERAL: Final = 2_000  # fewer are written before other processes have started


@dataclass(frozen=True, slots=True)
class _Work:
    """Files that one process writes on its own: a folder of memories, or a session."""

    root: Path
    seed: int
    numbers: range  # of the entries
    session: int = 0  # 0: memories


def make_memories(
    root: Path,
    *,
    count: int,
    seed: int = 0,
    sessions: float = 0.0,
    processes: int | None = None,
) -> None:
    """Write *count* entries below *root*, which becomes a journal; *sessions* of them as events."""
    root.mkdir(parents=True, exist_ok=True)
    (root / MARKER).touch()
    work = list(_split(root, seed, count=count, n_events=round(count * sessions)))
    if count < _SEVERAL or processes == 1:
        for one in work:
            _write(one)
        return
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        for _ in pool.map(_write, work, chunksize=4):
            pass


def _split(root: Path, seed: int, *, count: int, n_events: int) -> Iterator[_Work]:
    n_memories = count - n_events
    for start in range(0, n_memories, _PER_FOLDER):
        yield _Work(root, seed, range(start, min(start + _PER_FOLDER, n_memories)))
    start, session = n_memories, 0
    while start < count:
        session += 1
        length = _LONG_SESSION if session % 50 == 10 else 20 + session * 37 % 81
        yield _Work(root, seed, range(start, min(start + length, count)), session)
        start += length


def _write(work: _Work) -> None:
    if work.session:
        _write_session(work)
        return
    for number in work.numbers:
        entry = make_memory(np.random.default_rng((work.seed, number)), number)
        path = work.root / memory_path(entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(render_memory(entry).encode("utf-8"))


def make_memory(rng: np.random.Generator, number: int) -> Entry:
    """One memory; *number* decides its id, its place, and a word that no other has."""
    kind = rng.random()
    word = english if kind < 0.6 else korean if kind < 0.85 else mixed
    folder, place = divmod(number, _PER_FOLDER)
    return Entry(
        id=mint(f"bench:{number}"),
        kind="fact",
        type=_TYPES[int(rng.integers(len(_TYPES)))],
        title=line(rng, word, int(rng.integers(3, 8))),
        body=f"needle{number} {text(rng, word, int(rng.integers(40, 350)))}",
        created=_month(folder) + timedelta(minutes=place * 155),
        project=_project(folder),
        tags=tuple(_TAGS[n] for n in rng.permutation(len(_TAGS))[: int(rng.integers(3))]),
    )


def _month(folder: int) -> datetime:
    year, month = divmod(_FIRST_MONTH + folder // len(PROJECTS) % _N_MONTHS, 12)
    return datetime(year, month + 1, 1, 9, tzinfo=UTC)


def _project(folder: int) -> str:
    """Three are known by name; each three years of their months are those of three others."""
    others, which = divmod(folder, len(PROJECTS) * _N_MONTHS)
    name = PROJECTS[which % len(PROJECTS)]
    return f"{name}-{others}" if others else name


def _write_session(work: _Work) -> None:
    rng = np.random.default_rng((work.seed, work.numbers.start))
    header = SessionHeader(
        session=str(UUID(int=work.session)),
        project=PROJECTS[work.session % len(PROJECTS)],
        agent="claude-code",
        started=_month(work.session % (len(PROJECTS) * _N_MONTHS)) + timedelta(hours=work.session),
    )
    name = f"{header.project.rsplit('/', 1)[-1]}--{work.session:08x}.md"
    path = work.root / "sessions" / f"{header.started:%Y/%m/%d}" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [render_header(header).encode("utf-8")]
    for place, number in enumerate(work.numbers):
        event = make_event(rng, number, place, header)
        records.append(render_event(event, mint(event_key(header.session, event))))
    path.write_bytes(b"".join(records))


def make_event(rng: np.random.Generator, number: int, place: int, header: SessionHeader) -> Event:
    """The event at *place* in its session: a question, a tool that fails now and then, an answer."""
    word = korean if rng.random() < 0.4 else mixed
    turn, step = divmod(place, 4)
    at = header.started + timedelta(seconds=17 * place)
    if step in (1, 2):
        failed = rng.random() < 0.3
        output = "\n".join(error_line(rng) for _ in range(int(rng.integers(1, 8))))
        return Event(
            keys=(f"toolu_{number}",),
            type="tool_output",
            at=at,
            text=f"needle{number} {output}",
            turn=turn + 1,
            tool="Bash",
            outcome="error" if failed else "",
            exit_code=1 if failed else None,
        )
    return Event(
        keys=(f"made-{number}",),
        type="assistant_response" if step else "user_prompt",
        at=at,
        text=f"needle{number} {text(rng, word, int(rng.integers(8, 120)))}",
        turn=turn + 1,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--sessions", type=float, default=0.0, help="share that are events")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    make_memories(given.folder, count=given.count, seed=given.seed, sessions=given.sessions)


if __name__ == "__main__":
    main()
