"""What was recognised as a secret in the transcript that is being read, so that it is known when it stands bare.

Kept for one reading, in memory, and never in anything that is written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from ...journal.redaction import MAX_KNOWN, hide_known

if TYPE_CHECKING:
    from ...journal.redaction import Redactor


class KnownSecrets:
    """The secrets of one session, the first `MAX_KNOWN` of them; without a redactor none is ever found."""

    def __init__(self, make_redactor: Callable[[], Redactor] | None) -> None:
        self._make_redactor = make_redactor
        self._known: dict[str, None] = {}  # in the order in which they were met

    @cached_property
    def _redactor(self) -> Redactor | None:
        return self._make_redactor() if self._make_redactor is not None else None

    def learn(self, *given: object) -> frozenset[str]:
        """Remember what of *given*, texts or decoded JSON, is a secret; that is what is returned."""
        if self._redactor is None:
            return frozenset()
        found = self._redactor.secrets_in(given)
        for secret in sorted(found - self._known.keys()):
            if len(self._known) < MAX_KNOWN:
                self._known[secret] = None
        return found

    def hide(self, text: str, *given: object) -> str:
        """*text* without what is known by now, also from *given*, which belongs to it."""
        found = self.learn(text, *given)
        if self._redactor is None or not (found or self._known):
            return text
        hidden = found.union(self._known)  # also what there was no room for
        return hide_known(text, hidden, marker=self._redactor.rules.marker)
