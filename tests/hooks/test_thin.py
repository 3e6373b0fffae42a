"""`mem-hook`: what it is told is stored once, and whatever happens, it ends with 0 and says nothing else."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memjournal.cli import mem_hook, user_folders
from memjournal.hooks import thin
from memjournal.indexer.daemon import lines, wire
from memjournal.indexer.daemon.place import DaemonPlace
from memjournal.journal.errors import MemjournalError
from memjournal.journal.place import find_journal

from ..journeys.conftest import World, new_world
from ..waiting import wait_until
from .hooked import NO_BYTECODE, Hooked, failure, key_of, odd_daemon

NEVER = {"MEMJOURNAL_DAEMON_AUTOSTART": "never"}
BUDGET = {"MEMJOURNAL_HOOK_BUDGET_S": "10"}  # for machines that are busy
EVENT = "PostToolUseFailure"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A home with a new journal, made once; tests get copies."""
    world = new_world(tmp_path_factory.mktemp("made") / "집 home")
    world.ok("init", "--no-git")
    return world


@pytest.fixture
def hooked(
    made: World, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Hooked]:
    """A home with a new journal, of which no daemon is left, nor started unless a test wants one."""
    world = new_world(tmp_path / "집 home")
    shutil.copytree(made.home, world.home, dirs_exist_ok=True)
    state = tmp_path_factory.mktemp("s")  # the path to a socket must be short
    environ = {**world.environ, "XDG_STATE_HOME": str(state), **NEVER, **BUDGET}
    hooked = Hooked(World(world.home, environ))
    yield hooked
    hooked.world.mem("daemon", "stop")


def pids(hooked: Hooked) -> int:
    (fields,) = hooked.world.mem("daemon", "status", "--json").objects
    return int(str(fields["pid"]))


def started(hooked: Hooked) -> int:
    """Start the journal's daemon; its process."""
    hooked.world.ok("daemon", "start")
    return pids(hooked)


def n_requests(hooked: Hooked) -> int:
    (fields,) = hooked.world.mem("daemon", "status", "--json").objects
    return int(str(fields["requests"]))


# --- where everything is -------------------------------------------------------------------------


def layouts(top: Path) -> Iterator[tuple[str, Path, dict[str, str]]]:
    """Places to stand in, with the variables that are set there."""
    for name in ("plain", "own/.memjournal", "own", "in", "엘/깊은/곳", "home/memjournal"):
        (top / name).mkdir(parents=True, exist_ok=True)
    (top / "plain/memjournal.toml").touch()
    (top / "own/.memjournal/memjournal.toml").touch()
    (top / "home/memjournal/memjournal.toml").touch()
    (top / "in/the/way/memjournal.toml").mkdir(parents=True)
    (top / "in/a/link").mkdir(parents=True)
    (top / "in/a/link/memjournal.toml").symlink_to(top / "nowhere")
    (top / "in/a/good").mkdir()
    (top / "in/a/good/memjournal.toml").symlink_to(top / "plain/memjournal.toml")
    (top / "plain/below/it").mkdir(parents=True)
    (top / "linked").symlink_to(top / "plain/below")
    home = {"HOME": str(top / "home")}
    empty = {"HOME": str(top / "엘")}
    stand_in = ("plain", "plain/below/it", "own", "linked", "in/the/way", "in/a/link", "in/a/good")
    for name in stand_in:
        yield name, top / name, home
    elsewhere = top / "엘/깊은"
    for given in (
        home,
        empty,
        {**home, "MEMJOURNAL_HOME": str(top / "plain")},
        {**home, "MEMJOURNAL_HOME": "~/memjournal"},
        {**home, "MEMJOURNAL_HOME": "../../plain"},
        {**home, "MEMJOURNAL_HOME": str(top / "linked/..")},
        {**home, "MEMJOURNAL_HOME": "~nobody-of-that-name/x"},
        {**home, "MEMJOURNAL_HOME": str(top / "in/the/way")},
        {**home, "MEMJOURNAL_HOME": str(top / "in/a/link")},
        {**home, "MEMJOURNAL_HOME": str(top / "plain/memjournal.toml")},
        {**home, "MEMJOURNAL_HOME": ""},
    ):
        yield str(given), elsewhere, given


