"""What a hook costs the assistant that waits for it, as whole processes beside a bare Python.

The commands take turns, so that what else the machine does falls on all of them alike; a ratio is that of
two medians. With ``--journal`` recall is measured in a journal that is there and indexed; without it, in one that is
made here. What Claude Code's other types of hooks would save is measured beside it: an ``http`` hook is a request
over a connection of its own, an ``async`` one costs what it costs, and nobody waits for it.

    python tests/bench/hooks.py            # prints the table of docs/performance.md
"""

from __future__ import annotations

import argparse
import http.client
import http.server
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from make_memories import PROJECTS, make_memories
from speed import MEM, machine, run_once

RUNS = 40
PARALLEL = 16
BARE = (sys.executable, "-c", "pass")
PROMPTS = (
    "why does the refund webhook retry after a timeout?",
    "환불 웹훅이 시간 초과 뒤에 다시 시도되는 이유가 뭐였지?",
)


@dataclass(frozen=True)
class Cost:
    """One process: CPU seconds of user and system, and how long it was waited for."""

    cpu_s: float
    wall_s: float


def hook_command() -> tuple[str, ...]:
    """The script that installing made, as an assistant runs it; without one, the same by hand."""
    script = Path(sys.executable).with_name("mem-hook")
    if script.exists():
        return (str(script),)
    return (sys.executable, "-c", "from memjournal.cli.mem_hook import main; main()")


def run(command: Sequence[str], payload: bytes, environ: Mapping[str, str], cwd: Path) -> Cost:
    """Run *command* with *payload*, and return what it took."""
    with tempfile.TemporaryFile() as given:
        given.write(payload)
        given.seek(0)
        started = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=given, stdout=subprocess.DEVNULL, env=dict(environ), cwd=cwd
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return Cost(usage.ru_utime + usage.ru_stime, wall_s)


def take_turns(ways: Mapping[str, Callable[[int], Cost]], *, runs: int) -> dict[str, Cost]:
    """The medians of each way after a run that is not counted."""
    costs: dict[str, list[Cost]] = {name: [] for name in ways}
    for number in range(runs + 1):
        for name, way in ways.items():
            cost = way(number)
            if number:
                costs[name].append(cost)
    return {
        name: Cost(
            statistics.median(one.cpu_s for one in each),
            statistics.median(one.wall_s for one in each),
        )
        for name, each in costs.items()
    }


def failure(number: int) -> bytes:
    """The payload of a small command that failed; another one for each number."""
    return json.dumps(
        {
            "session_id": f"{os.getpid():08x}-1f0b-4b7e-9d3e-1c2b7f0a9c11",
            "cwd": "/srv/shop",
            "hook_event_name": "PostToolUseFailure",
            "prompt_id": "1f6d0c0e-1f0b-4b7e-9d3e-1c2b7f0a9c11",
            "tool_name": "Bash",
            "tool_input": {"command": "pytest -q tests/test_auth.py", "description": "Run tests"},
            "tool_use_id": f"toolu_{number:024d}",
            "error": "Exit code 1\nE   AssertionError: assert 3 == 4\n1 failed, 3 passed in 0.21s",
            "is_interrupt": False,
        }
    ).encode()


def ask(number: int, environ: Mapping[str, str], folder: Path) -> Cost:
    """What a prompt in *folder* costs, in a session of its own that has begun: nothing is told twice in one."""
    common = {
        "session_id": f"{folder.stat().st_ino:08x}-1f0b-4b7e-9d3e-{os.getpid():06d}{number:06d}",
        "cwd": str(folder),
    }
    begun = {"hook_event_name": "SessionStart", "source": "startup"}
    asked = {
        "hook_event_name": "UserPromptSubmit",
        "prompt_id": f"3f6d0c0e-1f0b-4b7e-9d3e-{number:012d}",
        "prompt": PROMPTS[number % len(PROMPTS)],
    }
    for fields in (begun, asked):
        command = (*hook_command(), "claude-code", fields["hook_event_name"])
        cost = run(command, json.dumps({**common, **fields}).encode(), environ, folder)
    return cost


