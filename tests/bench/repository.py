"""How a journal's repository grows: sizes, and what commits, clones and housekeeping take.

``python tests/bench/repository.py 100000 1000000`` builds repositories as debounced commits make them, of
sessions and memories that memjournal itself rendered, and measures each. Times are CPU seconds of git and
of this process, for others may be at work on the machine; wall time is in brackets.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path

from memjournal.journal import git
from memjournal.journal.entry import Entry, EntryId
from memjournal.journal.event import Event, SessionHeader
from memjournal.journal.file_names import memory_path
from memjournal.journal.git.program import Git
from memjournal.journal.history.audit import audit
from memjournal.journal.ids import mint
from memjournal.journal.memory_file import render_memory
from memjournal.journal.purge.rewriting import rewrite
from memjournal.journal.session_file import render_event, render_header

START = datetime(2025, 1, 1, 9, 0, tzinfo=timezone(timedelta(hours=9)))
EVENTS_IN_A_COMMIT = 20  # what comes in while nothing has been quiet for 20 s
EVENTS_FOR_A_MEMORY = 10
LENGTHS = (20, 40, 60, 60, 80, 120, 300, 1000)  # of sessions, in events
WORDS = [
    "pool",
    "timeout",
    "결제",
    "환불",
    "정책",
    "cookie",
    "session",
    "인증",
    "토큰",
    "migration",
    "인덱스",
    "retry",
    "배포",
    "로그",
    "오류",
    "고침",
]
N_TIMES = 7
PROJECTS = ("github.com/acme/shop", "github.com/acme/api", "gitlab.com/team/웹")


class Journal:
    """A journal's history, written as a stream for `git fast-import`."""

    def __init__(self, root: Path, n_events: int) -> None:
        self.root = root
        self._random = random.Random(n_events)
        subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
        importing = ["git", "-C", str(root), "fast-import", "--quiet"]
        with subprocess.Popen(importing, stdin=subprocess.PIPE) as process:
            assert process.stdin is not None
            for part in self._commits(n_events):
                process.stdin.write(part)
        assert process.returncode == 0
        subprocess.run(["git", "-C", str(root), "reset", "-q", "--hard"], check=True)

    def words(self, n: int) -> str:
        return " ".join(self._random.choices(WORDS, k=n))

    def _commits(self, n_events: int) -> Iterator[bytes]:
        n_done, n_sessions = 0, 0
        while n_done < n_events:
            length = min(self._random.choice(LENGTHS), n_events - n_done)
            yield from self._session(n_sessions, n_done, length)
            n_sessions, n_done = n_sessions + 1, n_done + length

    def _session(self, number: int, first: int, length: int) -> Iterator[bytes]:
        project = self._random.choice(PROJECTS)
        started = START + timedelta(minutes=first)
        header = SessionHeader(
            session=f"s{number}", project=project, agent="claude-code", started=started
        )
        name = f"{project.rsplit('/', 1)[1]}--{mint(f's{number}')}.md"
        path = f"sessions/{started:%Y/%m/%d}/{name}"
        content = render_header(header).encode()
        for begin in range(first, first + length, EVENTS_IN_A_COMMIT):
            numbers = range(begin, min(begin + EVENTS_IN_A_COMMIT, first + length))
            content += b"".join(map(self._event, numbers))
            files = {path: content}
            for n in numbers:
                if n % EVENTS_FOR_A_MEMORY == 0:
                    entry = self._memory(n, project)
                    files[memory_path(entry)] = render_memory(entry).encode()
            yield _commit(int((START + timedelta(minutes=begin)).timestamp()), files)

    def _event(self, number: int) -> bytes:
        event = Event(
            keys=(f"toolu_{number:012d}",),
            type="tool_output" if number % 3 else "user_prompt",
            at=START + timedelta(minutes=number),
            text=self.words(60),
            turn=number // 3,
            tool="Bash" if number % 3 else "",
        )
        return render_event(event, mint(f"e{number}"))

    def _memory(self, number: int, project: str) -> Entry:
        return Entry(
            id=EntryId(mint(f"m{number}")),
            kind="fact",
            type="decision",
            title=f"{self.words(3)} {number}",
            body=self.words(50),
            created=START + timedelta(minutes=number),
            project=project,
        )


