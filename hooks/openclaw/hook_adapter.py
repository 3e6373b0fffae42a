"""OpenClaw's plugin: its payloads are our own."""

from __future__ import annotations

from ..own_payload import OwnHooks
from .prompts import read_prompt


class HookAdapter(OwnHooks):
    """OpenClaw."""

    def __init__(self) -> None:
        super().__init__("openclaw", read_prompt=read_prompt)
