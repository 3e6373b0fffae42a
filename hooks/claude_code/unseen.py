"""What is recognised as a secret while a transcript is read, so that it is known when it stands bare.

Whoever writes the events recognises what they show. Here it is only what they do not show: what is masked or
cut before, and what is in the journal already. Kept for one reading, in memory, and never in anything that is
written.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...journal.redaction import KnownSecrets
from .options import ReadOptions

if TYPE_CHECKING:
    from ...journal.redaction import Redactor


class Unseen:
    """What events do not show; *known* learns its secrets, if the options have what recognises them."""

    def __init__(self, options: ReadOptions, *, known: KnownSecrets) -> None:
        self._options, self._known = options, known

    @cached_property
    def _redactor(self) -> Redactor | None:
        make = self._options.make_redactor
        return make() if make is not None else None

    def learn(self, given: object) -> None:
        """Remember what of *given*, a text or decoded JSON, is a secret."""
        if self._redactor is not None:
            self._known.learn(self._redactor.secrets_in(given))

    def mask(self, value: object) -> object:
        """*value* without secrets, which are remembered; where none is hidden there is none to be."""
        masked = self._options.mask(value)
        if masked != value:
            self.learn(value)
        return masked
