"""The logs of the sessions that hooks wrote to last: a file that is known need not be read again."""

from __future__ import annotations

from _thread import allocate_lock  # `threading.Lock`, without the rest, which takes 0.5 ms to load
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..journal.event import SessionHeader
    from ..journal.session_log import SessionLog
    from ..journal.store import Journal

_MAX_LOGS: Final = 64


class SessionLogs:
    """The logs of *journal*, for any number of threads."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._changing = allocate_lock()
        self._logs: OrderedDict[tuple[str, str], SessionLog] = OrderedDict()

    def of(self, header: SessionHeader, *, is_new: bool) -> SessionLog:
        """The log of a session; one that *is_new* has no file yet."""
        name = (header.agent, header.session)
        with self._changing:
            if (log := self._logs.get(name)) is None:
                log = self._logs[name] = self._journal.open_session(header, is_new=is_new)
            self._logs.move_to_end(name)
            if len(self._logs) > _MAX_LOGS:
                self._logs.popitem(last=False)
        return log