def test_the_journal_is_the_one_that_mem_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memjournal.cli.context import Context

    n_found = n_refused = 0
    for name, cwd, environ in layouts(tmp_path):
        with monkeypatch.context() as here:
            here.chdir(cwd)
            here.delenv("MEMJOURNAL_HOME", raising=False)
            for variable, value in environ.items():
                here.setenv(variable, value)
            context = Context()
            try:
                expected = str(find_journal(context.cwd, default=context.default_root).absolute())
            except MemjournalError as error:
                expected = "" if error.what == "no journal here" else "refused"
            try:
                found = thin.find_journal(os.environ, os.getcwd())
            except thin.PlaceError:
                found = "refused"
            same = found == expected or os.path.realpath(found) == os.path.realpath(expected)
            assert same, (name, found, expected)
            n_found += expected not in ("", "refused")
            n_refused += expected == "refused"
    assert n_found >= 9
    assert n_refused >= 3


def test_the_files_of_the_daemon_are_where_it_puts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "한글").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "한글")
    for root in (tmp_path, tmp_path / "한글", tmp_path / "link", Path("/nowhere")):
        assert thin.place_name(str(root)) == DaemonPlace(tmp_path, root).name
    for value in ("", "relative", str(tmp_path), " "):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert mem_hook.run_folder(os.environ) == str(user_folders.state_folder() / "run")


def test_the_users_folders_are_those_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    for value in (None, "/srv/elsewhere"):
        for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            if value is None:
                monkeypatch.delenv(variable, raising=False)
            else:
                monkeypatch.setenv(variable, value)
        own = platformdirs.PlatformDirs("memjournal", appauthor=False)
        assert user_folders.config_folder() == own.user_config_path
        assert user_folders.cache_folder() == own.user_cache_path
        assert user_folders.state_folder() == own.user_state_path
        assert user_folders.log_folder() == own.user_log_path


def test_it_speaks_as_the_daemon_does() -> None:
    assert thin.PROTOCOL == wire.PROTOCOL
    assert thin._MAX_REQUEST_BYTES == lines.MAX_REQUEST_BYTES


def test_no_key_or_token_is_passed_on() -> None:
    environ = {
        "CLAUDE_CODE_OAUTH_TOKEN": "no",
        "ANTHROPIC_API_KEY": "no",
        "MEMJOURNAL_SERVICE_KEY": "no",
        "MEMJOURNAL_PASSWORD": "no",
        "PATH": "no",
        "CLAUDECODE": "1",
        "MEMJOURNAL_CAPTURE_ENABLED": "false",
    }
    assert thin.passed_on(environ) == {"CLAUDECODE": "1", "MEMJOURNAL_CAPTURE_ENABLED": "false"}


# --- without a daemon ----------------------------------------------------------------------------


def test_without_a_daemon_it_stores_what_it_is_told_once(hooked: Hooked) -> None:
    for _ in range(2):
        assert hooked.ok(EVENT, failure(1)) == b""
    assert hooked.keys() == [key_of(1)]
    assert hooked.log == ""


def test_where_there_is_no_journal_nothing_happens(tmp_path: Path) -> None:
    world = new_world(tmp_path / "집 home")
    assert Hooked(world).ok(EVENT, failure(1)) == b""
    assert list(world.home.iterdir()) == []


def test_something_in_the_place_of_the_journal_is_logged(hooked: Hooked) -> None:
    file = hooked.world.journal / "memjournal.toml"
    file.unlink()
    file.mkdir()
    assert hooked.ok(EVENT, failure(1)) == b""
    assert "there is a folder where the journal's file should be" in hooked.log


def test_it_can_be_turned_off(hooked: Hooked) -> None:
    assert hooked.ok(EVENT, failure(1), environ={"MEMJOURNAL_HOOKS": "off"}) == b""
    assert hooked.sessions() == []


@pytest.mark.parametrize("words", [(), ("claude-code",), ("claude-code", EVENT, "more")])
def test_wrong_words_are_logged_and_nothing_else(hooked: Hooked, words: tuple[str, ...]) -> None:
    with hooked.start(*words) as process:
        assert process.communicate(b"{}", timeout=60) == (b"", b"")
    assert process.returncode == 0
    assert "usage: mem-hook AGENT EVENT" in hooked.log


def test_an_unknown_assistant_is_logged(hooked: Hooked) -> None:
    assert hooked.ok(EVENT, failure(1), agent="nobody") == b""
    assert "nobody" in hooked.log


@pytest.mark.parametrize(
    "payload", [b"", b"null", b"[]", b"{", b"\xff\xfe", b'{"a":"\xff"}', b"[" * 100_000]
)
def test_what_is_no_payload_is_logged_on_one_line(hooked: Hooked, payload: bytes) -> None:
    assert hooked.ok(EVENT, payload) == b""
    assert hooked.sessions() == []
    (line,) = hooked.log.splitlines()
    assert f"hook: {EVENT}: " in line


