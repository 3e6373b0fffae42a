"""What memjournal costs, as whole processes: CPU seconds of user and system, medians of several runs.

Every figure of a run is taken on the same machine in the same minutes, and the ratios to a bare
Python say what travels between machines.

    python tests/bench/speed.py            # prints the tables of docs/performance.md
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from make_memories import make_memories
from make_transcripts import make_transcript

MEM = (sys.executable, "-P", "-m", "memjournal.cli")


@dataclass(frozen=True)
class Cost:
    """One process, or the median of several."""

    cpu_s: float
    wall_s: float
    peak_mib: float


def run_once(command: Sequence[str], environ: dict[str, str], cwd: Path) -> Cost:
    """Run *command* and return what the operating system counted for it."""
    started = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(
            command, stdout=nowhere, stderr=subprocess.PIPE, env=environ, cwd=cwd
        )
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {said.decode()}")
    return Cost(
        usage.ru_utime + usage.ru_stime, time.perf_counter() - started, usage.ru_maxrss / 1024
    )


def run(command: Sequence[str], environ: dict[str, str], cwd: Path, *, runs: int = 5) -> Cost:
    """The median of *runs* after one that is not counted."""
    run_once(command, environ, cwd)
    costs = [run_once(command, environ, cwd) for _ in range(runs)]
    return Cost(
        statistics.median(cost.cpu_s for cost in costs),
        statistics.median(cost.wall_s for cost in costs),
        max(cost.peak_mib for cost in costs),
    )


def installed_mb(name: str) -> tuple[float, float]:
    """Megabytes of a distribution and of all that it needs: as shipped, and Python's bytecode of it."""
    seen: set[str] = set()
    waiting, shipped, bytecode = [name], 0, 0
    while waiting:
        current = waiting.pop().lower().replace("_", "-")
        if current in seen:
            continue
        seen.add(current)
        try:
            package = distribution(current)
        except PackageNotFoundError:
            continue  # needed on other systems only
        for file in package.files or ():
            path = Path(str(file.locate()))
            size = path.stat().st_size if path.is_file() else 0
            if path.suffix == ".pyc":
                bytecode += size
            else:
                shipped += size
        for requirement in package.requires or ():
            if "extra ==" not in requirement:
                waiting.append(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    return shipped / 1e6, bytecode / 1e6


def machine() -> str:
    """The machine in a line."""
    model = (
        next(
            (
                line.partition(":")[2].strip()
                for line in Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")
            ),
            platform.processor(),
        )
        if Path("/proc/cpuinfo").exists()
        else platform.processor()
    )
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    )


def row(name: str, value: str, limit: str) -> None:
    print(f"| {name} | {value} | {limit} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--megabytes", type=int, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(Path(scratch), memories=given.memories, megabytes=given.megabytes)


def measure(scratch: Path, *, memories: int, megabytes: int) -> None:
    """Take every figure and print the table."""
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MEMJOURNAL", "PYTHONDONTWRITEBYTECODE"))
    }
    environ |= {"HOME": str(scratch), "XDG_CONFIG_HOME": str(scratch / "config"), "NO_COLOR": "1"}
    environ |= {"MEMJOURNAL_DAEMON_AUTOSTART": "never"}
    print(f"{machine()}\n")
    print("| figure | measured | goal |\n|---|---|---|")
    bare = run((sys.executable, "-c", "pass"), environ, scratch, runs=15)
    version = run((*MEM, "--version"), environ, scratch, runs=15)
    row("`python -c pass`", f"{bare.cpu_s * 1e3:.0f} ms CPU", "")
    row(
        "`mem --version`",
        f"{version.cpu_s * 1e3:.0f} ms CPU, {version.cpu_s / bare.cpu_s:.1f}× bare Python",
        "≤ 4×",
    )
    measure_import(scratch, environ, version, megabytes=megabytes)
    measure_search(scratch, environ, bare, memories=memories)
    shipped, bytecode = installed_mb("memjournal")
    row(
        "installed, with all it needs",
        f"{shipped:.0f} MB, and {bytecode:.0f} MB of bytecode that Python makes of it",
        "< 200 MB",
    )


def measure_import(
    scratch: Path, environ: dict[str, str], version: Cost, *, megabytes: int
) -> None:
    transcripts = scratch / "projects"
    n_records = sum(
        make_transcript(
            transcripts / "-home-dev-shop" / f"{number:08x}-0000-4000-8000-000000000000.jsonl",
            size_bytes=megabytes * 1_000_000 // 3,
            seed=number,
        )
        for number in range(3)
    )
    plain, indexed = scratch / "plain", scratch / "indexed"
    for root in (plain, indexed):
        run_once((*MEM, "init", str(root), "--no-git"), environ, scratch)
    importing = ("import", "--all", "--from", str(transcripts))
    cost = run_once((*MEM, "--journal", str(plain), *importing, "--no-index"), environ, scratch)
    row(
        f"import of {n_records:,} records ({megabytes} MB), journal only",
        f"{n_records / cost.cpu_s:,.0f} records per CPU s, {cost.peak_mib:.0f} MiB peak",
        "≥ 1,000",
    )
    keyword_only = environ | {"MEMJOURNAL_EMBEDDING_ENABLED": "false"}
    cost = run_once((*MEM, "--journal", str(indexed), *importing), keyword_only, scratch)
    row(
        "the same with the keyword index",
        f"{n_records / cost.cpu_s:,.0f} records per CPU s, {cost.peak_mib:.0f} MiB peak",
        "≥ 200",
    )
    both = run_once((*MEM, "--journal", str(plain), "index"), environ, scratch)
    row(
        "then both indexes for it",
        f"{n_records / both.cpu_s:,.0f} records per CPU s, {both.peak_mib:.0f} MiB peak",
        "",
    )
    again = run((*MEM, "--journal", str(plain), *importing), environ, scratch, runs=9)
    row(
        "the same import again, nothing new",
        f"{again.cpu_s * 1e3:.0f} ms CPU, {again.cpu_s / version.cpu_s:.1f}× `mem --version`",
        "≤ 2×",
    )


def measure_search(scratch: Path, environ: dict[str, str], bare: Cost, *, memories: int) -> None:
    root = scratch / "memories"
    make_memories(root, count=memories)
    built = run_once((*MEM, "--journal", str(root), "index"), environ, scratch)
    row(
        f"index of {memories:,} memories, from nothing",
        f"{memories / built.cpu_s:,.0f} memories per CPU s, {built.peak_mib:.0f} MiB peak,"
        f" {folder_mb(root / 'index'):.0f} MB",
        "",
    )
    for name, question in (
        ("English", "why does the refund webhook retry after a timeout"),
        ("Korean", "환불 웹훅 재시도 시간초과 원인"),
    ):
        for by, goal in (("keyword", "≤ 0.6 s"), ("hybrid", "≤ 1.6 s")):
            command = (*MEM, "--journal", str(root), "search", "--by", by, question)
            cost = run(command, environ, scratch)
            row(
                f"`mem search` as a process, {name}, {by}",
                f"{cost.cpu_s:.2f} s CPU, {cost.cpu_s / bare.cpu_s:.0f}× bare Python,"
                f" {cost.wall_s:.2f} s wall, {cost.peak_mib:.0f} MiB",
                goal,
            )
    unchanged = run((*MEM, "--journal", str(root), "index"), environ, scratch)
    row(f"`mem index`, {memories:,} files, nothing changed", f"{unchanged.cpu_s:.2f} s CPU", "")


def folder_mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


if __name__ == "__main__":
    main()
