"""Hermes Agent's plugin: its payloads are our own."""

from __future__ import annotations

from ..own_payload import OwnHooks


class HookAdapter(OwnHooks):
    """Hermes Agent."""

    def __init__(self) -> None:
        super().__init__("hermes")
