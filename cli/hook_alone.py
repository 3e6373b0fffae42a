"""A hook without a daemon: this process writes down what it tells, as the daemon would.

It loads what an event needs and no more. For the next hook a daemon is started and not waited for; where the
settings forbid it, an assistant is told what can be found by keyword in the time that is left.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from ..journal.errors import MemjournalError, UnavailableError
from .context import Context
from .hook_desk import make_desk

if TYPE_CHECKING:
    from ..hooks.recall.teller import Teller
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.daemon.client import DaemonClient
    from ..indexer.daemon.place import DaemonPlace
    from ..indexer.index import JournalIndex
    from ..indexer.search.answer import Answer, SearchRequest

T = TypeVar("T")
_OTHER_DAEMON_SHARE: Final = 0.6  # of what is left, for one that `thin` could not ask
_SEARCH_S: Final = 1.0
"""Of a keyword search that has to load all it needs; `mem search` takes 0.7 s of CPU at 100,000 entries
(`tests/bench/growth.py`)."""
_STD: Final = (0, 1, 2)


class Alone:
    """One hook, attended to here. *deadline* is of ``time.monotonic``; *report* logs a line."""

    def __init__(self, *, deadline: float, report: Callable[[str], object]) -> None:
        self._deadline, self._report = deadline, report
        self._surroundings = Context()
        self._has_seen_to_daemon = False

    def handle(
        self,
        agent: str,
        event: str,
        payload: bytes,
        environ: Mapping[str, str],
        *,
        is_other: bool,
    ) -> str:
        """What the hook is to print; what it tells is on disk then.

        With *is_other* there is a daemon that `hooks.thin` cannot ask, and that is asked first.

        Raises:
            MemjournalError: what it tells could not be understood, or not be written.
        """
        if is_other and (answer := self._ask(agent, event, payload, environ)) is not None:
            return answer
        desk = make_desk(
            self._surroundings,
            teller=lambda: self._teller,
            tells="starts" if self._starts_daemon else "always",
            report=self._report,
            learns=False,
        )
        return desk.handle(agent, event, payload, environ)

    def _ask(
        self, agent: str, event: str, payload: bytes, environ: Mapping[str, str]
    ) -> str | None:
        """What the daemon answers, whatever its transport and version; None where it does not."""
        client = self._reach()
        if client is None:
            return None
        params = {
            "agent": agent,
            "event": event,
            "payload": payload.decode("utf-8", "replace"),
            "environ": dict(environ),
        }
        timeout_s = max(0.0, self._deadline - time.monotonic()) * _OTHER_DAEMON_SHARE
        try:
            with contextlib.closing(client):
                answer = client.call("hook", params, timeout_s=timeout_s)
        except MemjournalError as error:
            self._report(f"{error}; done without it")
            return None
        return answer if isinstance(answer, str) else None

    @cached_property
    def _teller(self) -> Teller:
        """Chooses by keyword, and as if no memory had been told before: the ledger is not read for that."""
        from ..journal.usage import UNKNOWN
        from .hook_desk import make_teller

        memory = _ColdMemory(self._surroundings.index, deadline=self._deadline)
        return make_teller(
            self._surroundings,
            memory,
            usage=lambda: lambda _: UNKNOWN,
            told_in=lambda session: [] if self._starts_daemon else self._told_in(session),
        )

    def _told_in(self, session: str) -> list[str]:
        """What the ledger says that *session* was told: read where no daemon ever knows it."""
        from ..journal.ledger_reader import read_ledger
        from ..journal.ledger_records import Told

        records = read_ledger(self._surroundings.root)
        told = (one for one in records if isinstance(one, Told) and one.session == session)
        return list(dict.fromkeys(entry_id for one in told for entry_id in one.ids))

    def leave_daemon(self) -> None:
        """See to it that there is a daemon for the next hook, where the settings let it.

        Raises:
            MemjournalError: the settings cannot be read.
        """
        if self._has_seen_to_daemon or not self._starts_daemon or self._is_starting():
            return
        if (client := self._reach()) is not None:
            client.close()

    @property
    def _starts_daemon(self) -> bool:
        """Whether one is started for the next hook; that nobody sits at a terminal says nothing here."""
        return self._surroundings.settings.daemon.autostart != "never"

    def _is_starting(self) -> bool:
        """Whether the last hook has started one; asked here, as `lifecycle` takes 20 ms to load."""
        return not self._place.is_due(self._surroundings.now_ns)

    @cached_property
    def _place(self) -> DaemonPlace:
        from .daemon_link import place_of

        return place_of(self._surroundings)

    def _reach(self) -> DaemonClient | None:
        from dataclasses import replace

        from ..indexer.daemon.lifecycle import reach
        from .daemon_link import launch_of

        self._has_seen_to_daemon = True
        launch = replace(
            launch_of(self._surroundings),
            autostart=self._starts_daemon,
            spawn=_spawn if hasattr(os, "posix_spawn") else None,
        )
        reached = reach(launch, now_ns=self._surroundings.now_ns)
        if reached.remark:
            self._report(reached.remark)
        return reached.client


class _ColdMemory:
    """The journal as its index on disk knows it, by keyword alone: the model takes longer to load than a
    hook may."""

    def __init__(self, index: JournalIndex, *, deadline: float) -> None:
        self._index, self._deadline = index, deadline
        self.read = index.read

    def settle(self) -> None:
        """Nobody follows the files here."""

    def use(self, task: Callable[[Catalog, Callable[[SearchRequest], Answer]], T]) -> T:
        with contextlib.closing(self._index.read_catalog()) as catalog:
            return task(catalog, lambda request: self._search(catalog, request))

    def _search(self, catalog: Catalog, request: SearchRequest) -> Answer:
        if time.monotonic() + _SEARCH_S > self._deadline:
            raise UnavailableError("no time is left to search in")
        from dataclasses import replace

        from ..indexer.search.searcher import Searcher

        with contextlib.closing(Searcher(self._index, catalog, mends=False)) as searcher:
            return searcher.search(replace(request, by="keyword"))


def _spawn(command: Sequence[str]) -> None:
    """Start *command*, which then has nothing of this process but its environment, in 1 ms.

    `subprocess` takes 10 ms to load. Who calls this is about to end: its folder may change.

    Raises:
        OSError: it cannot be started.
    """
    os.chdir(os.sep)  # it must not keep a folder from being removed
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in _STD]
    words = list(command)
    try:
        os.posix_spawn(words[0], words, os.environ, file_actions=nowhere, setsid=True)
    except NotImplementedError:  # a system without it: a group of its own is enough
        os.posix_spawn(words[0], words, os.environ, file_actions=nowhere, setpgroup=0)
