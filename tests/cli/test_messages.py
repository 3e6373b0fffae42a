"""A message costs no exit code and is never as long as what it is about."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memjournal.cli.messages import shorten_quotes

from .conftest import World

LONG = "김치 찌개 " * 8_000


def mem(*arguments: str, stderr: str = "") -> tuple[int, str]:
    """Exit code and messages of a process of its own, whose messages go to *stderr*."""
    redirection = f"2>{stderr}" if stderr else "2>&1 >/dev/null"
    done = subprocess.run(
        ["sh", "-c", f'"$0" -P -m memjournal.cli "$@" {redirection}', sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["show", "nope"], 66),
        (["show", "mem:"], 64),
        (["config", "get", "nope"], 78),
        (["search", "x", "--by", "nose"], 2),
        (["nope"], 2),
        (["doctor", "--log"], 0),
    ],
)
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_does_not_change_the_exit_code(
    world: World, arguments: list[str], code: int
) -> None:
    world.init()
    assert mem(*arguments, stderr="/dev/full")[0] == code
    assert mem(*arguments, stderr="&-")[0] == code


@pytest.mark.skipif(os.name != "posix", reason="a command line is not that long there")
@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x", "--since", LONG],
        ["search", "x", "-p", "x" * 50_000],
        ["show", LONG],
        ["config", "get", "x" * 50_000],
        ["add", "x", "--type", LONG],
        [LONG],
    ],
)
def test_what_was_typed_is_quoted_by_its_beginning(world: World, arguments: list[str]) -> None:
    world.init()
    code, said = mem(*arguments)
    assert code in (2, 64, 66, 78)
    assert 100 < len(said) < 600
    assert "…" in said


def test_a_question_that_is_spelt_anew_is_repeated_by_its_beginning(world: World) -> None:
    world.init()
    world.add("hello world memory of cookies")
    (said,) = [
        line
        for line in world.ok("search", f"coookies memry{' hello' * 400}").out.splitlines()
        if line.startswith("did you mean: ")
    ]
    assert said.startswith("did you mean: cookies memory hello hello")
    assert said.endswith("…")
    assert len(said) < 130


def test_paths_and_what_is_short_stay_whole() -> None:
    path = "/".join(("긴-이름" * 20, "o'clock", "x" * 255) * 9)
    for said in (f"mem: {path}: not a file; remove what is in its place\n", "x" * 300, "it's\n'x'"):
        assert shorten_quotes(said) == said


def test_nothing_is_longer_than_a_person_would_read() -> None:
    assert len(shorten_quotes("a b " * 10_000)) < 1_100


def test_a_traceback_keeps_its_lines() -> None:
    record = "Traceback\n" + "  File 'x.py', line 3\n" * 100
    assert shorten_quotes(record) == record


def test_messages_go_on_where_a_process_runs_several_commands(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom memjournal.cli.app import main\n"
        "for _ in range(3):\n    code = main(['config', 'get', 'nope'])\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr.count(b"mem: there is no setting nope")) == (78, 3)
