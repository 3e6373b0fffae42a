"""What a reader of Claude Code's transcripts is given by its caller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING, Final

from ..text import Limits

if TYPE_CHECKING:
    from ...journal.redaction import Redactor
    from ..tool_call import Mask

AGENT: Final = "claude-code"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Nothing here is read from the environment, the clock or a configuration."""

    tz: tzinfo  # times are turned into this zone
    project_of: Callable[[str], str]  # a working directory's project; the source asks once for each
    mask: Mask  # a tool's input, or a text, without secrets
    limits: Limits = field(default_factory=Limits)  # of a tool's output
    make_redactor: Callable[[], Redactor] | None = None
    """Gives what recognises secrets, so that one met once is hidden in all that follows; None: that is not done."""
    include_sidechains: bool = False  # what sub-agents said and did
