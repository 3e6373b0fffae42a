"""A rest from what has failed: why, and until when; then it is tried again.

One value, so that threads which look at it unlocked never see the reason of one failure beside the
time of another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

REST_S: Final = 30.0
"""What stands in the way takes minutes, as a service that is down or another process that writes the
index does, and a try may read a whole index; nobody should do without vectors until a restart."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Why something is not tried now."""

    reason: str
    again_at: float  # by time.monotonic; infinite: never

    @classmethod
    def begin(cls, reason: str, now: float) -> Rest:
        """A rest of `REST_S` from *now* on."""
        return cls(reason, now + REST_S)

    def is_over(self, now: float) -> bool:
        """Whether it is worth another try."""
        return now >= self.again_at
