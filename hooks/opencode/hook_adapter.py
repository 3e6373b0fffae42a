"""OpenCode's plugin: its payloads are our own."""

from __future__ import annotations

from ..own_payload import OwnHooks


class HookAdapter(OwnHooks):
    """OpenCode."""

    def __init__(self) -> None:
        super().__init__("opencode")