def test_the_log_holds_no_secret(hooked: Hooked) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    assert hooked.ok(EVENT, failure(1), agent=token) == b""
    assert "no assistant is called" in hooked.log
    assert "REDACTED" in hooked.log
    assert token not in hooked.log


def test_bytes_that_are_no_utf_8_are_replaced(hooked: Hooked) -> None:
    payload = json.dumps(failure(1)).encode().replace(b"srv", b"s\xffv")
    assert hooked.ok(EVENT, payload) == b""
    assert hooked.keys() == [key_of(1)]


def test_fifty_megabytes_are_left_out_and_logged(hooked: Hooked) -> None:
    payload = json.dumps({**failure(1), "error": "x" * 50_000_000}).encode()
    assert hooked.ok(EVENT, payload) == b""
    assert hooked.sessions() == []
    assert "a payload of more than" in hooked.log


def test_what_is_too_large_for_the_daemon_is_stored_without_it(hooked: Hooked) -> None:
    started(hooked)
    payload = {**failure(1), "error": "Exit code 1\n" + 'say "no"\n' * 600_000}
    assert hooked.ok(EVENT, payload, environ={"MEMJOURNAL_HOOK_BUDGET_S": "60"}) == b""
    assert hooked.keys() == [key_of(1)]


def test_a_hook_that_was_stored_lets_a_daemon_be_started(hooked: Hooked) -> None:
    assert hooked.ok(EVENT, failure(1), environ={"MEMJOURNAL_DAEMON_AUTOSTART": "auto"}) == b""
    wait_until(lambda: hooked.world.mem("daemon", "status").code == 0)
    before = n_requests(hooked)
    assert hooked.ok(EVENT, failure(2)) == b""
    assert n_requests(hooked) == before + 2  # this one, and the question
    assert hooked.keys() == [key_of(1), key_of(2)]


def test_no_daemon_is_started_where_the_settings_forbid_it(hooked: Hooked) -> None:
    assert hooked.ok(EVENT, failure(1)) == b""
    assert not hooked.place.attempt.exists()


# --- beside a daemon -----------------------------------------------------------------------------


def test_the_daemon_stores_what_it_is_told_once(hooked: Hooked) -> None:
    started(hooked)
    before = n_requests(hooked)
    for _ in range(2):
        assert hooked.ok(EVENT, failure(1)) == b""
    assert n_requests(hooked) == before + 3
    assert hooked.keys() == [key_of(1)]


def test_a_daemon_on_loopback_is_asked_as_well(hooked: Hooked) -> None:
    command = (sys.executable, "-P", "-m", "memjournal.cli", "daemon", "run", "--tcp")
    with subprocess.Popen(
        command, env=dict(hooked.world.environ), stderr=subprocess.DEVNULL
    ) as run:
        wait_until(lambda: hooked.world.mem("daemon", "status").code == 0)
        before = n_requests(hooked)
        assert hooked.ok(EVENT, failure(1)) == b""
        assert n_requests(hooked) == before + 2
        run.terminate()
    assert hooked.keys() == [key_of(1)]


def test_a_daemon_that_hangs_is_not_waited_for_and_stores_nothing_twice(hooked: Hooked) -> None:
    pid = started(hooked)
    os.kill(pid, signal.SIGSTOP)
    try:
        assert hooked.ok(EVENT, failure(1), environ={"MEMJOURNAL_HOOK_BUDGET_S": "5"}) == b""
        assert hooked.keys() == [key_of(1)]
        assert "the daemon did not answer in time; done without it" in hooked.log
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until(lambda: hooked.world.mem("daemon", "status").code == 0)
    assert hooked.ok(EVENT, failure(2)) == b""
    assert sorted(hooked.keys()) == [key_of(1), key_of(2)]


def test_a_daemon_that_was_killed_is_no_daemon(hooked: Hooked) -> None:
    os.kill(started(hooked), signal.SIGKILL)
    assert hooked.ok(EVENT, failure(1)) == b""
    assert hooked.keys() == [key_of(1)]


def close(_: socket.socket) -> None:
    """Goes away when it has the request."""


def half(connection: socket.socket) -> None:
    connection.sendall(b'{"id":1,"result":"{\\"hookSpec')


def drip(connection: socket.socket) -> None:
    """Says something again and again, and never ends."""
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def flood(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"x" * 65_536)


