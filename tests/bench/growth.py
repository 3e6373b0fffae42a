"""How memjournal grows: the same figures for journals of a thousand to a million entries.

Each figure is taken by the same code at each size. SQLite's FTS5, tantivy and grep do their work on
the same texts in the same run: what compares is the ratio, whatever else the machine does.

    python tests/bench/growth.py 1000 10000 --json growth.json --plot growth.svg
    python tests/bench/growth.py --plot growth.svg --json growth.json     # of what was measured before
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, Literal

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from growth_plot import plot
from make_memories import make_event, make_memories
from questions import make_questions, percentile
from speed import MEM, machine

from memjournal.cli.context import Context
from memjournal.cli.daemon_link import place_of
from memjournal.indexer.daemon.client import DaemonClient
from memjournal.indexer.index import JournalIndex
from memjournal.indexer.search.answer import SearchRequest
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.redaction import Redactor
from memjournal.journal.store import Journal

Figures = dict[str, float]
Leg = Literal["keyword", "hybrid"]

SIZES: Final = (1_000, 10_000)
EVENTS: Final = 0.3  # of the entries; the others are memories, which are some five times as long
_N_QUESTIONS: Final = 200
_N_EDITS: Final = 50
_HUGE_SESSION: Final = 20_000  # events
_LEGS: Final[tuple[Leg, ...]] = ("keyword", "hybrid")
_AT_ONCE: Final = {"patience_s": 0.0, "timeout_s": 60.0}  # not waiting for what was just saved
_SAMPLE_S: Final = 0.1
_PASS_BYTES: Final = 105_000_000  # what a hybrid search at 100,000 entries reads of vectors
_BEAT_S: Final = 3.0  # after which a daemon has given back what it took for work
_FOUND_WITHIN_S: Final = 60.0

ROWS: Final = (  # figure, name, unit, goal
    ("events", "of the entries, events in sessions", "", ""),
    ("rebuild_rate", "rebuild, both indexes: entries per second", "", "≥ 1,000 at 100k"),
    ("rebuild_cpu_s", "rebuild: CPU of all processes", "s", ""),
    ("rebuild_peak_mib", "rebuild: peak memory of all processes", "MiB", "≤ 1,500 at 100k"),
    ("disk_mb", "size on disk", "MB", ""),
    ("journal_mb", "the journal's own files", "MB", ""),
    ("keyword_p50_ms", "warm search by keyword, p50", "ms", ""),
    ("keyword_p95_ms", "warm search by keyword, p95", "ms", "≤ 20 at 100k"),
    ("hybrid_p50_ms", "warm search, hybrid, p50", "ms", ""),
    ("hybrid_p95_ms", "warm search, hybrid, p95", "ms", "≤ 35 at 100k, ≤ 250 at 1M"),
    ("memory_pass_ms", "the machine then: one core adds up 105 MB of numbers", "ms", ""),
    ("with_daemon_cpu_s", "`mem search` beside a daemon: CPU", "s", "≤ 0.25"),
    ("cold_keyword_cpu_s", "`mem search --by keyword`, no daemon: CPU", "s", "≤ 0.6"),
    ("cold_hybrid_cpu_s", "`mem search`, no daemon: CPU", "s", ""),
    ("edit_p50_ms", "a save to searchable, p50", "ms", ""),
    ("edit_p95_ms", "a save to searchable, p95", "ms", "≤ 300 at 100k"),
    ("reconcile_s", "reconcile, nothing changed", "s", "≤ 3 at 100k"),
    ("small_growth_ms", "one event more in a session of 60: CPU", "ms", ""),
    ("huge_growth_ms", f"one event more in a session of {_HUGE_SESSION:,}: CPU", "ms", ""),
    ("daemon_mib", "daemon, resident", "MiB", "≤ 400 at 100k"),
    ("fts5_build_rate", "SQLite FTS5: entries per second", "", ""),
    ("fts5_disk_mb", "SQLite FTS5: size on disk", "MB", ""),
    ("fts5_search_p50_ms", "SQLite FTS5: search, p50", "ms", ""),
    ("fts5_search_p95_ms", "SQLite FTS5: search, p95", "ms", ""),
    ("fts5_edit_p95_ms", "SQLite FTS5: one text replaced, p95", "ms", ""),
    ("tantivy_build_rate", "tantivy: entries per second", "", ""),
    ("tantivy_disk_mb", "tantivy: size on disk", "MB", ""),
    ("tantivy_search_p50_ms", "tantivy: search, p50", "ms", ""),
    ("tantivy_search_p95_ms", "tantivy: search, p95", "ms", ""),
    ("tantivy_edit_p95_ms", "tantivy: one text replaced, p95", "ms", ""),
    ("grep_search_p50_ms", "grep: one word in all files", "ms", ""),
)
PLOTTED: Final = {
    "keyword_p95_ms": "search by keyword, p95",
    "hybrid_p95_ms": "search, hybrid, p95",
    "edit_p95_ms": "a save to searchable, p95",
    "huge_growth_ms": "one event more",
    "fts5_search_p95_ms": "FTS5 search, p95",
    "tantivy_search_p95_ms": "tantivy search, p95",
    "grep_search_p50_ms": "grep, one word",
}


@dataclass(frozen=True, slots=True)
class Run:
    """What a process and its children took."""

    wall_s: float
    cpu_s: float
    peak_mib: float


class Bench:
    """One journal of one size, and ``mem`` on it."""

    def __init__(self, scratch: Path, count: int, *, events: float) -> None:
        self.count, self.scratch = count, scratch
        self.root = scratch / "journal"
        make_memories(self.root, count=count, sessions=events)
        self.figures: Figures = {"events": events, "journal_mb": folder_mb(self.root)}

    @property
    def index(self) -> JournalIndex:
        """The index, as ``mem`` opens it."""
        return Context(journal_option=self.root).index

    def mem(self, *arguments: str) -> Run:
        """Run ``mem`` and measure it."""
        return run([*MEM, "--journal", str(self.root), *arguments])

    def measure(self) -> Figures:
        """All figures."""
        self.rebuild()
        self.cold()
        self.reconcile()
        self.beside_a_daemon()
        for name in ("fts5", "tantivy", "grep"):
            self.compare_with(name)
        self.grow()
        return self.figures

    def rebuild(self) -> None:
        taken = self.mem("index", "--rebuild")
        self.figures |= {
            "rebuild_rate": self.count / taken.wall_s,
            "rebuild_cpu_s": taken.cpu_s,
            "rebuild_peak_mib": taken.peak_mib,
            "disk_mb": folder_mb(self.root / "index"),
        }

    def cold(self) -> None:
        (question,) = make_questions(self.root, 1)
        for name, by in (("cold_keyword_cpu_s", "keyword"), ("cold_hybrid_cpu_s", "hybrid")):
            self.figures[name] = self._usual_cpu_s("search", question, "--by", by)

    def reconcile(self) -> None:
        index = self.index
        index.update(now_ns=time.time_ns() + 10**9)  # what was just written is settled by then
        self.figures["reconcile_s"] = percentile(
            [timed(lambda: index.update(now_ns=time.time_ns())) for _ in range(5)], 50
        )

    def beside_a_daemon(self) -> None:
        self.mem("daemon", "start")
        try:
            with contextlib.closing(self._client()) as client:
                self._wait_until_idle(client)
                self._ask(client)
                self.figures["with_daemon_cpu_s"] = self._usual_cpu_s("search", "pool timeout")
                self._edit(client)
                time.sleep(_BEAT_S)
                self.figures["daemon_mib"] = resident_mib(client.state.pid)
        finally:
            self.mem("daemon", "stop")

    def _usual_cpu_s(self, *arguments: str) -> float:
        """CPU of ``mem`` with *arguments*, when it has run once before."""
        self.mem(*arguments)
        return percentile([self.mem(*arguments).cpu_s for _ in range(9)], 50)

    def _client(self) -> DaemonClient:
        place = place_of(Context(journal_option=self.root))
        state = place.read_state()
        assert state is not None
        return DaemonClient.open(place, state)

    def _wait_until_idle(self, client: DaemonClient) -> None:
        deadline = time.monotonic() + 600
        while not client.refresh(None, patience_s=10.0)[0]:
            assert time.monotonic() < deadline, "the daemon does not come to rest"

    @property
    def mark(self) -> str:
        """What tells the daemon that it is asked with its own settings."""
        return Context(journal_option=self.root).index_mark

    def _ask(self, client: DaemonClient) -> None:
        questions = ("warm up", *make_questions(self.root, _N_QUESTIONS))
        passes = [memory_pass_s()]
        for by in _LEGS:
            taken = [
                timed(partial(client.search, _request(question, by), mark=self.mark, **_AT_ONCE))
                for question in questions
            ]
            self.figures |= {
                f"{by}_p50_ms": 1e3 * percentile(taken[1:], 50),
                f"{by}_p95_ms": 1e3 * percentile(taken[1:], 95),
            }
            passes.append(memory_pass_s())
        self.figures["memory_pass_ms"] = 1e3 * percentile(passes, 50)

    def _edit(self, client: DaemonClient) -> None:
        """Save a file as an editor does, and ask until it is found; nobody tells the daemon."""
        path = self.root / "notes/edited.md"
        path.parent.mkdir(exist_ok=True)
        mark = self.mark
        taken = []
        for number in range(_N_EDITS):
            word = f"justsaved{number}"
            beside = path.with_suffix(".tmp")
            beside.write_text(f"# edited\n\n{word} pool timeout\n", "utf-8")
            started = time.perf_counter()
            os.replace(beside, path)
            while not _finds(client, word, "notes/edited.md", mark=mark):
                assert time.perf_counter() - started < _FOUND_WITHIN_S, f"{word} is not found"
                time.sleep(0.005)
            taken.append(time.perf_counter() - started)
        self.figures |= {
            "edit_p50_ms": 1e3 * percentile(taken, 50),
            "edit_p95_ms": 1e3 * percentile(taken, 95),
        }

    def grow(self) -> None:
        """One event more in a session, small and huge."""
        index = self.index
        for name, n_events in (("small_growth_ms", 60), ("huge_growth_ms", _HUGE_SESSION)):
            header = SessionHeader(
                session=f"grown-{n_events}",
                project="github.com/acme/shop",
                agent="claude-code",
                started=datetime(2026, 11, 1, tzinfo=UTC),
            )
            log = Journal(self.root, redactor=Redactor()).open_session(header)
            rng = np.random.default_rng(n_events)
            log.append([make_event(rng, 10**9 + n, n, header) for n in range(n_events)])
            path = log.path.relative_to(self.root).as_posix()
            index.update(now_ns=time.time_ns() + 10**9, only=[path])
            taken = []
            for number in range(10):
                at = header.started + timedelta(days=1, seconds=number)
                log.append(
                    [Event(keys=(f"more-{number}",), type="user_prompt", at=at, text="환불 refund")]
                )
                started = time.process_time()
                index.update(now_ns=time.time_ns(), only=[path])
                taken.append(time.process_time() - started)
            self.figures[name] = 1e3 * percentile(taken, 50)

    def compare_with(self, name: str) -> None:
        command = [sys.executable, str(Path(__file__).with_name("engines.py")), name]
        done = subprocess.run(
            [*command, str(self.root), str(self.scratch)],
            capture_output=True,
            check=False,
            encoding="utf-8",
        )
        if "No module named 'tantivy'" in done.stderr:
            return
        if done.returncode:
            raise SystemExit(done.stderr)
        found: Figures = json.loads(done.stdout)
        self.figures |= {f"{name}_{figure}": value for figure, value in found.items()}
        if "build_wall_s" in found:
            self.figures[f"{name}_build_rate"] = self.count / found["build_wall_s"]


def _request(text: str, by: Leg) -> SearchRequest:
    return SearchRequest(text=text, by=by, now=datetime.now(UTC))


def _finds(client: DaemonClient, word: str, path: str, *, mark: str) -> bool:
    """Whether a search for *word* gives the file at *path*."""
    answer, _ = client.search(_request(word, "keyword"), mark=mark, **_AT_ONCE)
    return path in [hit.row.path for hit in answer.hits]


# --- measuring ----------------------------------------------------------------------------------


def timed(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def memory_pass_s() -> float:
    """What one pass over some memory takes at the moment: machines that are shared are uneven."""
    numbers = np.ones(_PASS_BYTES // 8)
    return percentile([timed(numbers.sum) for _ in range(15)], 50)


def run(command: Sequence[str]) -> Run:
    """Run a process to its end; what it prints is read and dropped."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    with _watched(process.pid) as peaks:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {said.decode()}")
    return Run(
        time.perf_counter() - started,
        usage.ru_utime + usage.ru_stime,
        max(*peaks, usage.ru_maxrss / 1024),
    )


