"""Questions that ask for no more than a time: "what did we decide last week", ``오늘 뭐 했지``.

Nothing in them can be searched for but what kind of memory is wanted, if they name one; so what there is
of that time is listed, what was set down on purpose before what only happened, the newest first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ...journal.entry import as_kind
from ..catalog.catalog import Catalog
from ..catalog.entry_filter import EntryFilter
from ..catalog.row import Row
from ..text.analysis import query_terms
from ..text.korean import stem_length
from .ordering import prior_of

TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("decide", "decided", "decision", "decisions", "결정"), "decision"),
    **dict.fromkeys(("learn", "learned", "learnt", "lesson", "lessons", "교훈"), "lesson"),
    **dict.fromkeys(("plan", "planned", "plans", "계획"), "plan"),
    **dict.fromkeys(("note", "noted", "notes", "메모", "노트"), "note"),
}
"""What a word of such a question says about the entries that are wanted."""
_ANYTHING: Final = re.compile(
    r"happen(?:ed|ing)?|chang(?:e|es|ed)|work(?:ed)?|done|everything|anything|things|"
    r"(?:일|일들|것들)[이은을]?|바[뀐꾼]|생긴|일어난|벌어진|(?:작업|변경)[한된]?|"
    r"(?:있었|바뀌었|바꿨|생겼|일어났|벌어졌)[가-힣]{0,3}"
)
"""Words that ask for whatever there is: "what happened", ``무슨 일이 있었나``."""
_WORD: Final = re.compile(r"\w+")  # "what's" is left out as two
_MAX_ROWS: Final = 1_000


def wanted_types(text: str) -> tuple[str, ...] | None:
    """The types of entries that the rest of a question asks for, () for any; None if it asks for more."""
    query = query_terms(text)
    if not text or query.is_grammar:
        return ()
    types: list[str] = []
    for word in _WORD.findall(text):
        bare = word.lower()
        if bare in query.left_out or word in query.left_out or _ANYTHING.fullmatch(bare):
            continue
        found = TYPES.get(bare) or TYPES.get(bare[: stem_length(bare)])
        if found is None:
            return None
        types.append(found)
    return tuple(dict.fromkeys(types))


def rows_of_a_time(catalog: Catalog, wanted: EntryFilter, types: tuple[str, ...]) -> list[Row]:
    """The entries that pass *wanted*, those of *types* alone if there are any."""
    rows: list[Row] = []
    if types and not wanted.types:
        rows = catalog.find(replace(wanted, types=types), limit=_MAX_ROWS)
    rows = rows or catalog.find(wanted, limit=_MAX_ROWS)
    return sorted(rows, key=lambda row: -prior_of(as_kind(row.kind) or "fact", row.type))
