"""What an assistant's hooks need: its payload read, and what is recalled written in its own form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..journal.errors import FormatError
from .happening import Happening, Ignored


class PayloadError(FormatError):
    """A payload lacks what its event always has, or has it in another form."""


class Adapter(Protocol):
    """One assistant's hooks."""

    @property
    def agent(self) -> str:
        """The assistant's name in the journal, such as ``claude-code``."""
        ...

    def read(
        self, event: str, payload: Mapping[str, object], environ: Mapping[str, str]
    ) -> Happening | Ignored:
        """What *payload* of the hook named *event* tells; unknown keys are ignored.

        *environ* are the variables of the hook's process that `mem-hook` passes on.

        Raises:
            PayloadError: something needed is missing or of another type.
        """
        ...

    def write(self, event: str, context: str) -> str:
        """What the hook prints so that the assistant reads *context*; "" prints nothing.

        An event that takes no context gives "", and so does an empty context.
        """
        ...

    def size_of(self, context: str) -> int:
        """The size of *context* in the units that the assistant limits it by."""
        ...

    @property
    def max_size(self) -> int:
        """How large a context may be, in those units, with a margin below what is cut."""
        ...
