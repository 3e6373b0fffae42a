"""Whether a memory that was told was of use: judged by the answer, and by nothing else.

What is cited was used. So was what the answer says without citing it, if enough of it stands in one
passage and the person had not said it already: what they typed proves nothing, nor do words that stand
in every answer, nor what the assistant repeats of the very block that told it. docs/recall-use.md has the
figures, tests/bench/use_by_chance.py makes them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from ...indexer.text.analysis import asked_words, document_terms
from ...indexer.text.korean import is_particle
from ...indexer.text.letters import IS_IN_PAIRS, normalised
from ...journal.ids import ID_LENGTH
from ...journal.ledger_records import How
from .fence import strip_fences
from .talk import common_terms

USED_OVERLAP: Final = 0.3
"""The field's own measure; its 8-25 % of injected memories were counted by it."""

MIN_WORDS: Final = 3.0
"""Of a memory that tells fewer words than this which the prompt lacks, only a citation tells."""

PASSAGE_WORDS: Final = 80
"""What is used is said in one place. In a long answer, words of anything can be found."""

_MIN_PREFIX: Final = 4  # shorter ones, as in ``mem:rss``, are no citations
_CITED: Final = re.compile(
    r"(?<![0-9A-Za-z])mem:(?P<space>\s?)(?P<name>[0-9A-Za-z]{2,64})(?![0-9A-Za-z])", re.IGNORECASE
)
_NAME: Final = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]{6,64}(?![0-9A-Za-z])")
_IS_WORD: Final = re.compile(r"[A-Za-z][a-z]*|[A-Z]+|[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What an answer shows of one memory."""

    id: str
    how: How | None  # None: it was not used
    overlap: float  # 0-1


def judge_use(answer: str, told: Sequence[tuple[str, str]], *, prompt: str) -> list[Verdict]:
    """A verdict for each of *told*, in order: the id of a memory, and its text as it was told.

    The overlap is the share of the memory's informative words that the best passage of *answer* has.
    A word is informative if it is no function word, none of every answer, and not in *prompt*. It is
    compared by the analyzer's terms: English by stems, identifiers whole, Korean by the pairs of
    syllables before its particle or ending, so that half a compound counts half. Of a Korean memory,
    an English answer can only have the names.
    """
    said = strip_fences(answer)
    ids = [one for one, _ in told]
    cited = _find_cited(said, ids) - _find_cited(prompt, ids)
    asked = document_terms(prompt).keys()
    passages = list(_passages(said))
    is_latin = IS_IN_PAIRS.search(normalised(said)) is None
    verdicts: list[Verdict] = []
    for one, text in told:
        words = list(_informative_words(text, asked, is_latin=is_latin))
        n_found = max((_count_found(words, terms) for terms in passages), default=0.0)
        overlap = n_found / max(1, len(words))
        is_said = overlap >= USED_OVERLAP and n_found >= MIN_WORDS
        how: How | None = "cited" if one in cited else "overlap" if is_said else None
        verdicts.append(Verdict(id=one, how=how, overlap=round(overlap, 3)))
    return verdicts


def _find_cited(text: str, ids: Collection[str]) -> set[str]:
    """Which of *ids* are cited in *text*, in any form that `mem show` takes for one of them.

    A bare id counts unless it could be a word; its beginning only after ``mem:``.
    """
    cited = {name for name in _NAME.findall(text) if name in ids and not _IS_WORD.fullmatch(name)}
    for found in _CITED.finditer(text):
        name = found["name"]
        if name in ids:
            cited.add(name)
        elif not found["space"] and _MIN_PREFIX <= len(name) < ID_LENGTH:
            begun = [one for one in ids if one.startswith(name)]
            cited.update(begun if len(begun) == 1 else ())
    return cited


def _informative_words(
    text: str, asked: AbstractSet[str], *, is_latin: bool
) -> Iterator[frozenset[str]]:
    """The words of *text* that tell something, each once, as the terms that it is compared by."""
    seen: set[frozenset[str]] = set()
    for word in asked_words(_CITED.sub(" ", text)):
        if len(word.run) < 2 or is_particle(word.run) or (is_latin and IS_IN_PAIRS.match(word.run)):
            continue
        names = [term.term for term in word.terms if term.kind == "identifier"]
        stems = [term.term for term in word.terms if term.weight == 1.0]
        terms = frozenset(names or stems)
        is_known = 2 * len(terms & asked) >= len(terms)
        if not is_known and not terms <= common_terms() and terms not in seen:
            seen.add(terms)
            yield terms


def _count_found(words: Sequence[frozenset[str]], terms: AbstractSet[str]) -> float:
    return sum(len(word & terms) / len(word) for word in words)


def _passages(text: str) -> Iterator[AbstractSet[str]]:
    """The terms of each passage of *text*; every place stands whole in one, as they overlap by half."""
    words = text.split()
    half = PASSAGE_WORDS // 2
    for start in range(0, max(1, len(words) - half), half):
        yield document_terms(" ".join(words[start : start + PASSAGE_WORDS])).keys()
