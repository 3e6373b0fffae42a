"""A command that is understood without Typer means exactly what it means through Typer.

And whatever is not surely right is left to Typer, which says what is wrong, completes and helps.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memjournal.cli import quick
from memjournal.cli.program import app, register_commands

from ..ran import Ran
from ..waiting import wait_until
from .conftest import World

PLAIN = (
    "search pool",
    "search connection pool timeout",
    "search 커넥션 풀",
    "search pool --json",
    "search --json pool",
    "search --ids pool",
    "search -a --ids pool",
    "search --all pool timeout --no-dates",
    "search last week pool",
    "search --no-dates last week pool",
    "search pool -n 1",
    "search pool --limit 007",
    "search pool --limit=2 --limit 1",
    "search pool --min-score 0.2",
    "search pool --min-score=1",
    "search pool --min-score 00.30",
    "search pool --by keyword",
    "search pool --by=hybrid --json",
    "search pool --by vector",
    "search pool --scope all",
    "search pool --scope project",
    "search pool --kind fact",
    "search pool --kind fact --kind event",
    "search pool -t decision --type prompt",
    "search pool --tag db --tag #db",
    "search pool -s 0b1f --agent claude-code",
    "search pool -f src/pool.py --file=pool.py",
    "search pool -p shop",
    "search pool --project nowhere",
    "search search search",
    "search a=b",
    "-J {root} search pool",
    "--journal {root} search pool --json",
    "--journal={root} --journal {root} search pool",
    "show {id}",
    "show {id} --json {other}",
    "show {id} {other} --raw",
    "show {path}",
    "show {id} nosuchmemory",
    "show show",
    "show search",
    "-J {root} show {id}",
)
LEFT_TO_TYPER = (
    "search",
    "search --help",
    "search pool -h",
    "search --json",
    "search -",
    "search -- pool",
    "search pool -- --json",
    "search pool --jso",
    "search pool --nonsense",
    "search pool --limit 0",
    "search pool --limit 1001",
    "search pool --limit ten",
    "search pool --limit ١",
    "search pool --limit 1_0",
    "search pool --limit",
    "search pool --limit=",
    "search pool -n5",
    "search pool -n=5",
    "search pool -an 5",
    "search pool --min-score 2",
    "search pool --min-score .5",
    "search pool --min-score 1.",
    "search pool --min-score 1e-1",
    "search pool --min-score nan",
    "search pool --by magic",
    "search pool --by --json",
    "search pool --scope here",
    "search pool --kind thing",
    "search pool --type thing",
    "search pool --json=yes",
    "search pool --since 7d",
    "search pool --until nonsense",
    "search pool --journal {root}",
    "--journal {root}/nowhere search pool",
    "--journal search pool",
    "--journal",
    "--nonsense search pool",
    "--set search.limit=1 search pool",
    "--version search pool",
    "--help search",
    "list search",
    "show",
    "show --help",
    "show {id} -a",
    "show {id} --limit 3",
    "show {id} --",
    "show --rawly {id}",
    "--journal show {id}",
    "source show",
    "history",
    "",
)
NOT_BY_SPELLING = {"--since", "--until"}
"""Options whose values are right or wrong by more than their spelling: Typer's path judges them."""
UNASKED = (
    *("typer", "pydantic", "rich", "git", "watchdog", "jinja2", "tomlkit"),
    *("faiss", "tokenizers", "model2vec", "safetensors"),
    *("asyncio", "concurrent.futures", "importlib.metadata", "multiprocessing", "subprocess"),
    *("memjournal.indexer.embedding", "memjournal.indexer.living", "memjournal.hooks"),
)
"""What takes time to load and is for other commands, or for a search by meaning."""


@pytest.fixture
def journal(world: World) -> World:
    """A few memories that differ in what can be asked for."""
    world.init()
    world.add("the connection pool times out", "--type", "decision", "--tag", "db")
    world.add("pool of workers in src/pool.py", "--type", "note", "--file", "src/pool.py")
    world.add("커넥션 풀은 열 개로 시작한다")
    return world


def words_of(world: World, lines: Iterable[str]) -> list[list[str]]:
    """*lines* as arguments, with what this journal has in the place of names."""
    first, other, *_ = world.ok("history", "--json").objects
    names = {"root": world.root, "id": first["id"], "other": other["id"], "path": first["path"]}
    return [line.format(**names).split() for line in lines]


def through_typer(world: World, words: list[str]) -> Ran:
    """What *words* give when Typer reads them: a request for completion that asks for nothing."""
    world.set_env(_MEM_COMPLETE="")
    try:
        assert quick.read_line(words) is None
        return world.run(*words)
    finally:
        del os.environ["_MEM_COMPLETE"]


def both(world: World, lines: Iterable[list[str]]) -> tuple[list[Ran], list[Ran]]:
    """What each of *lines* gives, and what it gives through Typer."""
    asked = list(lines)
    return [world.run(*one) for one in asked], [through_typer(world, one) for one in asked]


def test_what_is_plain_is_understood_without_typer_and_the_same(journal: World) -> None:
    lines = words_of(journal, PLAIN)
    assert [line for line in lines if quick.read_line(line) is None] == []
    quickly, through = both(journal, lines)
    assert quickly == through
    assert sum("mem:" in ran.out for ran in quickly) > len(lines) / 2


def test_what_is_not_plain_is_left_to_typer(journal: World) -> None:
    lines = words_of(journal, LEFT_TO_TYPER)
    assert [line for line in lines if quick.read_line(line) is not None] == []
    given, through = both(journal, lines)
    assert given == through