def saying(line: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(line)


@pytest.mark.parametrize(
    "behave",
    [
        close,
        half,
        drip,
        flood,
        *map(
            saying,
            (
                b"\n",
                b"\xff\xfe\n",
                b"HTTP/1.1 400 Bad Request\r\n\r\n",
                b'{"id":1,"result":17}\n',
                b'{"id":1,"result":"a","result":"b"}\n',
                b'{"id":1,"result":"a\n',
                b'{"id":1,"result":"\\x"}\n',
                b'{"id":2,"result":""}\n',
                b'{"id":1,"error":{"kind":"UsageError","code":64,"what":"no such method"}}\n',
                b'{"id":1,"error":{"kind":"","code":70,"what":"this is a bug in the daemon"}}\n',
            ),
        ),
    ],
)
def test_whatever_the_daemon_answers_the_event_is_stored(
    hooked: Hooked, behave: Callable[[socket.socket], None]
) -> None:
    with odd_daemon(hooked, behave) as daemon:
        assert hooked.ok(EVENT, failure(1), environ={"MEMJOURNAL_HOOK_BUDGET_S": "5"}) == b""
    assert daemon.requests
    assert hooked.keys() == [key_of(1)]
    assert "done without it" in hooked.log


def test_what_the_daemon_answers_is_printed_as_it_is(hooked: Hooked) -> None:
    told = {"hookEventName": "UserPromptSubmit", "additionalContext": '한국어 "\\\n🙂'}
    text = json.dumps({"hookSpecificOutput": told}, ensure_ascii=False)
    line = json.dumps({"id": 1, "result": text}, separators=(",", ":")).encode() + b"\n"
    with odd_daemon(hooked, saying(line)) as daemon:
        out = hooked.ok("UserPromptSubmit", {"prompt": "안녕"}, environ={"CLAUDECODE": "1"})
    assert out.decode() == text
    (request,) = map(json.loads, daemon.requests)
    assert request["params"]["agent"] == "claude-code"
    assert request["params"]["event"] == "UserPromptSubmit"
    assert json.loads(request["params"]["payload"]) == {"prompt": "안녕"}
    assert request["params"]["environ"]["CLAUDECODE"] == "1"


@pytest.mark.parametrize("changes", [{"protocol": 99}, {"version": "999.0"}, {"version": "0.0.1"}])
def test_another_version_keeps_nothing_from_being_stored(
    hooked: Hooked, changes: dict[str, object]
) -> None:
    answer = b'{"id":1,"error":{"kind":"UnavailableError","code":69,"what":"another version"}}\n'
    with odd_daemon(hooked, saying(answer), **changes):
        assert hooked.ok(EVENT, failure(1)) == b""
    assert hooked.keys() == [key_of(1)]


def test_a_newer_daemon_of_the_same_protocol_is_asked(hooked: Hooked) -> None:
    with odd_daemon(hooked, saying(b'{"id":1,"result":""}\n'), version="999.0") as daemon:
        assert hooked.ok(EVENT, failure(1)) == b""
    assert len(daemon.requests) == 1
    assert hooked.sessions() == []


def test_a_file_in_the_place_of_the_socket_is_none(hooked: Hooked) -> None:
    with odd_daemon(hooked, close):
        hooked.place.socket.unlink()
        hooked.place.socket.write_text("no socket")
        assert hooked.ok(EVENT, failure(1)) == b""
    assert hooked.keys() == [key_of(1)]


def test_a_socket_that_others_could_have_made_is_not_asked(hooked: Hooked) -> None:
    with odd_daemon(hooked, saying(b'{"id":1,"result":"evil"}\n')) as daemon:
        hooked.run_folder.chmod(0o777)
        assert hooked.ok(EVENT, failure(1)) == b""
    assert daemon.requests == []
    assert hooked.keys() == [key_of(1)]


def test_a_link_in_the_place_of_its_state_is_not_followed(hooked: Hooked, tmp_path: Path) -> None:
    with odd_daemon(hooked, saying(b'{"id":1,"result":"evil"}\n')) as daemon:
        hooked.place.state.rename(tmp_path / "state")
        hooked.place.state.symlink_to(tmp_path / "state")
        assert hooked.ok(EVENT, failure(1)) == b""
    assert daemon.requests == []
    assert hooked.keys() == [key_of(1)]


# --- what surrounds it ---------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
@pytest.mark.parametrize("beside_daemon", [False, True])
def test_closed_streams_are_no_obstacle(
    hooked: Hooked, closed: tuple[int, ...], beside_daemon: bool
) -> None:
    def close_them() -> None:
        for number in closed:
            os.close(number)

    line = b'{"id":1,"result":"{}"}\n'
    with odd_daemon(hooked, saying(line)) if beside_daemon else contextlib.nullcontext():
        ran = hooked.run(EVENT, b"" if 0 in closed else failure(1), preexec_fn=close_them)
    assert (ran.code, ran.err) == (0, b"")
    assert ran.out == (b"{}" if beside_daemon and 1 not in closed else b"")
    assert hooked.keys() == ([] if beside_daemon or 0 in closed else [key_of(1)])


def test_a_reader_that_has_gone_is_no_obstacle(hooked: Hooked) -> None:
    line = b'{"id":1,"result":"' + b"x" * 200_000 + b'"}\n'
    with odd_daemon(hooked, saying(line)), hooked.start("claude-code", EVENT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(b"{}")
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_stdin_that_never_ends_is_not_waited_for(hooked: Hooked) -> None:
    with hooked.start("claude-code", EVENT, environ={"MEMJOURNAL_HOOK_BUDGET_S": "3"}) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(failure(1)).encode())
        process.stdin.flush()
        assert process.wait(60) == 0
        process.stdin.close()
    assert hooked.keys() == [key_of(1)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_with_0(hooked: Hooked, number: int) -> None:
    with odd_daemon(hooked, drip) as daemon, hooked.start("claude-code", EVENT) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(failure(1)).encode())
        process.stdin.close()
        wait_until(lambda: daemon.requests)
        process.send_signal(number)
        assert process.wait(60) == 0
    assert "ended by a signal" in hooked.log


def test_its_budget_ends_whatever_it_waits_for(hooked: Hooked) -> None:
    assert hooked.ok(EVENT, failure(1)) == b""
    (path,) = hooked.sessions()
    with open(path, "rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert hooked.ok(EVENT, failure(2), environ={"MEMJOURNAL_HOOK_BUDGET_S": "1"}) == b""
    assert "out of time after 1 s" in hooked.log
    assert hooked.keys() == [key_of(1)]


def test_nothing_can_be_written_and_it_is_logged(hooked: Hooked) -> None:
    shutil.rmtree(hooked.world.journal / "sessions")
    (hooked.world.journal / "sessions").write_text("in the way")
    assert hooked.ok(EVENT, failure(1)) == b""
    assert f"hook: {EVENT}: " in hooked.log


def test_a_full_disk_leaves_no_half_a_record(hooked: Hooked) -> None:
    assert hooked.ok(EVENT, failure(1)) == b""
    (path,) = hooked.sessions()
    before = path.read_bytes()

    def fill() -> None:
        limit = len(before) + 100
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    assert hooked.ok(EVENT, failure(2), preexec_fn=fill, environ=NO_BYTECODE) == b""
    assert path.read_bytes() == before
    assert f"hook: {EVENT}: " in hooked.log


@pytest.mark.parametrize("beside_daemon", [False, True])
def test_parallel_hooks_are_all_stored_once(hooked: Hooked, beside_daemon: bool) -> None:
    if beside_daemon:
        started(hooked)
    running = [hooked.start("claude-code", EVENT) for _ in range(16)]
    for number, process in enumerate(running):
        assert process.stdin is not None
        process.stdin.write(json.dumps(failure(number)).encode())
        process.stdin.close()
    for process in running:
        with process:
            assert process.wait(60) == 0
            assert process.stdout is not None
            assert process.stderr is not None
            assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    assert Counter(hooked.keys()) == {key_of(number): 1 for number in range(16)}


@pytest.mark.parametrize(
    ("event", "variable", "expected"),
    [
        ("SessionEnd", "", 1.1),
        ("session_end", "", 1.1),
        ("session-end", "", 1.1),
        ("BeforeSendMessage", "", 2.5),
        ("UserPromptSubmit", "", 2.5),
        ("UserPromptSubmit", "0.7", 0.7),
        ("UserPromptSubmit", "soon", 2.5),
        ("UserPromptSubmit", "nan", 2.5),
        ("UserPromptSubmit", "-1", 2.5),
        ("UserPromptSubmit", "1e9", 600.0),
    ],
)
def test_the_budget_is_that_of_the_event_unless_it_is_set(
    event: str, variable: str, expected: float
) -> None:
    assert mem_hook.budget_of(event, {"MEMJOURNAL_HOOK_BUDGET_S": variable}) == expected
