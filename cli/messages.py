"""The stream for messages: a disk that is full changes no exit code, and nothing is echoed at length.

What was typed may be as long as a book, and messages quote it; Typer's do so as well as ours. So it is
cut here, where all of them pass.
"""

from __future__ import annotations

import io
import os
from typing import Final

QUOTED_CHARS: Final = 100
_LONG_LINE_CHARS: Final = 400  # in shorter ones nothing is cut
_LONGEST_LINE_CHARS: Final = 10_000  # two paths as long as they can be, and what is said of them
_NAME_CHARS: Final = 255  # a longer word is no name of a file
_KEPT_CHARS: Final = 500

_SIGN: Final = r"(?:\\.|(?!(?P=quote)).)"  # between quotation marks, as Python writes them
_QUOTED: Final = (  # no apostrophe, as in it's
    rf"(?<!\w)(?P<quote>['\"])(?P<start>{_SIGN}{{{QUOTED_CHARS}}}){_SIGN}+(?P=quote)(?!\w)"
)
_WORD: Final = rf"(?P<start>[^\s/]{{{QUOTED_CHARS}}})[^\s/]{{{_NAME_CHARS},}}"


class Messages(io.TextIOWrapper):
    """Text that goes where a stream went; from the first line on that is refused, nowhere."""

    @classmethod
    def instead_of(cls, stream: io.TextIOWrapper) -> Messages:
        """What takes the place of *stream*, which stays open, and is not written to beside it."""
        return cls(
            stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True
        )

    def write(self, text: str) -> int:
        """Write *text*, and of what it quotes the beginning."""
        try:
            super().write(text if len(text) <= _LONG_LINE_CHARS else shorten_quotes(text))
        except OSError:
            self._give_up()
        return len(text)

    def flush(self) -> None:
        """Write what waits to be written."""
        try:
            super().flush()
        except OSError:
            self._give_up()

    def _give_up(self) -> None:
        """Let what waits go nowhere, or Python would complain of it once more while it ends."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def shorten_quotes(text: str) -> str:
    """*text*, in whose long lines what stands in quotation marks, and every word, has an end."""
    return "".join(map(_shorten_line, text.splitlines(keepends=True)))


def _shorten_line(line: str) -> str:
    if len(line) <= _LONG_LINE_CHARS:
        return line
    import re  # every command starts with this module, and few have so much to say

    line = re.sub(_QUOTED, r"\g<quote>\g<start>…\g<quote>", line)
    line = re.sub(_WORD, r"\g<start>…", line)
    if len(line) <= _LONGEST_LINE_CHARS:
        return line
    return f"{line[:_KEPT_CHARS]} … {line[-_KEPT_CHARS:]}"
