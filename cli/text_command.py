"""A command whose words are kept: they must be text, and text is UTF-8.

A word of a command line is any bytes. One that ends up in a file would make that file unreadable, and
where it is turned into text nobody would know any more which option it came by.
"""

from __future__ import annotations

from typing import Any, Final

from typer.core import TyperCommand

from ..journal.errors import FormatError
from .text_encoding import is_text

_NAMES: Final = frozenset({"refs"})
"""Arguments that name what is there: a name that is no text is one that nothing has."""


class TextCommand(TyperCommand):
    """A command that takes no option and no argument for text that is none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # Any: Typer's own copy of click
        """Read the words of a command line.

        Raises:
            FormatError: one is not UTF-8.
        """
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            given = ctx.params.get(parameter.name)
            words = given if isinstance(given, (list, tuple)) else (given,)
            is_name = parameter.name in _NAMES
            if not is_name and any(isinstance(one, str) and not is_text(one) for one in words):
                raise FormatError("not UTF-8", where=parameter.opts[0], mend="convert it first")
        return rest
