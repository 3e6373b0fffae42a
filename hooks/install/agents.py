"""Every assistant that hooks can be installed into."""

from __future__ import annotations

from ..claude_code.installing import ClaudeCodeInstaller
from ..codex.installing import CodexInstaller
from ..cursor.installing import CursorInstaller
from ..gemini.installing import GeminiInstaller
from ..hermes.installing import HermesInstaller
from ..openclaw.installing import OpenClawInstaller
from ..opencode.installing import OpenCodeInstaller
from ..pi.installing import PiInstaller
from .agent import AgentInstaller


def all_agents() -> tuple[AgentInstaller, ...]:
    """The assistants; the one that is meant if none is named comes first."""
    return (
        ClaudeCodeInstaller(),
        CodexInstaller(),
        GeminiInstaller(),
        CursorInstaller(),
        OpenCodeInstaller(),
        OpenClawInstaller(),
        HermesInstaller(),
        PiInstaller(),
    )
