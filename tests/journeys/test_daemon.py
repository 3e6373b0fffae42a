"""The daemon as a user meets it: searches are the same with it and without it, only cheaper."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ..ran import Ran
from ..waiting import wait_until
from .conftest import World
from .daemons import run_folder, started, status

HEAVY = (
    "numpy",
    "whoosh",
    "faiss",
    "model2vec",
    "tokenizers",
    "yaml",
    "frontmatter",
    "git",
    "watchdog",
    "typer",
    "pydantic",
    "secrets",
    "subprocess",
)
QUERIES = (
    ("커넥션 풀 고갈",),
    ("why did the webhook retry", "--limit", "3"),
    ("maximumPoolSize", "--json"),
    ("쿠키", "--project", "shop", "--since", "2026-10-01", "--all"),
    ("재시도", "--type", "decision", "--ids"),
    ("timeout", "--by", "keyword", "--min-score", "0.2"),
    ("zzzz-nothing-of-that-kind",),
)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits for somebody to ask how it ended does not."""
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()[:1] not in ("", "Z")


def descendants(pid: int) -> list[int]:
    """What a process has started, and what that has."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in map(int, children) for one in (child, *descendants(child))]


def test_with_a_daemon_every_answer_is_the_same_as_without(home: World) -> None:
    without = [home.ok("search", *query) for query in QUERIES]
    started(home)
    n_before = int(str(status(home)["requests"]))
    assert [home.ok("search", *query) for query in QUERIES] == without
    assert int(str(status(home)["requests"])) >= n_before + len(QUERIES)  # it was really asked


def test_a_search_that_asks_the_daemon_loads_nothing_heavy(home: World) -> None:
    started(home)
    script = (
        "import sys\nfrom memjournal.cli.app import main\n"
        "code = main(['search', '--json', '커넥션 풀'])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
        "print([name for name in sys.modules if name.startswith('memjournal.indexer.')"
        " and '.daemon' not in name], file=sys.stderr)\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        env=home.environ,
        cwd=home.home,
        capture_output=True,
        text=True,
        check=True,
    )
    heavy, ours = done.stderr.splitlines()
    assert heavy == "[]"
    names = ("catalog", "catalog.entry_filter", "catalog.row", "search", "search.answer", "errors")
    light = {f"memjournal.indexer.{name}" for name in names}
    assert set(json.loads(ours.replace("'", '"'))) == light
    assert done.stdout


def test_what_was_added_edited_or_forgotten_is_known_to_the_next_search(home: World) -> None:
    started(home)
    added = home.ok("add", "--json", "얼룩말은 줄무늬가 있다").objects[0]
    assert str(added["id"]) in home.ok("search", "--ids", "얼룩말").out
    (home.journal / str(added["path"])).unlink()
    home.mem("forget", "--yes", "--query", "쿠키")
    assert str(added["id"]) not in home.ok("search", "--ids", "얼룩말").out
    note = home.journal / "notes" / "saved.md"
    note.write_text("코끼리와 기린\n", encoding="utf-8")
    assert "코끼리" in home.ok("search", "코끼리").out
    assert "saved" in home.ok("history", "--limit", "3").out


def gone_at_once(ran: Ran) -> list[str]:
    return [line for line in ran.err.splitlines() if "gone at once" in line]


def test_files_that_are_gone_at_once_are_said_beside_a_daemon_until_it_is_accepted(
    home: World,
) -> None:
    for n in range(200):
        (home.journal / "notes" / f"{n}.md").write_text(f"# 얼룩말 {n}\n", encoding="utf-8")
    started(home)
    assert "얼룩말" in home.ok("search", "얼룩말").out
    for n in range(200):
        (home.journal / "notes" / f"{n}.md").unlink()
    home.ok("index")
    wait_until(lambda: status(home)["withheld"] == 200)
    (said,) = gone_at_once(home.ok("search", "커넥션 풀"))
    assert said.startswith("mem: 200 indexed files") and "--accept-deletions" in said
    assert gone_at_once(home.ok("search", "커넥션 풀")) == [said]
    assert gone_at_once(home.ok("history")) == [said]
    assert said.removeprefix("mem: ") in str(status(home)["remarks"])
    home.ok("daemon", "stop")
    assert gone_at_once(home.ok("search", "커넥션 풀")) == [said]
    started(home)
    home.ok("index", "--accept-deletions")
    for command in (("search", "얼룩말"), ("history",)):
        assert gone_at_once(home.ok(*command)) == []
    assert status(home)["withheld"] == 0


def test_a_file_that_cannot_be_taken_in_is_named_beside_a_daemon(home: World) -> None:
    started(home)
    try:
        (home.journal / "notes" / os.fsdecode(b"\xff.md")).write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("this file system refuses such names")
    wait_until(lambda: status(home)["unreadable"])
    assert "not UTF-8; rename it" in home.ok("search", "커넥션 풀").err
    assert home.ok("search", "커넥션 풀").err == ""
    assert "not UTF-8; rename it" in line_of(home.ok("daemon", "status"), "unreadable")


def test_a_list_is_printed_from_the_daemons_index_without_waiting(home: World) -> None:
    started(home)
    before = int(str(status(home)["requests"]))
    home.ok("history")
    client_calls = int(str(status(home)["requests"])) - before
    assert client_calls == 2  # one by `history`, one by `status` itself


def test_after_kill_9_the_next_command_answers_and_the_one_on_a_terminal_starts_another(
    home: World,
) -> None:
    expected = home.ok("search", "커넥션 풀")
    os.kill(started(home), signal.SIGKILL)
    assert home.ok("search", "커넥션 풀") == expected
    assert not status(home)["running"]
    assert on_terminal(home, "search", "커넥션 풀")
    wait_until(lambda: status(home)["running"])
    assert home.ok("search", "커넥션 풀") == expected


def on_terminal(world: World, *arguments: str, environ: Mapping[str, str] | None = None) -> str:
    """What a command prints on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "memjournal.cli", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**world.environ, **(environ or {})},
        cwd=world.home,
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:  # how the end of a terminal reads on Linux
            piece = b""
        if not piece:
            break
        said += piece
    os.close(ours)
    assert process.wait(60) == 0
    return said.decode()


