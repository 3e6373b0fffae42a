"""Questions that ask for no more than a time: "what did we decide last week", ``오늘 뭐 했지``.

Nothing in them can be searched for but what kind of memory is wanted, if they name one; so what there is
of that time is listed, what was set down on purpose before what only happened, the newest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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
_KOREAN_VERBS: Final[Mapping[str, re.Pattern[str]]] = {
    "decision": re.compile("(?:결정|정)(?:한|했|해|된|됐|되)[가-힣]{0,3}"),
    "lesson": re.compile("배(?:운|웠)[가-힣]{0,3}"),
    "plan": re.compile("계획(?:한|했|된)[가-힣]{0,3}"),
}
_ANYTHING: Final = re.compile(
    r"happen(?:ed|ing)?|chang(?:e|es|ed)|work(?:ed)?|done|everything|anything|things|"
    r"show|list|give|tell|(?:일|일들|것|것들|사항|내용|목록)[이은을]?|바[뀐꾼]|생긴|일어난|벌어진|(?:작업|변경)[한된]?|"
    r"(?:있었|했|바뀌었|바꿨|생겼|일어났|벌어졌|알려|보여)[가-힣]{0,3}"
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
        found = _type_of(bare)
        if found is None:
            return None
        types.append(found)
    return tuple(dict.fromkeys(types))


def _type_of(word: str) -> str | None:
    """The type of the entries that *word* asks for."""
    verbs = (type_ for type_, pattern in _KOREAN_VERBS.items() if pattern.fullmatch(word))
    return TYPES.get(word) or TYPES.get(word[: stem_length(word)]) or next(verbs, None)


def rows_of_a_time(
    catalog: Catalog,
    wanted: EntryFilter,
    types: tuple[str, ...],
    *,
    saying: Callable[[str], Sequence[int]],
) -> list[Row]:
    """The entries that pass *wanted*; where some are of *types*, they and what says that it is.

    What is written by hand has no type: of it, *saying* gives the entries with any of some words.
    """
    if types and not wanted.types:
        rows = catalog.find(replace(wanted, types=types), limit=_MAX_ROWS)
        said = catalog.rows(saying(" ".join(word for word, of in TYPES.items() if of in types)))
        known = {row.docno for row in rows}
        by_hand = [row for row in said if row.type == "note" and row.docno not in known]
        by_hand.sort(key=lambda row: -row.created_us)
        if rows or by_hand:
            return [*rows, *by_hand]
    rows = catalog.find(wanted, limit=_MAX_ROWS)
    return sorted(rows, key=lambda row: -prior_of(as_kind(row.kind) or "fact", row.type))
