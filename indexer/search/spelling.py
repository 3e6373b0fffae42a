"""Did you mean: what stands in the index in place of the words of a question that stand nowhere in it.

Only a word without a single posting is mended, and only into one that has some; an identifier is never
mended, only suggested, for a name that differs in a letter is another name. What is looked up instead
counts less than what was typed. Costs nothing while every word is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ..text import korean
from ..text.analysis import AskedWord, Query, asked_words, query_terms
from ..text.edits import as_hangul, as_keys, distances, near_syllables, with_one_edit
from ..text.english import stem
from ..text.hanja import reading_of
from ..text.letters import normalised

WEIGHT: Final = 0.7  # of a mended word beside one that was typed
MIN_LETTERS: Final = 4  # of a Latin word; with fewer every word is near another
MAX_LETTERS: Final = 40  # what is longer was not typed by a person
TWO_EDITS_FROM: Final = 8  # letters
MAX_WORDS: Final = 8  # of a question that are mended; a pasted log has hundreds that are unknown
_PLAIN: Final = re.compile("[A-Z]?[a-z]+")
_LATIN: Final = re.compile("[a-z]+")
_HANGUL: Final = re.compile("[가-힣]+")
_HANGUL_KEYS: Final = re.compile("[가-힣\u1100-\u11ff\u3131-\u3163]+")
_MAX_SYLLABLES: Final = 12


class Vocabulary(Protocol):
    """The terms of an index, and how common they are."""

    def n_containing(self, term: str) -> int:
        """How many entries have *term*."""
        ...

    def beginning_with(self, prefix: str, sizes: range) -> Iterable[str]:
        """The terms that begin with *prefix* and have one of *sizes* in bytes; one may come twice, or be
        of removed entries alone."""
        ...


@dataclass(frozen=True, slots=True)
class MendedWord:
    """A word that stands nowhere, and what may have been meant."""

    typed: str
    better: str  # as near to what stands in texts as an index of stems can tell
    term: str  # of a Latin word, by which texts can be asked how it is written; "" if Hangul
    start: int = 0  # of what was typed, in the question as it is normalised


@dataclass(frozen=True, slots=True)
class Mended:
    """A question whose unknown words were exchanged for known ones."""

    query: Query  # what to look up instead; the same query where there are only suggestions
    words: tuple[MendedWord, ...]


def mend(query: Query, vocabulary: Vocabulary) -> Mended | None:
    """*query* with the words mended that occur nowhere; None where there are none, or no better."""
    missing = {term.term for term in query.terms if not vocabulary.n_containing(term.term)}
    if not missing:
        return None
    found: list[tuple[AskedWord, MendedWord]] = []
    mended: dict[str, MendedWord | None] = {}  # a word may be said thousands of times
    for word in asked_words(query.text):
        unknown = {term.term for term in word.terms if term.term in missing}
        if not unknown:
            continue
        if word.run not in mended:
            mended[word.run] = _better(word, unknown, vocabulary)
        if better := mended[word.run]:
            found.append((word, better))
        if len(found) == MAX_WORDS:
            break
    if not found:
        return None
    changes = [(word, better.better) for word, better in found if not _is_identifier(word)]
    words = tuple(replace(better, start=word.start) for word, better in found)
    return Mended(_exchanged(query, changes) if changes else query, words)


def unknown_identifiers(text: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The identifiers and codes in *text*, as typed, that stand nowhere as a whole."""
    return tuple(
        word.run
        for word in asked_words(text)
        if any(
            term.kind == "identifier" and not vocabulary.n_containing(term.term)
            for term in word.terms
        )
    )


def _is_identifier(word: AskedWord) -> bool:
    is_korean = _HANGUL_KEYS.fullmatch(word.run) or reading_of(word.run)
    return not (is_korean or _PLAIN.fullmatch(word.run))


def _exchanged(query: Query, changes: Sequence[tuple[AskedWord, str]]) -> Query:
    text = normalised(query.text)
    for word, better in reversed(changes):
        text = f"{text[: word.start]}{better}{text[word.start + len(word.run) :]}"
    typed = {term.term: term for term in query.terms}
    found = query_terms(text)
    terms = (
        replace(typed[term.term], word=term.word)
        if term.term in typed
        else replace(term, weight=term.weight * WEIGHT)
        for term in found.terms
    )
    return replace(found, terms=tuple(terms), left_out=query.left_out)


