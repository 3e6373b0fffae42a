"""What is told, without angle brackets: the client would show them to the model as ``&lt;`` and ``&gt;``."""

from __future__ import annotations

from typing import Final

from ..recall.fence import TAG, plain_block
from ..recall.wording import WORDINGS

_HEAD: Final = f"<{TAG}>\n"
_FOOT: Final = f"\n</{TAG}>"
_NO_BRACKETS: Final = str.maketrans("<>", "‹›")


def as_plain(context: str) -> str:
    """The block *context* between heavy lines, its brackets as ‹ and ›."""
    if context.startswith(_HEAD) and context.endswith(_FOOT):
        note, _, inner = context[len(_HEAD) : -len(_FOOT)].partition("\n\n")
        for language, wording in WORDINGS.items():
            if note == f"[{wording.note}]":
                context = plain_block(inner, language)
    return context.translate(_NO_BRACKETS)
