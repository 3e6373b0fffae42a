"""Fixtures of the daemon's tests: a server on a real socket, with methods that are easy to foresee."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from memjournal.indexer.daemon.client import DaemonClient
from memjournal.indexer.daemon.lines import LineSocket
from memjournal.indexer.daemon.place import DaemonPlace, DaemonState, Transport
from memjournal.indexer.daemon.server import Limits, Server
from memjournal.indexer.daemon.transport import connect, listen, port_of
from memjournal.indexer.daemon.wire import PROTOCOL
from memjournal.journal.errors import LockedError

LIMITS = Limits(n_connections=80, line_s=5.0, idle_s=5.0, stuck_s=60.0)


class Served:
    """A server that echoes, fails and waits as it is told."""

    def __init__(self, folder: Path, transport: Transport, limits: Limits = LIMITS) -> None:
        self.place = DaemonPlace(folder / "run", folder / "journal")
        self.place.prepare()
        self.bugs: list[str] = []
        self.gate = threading.Event()  # what `wait` waits for
        listener = listen(self.place, transport)
        self.state = DaemonState(
            pid=1,
            protocol=PROTOCOL,
            version="0",
            started="",
            root="",
            transport=transport,
            port=port_of(listener),
        )
        self.server = Server(
            listener,
            self.place,
            {
                "echo": lambda params: params,
                "much": lambda params: "x" * 20_000_000,
                "refresh": _refresh,
                "wait": self._wait,
                "lock": _lock,
                "bug": _bug,
            },
            report_bug=lambda: self.bugs.append("bug"),
            limits=limits,
        )
        self.server.start()

    def _wait(self, params: Mapping[str, object]) -> object:
        return self.gate.wait(60)

    def client(self) -> DaemonClient:
        return DaemonClient.open(self.place, self.state)

    def line(self) -> LineSocket:
        """A connection that the client's side does not watch over."""
        return connect(self.place, self.state, timeout_s=5)

    def bare(self) -> socket.socket:
        """A connection of somebody who knows nothing."""
        if self.state.transport == "unix":
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(self.place.socket))
        else:
            connection = socket.create_connection(("127.0.0.1", self.state.port))
        connection.settimeout(30)
        return connection

    def close(self) -> None:
        self.gate.set()
        self.server.close(grace_s=5)


def _refresh(params: Mapping[str, object]) -> object:
    return {"has_followed": True, "remarks": [f"{params['paths']}"[:20]]}


def _lock(params: Mapping[str, object]) -> object:
    raise LockedError("another process is writing", where="색인", mend="try again")


def _bug(params: Mapping[str, object]) -> object:
    raise ZeroDivisionError


@pytest.fixture(params=["unix", "tcp"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path, request.param)
    yield made
    made.close()
