"""What went wrong in other memories does not go wrong here: what shows when ``mem`` is a process.

The threads are public, on GitHub, in zilliztech/memsearch, basicmachines-co/basic-memory, tobi/qmd,
openclaw/openclaw, letta-ai/letta-code and NousResearch/hermes-agent. The test of each is here or in
``tests/indexer/test_known_failures.py``; there are more elsewhere, which name their threads as well.

- memsearch#80:
  ``test_search_answers_while_a_writer_holds_the_lock``
- memsearch#652:
  ``test_the_real_cause_is_named_and_deleting_is_never_the_advice``
  ``test_what_is_wrong_is_named_and_deleting_is_never_the_advice``
- memsearch#613:
  ``test_an_update_of_one_file_prunes_no_other``
- memsearch#533:
  ``test_memory_is_bounded_however_many_notes_there_are``
- memsearch#540:
  ``test_every_command_works_as_a_fresh_process``
- memsearch#604, #520:
  none: no hook is installed yet, and nothing starts an assistant
- memsearch#676, #632:
  ``test_a_command_that_cannot_reach_any_network_misses_nothing``
- memsearch#658:
  ``test_a_journal_has_one_watcher_whatever_becomes_of_it``
- memsearch#74:
  none: no summary is written yet, and an event is stored once, by its key (tests/journal)
- basic-memory#1007:
  ``test_an_unreadable_folder_is_not_an_empty_one``
  ``test_most_of_a_journal_is_not_pruned_because_it_is_not_there``
- basic-memory#1171, #528:
  ``test_indexing_changes_no_file_of_the_journal``
- basic-memory#368:
  ``test_a_malformed_frontmatter_stops_nothing_and_its_body_is_found``
- basic-memory#1224, #1213, #1214:
  ``test_what_several_writers_add_at_once_is_all_kept``
- basic-memory#1016:
  ``test_an_edit_on_disk_reaches_the_vectors``
  ``test_verifying_compares_the_two_indexes``
- basic-memory#1065:
  ``test_what_stands_at_the_end_of_a_long_text_is_found``
- basic-memory#1022, #1269:
  ``test_every_script_is_found_by_keyword_alone``
- basic-memory#1023, #843:
  ``test_vectors_have_length_one_and_the_answer_names_its_legs``
- basic-memory#1045:
  ``test_no_number_of_entries_or_paths_is_too_many_for_sqlite``
- basic-memory#243:
  ``test_only_relative_posix_paths_are_stored``
- basic-memory#1239, #1291:
  ``test_times_and_bullets_of_prose_are_text_and_nothing_else``
- qmd#710:
  ``test_processes_at_once_never_see_a_locked_database``
- qmd#925:
  ``test_a_search_with_nothing_to_index_writes_nothing``
- qmd#976, #973:
  ``test_a_word_that_is_nowhere_does_not_void_the_question``
  ``test_the_passage_shown_is_the_one_that_matched``
- qmd#942, openclaw#9581:
  ``test_beside_a_daemon_a_search_loads_no_index_at_all``
  ``test_a_search_loads_no_framework_for_the_model_is_a_table``
- qmd#886:
  ``test_a_journal_that_was_cloned_runs_nothing_and_widens_no_path``
- qmd#881:
  of the daemon in tests/indexer/daemon/test_server.py; nothing else listens yet
- qmd#717, #801:
  ``test_names_that_differ_in_case_or_punctuation_keep_their_entries``
- openclaw#92061, #20730, #140736:
  ``test_memory_note_and_conversation_are_cut_into_words_alike``
- openclaw#136966, #78224, #5827:
  ``test_where_the_system_gives_no_watches_the_journal_is_polled_and_that_is_said``
- letta-code#4249, #2203, #808, hermes-agent#94458:
  ``test_nothing_asks_in_the_background``
  ``test_what_several_writers_add_at_once_is_all_kept``
  none for the rest: nothing is pushed or merged yet
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..git_by_hand import git
from ..ran import Ran
from ..waiting import wait_until

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


def test_the_table_above_names_tests_and_tests_name_their_threads() -> None:
    """So that what was renamed can still be found."""
    tests = Path(__file__).parents[1]
    code = "".join(path.read_text("utf-8") for path in tests.rglob("test_*.py"))
    assert __doc__ is not None
    names = re.findall(r"``(test_\w+)``", __doc__)
    assert len(names) >= 30
    for name in names:
        assert re.search(rf'def {name}\([^"]*"""[^"]*?#\d+', code), name


# Locking


def test_search_answers_while_a_writer_holds_the_lock(example: World) -> None:
    """memsearch#80: as long as the watcher lived, it held the lock that recall needed."""
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


def test_what_is_wrong_is_named_and_deleting_is_never_the_advice(example: World) -> None:
    """memsearch#652: whatever failed was called an old format, to be moved out of the way."""
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
    assert "another process keeps it" in said[4]
    for words in said:
        assert not {"delete", "remove", "move", "rm"} & set(words.lower().split()), words


def test_every_command_works_as_a_fresh_process(example: World) -> None:
    """memsearch#540: only the process that had made the index had loaded it."""
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


def test_a_command_that_cannot_reach_any_network_misses_nothing(example: World) -> None:
    """memsearch#676, memsearch#632: what was late at the start was lost unsaid."""
    nowhere = "http://127.0.0.1:9"
    environ = {name: nowhere for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}
    question = ("search", "커넥션 풀", "--json")
    ran = example.ok(*question, environ=environ)
    assert ran.out == example.ok(*question).out
    assert ran.objects[-1]["used_vector"] and ran.err == ""


def test_what_several_writers_add_at_once_is_all_kept(example: World) -> None:
    """basic-memory#1224, basic-memory#1213, basic-memory#1214: writers blocked or lost some."""
    texts = [f"동시에 쓴 기억 {number} concurrent{number}" for number in range(6)]
    ran = at_once(example, [("add", text, "--json") for text in texts])
    assert [(one.code, "Traceback" in one.err) for one in ran] == [(0, False)] * 6
    ids = [str(one.objects[0]["id"]) for one in ran]
    assert len(set(ids)) == 6
    for number, entry in enumerate(ids):
        hits = example.ok("search", f"concurrent{number}", "--json").objects[:-1]
        assert [hit["id"] for hit in hits if not hit.get("is_weak")][:1] == [entry]
    assert "0 things" not in example.ok("doctor", "--verify").out


def test_processes_at_once_never_see_a_locked_database(example: World) -> None:
    """qmd#710: the second of two processes failed with "database is locked"."""
    for number in range(40):
        (example.journal / f"notes/at-once-{number}.md").write_text(f"pool {number}", "utf-8")
    commands = [("index",), ("search", "pool"), ("index",), ("search", "풀"), ("status",)]
    for ran in at_once(example, [*commands, ("index", "--rebuild"), ("search", "refund")]):
        assert ran.code == 0, ran.err
        assert "database is locked" not in ran.err and "Traceback" not in ran.err
    example.ok("index", "--verify")


def test_a_search_with_nothing_to_index_writes_nothing(example: World) -> None:
    """qmd#925: opening for a question changed the schema under other readers."""
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
        wait_until(lambda: daemon.poll() is not None or not example.mem("daemon", "status").code)
        assert daemon.poll() is None
        yield daemon
        daemon.kill()
        example.mem("daemon", "stop")


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_journal_has_one_watcher_whatever_becomes_of_it(
    example: World, running: subprocess.Popen[bytes]
) -> None:
    """memsearch#658: watchers that nobody ended became more and more."""
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


def test_beside_a_daemon_a_search_loads_no_index_at_all(
    example: World, running: subprocess.Popen[bytes]
) -> None:
    """qmd#942, openclaw#9581: each process loaded all models for itself."""
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


def test_a_search_loads_no_framework_for_the_model_is_a_table(example: World) -> None:
    """qmd#942, openclaw#9581: each process loaded all models for itself."""
    answer, modules = searched(example)
    assert answer["used_vector"]
    heavy = {"torch", "transformers", "sentence_transformers", "onnxruntime", "tensorflow"}
    heavy |= {"model2vec", "huggingface_hub", "requests", "httpx", "safetensors", "sklearn"}
    heavy |= {"scipy", "pandas", "git", "watchdog", "jinja2"}
    assert heavy & modules == set()


# What comes from elsewhere


def test_a_journal_that_was_cloned_runs_nothing_and_widens_no_path(
    example: World, tmp_path: Path
) -> None:
    """qmd#886: the settings of a cloned repository named commands, and an update ran them."""
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


def test_nothing_asks_in_the_background(example: World, tmp_path: Path) -> None:
    """letta-code#4249: a dialog for credentials came up from behind."""
    asked = tmp_path / "asked"
    script = tmp_path / "ask.sh"
    script.write_text(f"#!/bin/sh\ntouch '{asked}'\nexit 1\n", "utf-8")
    script.chmod(0o755)
    (example.home / ".gitconfig").write_text(
        f"[core]\n\taskPass = {script}\n\teditor = {script}\n\thooksPath = {tmp_path}\n"
        f"[credential]\n\thelper = {script}\n",
        "utf-8",
    )
    shutil.copy(script, tmp_path / "pre-commit")
    environ = {name: str(script) for name in ("GIT_ASKPASS", "SSH_ASKPASS", "EDITOR", "VISUAL")}
    before = commits(example)
    ran = example.ok("add", "an entry that is committed", environ=environ)
    assert "not committed" not in ran.err
    assert commits(example) == before + 1
    assert not asked.exists()


def test_a_signature_is_made_without_a_window_or_not_at_all(example: World, tmp_path: Path) -> None:
    """Of what opens a window for a passphrase nothing is left to it; the commit waits for a terminal."""
    seen = tmp_path / "environment"
    signer = tmp_path / "sign.sh"
    signer.write_text(f"#!/bin/sh\nenv > '{seen}'\nexit 1\n", "utf-8")
    signer.chmod(0o755)
    config = f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {signer}\n"
    (example.home / ".gitconfig").write_text(config, "utf-8")
    before = commits(example)
    ran = example.ok("add", "서명할 수 없는 결정", environ={"DISPLAY": ":0", "GPG_TTY": "/dev/tty"})
    assert "not committed now" in ran.err and "the commit cannot be signed" in ran.err
    assert commits(example) == before
    given = dict(line.split("=", 1) for line in seen.read_text("utf-8").splitlines() if "=" in line)
    assert [given.get(name) for name in ("DISPLAY", "GPG_TTY", "SSH_ASKPASS")] == ["", "", ""]
    (example.home / ".gitconfig").write_text("", "utf-8")
    example.ok("add", "그다음 결정")
    assert commits(example) == before + 2  # what waited is committed as well


def commits(world: World) -> int:
    """How many there are in the journal's history."""
    return int(git(world.journal, "rev-list", "--count", "--all", may_fail=True) or 0)
