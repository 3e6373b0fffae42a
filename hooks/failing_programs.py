"""Which programs of a conversation fail: a success of one of them says that something was mended, and is kept.

They are noted by digests: what stands where a program should may be a part of a secret, which no shell
would take for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ..journal.digests import sha256
from .commands import only_looks, program_of

if TYPE_CHECKING:
    from ..journal.event import Outcome

_MAX_FAILING: Final = 50


def mark_of(command: str) -> str:
    """By what the program that *command* runs is known again; "" where it only looks, or runs none."""
    program = "" if only_looks(command) else program_of(command)
    return sha256(program.encode("utf-8", "surrogatepass")).hexdigest()[:16] if program else ""


def with_outcome(failing: Sequence[str], mark: str, outcome: Outcome) -> list[str]:
    """The marks of those that failed last, once the program of *mark* has ended so."""
    if not mark or outcome not in ("ok", "error"):
        return list(failing)
    others = [one for one in failing if one != mark]
    return [*others, mark][-_MAX_FAILING:] if outcome == "error" else others