def test_a_command_whose_output_is_read_by_a_program_starts_nothing(home: World) -> None:
    home.ok("search", "커넥션 풀")
    assert not run_folder(home).exists()
    on_terminal(home, "search", "풀", environ={"MEMJOURNAL_DAEMON_AUTOSTART": "never"})
    assert not run_folder(home).exists()
    home.ok("search", "풀", environ={"MEMJOURNAL_DAEMON_AUTOSTART": "always"})
    wait_until(lambda: status(home)["running"])


def test_a_daemon_that_hangs_costs_one_command_some_seconds_and_is_replaced(home: World) -> None:
    expected = home.ok("search", "커넥션 풀")
    pid = started(home)
    os.kill(pid, signal.SIGSTOP)
    ran = home.ok("search", "커넥션 풀")
    assert ran.out == expected.out
    assert f"the daemon (process {pid}) does not answer" in ran.err
    assert "mem daemon stop" in ran.err
    (state,) = run_folder(home).glob("*.json")
    os.utime(state, (0, 0))  # as if it had been silent for long
    ran = home.ok("search", "커넥션 풀")
    assert ran.out == expected.out
    assert "was ended" in ran.err
    assert home.ok("search", "커넥션 풀").err == expected.err


def test_any_number_may_search_while_one_writes(home: World) -> None:
    """Nor do they fail one another: each is a process of its own."""
    started(home)
    for n in range(300):
        note = home.journal / "notes" / f"written-{n}.md"
        note.write_text(f"기록 {n} about the connection pool\n", encoding="utf-8")
    writing = subprocess.Popen(
        [sys.executable, "-P", "-m", "memjournal.cli", "index", "--rebuild"],
        env=home.environ,
        cwd=home.home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: home.mem("search", "--json", "커넥션 풀"), range(12)))
    _, said = writing.communicate(timeout=300)
    assert writing.returncode == 0, said.decode()
    assert {ran.code for ran in found} == {0}
    assert all(ran.out for ran in found)
    assert "written" not in said.decode()
    assert len(home.ok("search", "--json", "--all", "--limit", "500", "기록").objects) > 300


def test_many_processes_at_once_get_the_same_answer(home: World) -> None:
    started(home)
    expected = home.ok("search", "--json", "커넥션 풀")
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda _: home.mem("search", "--json", "커넥션 풀"), range(12)))
    assert {ran.out for ran in found} == {expected.out}
    assert {ran.code for ran in found} == {0}