def test_a_blank_or_a_text_that_is_not_utf_8_is_left_to_typer(journal: World) -> None:
    words = ("--file=\udcff", "--tag= ", "--tag=", "\udcff")
    lines = [["search", ""], ["search", " "], *(["search", "pool", word] for word in words)]
    lines.append(["--journal=\udcff", "search", "pool"])
    assert [line for line in lines if quick.read_line(line) is not None] == []
    given, through = both(journal, lines)
    assert given == through


FRAGMENTS = sorted({word for line in (*PLAIN, *LEFT_TO_TYPER[3:-8]) for word in line.split()[1:]})


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(quick.COMMANDS)), st.lists(st.sampled_from(FRAGMENTS), max_size=5))
def test_any_line_gives_the_same_whoever_reads_it(
    journal: World, command: str, fragments: list[str]
) -> None:
    (words,) = words_of(journal, [" ".join((command, "pool", *fragments))])
    assert journal.run(*words) == through_typer(journal, words)


@pytest.mark.parametrize("name", quick.COMMANDS)
def test_every_option_is_known_as_what_it_is(name: str) -> None:
    """One that is added to a command must be understood here as well, or left to Typer on purpose."""
    register_commands([name])
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]  # a group
    known = quick.COMMANDS[name]
    found: dict[str, set[str]] = {"repeated": set(), "single": set(), "flags": set()}
    for option in command.params:
        if option.param_type_name == "option":
            kind = "flags" if option.is_flag else "repeated" if option.multiple else "single"
            (long,) = (one for one in option.opts if one.startswith("--"))
            assert {quick.SHORT[one] for one in option.opts if one != long} <= {long}
            assert not option.secondary_opts and not option.envvar
            found[kind] |= {long} - NOT_BY_SPELLING
    assert found["repeated"] == known.repeated
    assert found["single"] == known.single
    assert found["flags"] == known.flags


def test_a_search_by_keyword_loads_nothing_that_it_does_not_ask(journal: World) -> None:
    journal.ok("search", "pool")  # the index follows
    script = (
        "import sys\nfrom memjournal.cli.app import main\n"
        "code = main(['search', 'pool', '--by', 'keyword'])\n"
        f"print(*(name for name in {UNASKED!r} if name in sys.modules), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, check=True, encoding="utf-8"
    )
    assert "pool" in done.stdout
    assert done.stderr.split() == []


@pytest.mark.parametrize("completing", [None, ""])
def test_a_reader_that_has_seen_enough_is_no_failure(
    journal: World, completing: str | None
) -> None:
    """Whether the command line was read by Typer or not."""
    journal.ok("search", "pool")
    variables = {} if completing is None else {"_MEM_COMPLETE": completing}
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "memjournal.cli", "search", "pool"],
            stdout=writing,
            stderr=subprocess.PIPE,
            env={**os.environ, **variables, "PYTHONUNBUFFERED": "1"},
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.fixture
def long_answers(journal: World) -> World:
    """A journal whose answers are longer than a pipe holds, so that whoever prints them is held up."""
    for number in range(150):
        journal.write(f"notes/{number}.md", f"# pool {number}\n\n{'커넥션 풀 고갈 ' * 20}\n")
    journal.write("notes/long.md", "풀 고갈\n" * 20_000)
    journal.ok("index")
    return journal


HEEDING_CTRL_C = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, "-P", "-m", "memjournal.cli", *sys.argv[1:]])
"""
"""A shell starts what runs in its background deaf to Ctrl-C, and that is inherited."""


class Held:
    """Whether a process is held up by a pipe that nobody reads: it sleeps, and nothing more comes.

    Before that a signal may come between two steps of Python that do not look for one, and a write
    that waits for ever.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process, self._seen, self._n_looks = process, 0, 0

    def __call__(self) -> bool:
        import fcntl
        import termios

        assert self._process.stdout is not None
        raw = fcntl.ioctl(self._process.stdout, termios.FIONREAD, b"\0" * 4)
        waiting = int.from_bytes(raw, sys.byteorder)
        stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        is_still = stat.rpartition(")")[2].split()[0] == "S" and 32_000 < waiting == self._seen
        self._seen, self._n_looks = waiting, self._n_looks + 1 if is_still else 0
        return self._n_looks >= 20


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="nothing tells what it waits for")
@pytest.mark.parametrize(
    "is_gone", [False, True], ids=["a reader that waits", "a reader that went"]
)
@pytest.mark.parametrize("completing", [None, ""], ids=["quick", "typer"])
def test_ctrl_c_is_one_line_and_130(
    long_answers: World, completing: str | None, is_gone: bool
) -> None:
    """Where the reader, a pager or `head`, has gone as well, either of the two may be noticed first."""
    variables = {} if completing is None else {"_MEM_COMPLETE": completing}
    for command in (("search", "pool", "-n", "1000", "--json"), ("show", "notes/long.md")):
        with subprocess.Popen(
            [sys.executable, "-c", HEEDING_CTRL_C, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **variables},
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            wait_until(Held(process))
            process.send_signal(signal.SIGINT)
            if is_gone:
                process.stdout.close()
            try:
                code = process.wait(60)
            finally:
                process.kill()
            ends = {(130, b"mem: interrupted\n"), *([(0, b"")] if is_gone else [])}
            assert (code, process.stderr.read()) in ends
