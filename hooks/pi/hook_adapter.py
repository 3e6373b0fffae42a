"""Pi's extension: its payloads are our own."""

from __future__ import annotations

from ..own_payload import OwnHooks


class HookAdapter(OwnHooks):
    """Pi coding agent."""

    def __init__(self) -> None:
        super().__init__("pi")
