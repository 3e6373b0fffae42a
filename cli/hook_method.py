"""What the daemon does when a hook comes: the desk attends to it, with the warm index behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

from ..hooks.desk import MODE_VARIABLE
from ..hooks.thin import passed_on
from ..indexer.daemon.errors import OtherSettingsError
from ..journal.errors import FormatError
from .context import HOME_VARIABLE
from .hook_desk import make_desk
from .log import write_line
from .mem_hook import BUDGET_VARIABLE

if TYPE_CHECKING:
    from ..hooks.recall.recalled import Recalled
    from ..indexer.index import JournalIndex
    from ..indexer.living.living_index import LivingIndex
    from .context import Context

_NO_SETTINGS: Final = (MODE_VARIABLE, HOME_VARIABLE, BUDGET_VARIABLE)


class _WarmMemory:
    """The journal as its living index knows it."""

    def __init__(self, living: LivingIndex, index: JournalIndex) -> None:
        self.use = living.use
        self.read = index.read


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
        self._desk = make_desk(
            surroundings, memory=memory, report=write_line, written=written, begin=_begin
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
        if settings_in(environ) != self._settings:
            raise OtherSettingsError("the daemon runs with other settings")
        return self._desk.handle(agent, event, payload.encode("utf-8", "surrogatepass"), environ)


def settings_in(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that are settings: a hook that has others is not attended to by this daemon."""
    return {
        name: value
        for name, value in passed_on(environ).items()
        if name.startswith("MEMJOURNAL_") and name not in _NO_SETTINGS
    }
