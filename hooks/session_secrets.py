"""The secrets of the conversations that are going on: what gave itself away once is hidden from then on.

They are known to this process alone, and to no disk.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections import OrderedDict
from typing import Final

from ..journal.redaction import KnownSecrets

_MAX_SESSIONS: Final = 64


class SessionSecrets:
    """For any number of threads; of the last `_MAX_SESSIONS` conversations."""

    def __init__(self) -> None:
        self._knowing = allocate_lock()
        self._known: OrderedDict[str, KnownSecrets] = OrderedDict()

    def of(self, session: str) -> KnownSecrets:
        """What is known in *session*."""
        with self._knowing:
            known = self._known.setdefault(session, KnownSecrets())
            self._known.move_to_end(session)
            if len(self._known) > _MAX_SESSIONS:
                self._known.popitem(last=False)
        return known