def test_a_search_by_the_daemon_writes_nothing(home: World) -> None:
    started(home)
    before = home.files()
    home.ok("search", "커넥션 풀")
    home.ok("show", home.ok("search", "--ids", "커넥션 풀").out.split()[0])
    assert home.files() == before


def test_an_import_is_indexed_by_the_daemon_before_it_ends(home: World) -> None:
    started(home)
    folder = home.home / "more" / "-home-me-zoo"
    folder.mkdir(parents=True)
    record = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "0b1f6c1e-0000-4000-8000-0000000000aa",
        "cwd": "/home/me/zoo",
        "timestamp": "2026-11-28T01:00:00.000Z",
        "message": {"role": "user", "content": "오소리는 굴을 판다"},
    }
    (folder / f"{record['sessionId']}.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    n_before = int(str(status(home)["entries"]))
    home.ok("import", "--all", "--from", str(folder.parent))
    assert int(str(status(home)["entries"])) > n_before
    assert "오소리" in home.ok("search", "오소리").out


def test_the_daemon_is_detached_and_ends_with_nothing_left(home: World) -> None:
    pid = started(home)
    if sys.platform == "linux":
        assert os.readlink(f"/proc/{pid}/cwd") == "/"
        assert os.getsid(pid) == pid
        assert os.readlink(f"/proc/{pid}/fd/1") == os.devnull
        assert descendants(pid) == []
    assert "the daemon was stopped" in home.ok("daemon", "stop").out
    assert sorted(path.suffix for path in run_folder(home).iterdir()) == [".lock", ".log"]
    wait_until(lambda: not is_alive(pid))
    assert "not running" in home.ok("daemon", "stop").out


def test_settings_of_one_run_are_not_answered_by_a_daemon_of_others(home: World) -> None:
    started(home)
    ran = home.ok("--set", "embedding.enabled=false", "search", "커넥션 풀")
    assert "vectors are switched off" in ran.err
    assert "vectors are switched off" not in home.ok("search", "커넥션 풀").err


def test_a_change_of_the_settings_is_a_new_daemon(home: World) -> None:
    pid = started(home)
    home.ok("config", "set", "embedding.enabled", "false")
    wait_until(lambda: status(home).get("pid") != pid)
    assert "vectors are switched off" in home.ok("search", "커넥션 풀").err


def test_run_says_what_it_does_and_a_second_one_is_refused(home: World) -> None:
    pid = started(home)
    second = home.mem("daemon", "run")
    assert second.code == 75
    assert "another process is its daemon" in second.err
    assert status(home)["pid"] == pid


@pytest.mark.parametrize("option", ["--tcp", None], ids=["tcp", "unix"])
def test_run_in_the_foreground_ends_on_ctrl_c(home: World, option: str | None) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "memjournal.cli", "daemon", "run", *filter(None, [option])],
        env=home.environ,
        cwd=home.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: status(home)["running"])
    expected = "127.0.0.1:" if option else ".sock"
    assert expected in str(status(home)["socket"])
    assert home.ok("search", "커넥션 풀").out
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "answers as process" in err
    assert "ended: it was told to by SIGINT" in err


def test_status_and_doctor_tell_of_the_daemon(home: World) -> None:
    assert "not running" in line_of(home.ok("status"), "daemon")
    pid = started(home)
    assert f"process {pid}" in line_of(home.ok("status"), "daemon")
    assert f"process {pid}" in line_of(home.mem("doctor"), "ok     daemon:")
    fields = status(home)
    assert fields["entries"] and fields["pending"] == 0 and fields["quarantined"] == 0
    assert int(str(fields["resident_bytes"])) > 1_000_000


def test_the_status_for_people_has_a_value_on_each_line(home: World) -> None:
    pid = started(home)
    lines = home.ok("daemon", "status").out.splitlines()
    shown = {line[:14].strip(): line[15:].strip() for line in lines}
    assert len(shown) == len(lines)
    assert all(shown) and all(shown.values())
    assert shown["pid"] == str(pid)
    assert shown["memory"].endswith("MB") and shown["CPU time"].endswith(" s")
    assert "failure" not in shown and "remarks" not in shown


def line_of(ran: Ran, start: str) -> str:
    return next(line for line in ran.out.splitlines() if line.startswith(start))
