"""What is told to an assistant, and why: the value between choosing and printing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Reason = Literal["brief", "confident", "continuation", "no match", "not asked", "disabled"]
"""``no match``: nothing was sure enough. ``not asked``: the prompt is none that is searched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The fenced text for the assistant's context, and what of which memory it says, as they stand."""

    text: str = ""  # "": nothing is told
    quotes: Mapping[str, str] = field(default_factory=dict)  # the words of each memory, by its id
    reason: Reason

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.quotes)
