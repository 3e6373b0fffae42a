"""Whatever comes in over the socket, the daemon answers the next one."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memjournal.indexer.daemon.client import DaemonClient
from memjournal.indexer.daemon.errors import DaemonGoneError, DaemonSilentError
from memjournal.indexer.daemon.lines import parse_message
from memjournal.indexer.daemon.server import Limits
from memjournal.indexer.daemon.wire import PROTOCOL
from memjournal.journal.errors import LockedError, UnavailableError, UsageError

from ...waiting import wait_until
from .conftest import LIMITS, Served

ASKED = {"text": "커넥션 풀", "lone": "\udce9", "n": 2**60, "nothing": None}


def answers(served: Served) -> bool:
    with contextlib.closing(served.client()) as client:
        return client.call("echo", ASKED, timeout_s=30) == ASKED


def test_one_connection_takes_many_requests(served: Served) -> None:
    with contextlib.closing(served.client()) as client:
        for n in range(100):
            assert client.call("echo", {"n": n}, timeout_s=30) == {"n": n}
    assert served.server.n_requests == 100


def test_requests_that_arrive_at_once_are_answered_in_turn(served: Served) -> None:
    with contextlib.closing(served.line()) as line:
        asked = [{"id": n, "method": "echo", "protocol": PROTOCOL} for n in range(20)]
        line.send_line(b"\n".join(json.dumps(one).encode() for one in asked), 30)
        got = [parse_message(line.receive(timeout_s=30) or b"") for _ in asked]
    assert [one["id"] for one in got] == list(range(20))


def test_what_a_method_raises_is_raised_here(served: Served) -> None:
    with contextlib.closing(served.client()) as client:
        with pytest.raises(LockedError, match="색인: another process is writing; try again"):
            client.call("lock", {}, timeout_s=30)
        assert client.call("echo", {}, timeout_s=30) == {}


def test_a_bug_in_a_method_is_reported_and_stops_nothing(served: Served) -> None:
    with contextlib.closing(served.client()) as client:
        with pytest.raises(Exception, match="bug in the daemon"):
            client.call("bug", {}, timeout_s=30)
        assert client.call("echo", {}, timeout_s=30) == {}
    assert served.bugs == ["bug"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"not json",
        b"[]",
        b"1",
        b"\xff\xfe\x00",
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"id": ' + b"9" * 10_000 + b"}",
        b'{"method": "echo"}',
        b'{"method": "echo", "protocol": 99}',
        b'{"method": ["echo"], "protocol": 1}',
        b'{"method": "nothing", "protocol": 1}',
        b'{"method": "echo", "protocol": 1, "params": 5}',
        b"GET / HTTP/1.1",
    ],
    ids=lambda line: repr(line[:24]),
)
def test_what_is_no_request_gets_an_error_for_an_answer(served: Served, line: bytes) -> None:
    with contextlib.closing(served.line()) as connection:
        connection.send_line(line, 30)
        answer = parse_message(connection.receive(timeout_s=30) or b"")
        assert "error" in answer
        connection.send({"id": 1, "method": "echo", "protocol": PROTOCOL}, timeout_s=30)
        assert parse_message(connection.receive(timeout_s=30) or b"") == {"id": 1, "result": {}}
    assert served.bugs == []


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("lasting"), "unix")
    yield made
    made.close()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
@example(b"\n\n\n")
@example(b'{"method": "echo", "protocol": 1, "params": {"a": NaN}}\n')
def test_any_bytes_leave_the_daemon_as_it_was(lasting: Served, data: bytes) -> None:
    with lasting.bare() as connection, contextlib.suppress(OSError):
        connection.sendall(data)
    assert answers(lasting)
    assert lasting.bugs == []


def test_a_line_without_end_is_refused_at_the_limit(served: Served) -> None:
    piece = b"x" * (1 << 20)
    with contextlib.closing(served.line()) as connection, contextlib.suppress(OSError):
        for _ in range(LIMITS.request_bytes // len(piece) + 1):
            connection._socket.sendall(piece)
        answer = parse_message(connection.receive(timeout_s=30) or b"")
        assert "bytes" in json.dumps(answer["error"])
    assert answers(served)


def test_more_paths_than_a_line_may_hold_are_everything(served: Served) -> None:
    with contextlib.closing(served.client()) as client:
        assert client.refresh(["가.md"], patience_s=1) == (True, ("['가.md']",))
        many = [f"메모/{number}.md" for number in range(200_000)]
        assert client.refresh(many, patience_s=1) == (True, ("None",))


def test_a_client_that_goes_in_the_middle_of_an_answer_is_let_go(served: Served) -> None:
    for _ in range(5):
        with contextlib.closing(served.line()) as connection:
            params = {"text": "x" * 3_000_000}
            request = {"id": 1, "method": "echo", "protocol": PROTOCOL, "params": params}
            connection.send(request, timeout_s=30)
    assert answers(served)
    wait_until(lambda: not served.server._connections)
    assert served.bugs == []


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    made: list[Served] = []

    def make(**limits: float) -> Served:
        made.append(Served(tmp_path, "unix", Limits(**limits)))  # type: ignore[arg-type]  # by name
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_half_open_and_slow_clients_hold_nobody_and_are_let_go(
    impatient: Callable[..., Served],
) -> None:
    served = impatient(line_s=0.3, idle_s=0.3)
    silent, slow = [served.bare() for _ in range(10)], [served.bare() for _ in range(10)]
    for one in slow:
        one.sendall(b'{"method": ')
    assert answers(served)
    for one in (*silent, *slow):
        assert one.recv(1000) == b""  # closed from the other side
        one.close()


def test_a_client_that_does_not_take_its_answer_is_let_go(impatient: Callable[..., Served]) -> None:
    served = impatient(line_s=0.3, idle_s=0.3)
    with contextlib.closing(served.line()) as greedy:
        greedy.send({"id": 1, "method": "much", "protocol": PROTOCOL}, timeout_s=30)
        wait_until(lambda: served.server.n_requests == 1)
        wait_until(lambda: not served.server._connections)
    assert answers(served)


def test_too_many_connections_are_turned_away_and_later_ones_are_not(
    impatient: Callable[..., Served],
) -> None:
    served = impatient(n_connections=3)
    held = [served.bare() for _ in range(3)]
    wait_until(lambda: len(served.server._connections) == 3)
    with served.bare() as one_too_many:
        assert one_too_many.recv(1000) == b""
    for one in held:
        one.close()
    wait_until(lambda: not served.server._connections)
    assert answers(served)


def test_a_request_that_takes_long_does_not_hold_the_others(served: Served) -> None:
    waiting = threading.Thread(target=lambda: _call(served.client(), "wait"))
    waiting.start()
    wait_until(lambda: served.server.n_requests == 1)
    assert answers(served)
    assert served.server.idle_s == 0
    served.gate.set()
    waiting.join()


def _call(client: DaemonClient, method: str) -> object:
    with contextlib.closing(client):
        return client.call(method, {}, timeout_s=60)


def test_an_answer_that_never_comes_is_given_up_at_the_deadline(served: Served) -> None:
    with (
        contextlib.closing(served.client()) as client,
        pytest.raises(DaemonSilentError, match="does not answer"),
    ):
        client.call("wait", {}, timeout_s=0.2)


def test_a_request_that_is_stuck_shows(impatient: Callable[..., Served]) -> None:
    served = impatient(stuck_s=0.1)
    assert not served.server.is_stuck
    waiting = threading.Thread(target=lambda: _call(served.client(), "wait"))
    waiting.start()
    wait_until(lambda: served.server.is_stuck)
    served.gate.set()
    waiting.join()
    wait_until(lambda: not served.server._connections)  # its thread is done: nothing is late now
    assert not served.server.is_stuck


def test_fifty_clients_at_once_get_each_their_own_answer(served: Served) -> None:
    got: dict[int, object] = {}

    def ask(n: int) -> None:
        with contextlib.closing(served.client()) as client:
            for _ in range(5):
                got[n] = client.call("echo", {"n": n}, timeout_s=60)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {n: {"n": n} for n in range(50)}


def test_a_method_that_is_not_there_and_another_protocol_are_named(served: Served) -> None:
    with (
        contextlib.closing(served.client()) as client,
        pytest.raises(UsageError, match="it has echo, much"),
    ):
        client.call("fly", {}, timeout_s=30)
    answer = served.server.answer(b'{"id": 3, "method": "echo", "protocol": 2}')
    assert answer["id"] == 3
    assert "protocol" in json.dumps(answer["error"])


def test_a_closed_server_is_gone_and_its_clients_know(served: Served) -> None:
    with contextlib.closing(served.client()) as client:
        client.call("echo", {}, timeout_s=30)
        served.close()
        with pytest.raises(DaemonGoneError):
            client.call("echo", {}, timeout_s=30)
    with pytest.raises(UnavailableError), contextlib.closing(served.client()) as late:
        late.call("echo", {}, timeout_s=30)


# --- who may ask --------------------------------------------------------------------------------


def test_the_socket_and_the_token_are_for_their_owner_alone(served: Served) -> None:
    secret = served.place.socket if served.state.transport == "unix" else served.place.token
    assert served.place.folder.stat().st_mode & 0o777 == 0o700
    assert secret.stat().st_mode & 0o777 == 0o600


def test_without_the_token_loopback_says_nothing(tmp_path: Path) -> None:
    served = Served(tmp_path, "tcp")
    try:
        token = served.place.token.read_bytes()
        for first in (b"", b"wrong", token[:-1], token + b"x", token.upper() + b"\xff"):
            with served.bare() as connection, contextlib.suppress(ConnectionError):
                connection.sendall(first + b'\n{"method":"echo","protocol":1}\n')
                assert connection.recv(1000) == b""
        assert served.server.n_requests == 0
        assert answers(served)
    finally:
        served.close()


def test_a_web_page_cannot_ask_the_daemon(tmp_path: Path) -> None:
    """DNS rebinding lets a page speak HTTP to loopback; its first line is not the token."""
    served = Served(tmp_path, "tcp")
    try:
        body = b'{"id":1,"method":"echo","protocol":1}'
        page = b"POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 37\r\n\r\n" + body + b"\n"
        with served.bare() as connection, contextlib.suppress(ConnectionError):
            connection.sendall(page)
            assert connection.recv(1000) == b""
        assert served.server.n_requests == 0
    finally:
        served.close()
