"""Thirty issues of other memories, as tests: here those that show when ``mem`` runs as a process.

Numbers are those of ``peers.md``, section 5. What concerns the index alone is in
``tests/indexer/test_thirty_issues.py``: 2, 3, 4, 10, 11, 12, 14 to 20, 23, 27, 28 and 29. Some have no
test under their name:

- 6: no hooks are installed yet, and nothing starts an assistant.
- 9: no summaries are written yet; an event is stored once, by its key (``tests/journal``).
- 26: nothing listens for a browser yet; the daemon's loopback asks for a token (its own tests).
- 30, as far as it is about ``mem sync`` and merging: there is no sync yet.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..ran import Ran

if TYPE_CHECKING:
    from .conftest import World

MEM = (sys.executable, "-P", "-m", "memjournal.cli")
LOCK = """
import sys
from pathlib import Path
from memjournal.journal import files
with files.locked(Path(sys.argv[1]), timeout_s=10):
    print("locked", flush=True)
    sys.stdin.read()
"""
BUSY = """
import sqlite3, sys
catalog = sqlite3.connect(sys.argv[1], isolation_level=None)
catalog.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def held(code: str, path: Path) -> Iterator[None]:
    """Another process holds *path* meanwhile."""
    command = [sys.executable, "-P", "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield
        holder.communicate()


def at_once(world: World, commands: list[tuple[str, ...]]) -> list[Ran]:
    """Run commands beside each other."""
    started = [
        subprocess.Popen(
            [*MEM, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**world.environ, "MEMJOURNAL_JOURNAL_LOCK_TIMEOUT_S": "120"},
            cwd=world.home,
            encoding="utf-8",
        )
        for arguments in commands
    ]
    ended = [(one, *one.communicate(timeout=300)) for one in started]
    return [Ran(one.returncode, out, err) for one, out, err in ended]


def states(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of everything below *folder*, git's own included."""
    return {
        path.relative_to(folder).as_posix(): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
    }


# Locking


def test_issue_1_search_answers_while_a_writer_holds_the_lock(example: World) -> None:
    question = ("search", "커넥션 풀 고갈", "--json")
    before = example.ok(*question).out
    soon = {"MEMJOURNAL_JOURNAL_LOCK_TIMEOUT_S": "0"}
    index = example.journal / "index"
    for code, path in ((LOCK, index / "writer.lock"), (BUSY, index / "catalog.sqlite")):
        with held(code, path):
            assert example.ok(*question, environ=soon).out == before
    (example.journal / "notes/new.md").write_text("cachestampede", "utf-8")
    with held(LOCK, index / "writer.lock"):  # there is work, and it cannot be done now
        ran = example.ok(*question, environ=soon)
    assert ran.out == before
    assert "the index was not brought up to date" in ran.err
    assert "cachestampede" in example.ok("search", "cachestampede").out


def test_issue_2_what_is_wrong_is_named_and_deleting_is_never_the_advice(example: World) -> None:
    index = example.journal / "index"
    said = []
    for damage in (
        lambda: (index / "catalog.sqlite").write_bytes(b"not a database " * 100),
        lambda: (index / "whoosh/stamp").unlink(),
        lambda: shutil.rmtree(index / "faiss"),
        lambda: (index / "faiss/stamp").write_text("of another version", "utf-8"),
    ):
        damage()
        said.append(example.ok("search", "refund").err)
        example.ok("index", "--verify")
    with held(LOCK, index / "writer.lock"):
        ran = example.mem("index", "--rebuild", environ={"MEMJOURNAL_JOURNAL_LOCK_TIMEOUT_S": "0"})
    assert ran.code == 75
    said.append(ran.err)
    assert "file is not a database" in said[0]
    assert "the keyword index" in said[1]
    assert "the vector index" in said[2] and "the vector index" in said[3]
    assert "another process has been writing" in said[4]
    for words in said:
        assert not {"delete", "remove", "move", "rm"} & set(words.lower().split()), words


def test_issue_5_every_command_works_as_a_fresh_process(example: World) -> None:
    (hit, *_) = example.ok("search", "refund", "--json").objects
    entry = str(hit["id"])
    for arguments in (
        ("search", "환불"),
        ("show", entry),
        ("source", entry),
        ("timeline", entry),
        ("history", "-n", "3"),
        ("status",),
        ("stats",),
        ("doctor",),
        ("index",),
        ("index", "--verify"),
        ("list",),
        ("config", "list"),
        ("export",),
        ("edit", entry, "--set", "tags=fresh"),
        ("add", "하나 더"),
        ("search", "하나 더"),
        ("forget", entry, "--yes"),
        ("index", "--rebuild"),
        ("search", "환불"),
    ):
        assert "Traceback" not in example.ok(*arguments).err, arguments


def test_issue_7_a_command_that_cannot_reach_any_network_misses_nothing(example: World) -> None:
    nowhere = "http://127.0.0.1:9"
    environ = {name: nowhere for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}
    question = ("search", "커넥션 풀", "--json")
    ran = example.ok(*question, environ=environ)
    assert ran.out == example.ok(*question).out
    assert ran.objects[-1]["used_vector"] and ran.err == ""


def test_issue_13_what_several_writers_add_at_once_is_all_kept(example: World) -> None:
    texts = [f"동시에 쓴 기억 {number} concurrent{number}" for number in range(6)]
    ran = at_once(example, [("add", text, "--json") for text in texts])
    assert [(one.code, "Traceback" in one.err) for one in ran] == [(0, False)] * 6
    ids = [str(one.objects[0]["id"]) for one in ran]
    assert len(set(ids)) == 6
    for number, entry in enumerate(ids):
        hits = example.ok("search", f"concurrent{number}", "--json").objects[:-1]
        assert [hit["id"] for hit in hits if not hit.get("is_weak")][:1] == [entry]
    assert "0 things" not in example.ok("doctor", "--verify").out


def test_issue_21_processes_at_once_never_see_a_locked_database(example: World) -> None:
    for number in range(40):
        (example.journal / f"notes/at-once-{number}.md").write_text(f"pool {number}", "utf-8")
    commands = [("index",), ("search", "pool"), ("index",), ("search", "풀"), ("status",)]
    for ran in at_once(example, [*commands, ("index", "--rebuild"), ("search", "refund")]):
        assert ran.code == 0, ran.err
        assert "database is locked" not in ran.err and "Traceback" not in ran.err
    example.ok("index", "--verify")


def test_issue_22_a_search_with_nothing_to_index_writes_nothing(example: World) -> None:
    example.ok("index")
    example.ok("search", "refund")  # what was just written is read once more, and settled
    before = states(example.home)
    for arguments in (
        ("search", "refund"),
        ("search", "환불", "--json"),
        ("history", "-n", "5"),
        ("status",),
        ("stats",),
        ("doctor",),
        ("index", "--verify"),
        ("list",),
    ):
        example.ok(*arguments)
        assert states(example.home) == before, arguments


# The daemon


@pytest.fixture
def running(example: World) -> Iterator[subprocess.Popen[bytes]]:
    """The daemon of the example journal, in the foreground of a process."""
    with subprocess.Popen(
        [*MEM, "daemon", "run"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(example.environ),
        cwd=example.home,
    ) as daemon:
        deadline = time.monotonic() + 60
        while example.mem("daemon", "status").code:
            assert daemon.poll() is None and time.monotonic() < deadline
        yield daemon
        daemon.kill()
        example.mem("daemon", "stop")


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_issue_8_a_journal_has_one_watcher_whatever_becomes_of_it(
    example: World, running: subprocess.Popen[bytes]
) -> None:
    second = example.mem("daemon", "run")
    assert second.code == 75
    assert "another process is its daemon" in second.err
    assert str(running.pid) in example.ok("daemon", "start").out
    before = example.ok("search", "커넥션 풀", "--json").out
    running.kill()
    running.wait()
    assert example.ok("search", "커넥션 풀", "--json").out == before  # nothing to clean up
    assert str(running.pid) not in example.ok("daemon", "start").out
    again = example.ok("daemon", "status", "--json").objects[0]
    assert again["running"] and again["pid"] != running.pid
    example.ok("daemon", "stop")
    assert example.mem("daemon", "status").code == 3


def test_issue_24_beside_a_daemon_a_search_loads_no_index_at_all(
    example: World, running: subprocess.Popen[bytes]
) -> None:
    answer, modules = searched(example)
    assert answer["used_vector"] and running.poll() is None
    assert {"numpy", "faiss", "whoosh", "tokenizers"} & modules == set()
    running.kill()
    running.wait()
    answer, modules = searched(example)
    assert answer["used_vector"] and "faiss" in modules


# Start, models


def searched(world: World) -> tuple[dict[str, object], set[str]]:
    """What a search says of itself, and the names of all packages that it loaded."""
    code = (
        "import sys, json\n"
        "from memjournal.cli.app import main\n"
        "code = main(['search', '커넥션 풀', '--json'])\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env=dict(world.environ),
        cwd=world.home,
    )
    *answer, modules = done.stdout.splitlines()
    return json.loads(answer[-1]), set(json.loads(modules))


def test_issue_24_a_search_loads_no_framework_for_the_model_is_a_table(example: World) -> None:
    answer, modules = searched(example)
    assert answer["used_vector"]
    heavy = {"torch", "transformers", "sentence_transformers", "onnxruntime", "tensorflow"}
    heavy |= {"model2vec", "huggingface_hub", "requests", "httpx", "safetensors", "sklearn"}
    heavy |= {"scipy", "pandas", "git", "watchdog", "jinja2"}
    assert heavy & modules == set()


# What comes from elsewhere


def test_issue_25_a_journal_that_was_cloned_runs_nothing_and_widens_no_path(
    example: World, tmp_path: Path
) -> None:
    made, secret = tmp_path / "made", tmp_path / "secret.md"
    secret.write_text("topsecretword", "utf-8")
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch '{made}'\n", "utf-8")
    script.chmod(0o755)
    (example.journal / "memjournal.toml").write_text(
        f'editor = "{script}"\n[embedding]\nmodel = "{tmp_path}"\nurl = "http://127.0.0.1:9"\n'
        f'[hooks]\nupdate = "{script}"\n[journal]\nfolders = ["{tmp_path}"]\n',
        "utf-8",
    )
    (example.journal / "notes/out.md").symlink_to(secret)
    (example.journal / "notes/folder").symlink_to(tmp_path)
    hooks = example.journal / ".git/hooks"
    for name in ("pre-commit", "post-commit", "post-checkout"):
        shutil.copy(script, hooks / name)
    for arguments in (("index",), ("search", "topsecretword"), ("add", "a note"), ("doctor",)):
        ran = example.mem(*arguments)
        assert "Traceback" not in ran.err
        assert "topsecretword" not in ran.out.replace("'topsecretword'", "")
    assert not made.exists()
    hits = example.ok("search", "topsecretword", "--json").objects[:-1]
    assert all(
        "secret" not in str(hit["path"]) and "out.md" not in str(hit["path"]) for hit in hits
    )
    assert example.ok("search", "커넥션 풀", "--json").objects[-1]["used_vector"]


def test_issue_30_nothing_asks_in_the_background(example: World, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    script = tmp_path / "ask.sh"
    script.write_text(f"#!/bin/sh\ntouch '{asked}'\nexit 1\n", "utf-8")
    script.chmod(0o755)
    (example.home / ".gitconfig").write_text(
        f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {script}\n[core]\n\taskPass = {script}\n"
        f"\teditor = {script}\n\thooksPath = {tmp_path}\n[credential]\n\thelper = {script}\n",
        "utf-8",
    )
    shutil.copy(script, tmp_path / "pre-commit")
    environ = {name: str(script) for name in ("GIT_ASKPASS", "SSH_ASKPASS", "EDITOR", "VISUAL")}
    before = commits(example)
    ran = example.ok("add", "an entry that is committed", environ=environ)
    assert "not committed" not in ran.err
    assert commits(example) == before + 1
    assert not asked.exists()


def commits(world: World) -> int:
    """How many there are in the journal's history."""
    done = subprocess.run(
        ["git", "rev-list", "--count", "--all"],
        cwd=world.journal,
        capture_output=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(world.home.parent)},
    )
    return int(done.stdout or b"0")
