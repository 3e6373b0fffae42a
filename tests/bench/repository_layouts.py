"""What a layout costs: how long a session's file may grow, and how many files may stand in a folder.

Every commit here is one that memjournal makes, with loose objects, as it does all day.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from git_costs import (
    NOTHING,
    disk_mb,
    in_turns,
    in_words,
    megabytes,
    objects_of,
    run_git,
    table,
    timed,
)
from repository_history import (
    EVENTS_PER_COMMIT,
    feed,
    make_journal,
    memories_in_folders,
    path_of,
    rendered_commit,
    rendered_event,
    rendered_memory,
    session_header,
)

from memjournal.journal import git
from memjournal.journal.git.housekeeping import keep_house
from memjournal.journal.git.program import Git
from memjournal.journal.session_file import render_header

Housekeeping = Callable[[Path], object]

COMMITS_BETWEEN_LOOKS: Final = 30  # ten minutes, with a commit every twenty seconds
_SHOWN_AT: Final = (60, 500, 2_000, 5_000, 10_000, 20_000)
_MUCH_LOOSE_MB: Final = 50.0
_STARTED: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
_WINDOWS: Final = (10, 3, 1)
_FOLDERS: Final = (300, 3_000, 30_000)
_MEMORIES_PER_COMMIT: Final = 100
_N_TIMES: Final = 7


class GrowingSession:
    """A session that is committed every twenty events; *roll_at* events begin a new file of it."""

    def __init__(self, root: Path, *, roll_at: int, housekeeping: Housekeeping | None) -> None:
        self.root, self._roll_at, self._housekeeping = root, roll_at, housekeeping
        self.n_events = 0
        self.commits = self.house = self.last = NOTHING
        self.peak_mb = self.most_loose_mb = 0.0
        make_journal(root)

    def grow_to(self, n_events: int) -> None:
        while self.n_events < n_events:
            path = self._write(EVENTS_PER_COMMIT)
            self.last = timed(partial(commit, self.root, path))
            self.commits += self.last
            n_commits = self.n_events // EVENTS_PER_COMMIT
            if self._housekeeping and n_commits % COMMITS_BETWEEN_LOOKS == 0:
                self._note_size()
                self.house += timed(partial(self._housekeeping, self.root))
        self._note_size()

    def _note_size(self) -> None:
        objects = objects_of(self.root)
        self.most_loose_mb = max(self.most_loose_mb, objects.loose_mb)
        self.peak_mb = max(self.peak_mb, objects.loose_mb + objects.pack_mb)

    def _write(self, n_events: int) -> str:
        part = self.n_events // self._roll_at
        header = session_header(part, _STARTED + timedelta(seconds=part))
        path = self.root / path_of(self.root, header)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:
            if self.n_events % self._roll_at == 0:
                stream.write(render_header(header).encode())
            for number in range(self.n_events, self.n_events + n_events):
                stream.write(rendered_event(number, number, header))
        self.n_events += n_events
        return path.relative_to(self.root).as_posix()


def commit(root: Path, path: str) -> None:
    """One commit of memjournal's own."""
    git.commit(root, [path], "capture: 20 events", environ=os.environ, machine="laptop-3f2a")


def keep_our_house(root: Path) -> None:
    keep_house(Git(root, os.environ))


def repack_by(option: str, root: Path) -> None:
    """What `keep_house` does first, when it does, with another option of `git repack`."""
    if objects_of(root).loose_mb > _MUCH_LOOSE_MB:
        run_git(root, "repack", "-d", "-l", "-q", option)


def measure_growth(folder: Path, n_events: int) -> Iterator[str]:
    """Tables of one long session: as it grows, and of what packing takes."""
    yield "One session, committed every 20 events, nothing packed:"
    root = folder / "growing"
    session = GrowingSession(root, roll_at=n_events, housekeeping=None)
    rows: dict[str, list[str]] = {}
    for at in sorted({*(n for n in _SHOWN_AT if n < n_events), n_events}):
        session.grow_to(at)
        objects = objects_of(root)
        size = disk_mb(root / "sessions")
        rows[f"{at:,}"] = [megabytes(size), megabytes(objects.loose_mb), str(session.last)]
    yield table(["events", "the file", "loose objects", "the last commit"], rows)
    rows = {}
    for window in _WINDOWS:
        options = ("-a", "-d", "-q", f"--window={window}", *(("-f",) if rows else ()))
        cost = timed(partial(run_git, root, "repack", *options))
        rows[f"`--window={window}`"] = [str(cost), megabytes(objects_of(root).pack_mb)]
    shutil.rmtree(root)
    yield f"All versions of these {n_events:,} events packed by `git repack -a -d`:"
    yield table(["option", "took", "pack"], rows)


