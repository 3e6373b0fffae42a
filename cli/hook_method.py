"""What the daemon does when a hook comes: the desk attends to it, with the warm index behind it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..hooks.thin import MODE_VARIABLE, passed_on
from ..indexer.daemon.errors import OtherSettingsError
from ..indexer.daemon.process import states_of
from ..journal.errors import FormatError, MemjournalError
from ..journal.settings import JOURNAL_FILE
from ..journal.usage import UNKNOWN, LedgerUsage
from .context import HOME_VARIABLE
from .hook_desk import make_desk, make_teller
from .log import write_line, write_traceback
from .mem_hook import BUDGET_VARIABLE

if TYPE_CHECKING:
    from ..hooks.recall.recalled import Recalled
    from ..indexer.index import JournalIndex
    from ..indexer.living.living_index import LivingIndex
    from ..journal.entry import Entry
    from ..journal.usage import Usage
    from .context import Context

_SETTLING_S: Final = 0.3  # that the start of a session waits for the end of the one before
_NO_SETTINGS: Final = (MODE_VARIABLE, HOME_VARIABLE, BUDGET_VARIABLE)


class _WarmMemory:
    """The journal as its living index knows it."""

    def __init__(self, living: LivingIndex, index: JournalIndex) -> None:
        self.use = living.use
        self.read = index.read
        self._index, self._living = index, living

    def find(self, entry_id: str) -> Entry | None:
        """The entry that has that id, as far as the index knows."""
        if not self._index.catalog_path.exists():
            return None
        try:
            rows = self.use(lambda catalog, _: catalog.by_id(entry_id))
        except MemjournalError:  # what is derived must not keep an event from being written
            return None
        stored = (self.read(row) for row in rows)
        return next((one.entry for one in stored if one is not None), None)

    def settle(self) -> None:
        with contextlib.suppress(MemjournalError):
            self._living.refresh((), patience_s=_SETTLING_S)


class _Usage:
    """How memories have fared, once the ledger has been read: nobody waits for that."""

    def __init__(self, root: Path, report_bug: Callable[[], object]) -> None:
        self._usage, self._is_read = LedgerUsage(root), False
        self._report_bug = report_bug
        threading.Thread(target=self._read, name="ledger", daemon=True).start()

    def _read(self) -> None:
        try:
            self._usage.refresh()
        except Exception:  # noqa: BLE001  # the top of a thread; without it, all count alike
            self._report_bug()
        else:
            self._is_read = True

    def now(self) -> Callable[[str], Usage]:
        return self._usage.refresh() if self._is_read else lambda _: UNKNOWN

    def told_in(self, session: str) -> list[str]:
        if not self._is_read:
            return []
        self._usage.refresh()
        return self._usage.told_in(session)


def _begin(task: Callable[[], Recalled]) -> Callable[[], Recalled]:
    """Choose while the prompt is written to the disk."""
    outcome: Future[Recalled] = Future()

    def run() -> None:
        try:
            outcome.set_result(task())
        except BaseException as error:  # noqa: BLE001  # it rises where the outcome is asked for
            outcome.set_exception(error)

    threading.Thread(target=run, name="choosing", daemon=True).start()
    return outcome.result


class HookMethod:
    """The method ``hook``: from the agent, the event and the payload to what the hook prints."""

    def __init__(
        self, surroundings: Context, living: LivingIndex, *, written: Callable[[str], object]
    ) -> None:
        memory = _WarmMemory(living, surroundings.index)
        self._settings = settings_in(surroundings.environ)
        self._surroundings = surroundings
        self._files = settings_files(surroundings)
        usage = _Usage(surroundings.root, write_traceback)
        teller = make_teller(surroundings, memory, usage=usage.now, told_in=usage.told_in)
        self._desk = make_desk(
            surroundings,
            teller=lambda: teller,
            tells="always",
            report=write_line,
            lookup=memory.find,
            written=written,
            begin=_begin,
        )

    def __call__(self, params: Mapping[str, object]) -> object:
        match params:
            case {"agent": str(agent), "event": str(event), "payload": str(payload)}:
                pass
            case _:
                raise FormatError("agent, event or payload is missing or not a text")
        given = params.get("environ")
        environ = {
            name: value
            for name, value in (given if isinstance(given, dict) else {}).items()
            if isinstance(value, str)
        }
        if (
            settings_in(environ) != self._settings
            or settings_files(self._surroundings) != self._files
        ):
            raise OtherSettingsError("the daemon runs with other settings")
        return self._desk.handle(agent, event, payload.encode("utf-8", "surrogatepass"), environ)


def settings_files(surroundings: Context) -> list[tuple[int, int, int]]:
    """The files of settings as they are: the daemon ends soon after one changes, and until then has the old."""
    return states_of((surroundings.user_file, surroundings.root / JOURNAL_FILE))


def settings_in(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that are settings: a hook that has others is not attended to by this daemon."""
    return {
        name: value
        for name, value in passed_on(environ).items()
        if name.startswith("MEMJOURNAL_") and name not in _NO_SETTINGS
    }