def _commit(at: int, files: dict[str, bytes]) -> bytes:
    parts = [f"commit refs/heads/main\ncommitter x <x@y> {at} +0900\ndata 8\ncapture:\n".encode()]
    for path, content in files.items():
        parts += [f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n"]
    return b"".join(parts)


# --- measuring ----------------------------------------------------------------------------------


def cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(task: Callable[[], object]) -> tuple[float, float]:
    cpu, wall = cpu_s(), time.perf_counter()
    task()
    return cpu_s() - cpu, time.perf_counter() - wall


def run(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@y", *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def show(what: str, value: str) -> None:
    print(f"| {what} | {value} |", flush=True)


def in_time(taken: tuple[float, float]) -> str:
    return f"{taken[0]:.2f} s ({taken[1]:.2f})"


def measure_commits(root: Path) -> None:
    """Our commit of one event against git's own of one file, in turns."""
    session = max((root / "sessions").rglob("*.md"))
    inside = session.relative_to(root).as_posix()
    number = iter(range(10**9, 2 * 10**9))

    def ours() -> None:
        git.commit(root, [inside], "capture: 1 prompt", environ=os.environ, machine="laptop")

    def plain() -> None:
        run(root, "add", inside)
        run(root, "commit", "-q", "-m", "x")

    taken: dict[str, list[tuple[float, float]]] = {"ours": [], "plain": []}
    git.uncommitted(root, environ=os.environ)  # loads what is loaded once in a process
    for turn in range(N_TIMES + 1):
        for name, task in (("ours", ours), ("plain", plain)):
            with session.open("ab") as stream:
                stream.write(f"\n{next(number)}\n".encode())
            found = timed(task)
            if turn:
                taken[name].append(found)
    middle = {
        name: (statistics.median(one[0] for one in all_), statistics.median(one[1] for one in all_))
        for name, all_ in taken.items()
    }
    show("commit of one event, ours", in_time(middle["ours"]))
    show("`git add` and `git commit` of one file", in_time(middle["plain"]))
    show(
        "ours / git's, CPU (wall)",
        f"{middle['ours'][0] / middle['plain'][0]:.2f}"
        f" ({middle['ours'][1] / middle['plain'][1]:.2f})",
    )


def measure_history(root: Path, n_memories: int) -> None:
    """What it takes to go through all of the history, and to write it anew without one memory."""
    program = Git(root, os.environ)
    show("`mem audit`", in_time(timed(lambda: audit(program))))
    head = program.run(["rev-parse", "HEAD"])
    some = sorted((root / "memories").rglob("*.md"))[n_memories // 2].stem.rsplit("--", 1)[1]
    taken = timed(lambda: rewrite(program, root / ".git", [head], {some}))
    show("writing the history anew for `mem forget --purge`", in_time(taken))


def measure(folder: Path, n_events: int) -> None:
    root = folder / f"j{n_events}"
    print(f"\n### {n_events:,} events, {n_events // EVENTS_FOR_A_MEMORY:,} memories\n")
    print("| what | figure |\n|---|---|")
    show("building it with `git fast-import`", in_time(timed(lambda: Journal(root, n_events))))
    n_files = sum(1 for place in ("sessions", "memories") for _ in (root / place).rglob("*.md"))
    show("commits, files", f"{int(run(root, 'rev-list', '--count', 'HEAD')):,}, {n_files:,}")
    work = sum(size_of(root / place) for place in ("sessions", "memories"))
    show("files on disk", f"{work / 1e6:,.0f} MB")
    measure_commits(root)
    show("`git status`", in_time(timed(lambda: run(root, "status", "--porcelain"))))
    some = min((root / "memories").rglob("*.md")).relative_to(root).as_posix()
    show("`git log -1 -- one file`", in_time(timed(lambda: run(root, "log", "-1", "--", some))))
    show(".git before gc", f"{size_of(root / '.git') / 1e6:,.0f} MB")
    # What fast-import wrote is packed without looking for likeness; a journal's own objects come loose.
    show("`git repack -adf`", in_time(timed(lambda: run(root, "repack", "-adfq"))))
    show("`git gc`", in_time(timed(lambda: run(root, "gc", "-q"))))
    show(".git after gc", f"{size_of(root / '.git') / 1e6:,.0f} MB")
    measure_history(root, n_events // EVENTS_FOR_A_MEMORY)
    for what, options in (
        ("clone", ()),
        ("clone --depth 1", ("--depth", "1")),
        ("clone --filter=blob:none", ("--filter=blob:none",)),
    ):
        target = folder / "clone"
        run(root, "config", "uploadpack.allowFilter", "true")
        taken = timed(
            lambda target=target, options=options: run(
                folder, "clone", "-q", *options, f"file://{root}", str(target)
            )
        )
        show(what, f"{in_time(taken)}, .git {size_of(target / '.git') / 1e6:,.0f} MB")
        shutil.rmtree(target)
    shutil.rmtree(root)


def measure_long_session(folder: Path, n_events: int) -> None:
    """What one session costs that is committed again and again while it grows."""
    root = folder / "long"
    run(folder, "init", "-q", "-b", "main", str(root))
    header = SessionHeader(session="s", project="shop", agent="x", started=START)
    path = root / "sessions/2025/01/01/shop--long.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(render_header(header).encode())
    words = random.Random(1)
    show_at = {n_events // 10, n_events // 4, n_events // 2, n_events}
    took = [0.0, 0.0]
    for number in range(EVENTS_IN_A_COMMIT, n_events + 1, EVENTS_IN_A_COMMIT):
        with path.open("ab") as stream:
            for n in range(number - EVENTS_IN_A_COMMIT, number):
                event = Event(
                    keys=(f"k{n}",),
                    type="user_prompt",
                    at=START + timedelta(minutes=n),
                    text=" ".join(words.choices(WORDS, k=60)),
                )
                stream.write(render_event(event, mint(f"e{n}")))
        taken = timed(
            lambda: git.commit(
                root, [path.relative_to(root).as_posix()], "capture:", environ=os.environ
            )
        )
        took = [took[0] + taken[0], taken[0]]
        if number in show_at:
            loose = run(root, "count-objects", "-v").split("\n")[1].split(": ")[1]
            show(
                f"one session of {number:,} events ({path.stat().st_size / 1e6:.1f} MB): loose objects",
                f"{int(loose) / 1e3:,.0f} MB; the last commit {took[1] * 1e3:.0f} ms",
            )
    show("`git gc` of it", in_time(timed(lambda: run(root, "gc", "-q"))))
    show("its .git after gc", f"{size_of(root / '.git') / 1e6:,.1f} MB")
    shutil.rmtree(root)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--long", type=int, default=10_000, help="events of the long session")
    parser.add_argument("--folder", type=Path, help="where to build, on a real disk")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if options.long:
            print("### One long session\n\n| what | figure |\n|---|---|")
            measure_long_session(Path(folder), options.long)
        for size in options.sizes:
            measure(Path(folder), size)


if __name__ == "__main__":
    main()
