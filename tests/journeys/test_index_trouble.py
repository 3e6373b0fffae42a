"""What the index meets: none yet, somebody else's lock, files that may not be read, a foreign index."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import World

LOCK = """
import sys
from pathlib import Path
from memjournal.journal import files
with files.locked(Path(sys.argv[1]), timeout_s=10):
    print("locked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def journal(world: World) -> World:
    """A journal with one memory, not indexed yet."""
    world.ok("init", "--no-git")
    world.ok("add", "The pool was too small")
    shutil.rmtree(world.journal / "index")
    return world


def test_there_is_nothing_to_verify_before_there_is_an_index(journal: World) -> None:
    ran = journal.mem("index", "--verify")
    assert (ran.code, ran.err) == (66, "mem: there is no index yet; run `mem index`\n")


def test_without_an_index_the_reason_why_none_can_be_made_is_the_answer(journal: World) -> None:
    lock = journal.journal / "index/writer.lock"
    command = [sys.executable, "-P", "-c", LOCK, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        ran = journal.mem("search", "pool", environ={"MEMJOURNAL_JOURNAL_LOCK_TIMEOUT_S": "0"})
        holder.communicate()
    assert ran.code == 75
    assert "another process has been writing" in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert "The pool was too small" in journal.ok("search", "pool").out


@pytest.fixture
def mem_bound_by_modes(journal: World) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run ``mem`` as somebody whom file modes stop, which root is not."""
    prefix: list[str] = []
    if os.name == "nt":
        pytest.skip("modes stop nobody there")
    if os.geteuid() == 0:
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if (
            shutil.which("setpriv") is None
            or subprocess.run([*prefix, "true"], check=False).returncode
        ):
            pytest.skip("root cannot give up its rights here")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*prefix, sys.executable, "-P", "-m", "memjournal.cli", *arguments],
            capture_output=True,
            env=dict(journal.environ),
            cwd=journal.home,
            encoding="utf-8",
            check=False,
        )

    return run


def test_a_file_that_may_not_be_read_is_one_clear_line(
    journal: World, mem_bound_by_modes: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (hit, _) = journal.ok("search", "pool", "--json").objects
    file = journal.journal / str(hit["path"])
    file.chmod(0)
    for arguments in (
        ("show", str(hit["id"])),
        ("source", str(hit["id"])),
        ("edit", str(hit["id"]), "--set", "title=x"),
        ("forget", str(hit["id"]), "--yes"),
    ):
        ran = mem_bound_by_modes(*arguments)
        (line,) = ran.stderr.strip().splitlines()
        assert (ran.returncode, "permission denied" in line) == (74, True), (arguments, line)
    file.chmod(0o600)
    assert "The pool was too small" in file.read_text("utf-8")


def test_an_index_that_came_with_a_clone_is_built_anew(journal: World, tmp_path: Path) -> None:
    journal.ok("index")
    token = journal.home / ".state/memjournal/machine-id"
    if os.name != "nt":
        assert token.stat().st_mode & 0o777 == 0o600
    kept = token.read_text("utf-8")
    journal.ok("search", "pool")
    assert token.read_text("utf-8") == kept
    assert kept.strip() not in "".join(
        path.read_bytes().decode("latin-1") for path in journal.journal.rglob("*") if path.is_file()
    )
    token.unlink()  # now this is another machine
    report = json.loads(journal.ok("index", "--json").out)
    assert [remark.partition(" was ")[0] for remark in report["remarks"]] == [
        *("the keyword index", "the vector index")
    ]
    assert json.loads(journal.ok("index", "--json").out)["remarks"] == []


@pytest.mark.skipif(os.name == "nt", reason="no such folder there")
def test_where_the_token_cannot_be_kept_the_index_is_of_this_run(journal: World) -> None:
    journal.ok("index")
    state = {"XDG_STATE_HOME": os.devnull}
    for _ in range(2):
        ran = journal.ok("search", "pool", environ=state)
        assert "The pool was too small" in ran.out
        assert "an index cannot be kept for the next run" in ran.err
