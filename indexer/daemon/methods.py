"""What the daemon does when it is asked: each method from its parameters to its result, as JSON.

Every question names the settings that it is meant with. To one that is meant with others the daemon
gives no answer, for it would not be the one that the command would find by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from ...journal.errors import FormatError
from ..search.answer import SearchRequest
from .ending import End, Ending
from .errors import OtherSettingsError
from .wire import decode, encode

if TYPE_CHECKING:
    from ..living.living_index import LivingIndex, LivingStatus
    from .server import Method

MAX_PATIENCE_S: Final = 90.0  # less than after which a request counts as stuck
UNSUITED_S: Final = 600.0  # so long without a question that suits: another daemon suits better


class LivingMethods:
    """The methods of the daemon of one living index; *mark* stands for the settings it runs with."""

    def __init__(self, living: LivingIndex, *, mark: str, ending: Ending) -> None:
        self._living, self._mark, self._ending = living, mark, ending
        self._suited_s = time.monotonic()

    def table(self) -> dict[str, Method]:
        """Each method by its name."""
        return {
            "ping": self.ping,
            "search": self.search,
            "refresh": self.refresh,
            "stop": self.stop,
        }

    def ping(self, params: Mapping[str, object]) -> object:
        return True

    def search(self, params: Mapping[str, object]) -> object:
        if params.get("mark") != self._mark:
            raise self._unsuited()
        self._suited_s = time.monotonic()
        request = decode(SearchRequest, params.get("request"))
        answer = self._living.search(request, patience_s=_patience_of(params))
        remarks = (*self._living.take_remarks(), *_delay_of(self._living.status()))
        return {"answer": encode(answer), "remarks": list(remarks)}

    def _unsuited(self) -> OtherSettingsError:
        """What is answered to a question of other settings; where only such come, the daemon ends."""
        if time.monotonic() - self._suited_s > UNSUITED_S:
            self._ending.ask(End("only other settings are asked for", wants_another=True))
        return OtherSettingsError("the daemon runs with other settings")

    def refresh(self, params: Mapping[str, object]) -> object:
        match params.get("paths"):
            case None:
                paths = None
            case list(given) if all(isinstance(one, str) for one in given):
                paths = [str(one) for one in given]
            case _:
                raise FormatError("paths is not a list of texts")
        has_followed = self._living.refresh(paths, patience_s=_patience_of(params))
        # Who names paths looks at those alone; what else is odd is for who asks about the whole.
        remarks = () if paths else self._living.take_remarks()
        return {"has_followed": has_followed, "remarks": list(remarks)}

    def stop(self, params: Mapping[str, object]) -> object:
        """End; with ``for_newer`` because a newer version is to take the place."""
        if params.get("for_newer") is True:
            self._ending.ask(End("a newer version takes its place", wants_another=True))
        else:
            self._ending.ask(End("it was asked to"))
        return True


def _delay_of(status: LivingStatus) -> Iterator[str]:
    """How far the index that an answer comes from is behind the files, and why."""
    if status.behind:
        yield f"the index is behind: {status.behind:,} files or parts of them wait"
    if status.failure:
        yield f"the index was not brought up to date: {status.failure}"


def _patience_of(params: Mapping[str, object]) -> float:
    match params.get("patience_s"):
        case bool():
            pass
        case int() | float() as given if 0 <= given <= MAX_PATIENCE_S:
            return float(given)
    raise FormatError(f"patience_s is no number of seconds up to {MAX_PATIENCE_S:g}")
