"""A process that is killed in the middle of a write leaves nothing for anybody to do by hand."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..waiting import wait_until
from .daemons import started, status

if TYPE_CHECKING:
    from .conftest import World

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")

WRITE = """
import sqlite3, sys
catalog = sqlite3.connect(sys.argv[1], isolation_level=None)
catalog.execute("PRAGMA cache_size = 1")
catalog.execute("BEGIN IMMEDIATE")
catalog.execute("UPDATE files SET size = size + 1")
catalog.execute("UPDATE entries SET title = 'half written ' || title")
catalog.execute("CREATE TABLE filler (text TEXT)")
for _ in range(2000):
    catalog.execute("INSERT INTO filler VALUES (?)", ("x" * 1000,))
print("written", flush=True)
sys.stdin.read()
"""
N_NOTES = 2_500


def kill_while_writing(catalog: Path) -> None:
    """Kill a writer of *catalog* whose transaction is on disk in part: its journal is to be undone."""
    command = [sys.executable, "-P", "-c", WRITE, str(catalog)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"written\n"
        writer.send_signal(signal.SIGKILL)
    journal = catalog.with_name(f"{catalog.name}-journal")
    assert journal.read_bytes()[:8] == bytes.fromhex("d9d505f920a163d7"), "so it is a hot one"
    assert b"half written" in catalog.read_bytes()


@pytest.mark.parametrize(
    "first",
    [("search", "커넥션 풀"), ("add", "데몬은 로그를 돌려쓴다"), ("status",)],
    ids=lambda command: command[0],
)
@pytest.mark.parametrize("beside", ["alone", "beside a daemon"])
def test_a_write_of_the_catalog_that_was_cut_short_is_undone_by_the_next_command(
    den: World, first: tuple[str, ...], beside: str
) -> None:
    den.ok("add", "커넥션 풀이 고갈되었다")
    if beside == "beside a daemon":
        started(den)
    kill_while_writing(den.journal / "index" / "catalog.sqlite")
    ran = den.ok(*first)
    assert ran.err == "" and "cannot be read" not in ran.out
    added = den.ok("add", "얼룩말은 줄무늬가 있다", "--json")
    assert added.err == ""
    assert str(added.objects[0]["id"]) in den.ok("search", "--ids", "얼룩말").out
    found = den.ok("search", "커넥션 풀")
    assert "커넥션 풀이 고갈되었다" in found.out and "half written" not in found.out
    assert found.err == ""
    assert "agrees" in den.ok("index", "--verify").out


def readers(pid: int) -> list[int]:
    """The processes that help the process *pid*."""
    children = [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return [
        child
        for child in children
        if b"worker_process" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="there are no such processes")
@pytest.mark.parametrize("n_killed", [1, 2], ids=["one", "both"])
def test_an_index_is_whole_though_a_process_that_reads_files_was_killed(
    den: World, n_killed: int
) -> None:
    for n in range(N_NOTES):
        (den.journal / "notes" / f"{n}.md").write_text(f"# 기록 {n}\n\n얼룩말 zebra{n}\n", "utf-8")
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "memjournal.cli", "index", "--json"],
        env=dict(den.environ),
        cwd=den.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as indexing:
        wait_until(lambda: len(readers(indexing.pid)) >= n_killed)
        killed = readers(indexing.pid)[:n_killed]
        for reader in killed:
            os.kill(reader, signal.SIGKILL)
        out, err = indexing.communicate(timeout=300)
    assert len(killed) == n_killed
    assert indexing.returncode == 0, err.decode()
    assert {line.partition(b":")[0] for line in err.splitlines()} <= {b"indexing"}
    assert f'"added": {N_NOTES}'.encode() in out
    assert "agrees" in den.ok("index", "--verify").out
    for n in (0, N_NOTES // 2, N_NOTES - 1):
        assert f"notes/{n}.md" in den.ok("search", "--json", f"zebra{n}").out
    assert "quarantine: empty" in den.mem("doctor").out


def test_a_daemon_that_was_killed_while_it_wrote_has_lost_nothing(den: World) -> None:
    pid = started(den)
    for n in range(300):
        (den.journal / "notes" / f"{n}.md").write_text(f"# 기록 {n}\n\n오소리 badger{n}\n", "utf-8")
    wait_until(lambda: any(status(den)[name] for name in ("behind", "doing", "entries")))
    os.kill(pid, signal.SIGKILL)
    assert "badger299" in den.ok("search", "badger299").out
    assert den.ok("search", "--all", "--limit", "1", "오소리").err == ""
    assert "agrees" in den.ok("index", "--verify").out
