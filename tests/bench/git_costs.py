"""What git costs: time of everything that is waited for, and the room that a repository takes.

Whatever else the machine does meanwhile, CPU seconds of this process and of the programs that it waits for
say what was done; wall time says how long it took beside that.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took."""

    cpu_s: float
    wall_s: float

    def __str__(self) -> str:
        return f"{in_words(self.cpu_s)} ({in_words(self.wall_s)})"

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu_s + other.cpu_s, self.wall_s + other.wall_s)


NOTHING = Cost(0.0, 0.0)


def in_words(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds:,.0f} s"


def timed(task: Callable[[], object]) -> Cost:
    cpu, wall = _cpu_s(), time.perf_counter()
    task()
    return Cost(_cpu_s() - cpu, time.perf_counter() - wall)


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def in_turns(tasks: Mapping[str, Callable[[], object]], *, n: int) -> dict[str, Cost]:
    """The median of *n* runs of each task; they take turns, after one that does not count."""
    taken: dict[str, list[Cost]] = {name: [] for name in tasks}
    for turn in range(n + 1):
        for name, task in tasks.items():
            cost = timed(task)
            if turn:
                taken[name].append(cost)
    return {name: median(costs) for name, costs in taken.items()}


def median(costs: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.cpu_s for cost in costs),
        statistics.median(cost.wall_s for cost in costs),
    )


def run_git(root: Path, *arguments: str) -> str:
    """What git prints; nothing of the user's configuration counts."""
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return done.stdout


def without_user_settings() -> None:
    """Let every git that is started from here on know the repository's own settings alone."""
    os.environ.update(
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_AUTHOR_NAME="bench",
        GIT_AUTHOR_EMAIL="bench@memjournal.invalid",
        GIT_COMMITTER_NAME="bench",
        GIT_COMMITTER_EMAIL="bench@memjournal.invalid",
    )


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a repository, as git counts them."""

    n_loose: int
    loose_mb: float
    n_packs: int
    pack_mb: float


def objects_of(root: Path) -> Objects:
    lines = (line.split(": ") for line in run_git(root, "count-objects", "-v").splitlines())
    counted = {name: int(number) for name, number in lines if number.isdigit()}
    kib = 1024 / 1e6
    return Objects(
        counted["count"], counted["size"] * kib, counted["packs"], counted["size-pack"] * kib
    )


def disk_mb(folder: Path) -> float:
    """The bytes of all files below *folder*, without what the file system rounds up."""
    n_bytes = 0
    for place, _, names in os.walk(folder):
        n_bytes += sum(os.lstat(os.path.join(place, name)).st_size for name in names)
    return n_bytes / 1e6


def megabytes(number: float) -> str:
    return f"{number:,.1f} MB" if number < 100 else f"{number:,.0f} MB"


def table(columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    """Markdown, the first column named by the keys."""
    lines = ["| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]
    lines += ["| " + " | ".join((name, *cells)) + " |" for name, cells in rows.items()]
    return "\n".join(lines)
