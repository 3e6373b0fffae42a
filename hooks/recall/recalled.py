"""What is told to an assistant, and why: the value between choosing and printing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal["brief", "confident", "continuation", "no match", "not asked", "disabled"]
"""``no match``: nothing was sure enough. ``not asked``: the prompt is none that is searched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The fenced text for the assistant's context, and the ids of the memories in it, as they stand."""

    text: str = ""  # "": nothing is told
    ids: tuple[str, ...] = ()
    reason: Reason
