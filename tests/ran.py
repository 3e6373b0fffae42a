"""What a finished command left, whether it ran as a process or in this one."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Ran:
    """Exit code and both streams."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, object]]:
        """The JSON objects on stdout, a line each."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self) -> str:
        """The message, if it is the only thing that was said."""
        assert self.out == ""
        return self.err.strip()