def measure_ways(folder: Path, n_events: int) -> Iterator[str]:
    """A table of how one long session could be kept."""
    columns = [
        "",
        "all commits",
        "loose at most",
        "`.git` at most",
        "packing",
        "then `git gc`",
        "`.git` after",
    ]
    ways: dict[str, tuple[int, Housekeeping | None]] = {
        f"a file per {n:,} events": (n, None) for n in (500, 2_000, 5_000) if n < n_events
    }
    ways |= {
        "one file, our housekeeping": (n_events, keep_our_house),
        "one file, `repack --geometric=2`": (n_events, partial(repack_by, "--geometric=2")),
        "one file, `repack --window=1`": (n_events, partial(repack_by, "--window=1")),
        "a file per 2,000 events, our housekeeping": (2_000, keep_our_house),
    }
    rows: dict[str, list[str]] = {}
    for name, (roll_at, housekeeping) in ways.items():
        root = folder / "session"
        session = GrowingSession(root, roll_at=roll_at, housekeeping=housekeeping)
        session.grow_to(n_events)
        collected = timed(partial(run_git, root, "gc", "--quiet"))
        rows[name] = [
            in_words(session.commits.cpu_s),
            megabytes(session.most_loose_mb),
            megabytes(session.peak_mb),
            in_words(session.house.cpu_s),
            in_words(collected.cpu_s),
            megabytes(disk_mb(root / ".git")),
        ]
        shutil.rmtree(root)
        print(f"{name}: {', '.join(rows[name])}", file=sys.stderr, flush=True)
    yield f"{n_events:,} events in one file or several, and packed in between or not:"
    yield table(columns, rows)


def measure_folders(folder: Path) -> Iterator[str]:
    """A table of how many memories may stand in a folder, of the same number in all."""
    total = max(_FOLDERS)
    rows = {f"{n:,}": _measure_folder(folder / "folders", total, n) for n in _FOLDERS}
    yield f"{total:,} memories, in folders of so many:"
    yield table(
        [
            "files in a folder",
            "our commit of a new one",
            "it adds",
            "`git commit` of one",
            "`git log -1 -- FILE`",
            "`git status`",
        ],
        rows,
    )


def _measure_folder(root: Path, total: int, per_folder: int) -> list[str]:
    make_journal(root)
    feed(root, _commits_of(list(memories_in_folders(total, per_folder=per_folder))))
    first = min((root / "memories").rglob("*.md"))
    month = datetime.strptime(first.parent.name, "%Y-%m").replace(tzinfo=UTC)
    numbers = iter(range(total, 2 * total))

    def add() -> str:
        number = next(numbers)
        ((path, content),) = rendered_memory(
            number, created=month, project="/".join(first.parts[-5:-2])
        ).items()
        (root / path).write_bytes(content)
        return path

    def plain() -> None:
        run_git(root, "add", path := add())
        run_git(root, "commit", "--quiet", "-m", "add", path)

    before = objects_of(root).loose_mb
    ours = in_turns({"ours": lambda: commit(root, add())}, n=_N_TIMES)["ours"]
    added_kb = (objects_of(root).loose_mb - before) / (_N_TIMES + 1) * 1e3
    inside = first.relative_to(root).as_posix()
    others = in_turns(
        {
            "plain": plain,
            "log": lambda: run_git(root, "log", "-1", "--format=%h", "--", inside),
            "status": lambda: run_git(root, "status", "--porcelain"),
        },
        n=_N_TIMES,
    )
    shutil.rmtree(root)
    return [str(ours), f"{added_kb:,.0f} kB", *map(str, others.values())]


def _commits_of(memories: list[dict[str, bytes]]) -> Iterator[bytes]:
    for start in range(0, len(memories), _MEMORIES_PER_COMMIT):
        files: dict[str, bytes] = {}
        for one in memories[start : start + _MEMORIES_PER_COMMIT]:
            files.update(one)
        yield rendered_commit(_STARTED + timedelta(minutes=start), files, is_first=start == 0)