@contextlib.contextmanager
def _watched(pid: int) -> Iterator[list[float]]:
    """The memory of a process and all below it, looked at again and again."""
    seen = [0.0]
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(_SAMPLE_S):
            seen.append(sum(proportional_mib(one) for one in family(pid)))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        is_over.set()
        watcher.join()


def family(pid: int) -> Iterator[int]:
    """A process and those that it has started, where the system tells."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from family(int(child))


def proportional_mib(pid: int) -> float:
    """Memory of a process; what it shares with others counts in part."""
    return _memory_mib(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def resident_mib(pid: int) -> float:
    """Memory of a process, with all that it shares."""
    return _memory_mib(Path(f"/proc/{pid}/status"), "VmRSS:")


def _memory_mib(file: Path, name: str) -> float:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def folder_mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


# --- telling ------------------------------------------------------------------------------------


def print_table(measured: Mapping[int, Figures]) -> None:
    """All figures, a column for each size."""
    sizes = sorted(measured)
    print(f"{machine()}\n")
    print(f"| figure | {' | '.join(f'{size:,}' for size in sizes)} | goal |")
    print(f"|---|{'---:|' * len(sizes)}---|")
    for figure, name, unit, goal in ROWS:
        cells = " | ".join(_cell(measured[size].get(figure), unit) for size in sizes)
        print(f"| {name} | {cells} | {goal} |")


def _cell(value: float | None, unit: str) -> str:
    if value is None:
        return "not installed"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}".strip()


def draw(measured: Mapping[int, Figures]) -> str:
    """The plot of what people wait for."""
    series = {
        name: [
            (size, measured[size][figure]) for size in sorted(measured) if figure in measured[size]
        ]
        for figure, name in PLOTTED.items()
    }
    return plot(
        {name: line for name, line in series.items() if line},
        title="What is waited for, by the size of the journal",
        x_name="entries",
        y_name="milliseconds",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*")
    parser.add_argument("--json", type=Path, help="keep the figures there, beside those of before")
    parser.add_argument("--plot", type=Path, help="draw them there, as SVG")
    parser.add_argument("--events", type=float, default=EVENTS, help="share of the entries")
    parser.add_argument("--scratch", type=Path, help="where journals are made; needs 5 kB an entry")
    given = parser.parse_args()
    measured: dict[int, Figures] = {}
    if given.json and given.json.exists():
        measured = {int(size): one for size, one in json.loads(given.json.read_text()).items()}
    for size in given.sizes or ([] if measured else SIZES):
        measured[size] = measure(size, given.scratch, events=given.events)
        if given.json:
            given.json.write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
    print_table(measured)
    if given.plot:
        given.plot.write_text(draw(measured), "utf-8")


def measure(size: int, folder: Path | None, *, events: float) -> Figures:
    """The figures of one size, in a home of its own."""
    scratch = Path(tempfile.mkdtemp(dir=folder))
    home = {f"XDG_{name}_HOME": str(scratch / name) for name in ("CONFIG", "CACHE", "STATE")}
    os.environ |= {"HOME": str(scratch), "MEMJOURNAL_DAEMON_AUTOSTART": "never", **home}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is measured is not compiled each time
    try:
        return Bench(scratch, size, events=events).measure()
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
