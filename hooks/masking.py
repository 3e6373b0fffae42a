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
        self.n_hidden = 0
        self._make_redactor = make_redactor  # its rules take 0.1 s to load: not before the first

    @cached_property
    def _redactor(self) -> Redactor:
        return self._make_redactor()

    @cached_property
    def _markers(self) -> tuple[str, ...]:
        rules = self._redactor.rules
        return tuple(filter(None, (rules.marker, rules.private_marker)))

    def __call__(self, value: object) -> object:
        masked = self._redactor.redact_value(value)
        self.n_hidden += max(0, self._count(masked) - self._count(value))
        return masked

    def _count(self, value: object) -> int:
        match value:
            case str():
                return sum(value.count(marker) for marker in self._markers)
            case list() | tuple():
                return sum(map(self._count, value))
            case Mapping():
                return sum(map(self._count, value.values()))
        return 0
