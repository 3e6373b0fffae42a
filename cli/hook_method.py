"""What the daemon does when a hook comes: the desk attends to it, with the warm index behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..hooks.recall.memory import Memory
from ..journal.errors import FormatError
from .hook_desk import make_desk
from .log import write_line

if TYPE_CHECKING:
    from ..indexer.living.living_index import LivingIndex
    from .context import Context


class HookMethod:
    """The method ``hook``: from the agent, the event and the payload to what the hook prints."""

    def __init__(
        self, surroundings: Context, living: LivingIndex, *, written: Callable[[str], object]
    ) -> None:
        index = surroundings.index
        memory = Memory(
            search=living.search_as_it_is, open_catalog=index.read_catalog, read=index.read
        )
        self._desk = make_desk(surroundings, memory=memory, report=write_line, written=written)

    def __call__(self, params: Mapping[str, object]) -> object:
        match params:
            case {"agent": str(agent), "event": str(event), "payload": str(payload)}:
                pass
            case _:
                raise FormatError("agent, event or payload is missing or not a text")
        environ = params.get("environ")
        known = environ if isinstance(environ, dict) else {}
        return self._desk.handle(
            agent,
            event,
            payload.encode("utf-8", "surrogatepass"),
            {name: value for name, value in known.items() if isinstance(value, str)},
        )
