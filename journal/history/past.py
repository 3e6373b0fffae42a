"""What an audit has to know to judge a change: what was announced, and what events said before.

An event that says again what it once said, was restored, or mended after a merge by plain git: what had
been done to it is named where that was done.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from .units import Unit


@dataclass(frozen=True, slots=True)
class Past:
    """What is known when a version is looked at; filled from the oldest commit on."""

    forgotten: AbstractSet[str] = frozenset()  # ids that were ever announced as forgotten
    restored: AbstractSet[str] = frozenset()
    markers: Sequence[str] = ()  # what stands where a secret was hidden
    _said: dict[str, set[bytes]] = field(default_factory=dict)
    _joined: set[bytes] = field(default_factory=set)

    def remember(self, unit: Unit) -> None:
        """Remember what a record said that is changed or gone now."""
        if unit.kind in ("event", "line"):
            self._said.setdefault(unit.id, set()).add(unit.raw)

    def knows(self, entry_id: str) -> bool:
        """Whether an earlier version of the record was seen."""
        return entry_id in self._said

    def has_said(self, unit: Unit) -> bool:
        """Whether the record once said this, or this with fewer secrets hidden."""
        said = self._said.get(unit.id, set())
        return unit.raw in said or any(self._hides(unit.raw, earlier) for earlier in said)

    def note_joined(self, raw: bytes) -> None:
        """Remember words that nobody wrote: a merge joined lines of two records."""
        self._joined.add(raw)

    def was_joined(self, raw: bytes) -> bool:
        """Whether that is such words."""
        return raw in self._joined

    def _hides(self, raw: bytes, earlier: bytes) -> bool:
        """Whether *raw* is *earlier* with markers in place of some of its words."""
        pieces = [raw]
        for marker in filter(None, self.markers):
            pieces = [part for piece in pieces for part in piece.split(marker.encode())]
        if len(pieces) == 1 or not earlier.startswith(pieces[0]):
            return False
        place = len(pieces[0])
        for piece in pieces[1:-1]:
            found = earlier.find(piece, place)
            if found < 0:
                return False
            place = found + len(piece)
        return earlier.endswith(pieces[-1]) and len(earlier) - len(pieces[-1]) >= place
