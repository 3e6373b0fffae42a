"""The daemon's side of the socket: a thread for each connection, a line for each request.

Whatever comes in, the daemon goes on: what is no request gets an error for an answer, and what is slow or
never ends costs its own thread and, after a while, its connection.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ...journal.errors import FormatError, MemjournalError, UnavailableError, UsageError
from .lines import MAX_REQUEST_BYTES, LineSocket, parse_message
from .place import DaemonPlace
from .transport import is_welcome
from .wire import PROTOCOL, encode_error

Method = Callable[[Mapping[str, object]], object]
"""From the parameters of a request to its result, both as JSON; what it raises is the answer then."""

_ACCEPT_S: Final = 0.5  # after which it looks whether it is being closed
_PAUSE_S: Final = 0.05  # where nothing can be accepted: trying at once would take a whole core
_POLL_S: Final = 0.01  # for the answers that are being made when it is closed


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one client can cost the others."""

    n_connections: int = 128
    request_bytes: int = MAX_REQUEST_BYTES
    line_s: float = 10.0  # for a request that has begun, and for taking an answer
    idle_s: float = 60.0  # between requests
    stuck_s: float = 120.0  # then a request that is not answered counts as hung


class Server:
    """Answers what comes in at *listener* until it is closed."""

    def __init__(
        self,
        listener: socket.socket,
        place: DaemonPlace,
        methods: Mapping[str, Method],
        *,
        report_bug: Callable[[], object],
        limits: Limits | None = None,
    ) -> None:
        self._listener, self._place, self._methods = listener, place, methods
        self._report_bug = report_bug  # called while the exception is being handled
        self._limits = limits or Limits()
        self._is_closing = False
        self._changing = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._running: dict[int, float] = {}  # requests at work by number: since when
        self._n_requests = 0
        self._last_s = time.monotonic()
        self._thread = threading.Thread(target=self._accept, name="accept", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def n_requests(self) -> int:
        return self._n_requests

    @property
    def idle_s(self) -> float:
        """How long nobody has asked for anything; 0 while an answer is being made."""
        with self._changing:
            return 0.0 if self._running else time.monotonic() - self._last_s

    @property
    def is_stuck(self) -> bool:
        """Whether an answer takes so long that it will not come."""
        with self._changing:
            oldest = min(self._running.values(), default=time.monotonic())
        return time.monotonic() - oldest > self._limits.stuck_s

    def close(self, *, grace_s: float) -> None:
        """Take no more requests; those at work have *grace_s* to be answered."""
        self._is_closing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts, on Linux
        if self._thread.is_alive():
            self._thread.join()
        self._listener.close()
        deadline = time.monotonic() + grace_s
        while self._running and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        with self._changing:
            left = list(self._connections)
        for connection in left:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a request

    def _accept(self) -> None:
        self._listener.settimeout(_ACCEPT_S)
        while not self._is_closing:
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            except OSError:  # gone before it was taken, or too many files are open for now
                time.sleep(_PAUSE_S)
                continue
            if not self._admit(connection):
                connection.close()

    def _admit(self, connection: socket.socket) -> bool:
        """Give *connection* a thread; False where there are too many already."""
        with self._changing:
            if len(self._connections) >= self._limits.n_connections:
                return False
            self._connections.add(connection)
        try:
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
        except RuntimeError:  # no more threads
            with self._changing:
                self._connections.discard(connection)
            return False
        return True

    def _serve(self, connection: socket.socket) -> None:
        line = LineSocket(connection)
        try:
            if is_welcome(connection, line, self._place):
                self._converse(line)
        except OSError:  # slow, or gone
            pass
        except Exception:  # noqa: BLE001  # the top of a thread: the daemon goes on
            self._report_bug()
        finally:
            with self._changing:
                self._connections.discard(connection)
            line.close()

    def _converse(self, line: LineSocket) -> None:
        limits = self._limits
        while not self._is_closing:
            try:
                request = line.receive(
                    timeout_s=limits.line_s, idle_s=limits.idle_s, max_bytes=limits.request_bytes
                )
            except FormatError as error:  # where the next one begins cannot be told
                line.send({"id": None, "error": encode_error(error)}, timeout_s=limits.line_s)
                return
            if request is None:
                return
            number = self._begin()
            try:
                line.send(self.answer(request), timeout_s=limits.line_s)
            finally:
                self._finish(number)

    def _begin(self) -> int:
        with self._changing:
            self._n_requests += 1
            self._running[self._n_requests] = time.monotonic()
            return self._n_requests

    def _finish(self, number: int) -> None:
        with self._changing:
            del self._running[number]
            self._last_s = time.monotonic()

    def answer(self, line: bytes) -> dict[str, object]:
        """The answer to one line, whatever it is."""
        number: object = None
        try:
            request = parse_message(line)
            number = request.get("id")
            return {"id": number, "result": self._method_of(request)(_params_of(request))}
        except MemjournalError as error:
            return {"id": number, "error": encode_error(error)}
        except Exception:  # noqa: BLE001  # a bug in one method must not end the others
            self._report_bug()
            bug = {"kind": "", "code": 70, "what": "this is a bug in the daemon"}  # EX_SOFTWARE
            return {"id": number, "error": {**bug, "mend": "see `mem doctor --log`"}}

    def _method_of(self, request: Mapping[str, object]) -> Method:
        name = request.get("method")
        method = self._methods.get(name) if isinstance(name, str) else None
        if request.get("protocol") != PROTOCOL and name != "stop":
            raise UnavailableError(
                f"the daemon speaks protocol {PROTOCOL}", mend="restart it: `mem daemon stop`"
            )
        if method is None:
            raise UsageError(f"the daemon has no such method; it has {', '.join(self._methods)}")
        return method


def _params_of(request: Mapping[str, object]) -> Mapping[str, object]:
    params = request.get("params", {})
    if not isinstance(params, dict):
        raise FormatError("params is not a JSON object")
    return params