def _better(word: AskedWord, unknown: set[str], vocabulary: Vocabulary) -> MendedWord | None:
    """What may have been meant by *word*; None if nothing is near."""
    run = word.run
    if reading := reading_of(run):
        is_known = len(run) > 1 and all(map(vocabulary.n_containing, _pairs(reading)))
        return MendedWord(run, reading, "") if is_known else None
    if _HANGUL.fullmatch(run) and (hangul := _better_hangul(run, unknown, vocabulary)):
        return MendedWord(run, hangul, "")
    if _HANGUL_KEYS.fullmatch(run):
        latin = _typed_as_latin(run, vocabulary)
        return MendedWord(run, latin, stem(latin)) if latin else None
    whole = next((term for term in word.terms if term.kind in ("word", "identifier")), None)
    if whole is None or whole.term not in unknown or not _LATIN.fullmatch(whole.term):
        return None
    if hangul := _typed_as_hangul(run, vocabulary):
        return MendedWord(run, hangul, "")
    term = _nearest(whole.term, vocabulary)
    return MendedWord(run, _like(run, whole.term, term), term) if term else None


def _nearest(term: str, vocabulary: Vocabulary) -> str:
    """The term with the fewest edits, of those the one in most entries; "" if none is near."""
    if not MIN_LETTERS <= len(term) <= MAX_LETTERS:
        return ""
    at_most = 2 if len(term) >= TWO_EDITS_FROM else 1
    others = [*_candidates(term, at_most, vocabulary)]
    near = {
        other: steps
        for other, steps in zip(others, distances(term, others).tolist(), strict=True)
        if steps <= at_most and _is_likely(term, other, steps)
    }
    known = [
        (steps, -n, other) for other, steps in near.items() if (n := vocabulary.n_containing(other))
    ]
    return min(known)[2] if known else ""


def _like(run: str, typed_stem: str, better_stem: str) -> str:
    """*better_stem* with the ending that *run* has after its own stem, if it is one of that word."""
    lowered = run.lower()
    if not lowered.startswith(typed_stem):
        return better_stem
    surface = better_stem + lowered.removeprefix(typed_stem)
    is_inflected = surface != f"{better_stem}e" and stem(surface) == better_stem
    return surface if is_inflected else better_stem


def _candidates(term: str, at_most: int, vocabulary: Vocabulary) -> Iterator[str]:
    """Terms that may be near; a slip in the first two letters is looked for one edit away only.

    So most of the vocabulary, which may have millions of terms, need not be looked at.
    """
    sizes = range(len(term) - at_most, len(term) + at_most + 1)
    for other in vocabulary.beginning_with(term[:2], sizes):
        if other.isascii() and other.isalpha():
            yield other
    for at in (0, 1):
        yield from (other for other in with_one_edit(term, at) if other[:2] != term[:2])


def _is_likely(term: str, other: str, steps: int) -> bool:
    """Whether *other* is what a slip would make of it; short words have too many neighbours."""
    if len(term) == MIN_LETTERS or other[0] != term[0]:
        is_changed = len(term) == len(other) and sorted(term) != sorted(other)
        return not is_changed and len(other) >= MIN_LETTERS
    return steps == 1 or other[:2] == term[:2]


def _better_hangul(run: str, unknown: set[str], vocabulary: Vocabulary) -> str:
    length = korean.stem_length(run)
    word = run[:length]
    if not 2 <= length <= _MAX_SYLLABLES or not unknown & set(_pairs(word)):
        return ""
    best, best_n = "", 0
    for other in _near_words(word, unknown):
        n = min(vocabulary.n_containing(pair) for pair in _pairs(other))
        if n > best_n:
            best, best_n = other, n
    return best + run[length:] if best else ""


def _near_words(word: str, unknown: set[str]) -> Iterator[str]:
    """*word* with one syllable changed, in a place all of whose pairs are unknown, or two swapped.

    A pair alone may be unknown because a compound was always written apart.
    """
    for at, syllable in enumerate(word):
        if not all(pair in unknown for pair in _pairs(word[max(0, at - 1) : at + 2])):
            continue
        for other in near_syllables(syllable, any_letter=len(word) > 2):
            yield word[:at] + other + word[at + 1 :]
    if len(word) > 2:
        for at in range(len(word) - 1):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)]


def _typed_as_hangul(run: str, vocabulary: Vocabulary) -> str:
    """Korean that was typed with the keyboard set to Latin (``zjaltdmf``)."""
    hangul = as_hangul(run)
    pairs = _pairs(hangul[: korean.stem_length(hangul)]) if hangul else []
    return hangul if pairs and all(map(vocabulary.n_containing, pairs)) else ""


def _typed_as_latin(run: str, vocabulary: Vocabulary) -> str:
    """A Latin word that was typed with the keyboard set to Korean (``채ㅡㅡㅑㅅ``)."""
    keys = as_keys(run).lower()
    is_word = len(keys) >= MIN_LETTERS and keys.isalpha()
    return keys if is_word and vocabulary.n_containing(stem(keys)) else ""
