"""A question as it may have been meant: with the words mended that stand nowhere, and asked again.

What was typed is kept unless the mended question finds clearly more. Costs nothing while every word
of the question stands in one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..keywords.snapshot import Snapshot
from ..text.analysis import Query, spans
from ..text.letters import normalised
from .confidence import judge
from .evidence import Evidence
from .phrases import without_varying
from .spelling import Mended, mend, unknown_identifiers

MENDED_GAIN: Final = 1.1
"""How much more relevant the first result of a mended question must be: of 1,818 questions without a
slip ten were mended, and of those with one nine in ten."""
_ALL: Final = 1 - 1e-6  # of the query's idf


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewording:
    """What is known of a question's words that stand nowhere."""

    unknown: tuple[str, ...] = ()  # identifiers, as typed
    mended: Mended | None = None
    evidence: Evidence | None = None  # of the mended query, where it is the one to answer by


def reword(
    query: Query,
    evidence: Evidence,
    *,
    snapshot: Callable[[], Snapshot],
    gather: Callable[[Query], Evidence],
) -> Rewording:
    """How *query*, which found *evidence*, may have been meant; *gather* asks another one."""
    if evidence.relevance.share.max(initial=0.0) >= _ALL:  # one entry has every word
        return Rewording()
    vocabulary = snapshot()
    unknown = unknown_identifiers(without_varying(query.text), vocabulary)
    mended = mend(query, vocabulary)
    if mended is None or mended.query is query:
        return Rewording(unknown=unknown, mended=mended)
    better = gather(mended.query)
    is_answered = judge(better.relevance, is_grammar=mended.query.is_grammar) != "none"
    if _finds_more(better, evidence) and is_answered:
        return Rewording(unknown=unknown, mended=mended, evidence=better)
    return Rewording(unknown=unknown)


def _finds_more(better: Evidence, evidence: Evidence) -> bool:
    """Whether the first result of a mended question answers it clearly better than that of the typed."""
    if not len(better.relevance.documents):
        return False
    if not len(evidence.relevance.documents):
        return True
    first, other = float(better.relevance.relevance[0]), float(evidence.relevance.relevance[0])
    return first > MENDED_GAIN * other


def rewritten(
    text: str, mended: Mended, *, shown: Iterable[str], text_with: Callable[[str], Iterator[str]]
) -> str:
    """The question *text* with its unknown words as they are written in what was found instead.

    That is in the texts that are *shown*, or else in the entry that *text_with* gives for a term.
    """
    better = normalised(text)
    for word in reversed(mended.words):
        written = word.better
        if word.term:
            written = _written(word.term, [*shown], text_with) or written
        better = f"{better[: word.start]}{written}{better[word.start + len(word.typed) :]}"
    return better


def _written(term: str, shown: Iterable[str], text_with: Callable[[str], Iterator[str]]) -> str:
    """How *term* is written where it stands; "" if it is nowhere to be read."""
    for texts in (shown, text_with(term)):
        for text in texts:
            if part := next(spans(text, {term}), None):
                return text[part.start : part.end]
    return ""
