"""What a reader masks before it cuts, counted: the report on an import must not leave it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..journal.redaction import Redactor


class CountingMask:
    """Redacts decoded JSON, or a text, and counts the markers that it put in."""

    def __init__(self, make_redactor: Callable[[], Redactor]) -> None:
        self.n_secrets = 0
        self.n_private = 0
        self._make_redactor = make_redactor  # its rules take 0.1 s to load: not before the first

    @cached_property
    def _redactor(self) -> Redactor:
        return self._make_redactor()

    def __call__(self, value: object) -> object:
        masked = self._redactor.redact_value(value)
        rules = self._redactor.rules
        self.n_secrets += _n_added(rules.marker, value, masked)
        if rules.private_marker != rules.marker:
            self.n_private += _n_added(rules.private_marker, value, masked)
        return masked


def _n_added(marker: str, before: object, after: object) -> int:
    return max(0, _count(marker, after) - _count(marker, before)) if marker else 0


def _count(marker: str, value: object, depth: int = 0) -> int:
    from ..journal.redaction.masking import MAX_DEPTH  # loaded with the redactor, and not before

    if depth > MAX_DEPTH:  # what lies deeper is replaced whole
        return 0
    match value:
        case str():
            return value.count(marker)
        case list() | tuple():
            return sum(_count(marker, one, depth + 1) for one in value)
        case Mapping():
            return sum(_count(marker, one, depth + 1) for one in value.values())
    return 0
