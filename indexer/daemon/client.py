"""The thin side of the daemon: asks over the socket and loads nothing that an index needs.

Every call has a deadline. What goes wrong is one of two things: nobody answers (`DaemonGoneError`), or
not in time (`DaemonSilentError`); either way whoever asked does the work itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...journal.errors import FormatError
from ..search.answer import Answer, SearchRequest
from .errors import DaemonGoneError, DaemonSilentError
from .lines import MAX_REQUEST_BYTES, LineSocket, parse_message
from .place import DaemonPlace, DaemonState
from .transport import connect
from .wire import PROTOCOL, decode, decode_error, encode

CONNECT_S: Final = 1.0
SEARCH_S: Final = 5.0  # a warm one takes 0.03 s; then looking for oneself is faster
_MANY_CHARS: Final = MAX_REQUEST_BYTES // 16
"""Of paths, of which each takes 12 bytes in JSON at worst; to look at everything costs less."""


class DaemonClient:
    """One connection to the daemon of a journal."""

    def __init__(self, line: LineSocket, state: DaemonState) -> None:
        self._line, self.state = line, state
        self._n_calls = 0

    @classmethod
    def open(
        cls, place: DaemonPlace, state: DaemonState, *, timeout_s: float = CONNECT_S
    ) -> DaemonClient:
        """A connection to the daemon that *state* tells of.

        Raises:
            DaemonGoneError: nobody is there.
            DaemonSilentError: somebody is, and does not take the connection.
        """
        try:
            return cls(connect(place, state, timeout_s=timeout_s), state)
        except TimeoutError as error:
            raise _silent(state) from error
        except OSError as error:
            raise DaemonGoneError("the daemon is not there", where=str(place.socket)) from error

    def call(self, method: str, params: Mapping[str, object], *, timeout_s: float) -> object:
        """The result of one request.

        Raises:
            DaemonGoneError, DaemonSilentError: there is no answer.
            MemjournalError: what the method raised.
        """
        self._n_calls += 1
        request = {"id": self._n_calls, "method": method, "params": params, "protocol": PROTOCOL}
        try:
            self._line.send(request, timeout_s=timeout_s)
            line = self._line.receive(timeout_s=timeout_s)
        except TimeoutError as error:
            raise _silent(self.state) from error
        except (OSError, FormatError) as error:
            raise DaemonGoneError("the daemon went away") from error
        if line is None:
            raise DaemonGoneError("the daemon went away")
        return self._result_of(parse_message(line))

    def _result_of(self, answer: Mapping[str, object]) -> object:
        if "error" in answer:
            raise decode_error(answer["error"])
        if answer.get("id") != self._n_calls or "result" not in answer:
            raise _odd_answer()
        return answer["result"]

    def search(
        self,
        request: SearchRequest,
        *,
        mark: str,
        patience_s: float,
        timeout_s: float = SEARCH_S,
    ) -> tuple[Answer, tuple[str, ...]]:
        """The answer to *request*, and remarks for people; *mark* tells the settings it is meant with.

        What has just been saved is waited for at most *patience_s*.

        Raises:
            OtherSettingsError: the daemon runs with other settings.
            DaemonGoneError, DaemonSilentError: there is no answer.
            MemjournalError: what the search raised.
        """
        params = {"request": encode(request), "mark": mark, "patience_s": patience_s}
        raw = self.call("search", params, timeout_s=timeout_s)
        match raw:
            case {"answer": answer, "remarks": list(remarks)}:
                return decode(Answer, answer), tuple(map(str, remarks))
        raise _odd_answer()

    def refresh(
        self, paths: Sequence[str] | None, *, patience_s: float
    ) -> tuple[bool, tuple[str, ...]]:
        """Let the index follow the files at *paths*, or with None all, which very many *paths* count as;
        whether it does, after *patience_s*.

        With it come remarks for people, unless *paths* names some: then only those were looked at.

        Raises:
            DaemonGoneError, DaemonSilentError: there is no answer.
            MemjournalError: the index cannot follow.
        """
        if paths is not None and sum(len(path) + 1 for path in paths) > _MANY_CHARS:
            paths = None
        params = {"paths": None if paths is None else list(paths), "patience_s": patience_s}
        raw = self.call("refresh", params, timeout_s=patience_s + SEARCH_S)
        match raw:
            case {"has_followed": bool(has_followed), "remarks": list(remarks)}:
                return has_followed, tuple(map(str, remarks))
        raise _odd_answer()

    def status(self, *, timeout_s: float = SEARCH_S) -> Mapping[str, object]:
        """How the daemon and its index are.

        Raises:
            DaemonGoneError, DaemonSilentError: there is no answer.
        """
        raw = self.call("status", {}, timeout_s=timeout_s)
        if isinstance(raw, dict):
            return raw
        raise _odd_answer()

    def ping(self, *, timeout_s: float = CONNECT_S) -> None:
        """Nothing, if the daemon answers.

        Raises:
            DaemonGoneError, DaemonSilentError: it does not.
        """
        self.call("ping", {}, timeout_s=timeout_s)

    def stop(self, *, for_newer: bool = False, timeout_s: float = CONNECT_S) -> None:
        """Ask the daemon to end, which it begins with when this has returned.

        Raises:
            DaemonGoneError, DaemonSilentError: there is no answer.
        """
        self.call("stop", {"for_newer": for_newer}, timeout_s=timeout_s)

    def close(self) -> None:
        self._line.close()


def _odd_answer() -> DaemonGoneError:
    return DaemonGoneError("the daemon answered something else")


def _silent(state: DaemonState) -> DaemonSilentError:
    return DaemonSilentError(
        f"the daemon (process {state.pid}) does not answer", mend="end it with `mem daemon stop`"
    )
