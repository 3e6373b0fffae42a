"""A file that is ours alone, such as a slash command: written whole, removed whole.

One that somebody has changed since, or had there before, is theirs: it is never touched.
"""

from __future__ import annotations

from dataclasses import dataclass

from .plan import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """The whole content of a file; *events* and *commands* where it brings hooks along."""

    data: bytes
    events: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    mark: bytes = b"mem-hook"  # in every version of it that brings hooks along

    @property
    def is_shared(self) -> bool:
        return False

    def install(self, now: bytes | None) -> bytes:
        return self.data

    def remove(self, now: bytes, *, before: bytes | None) -> None:
        return None

    def find(self, now: bytes) -> Found:
        if self.events and self.mark in now:
            return Found(events=self.events, commands=self.commands)
        return Found()
