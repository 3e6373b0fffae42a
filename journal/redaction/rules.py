"""What redaction is told and what it answers: values only.

The answer never holds a removed text, not even shortened: whoever logs it may do so.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from ..settings import DEFAULTS
from ..values import dataclass

TagFormat = Literal["xml", "bracket", "comment"]
"""``<private>`` (with ``<private/>``), ``[private]``, ``<!-- private -->``."""

TAG_FORMATS: Final[tuple[TagFormat, ...]] = get_args(TagFormat)


@dataclass(frozen=True, slots=True)
class RedactionRules:
    """The settings of a `Redactor`."""

    marker: str = DEFAULTS.privacy.marker
    private_marker: str = DEFAULTS.privacy.private_marker
    patterns: tuple[str, ...] = ()  # regular expressions; a match goes whole
    words: tuple[str, ...] = ()  # literal, any case
    tag_formats: tuple[TagFormat, ...] = TAG_FORMATS
    preserve_lines: bool = False  # as many line breaks after as before


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text that may be written, and what was taken out of it."""

    text: str
    n_private: int = 0  # private parts with something in them
    n_secrets: int = 0
    kinds: tuple[str, ...] = ()  # names of what was found, sorted

    @property
    def n_hidden(self) -> int:
        """How many parts were taken out, of either sort."""
        return self.n_private + self.n_secrets
