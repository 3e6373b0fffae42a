"""However the daemon ended, or if it hangs, the next command finds its way by itself."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memjournal.indexer.daemon.client import DaemonClient
from memjournal.indexer.daemon.errors import DaemonGoneError, DaemonSilentError, OtherSettingsError
from memjournal.indexer.daemon.lifecycle import (
    HUNG_S,
    Launch,
    end_daemon,
    reach,
    wait_for_daemon,
)
from memjournal.indexer.daemon.place import DaemonPlace
from memjournal.indexer.search.answer import SearchRequest
from memjournal.journal.errors import CannotCreateError, MemjournalError

from ...odd_places import a_folder, a_pipe
from ...waiting import wait_until

SCRIPT = Path(__file__).with_name("a_daemon.py")
AGES_S = 2 * HUNG_S
HANG = {"paths": ["hang"], "patience_s": 0}


class Den:
    """A journal, and daemons of it as processes."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "일지 journal"
        (self.root / "memories").mkdir(parents=True)
        (self.root / "memjournal.toml").write_text("", encoding="utf-8")
        self.place = DaemonPlace(folder / "run", self.root)
        self._started: list[subprocess.Popen[str]] = []
        self.write("pool", "The connection pool was exhausted. 커넥션 풀 고갈.")

    def write(self, name: str, text: str) -> None:
        (self.root / "memories" / f"{name}.md").write_text(f"# {name}\n\n{text}\n", "utf-8")

    def command(self, **options: object) -> tuple[str, ...]:
        given = {"root": str(self.root), "folder": str(self.place.folder), **options}
        return (sys.executable, "-P", str(SCRIPT), json.dumps(given))

    def run(self, **options: object) -> subprocess.Popen[str]:
        """Start a daemon, and wait until it answers."""
        process = self.begin(**options)
        wait_until(lambda: (state := self.place.read_state()) and state.pid == process.pid)
        return process

    def begin(self, **options: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command(**options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._started.append(process)
        return process

    def launch(self, version: str = "1.0", *, autostart: bool = False, **options: object) -> Launch:
        return Launch(
            place=self.place,
            version=version,
            command=self.command(version=version, on_demand=True, **options),
            autostart=autostart,
        )

    def client(self, version: str = "1.0") -> DaemonClient | None:
        return reach(self.launch(version), now_ns=time.time_ns()).client

    def start_by_need(self, version: str = "1.0", **options: object) -> None:
        """Do as a command that finds no daemon, and see that one is there afterwards."""
        launch = self.launch(version, autostart=True, **options)
        assert reach(launch, now_ns=time.time_ns()).client is None
        self.wait_for(version)

    def wait_for(self, version: str = "1.0") -> None:
        def is_there() -> bool:
            state = self.place.read_state()
            return state is not None and state.version == version and self.answers(version)

        wait_until(is_there)

    def answers(self, version: str = "1.0") -> bool:
        client = self.client(version)
        if client is None:
            return False
        with contextlib.closing(client):
            client.ping(timeout_s=30)
        return True

    def titles(self, text: str) -> list[str]:
        client = self.client()
        assert client is not None
        with contextlib.closing(client):
            request = SearchRequest(text=text, now=datetime.now(UTC), by="keyword")
            answer, _ = client.search(request, mark="mark", patience_s=30, timeout_s=60)
        return [hit.row.title for hit in answer.hits]

    def age(self, seconds: float) -> None:
        """Let the last sign of life be so old."""
        then = time.time() - seconds
        os.utime(self.place.state, (then, then))

    @property
    def left(self) -> list[str]:
        """What is in the folder, but for the lock, whose removal would be a race."""
        return sorted(path.suffix for path in self.place.folder.iterdir() if path.suffix != ".lock")

    def close(self) -> None:
        end_daemon(self.place, patience_s=10)
        for process in self._started:
            process.kill()
            process.communicate()


@pytest.fixture
def den(tmp_path: Path) -> Iterator[Den]:
    made = Den(tmp_path)
    yield made
    made.close()


def end_of(process: subprocess.Popen[str]) -> object:
    """Why a daemon says that it ended, and whether it wants another."""
    out, err = process.communicate(timeout=60)
    assert err == ""
    assert process.returncode == 0
    return json.loads(out)


# --- an ordinary life ---------------------------------------------------------------------------


@pytest.mark.parametrize("tcp", [False, True], ids=["unix", "tcp"])
def test_a_daemon_answers_and_leaves_nothing_when_it_is_stopped(den: Den, tcp: bool) -> None:
    daemon = den.run(tcp=tcp)
    assert den.titles("커넥션 풀") == ["pool"]
    assert end_daemon(den.place, patience_s=30)
    assert end_of(daemon) == ["it was asked to", False]
    assert den.left == []
    assert not den.place.is_held()
    assert den.client() is None


def test_what_is_saved_is_found_by_the_next_question(den: Den) -> None:
    den.run()
    for n in range(5):
        den.write(f"note{n}", f"zebra{n} 얼룩말{n}")
        client = den.client()
        assert client is not None
        with contextlib.closing(client):
            assert client.refresh([f"memories/note{n}.md"], patience_s=30) == (True, ())
        assert den.titles(f"zebra{n}")[0] == f"note{n}"


def test_fifty_ask_at_once_while_files_are_saved_and_all_are_answered(den: Den) -> None:
    den.run()
    with ThreadPoolExecutor(50) as pool:
        asked = [pool.submit(den.titles, "커넥션 풀") for _ in range(100)]
        for n in range(50):
            den.write(f"note{n}", f"기린{n}")
        assert {tuple(one.result()) for one in asked} == {("pool",)}
    assert den.titles("기린49")[0] == "note49"


def test_a_long_path_of_a_runtime_folder_is_no_hindrance(tmp_path: Path) -> None:
    den = Den(tmp_path)
    den.place = DaemonPlace(tmp_path / ("long" * 30), den.root)
    try:
        den.run()
        assert den.place.token.exists()  # no socket has such a long path
        assert den.titles("pool") == ["pool"]
    finally:
        den.close()


def test_every_path_that_leads_to_the_journal_leads_to_its_daemon(den: Den, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(den.root)
    assert DaemonPlace(den.place.folder, tmp_path / "link").name == den.place.name
    assert DaemonPlace(den.place.folder, tmp_path / "other").name != den.place.name


def test_questions_of_other_settings_are_not_answered(den: Den) -> None:
    den.run()
    client = den.client()
    assert client is not None
    request = SearchRequest(text="pool", now=datetime.now(UTC))
    with contextlib.closing(client), pytest.raises(OtherSettingsError):
        client.search(request, mark="other", patience_s=0)


# --- how it ends by itself ----------------------------------------------------------------------


def test_a_daemon_that_nobody_asks_ends(den: Den) -> None:
    daemon = den.run(idle_s=0.2)
    assert end_of(daemon) == ["nobody has asked for anything for long", False]
    assert den.left == []


def test_it_ends_with_its_journal(den: Den) -> None:
    daemon = den.run()
    assert den.titles("pool") == ["pool"]
    den.root.rename(den.root.with_name("moved"))
    assert end_of(daemon) == ["the journal is gone", False]
    assert den.left == []
    assert not den.root.exists()  # it did not come back by the daemon


def test_it_ends_when_its_settings_change(den: Den) -> None:
    daemon = den.run()
    (den.root / "memjournal.toml").write_text("[search]\nlimit = 3\n", encoding="utf-8")
    assert end_of(daemon) == ["the settings have changed", True]


def test_it_ends_when_its_files_are_removed(den: Den) -> None:
    daemon = den.run()
    for path in den.place.folder.iterdir():
        path.unlink()
    den.place.folder.rmdir()
    assert end_of(daemon) == ["its own files are gone", True]
    den.start_by_need()


def test_a_daemon_whose_answers_do_not_end_ends_all_the_same(den: Den) -> None:
    daemon = den.run(closing_s=0.2)
    client = den.client()
    assert client is not None
    request = SearchRequest(text="hang", now=datetime.now(UTC), by="keyword")
    with contextlib.closing(client), pytest.raises(DaemonSilentError):
        client.search(request, mark="mark", patience_s=0, timeout_s=0.5)
    daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(60) == 70
    den.start_by_need()  # nothing is held, and what was left stands in nobody's way
    assert den.titles("pool") == ["pool"]


def test_sigterm_ends_it_cleanly(den: Den) -> None:
    daemon = den.run()
    daemon.send_signal(signal.SIGTERM)
    assert end_of(daemon) == ["SIGTERM", False]
    assert den.left == []


# --- how the next command recovers --------------------------------------------------------------


def test_after_kill_9_the_next_command_starts_another(den: Den) -> None:
    daemon = den.run()
    daemon.kill()
    daemon.wait()
    assert ".sock" in den.left
    den.start_by_need()
    assert den.titles("pool") == ["pool"]


def test_what_a_killed_daemon_left_is_cleared_even_where_none_is_started(den: Den) -> None:
    den.run().kill()
    wait_until(lambda: not den.place.is_held())
    assert den.client() is None
    assert den.place.clear_stale()
    assert den.left == []


def test_a_number_of_a_killed_daemon_that_another_process_has_now_is_left_alone(den: Den) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        daemon = den.run()
        state = den.place.state.read_text()
        daemon.kill()
        daemon.wait()
        den.place.state.write_text(state.replace(str(daemon.pid), str(bystander.pid)))
        den.place.lock.write_text(f"{bystander.pid}\n")
        assert not end_daemon(den.place, patience_s=0.1)
        assert bystander.poll() is None
        den.start_by_need()
        assert bystander.poll() is None
    finally:
        bystander.communicate(b"\n")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', "\x00" * 10, "[" * 50_000])
def test_a_state_file_that_is_no_state_is_replaced(den: Den, text: str) -> None:
    den.place.prepare()
    den.place.state.write_text(text)
    den.start_by_need()


@pytest.mark.parametrize("replace", [a_pipe, a_folder], ids=lambda one: one.__name__)
def test_what_is_no_file_in_the_place_of_the_state_is_no_daemon(
    den: Den, replace: Callable[[Path], None]
) -> None:
    den.place.prepare()
    replace(den.place.state)
    assert den.place.read_state() is None
    assert den.client() is None
    assert not end_daemon(den.place, patience_s=0)


def test_a_pipe_in_the_place_of_the_state_is_replaced(den: Den) -> None:
    den.place.prepare()
    a_pipe(den.place.state)
    den.start_by_need()


def test_a_pipe_in_the_place_of_the_token_is_not_waited_for(den: Den) -> None:
    den.run(tcp=True)
    den.place.token.unlink()
    a_pipe(den.place.token)
    assert den.client() is None


def test_a_pipe_in_the_place_of_the_lock_is_named(den: Den) -> None:
    den.place.prepare()
    a_pipe(den.place.lock)
    assert den.client() is None
    assert den.place.holder() is None
    named = f"{den.place.lock.name}: not a file; remove what is in its place"
    with pytest.raises(CannotCreateError, match=named), den.place.held(timeout_s=0):
        pass


def test_a_daemon_that_hangs_is_ended_and_replaced(den: Den) -> None:
    daemon = den.run()
    daemon.send_signal(signal.SIGSTOP)
    den.age(AGES_S)
    reached = reach(den.launch(autostart=True), now_ns=time.time_ns())
    assert reached.client is None
    assert "does not answer; it hung and was ended" in reached.remark
    assert daemon.wait(30) == -signal.SIGKILL
    den.wait_for()


def test_a_daemon_that_is_busy_is_left_alone(den: Den) -> None:
    daemon = den.run()
    client = den.client()
    assert client is not None
    with contextlib.closing(client), pytest.raises(DaemonSilentError):
        client.call("refresh", HANG, timeout_s=0.2)
    assert den.answers()  # one question that takes long holds no other
    assert daemon.poll() is None


def test_a_question_that_never_ends_takes_the_sign_of_life_away(den: Den) -> None:
    den.run(stuck_s=0.2)
    client = den.client()
    assert client is not None
    with contextlib.closing(client), pytest.raises(DaemonSilentError):
        client.call("refresh", HANG, timeout_s=0.5)
    den.age(AGES_S)
    assert den.place.silent_s(time.time_ns()) > HUNG_S


def test_a_hung_daemon_is_stopped_by_force_on_request(den: Den) -> None:
    daemon = den.run()
    daemon.send_signal(signal.SIGSTOP)
    assert end_daemon(den.place, patience_s=0.2)
    assert daemon.wait(30) == -signal.SIGKILL
    assert den.left == []


def test_of_many_that_are_started_at_once_one_is_the_daemon(den: Den) -> None:
    launch = den.launch()
    with ThreadPoolExecutor(5) as pool:
        clients = list(
            pool.map(
                lambda _: wait_for_daemon(launch, timeout_s=60, now_ns=time.time_ns()), range(5)
            )
        )
    pids = set()
    for client in clients:
        with contextlib.closing(client):
            pids.add(client.status(timeout_s=30)["pid"])
    assert len(pids) == 1
    assert end_daemon(den.place, patience_s=30)
    assert not den.place.is_held()  # nor does one that was late take its place


def test_fifty_commands_without_a_daemon_start_one(den: Den, tmp_path: Path) -> None:
    counter = tmp_path / "count"
    command = (sys.executable, "-c", f"open({str(counter)!r}, 'a').write('x')")
    launch = Launch(place=den.place, version="1.0", command=command, autostart=True)
    for _ in range(50):
        assert reach(launch, now_ns=time.time_ns()).client is None
    wait_until(lambda: counter.exists() and counter.stat().st_size > 0)  # made, then written
    assert counter.read_text() == "x"


def test_a_daemon_that_did_not_start_is_tried_again_later(den: Den) -> None:
    failing = Launch(
        place=den.place, version="1.0", command=(sys.executable, "-c", "exit(1)"), autostart=True
    )
    assert reach(failing, now_ns=time.time_ns()).client is None
    long_after = time.time_ns() + 3600 * 10**9
    assert reach(den.launch(autostart=True), now_ns=long_after).client is None
    den.wait_for()


@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_read_only_runtime_folder_stops_nothing(den: Den, mode: int) -> None:
    den.place.prepare()
    den.place.folder.chmod(mode)
    launch = Launch(
        place=den.place, version="1.0", command=(sys.executable, "-c", ""), autostart=True
    )
    try:
        assert reach(launch, now_ns=time.time_ns()).client is None
    finally:
        den.place.folder.chmod(0o700)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder in which nothing can be made")
def test_a_runtime_folder_that_cannot_be_made_stops_nothing(den: Den) -> None:
    nowhere = DaemonPlace(Path("/proc/memjournal/run"), den.root)
    launch = Launch(place=nowhere, version="1.0", command=("false",), autostart=True)
    assert reach(launch, now_ns=time.time_ns()).client is None
    assert not nowhere.is_held()
    assert not end_daemon(nowhere, patience_s=0)
    with pytest.raises(MemjournalError):
        wait_for_daemon(launch, timeout_s=5, now_ns=time.time_ns())


def test_a_runtime_folder_that_others_can_write_is_not_trusted(den: Den) -> None:
    den.run()
    den.place.folder.chmod(0o777)
    assert den.client() is None
    den.place.folder.chmod(0o700)
    assert den.answers()


def test_a_runtime_folder_that_is_a_file_stops_nothing(den: Den) -> None:
    den.place.folder.write_text("")
    assert reach(den.launch(autostart=True), now_ns=time.time_ns()).client is None
    den.place.folder.unlink()


def test_a_journal_that_was_moved_gets_a_daemon_of_its_own(den: Den, tmp_path: Path) -> None:
    first = den.run()
    assert den.titles("pool") == ["pool"]
    moved = tmp_path / "moved"
    den.root.rename(moved)
    den.root, den.place = moved, DaemonPlace(den.place.folder, moved)
    den.start_by_need()
    assert den.titles("pool") == ["pool"]
    first.wait(60)


# --- versions -----------------------------------------------------------------------------------


def test_a_newer_command_replaces_an_older_daemon(den: Den) -> None:
    older = den.run(version="1.9")
    den.start_by_need("1.10")
    assert end_of(older) == ["a newer version takes its place", True]


def test_an_older_command_uses_a_newer_daemon_of_the_same_protocol(den: Den) -> None:
    newer = den.run(version="2.0")
    assert den.answers("1.0")
    assert newer.poll() is None


def test_a_daemon_of_another_protocol_is_not_asked(den: Den) -> None:
    newer = den.run(version="2.0")
    raw = json.loads(den.place.state.read_text())
    den.place.state.write_text(json.dumps({**raw, "protocol": 99}))
    assert den.client() is None
    assert newer.poll() is None


def test_nobody_answers_is_told_from_no_answer(den: Den) -> None:
    daemon = den.run()
    client = den.client()
    assert client is not None
    daemon.kill()
    with contextlib.closing(client), pytest.raises(DaemonGoneError):
        client.ping(timeout_s=30)