def make_folders(top: Path) -> tuple[Path, Path]:
    """A folder of a project that the journal knows, and one of a project that is new to it."""
    known, new = top / "known", top / "new"
    new.mkdir()
    (known / ".git").mkdir(parents=True)
    remote = f'[remote "origin"]\n\turl = https://{PROJECTS[0]}.git\n'
    (known / ".git" / "config").write_text(remote, "utf-8")
    (known / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    return known, new


def wait_for_daemon(environ: dict[str, str], cwd: Path) -> None:
    """Start the daemon, and let its index follow the files."""
    run_once((*MEM, "index"), environ, cwd)
    run_once((*MEM, "daemon", "start"), environ, cwd)
    run_once((*MEM, "search", PROMPTS[0]), environ, cwd)


def row(name: str, cost: Cost, bare: Cost, goal: str) -> None:
    print(
        f"| {name} | {cost.cpu_s * 1e3:.0f} ms, {cost.cpu_s / bare.cpu_s:.1f}×"
        f" | {cost.wall_s * 1e3:.0f} ms, {cost.wall_s / bare.wall_s:.1f}× | {goal} |"
    )


def measure_without_daemon(environ: dict[str, str], cwd: Path, *, runs: int) -> None:
    ways = {
        "bare": lambda _: run(BARE, b"", environ, cwd),
        "alone": lambda number: run(
            (*hook_command(), "claude-code", "PostToolUseFailure"), failure(number), environ, cwd
        ),
    }
    costs = take_turns(ways, runs=runs)
    row("`python -c pass`", costs["bare"], costs["bare"], "")
    row("a failed command, no daemon", costs["alone"], costs["bare"], "≤ 5×")


def measure_beside_daemon(environ: dict[str, str], cwd: Path, *, runs: int) -> None:
    known, new = make_folders(cwd)
    wait_for_daemon(environ, cwd)
    server, port = serve_nothing()
    try:
        ways = {
            "bare": lambda _: run(BARE, b"", environ, cwd),
            "capture": lambda number: run(
                (*hook_command(), "claude-code", "PostToolUseFailure"),
                failure(1_000_000 + number),
                environ,
                cwd,
            ),
            "known": lambda number: ask(number, environ, known),
            "new": lambda number: ask(number, environ, new),
            "http": lambda number: post(port, failure(number)),
        }
        costs = take_turns(ways, runs=runs)
        row("`python -c pass`", costs["bare"], costs["bare"], "")
        row("a failed command, beside a daemon", costs["capture"], costs["bare"], "≤ 2×")
        size = f"{count_entries(environ, cwd):,} entries"
        row(f"recall with a prompt, {size}", costs["known"], costs["bare"], "≤ 3×")
        row("the same in a project that is new", costs["new"], costs["bare"], "≤ 3×")
        row("the request of an `http` hook alone", costs["http"], costs["bare"], "")
        slowest_s = run_in_parallel(environ, cwd)
        print(f"| {PARALLEL} hooks at once, the slowest | | {slowest_s * 1e3:.0f} ms | ≤ 1 s |")
    finally:
        server.shutdown()
        run_once((*MEM, "daemon", "stop"), environ, cwd)


def count_entries(environ: dict[str, str], cwd: Path) -> int:
    status = subprocess.check_output((*MEM, "status", "--json"), env=environ, cwd=cwd)
    return int(json.loads(status)["entries"])


def run_in_parallel(environ: dict[str, str], cwd: Path) -> float:
    """Seconds that the slowest of several hooks took, all started at once."""
    walls: list[float] = []

    def one(number: int) -> None:
        command = (*hook_command(), "claude-code", "PostToolUseFailure")
        walls.append(run(command, failure(2_000_000 + number), environ, cwd).wall_s)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(PARALLEL)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(walls)


class _Nothing(http.server.BaseHTTPRequestHandler):
    """Answers at once."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        pass


def serve_nothing() -> tuple[http.server.ThreadingHTTPServer, int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Nothing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, server.server_port


def post(port: int, payload: bytes) -> Cost:
    """One request, as an assistant would send it from its own process."""
    cpu, wall = time.process_time(), time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/", payload)
    connection.getresponse().read()
    connection.close()
    return Cost(time.process_time() - cpu, time.perf_counter() - wall)


def check_stored(root: Path, count: int) -> None:
    """What was measured was done: so many failed commands are in the journal."""
    found = sum(
        path.read_text("utf-8").count(" key=toolu_")
        for path in (root / "sessions").rglob(f"*--{os.getpid():08x}.md")
    )
    if found != count:
        raise SystemExit(f"{found} of {count} hooks were stored")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--journal", type=Path, help="One that is there; it is written to.")
    parser.add_argument("--state", type=Path, help="XDG_STATE_HOME, with which it was indexed.")
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="b") as scratch:
        top = Path(scratch)
        root = given.journal or top / "memjournal"
        if given.journal is None:
            make_memories(root, count=given.memories)
        environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("MEMJOURNAL", "PYTHONDONTWRITEBYTECODE"))
        }
        environ |= {"HOME": scratch, "MEMJOURNAL_HOME": str(root), "NO_COLOR": "1"}
        environ["XDG_STATE_HOME"] = str(given.state or top / "s")
        environ |= {"XDG_CONFIG_HOME": str(top / "config"), "MEMJOURNAL_DAEMON_AUTOSTART": "never"}
        print(f"{machine()}\n\n| a hook | CPU | waited for | goal |\n|---|---|---|---|")
        measure_without_daemon(environ, top, runs=given.runs)
        check_stored(root, given.runs + 1)
        measure_beside_daemon(environ, top, runs=given.runs)
        check_stored(root, 2 * (given.runs + 1) + PARALLEL)


if __name__ == "__main__":
    main()
