"""From text to terms: what the keyword index stores and what a query looks up.

The one invariant: a document and a query that contain the same word contain the same term,
however the word was typed (full-width, decomposed, in capitals, as camelCase or snake_case, with an
English ending or a Korean particle). What carries no meaning is left out of queries only: the index
need not be rebuilt for the sake of a word list.

A term is one of:

- a word: folded, without accents, stemmed (``connections`` -> ``connect``);
- an identifier: its parts joined (``max_pool_size``, ``maxPoolSize`` -> ``maxpoolsiz``), a version
  (``3.12``) or a path (``src/auth.py``); its parts are terms as well;
- two neighbours in a run of Hangul, of Han and kana (``토큰``), or of a script that is written without
  spaces (Thai, Lao, Burmese, Khmer); a run of one is that one;
- the same for how a word in Han characters is read, in a text that has Hangul (``設定`` -> ``설정``);
- for queries of one syllable: the first syllable of a Hangul run and the last before its particle
  (``분산락을`` -> ``분``, ``락``), and each Han character. These do not count in a document's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from . import english, korean
from .hanja import reading_of
from .letters import (
    HAN,
    HANGUL,
    IS_HAN,
    IS_HANGUL,
    IS_IN_PAIRS,
    IS_IN_RUN,
    IS_KANA,
    IS_UNSPACED,
    KANA,
    MARKS,
    UNSPACED,
    Scripts,
    composes,
    is_normalised,
    normalise_with_offsets,
    normalised,
    scripts,
)

ANALYZER_VERSION: Final = "2"
MAX_QUERY_TERMS: Final = 128  # a pasted log is a query too; identifiers are kept before words
ENDING_WEIGHT: Final = 0.3
"""Weight in a query of syllables that belong to a particle or ending. At 0 paraphrases lose a point
of recall, at 1 headings lose three (tests/bench/retrieval.py)."""

TermKind = Literal["word", "identifier", "part", "cjk"]

_LETTERS: Final = f"(?:[^\\W{HANGUL}{HAN}{KANA}{UNSPACED}]++[{MARKS}]*+)++"
_RUN: Final = re.compile(
    f"[{HANGUL}]+|[{HAN}{KANA}]+|[{UNSPACED}]+|{_LETTERS}(?:[./\\\\+-]{_LETTERS})*"
)
_SIGNS: Final = frozenset("./\\+-")  # what joins words to paths and identifiers
_SMALL: Final = (
    f"(?:[^\\W_A-Z0-9]|[{MARKS}])"  # a letter that does not begin a part; accents are folded later
)
_PIECE: Final = re.compile(
    f"[A-Z]{{2,}}(?=s(?!{_SMALL}))|[A-Z]+(?!{_SMALL})|[A-Z]?{_SMALL}+|[0-9]+"
)
_VERSION: Final = re.compile(r"(?<![0-9.])[0-9]+(?:\.[0-9]+)+")
_MAX_IDENTIFIER: Final = 80  # characters; what is longer is data, and found by its parts


class Part(NamedTuple):
    """A term and the characters of its run, or of the text, that it stands for."""

    term: str
    kind: TermKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term to look up, and how much of its idf it brings."""

    term: str
    kind: TermKind
    weight: float = 1.0
    word: int = 0  # which of the question's words it is of


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a question asks of the index."""

    text: str
    terms: tuple[QueryTerm, ...]
    left_out: tuple[str, ...]  # function and question words, as typed
    scripts: Scripts
    is_grammar: bool = False  # nothing but such words: they are searched for, and prove nothing


def document_terms(text: str) -> Counter[str]:
    """How often each term occurs in *text*."""
    normal = normalised(text)
    is_korean = not normal.isascii() and IS_HANGUL.search(normal) is not None
    terms_of = _terms_in_korean if is_korean else _terms_of
    return Counter(chain.from_iterable(map(terms_of, _RUN.findall(normal))))


def document_length(terms: Mapping[str, int]) -> int:
    """The length that BM25 compares: single syllables and characters are not counted."""
    n_all = sum(terms.values())
    if "".join(terms).isascii():
        return n_all
    return n_all - sum([n for term, n in terms.items() if len(term) == 1 and not term.isascii()])


def query_terms(text: str) -> Query:
    """What to look up for the question *text*, with function and question words left out.

    A question of nothing but such words is searched for as it stands.
    """
    runs, asked = _runs_of_query(normalised(text))
    searched = frozenset(asked or runs)
    weights: dict[str, QueryTerm] = {}
    is_korean = any(IS_HANGUL.match(run) for run in runs)
    for number, run in enumerate(asked or runs):
        for term in _query_terms_of(run, is_korean=is_korean):
            if term.term not in weights or weights[term.term].weight < term.weight:
                weights[term.term] = replace(term, word=number)
    terms = sorted(weights.values(), key=lambda term: term.kind != "identifier")
    return Query(
        text=text,
        terms=tuple(terms[:MAX_QUERY_TERMS]),
        left_out=tuple(run for run in runs if run not in searched),
        scripts=scripts("".join(asked or runs)),
        is_grammar=not asked,
    )


def query_of_term(term: str) -> Query:
    """What to look up to find an entry that contains *term*."""
    return Query(
        text=term,
        terms=(QueryTerm(term, "identifier"),),
        left_out=(),
        scripts=scripts(term),
    )


class AskedWord(NamedTuple):
    """A run of a question that says what is asked about, and what is looked up for it."""

    run: str
    start: int  # in the question as ``normalised`` gives it
    terms: tuple[QueryTerm, ...]


def asked_words(text: str) -> list[AskedWord]:
    """The words of the question *text* whose terms ``query_terms`` looks up, in order."""
    normal = normalised(text)
    runs, asked = _runs_of_query(normal)
    is_korean = any(IS_HANGUL.match(run) for run in runs)
    words: list[AskedWord] = []
    place = 0
    for run in asked:
        place = normal.index(run, place)
        words.append(AskedWord(run, place, tuple(_query_terms_of(run, is_korean=is_korean))))
        place += len(run)
    return words


def spans(text: str, wanted: Collection[str] | None = None) -> Iterator[Part]:
    """The terms of *text* in order, with the characters of *text*, as given, that they stand for.

    With *wanted*, only those among them; words without any are passed over, which is faster.
    """
    terms = None if wanted is None else frozenset(wanted)
    if terms is not None and not is_normalised(text):  # where they are takes longer than whether
        runs = _RUN.findall(normalised(text))
        if all(terms.isdisjoint(_terms_in_korean(run)) for run in runs):
            return
    normal, offsets = normalise_with_offsets(text)
    is_korean = wanted is not None or IS_HANGUL.search(normal) is not None
    for run in _RUN.finditer(normal):
        if terms is not None and terms.isdisjoint(_terms_in_korean(run[0])):
            continue
        for part in _parts_in_korean(run[0]) if is_korean else _parts_of(run[0]):
            if terms is not None and part.term not in terms:
                continue
            start, end = run.start() + part.start, run.start() + part.end
            if offsets is not None:
                start, end = offsets[start][0], offsets[end - 1][1]
            yield Part(part.term, part.kind, start, end)


def folded_character(char: str) -> str:
    """What a text's terms have in the place of *char*, if that is one character.

    A space if it ends a word whatever is around it, a sign that may join parts as that sign, and
    nothing where it becomes several or one with its neighbours.
    """
    normal = normalised(char)
    if composes("\u1100", char) or any(map(unicodedata.combining, normal)):
        return ""
    if not IS_IN_RUN.search(normal):
        return normal if normal in _SIGNS else " "
    folded = normal if IS_IN_PAIRS.match(normal) else _fold(normal)
    return folded if len(folded) == 1 else ""


def korean_readings(normal: str) -> str:
    """How the words of Han characters in *normal* are read in Korean, a space between them."""
    runs = (run for run in _RUN.findall(normal) if IS_HAN.match(run))
    return " ".join(filter(None, map(reading_of, runs)))


def _fold(word: str) -> str:
    word = word.casefold()
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


_REMEMBERED: Final = 32_768  # words; 15 MB if all are different ones in Korean texts and others


@lru_cache(_REMEMBERED)
def _terms_of(run: str) -> tuple[str, ...]:
    return _work_out_terms(run)


@lru_cache(_REMEMBERED)
def _terms_in_korean(run: str) -> tuple[str, ...]:
    return (*_work_out_terms(run), *(part.term for part in _read_in_korean(run)))


def _work_out_terms(run: str) -> tuple[str, ...]:
    """The terms of ``_parts_of``, in any order.

    Usual words without making the parts, in a third of the time; tests compare both.
    """
    if _is_plain(run):
        return (english.stem(run.lower()),)
    if len(run) > 1 and IS_HANGUL.match(run):
        pairs = [run[i : i + 2] for i in range(len(run) - 1)]
        return (*pairs, *[run[i] for i in _edge_places(run)])
    return tuple(part.term for part in _parts_of(run))


@lru_cache(maxsize=4096)
def _parts_in_korean(run: str) -> tuple[Part, ...]:
    return (*_parts_of(run), *_read_in_korean(run))


def _read_in_korean(run: str) -> tuple[Part, ...]:
    """The pairs of syllables that a word of Han characters is read as in a Korean text."""
    if len(run) < 2 or not IS_HAN.match(run) or not (reading := reading_of(run)):
        return ()
    return _neighbours(reading)


def _parts_of(run: str) -> tuple[Part, ...]:
    if IS_HANGUL.match(run):
        return _neighbours(run) + _edges(run)
    if IS_HAN.match(run) or IS_KANA.match(run):
        singles = (Part(c, "cjk", i, i + 1) for i, c in enumerate(run) if IS_HAN.match(c))
        return _neighbours(run) + (tuple(singles) if len(run) > 1 else ())
    if IS_UNSPACED.match(run):
        return _neighbouring_clusters(run)
    return _parts_of_word(run)


def _neighbouring_clusters(run: str) -> tuple[Part, ...]:
    """Pairs of what a reader of Thai, Lao, Burmese or Khmer sees as one character."""
    starts = [i for i, char in enumerate(run) if i == 0 or unicodedata.category(char)[0] != "M"]
    ends = [*starts[1:], len(run)]
    if len(starts) > 1:
        starts, ends = starts[:-1], ends[1:]
    return tuple(Part(run[i:j], "cjk", i, j) for i, j in zip(starts, ends, strict=True))


def _neighbours(run: str) -> tuple[Part, ...]:
    if len(run) == 1:
        return (Part(run, "cjk", 0, 1),)
    return tuple(Part(run[i : i + 2], "cjk", i, i + 2) for i in range(len(run) - 1))


def _edges(run: str) -> tuple[Part, ...]:
    if len(run) == 1:
        return ()
    return tuple(Part(run[i], "cjk", i, i + 1) for i in _edge_places(run))


def _edge_places(run: str) -> tuple[int, ...]:
    last = korean.stem_length(run, at_least=1) - 1
    return (0, last) if last else (0,)


def _is_plain(run: str) -> bool:
    return run.isascii() and run.isalpha() and run[1:].islower()


def _parts_of_word(run: str) -> tuple[Part, ...]:
    """The parts of a run of letters, digits and the signs that join identifiers."""
    if _is_plain(run):
        return (Part(english.stem(run.lower()), "word", 0, len(run)),)
    components = list(re.finditer(r"[^/\\]+", run))
    parts = [part for found in components for part in _parts_of_name(found[0], found.start())]
    if len(components) > 1 and len(run) <= _MAX_IDENTIFIER:
        parts.append(Part(_fold(run.replace("\\", "/")), "identifier", 0, len(run)))
    return tuple(parts)


def _parts_of_name(name: str, offset: int) -> list[Part]:
    """The parts of one component of a path: a word, or an identifier with versions in it."""
    parts = [part for found in _VERSION.finditer(name) for part in _parts_of_version(found, offset)]
    if parts and len(name) - len(parts[-1].term) <= 1:  # 1.2 or v1.2
        return parts
    pieces = [
        (piece, Part(english.stem(_fold(piece[0])), "part", *_shifted(piece.span(), offset)))
        for piece in _PIECE.finditer(name)
    ]
    if len(pieces) < 2:
        return [part._replace(kind="word") for _, part in pieces]
    parts += [part for _, part in pieces if len(part.term) > 1]
    if len(name) <= _MAX_IDENTIFIER:
        whole = english.stem("".join(_fold(piece[0]) for piece, _ in pieces))
        parts.append(Part(whole, "identifier", offset, offset + len(name)))
    return parts


def _parts_of_version(found: re.Match[str], offset: int) -> Iterator[Part]:
    """``1.2.3`` and what it is a version of: ``1.2``."""
    numbers = found[0].split(".")
    for n in range(2, len(numbers) + 1):
        yield Part(".".join(numbers[:n]), "identifier", *_shifted(found.span(), offset))


def _shifted(span: tuple[int, int], offset: int) -> tuple[int, int]:
    return span[0] + offset, span[1] + offset


def _runs_of_query(normal: str) -> tuple[list[str], list[str]]:
    """All runs, and those that say what is asked about."""
    runs: list[str] = []
    asked: list[str] = []
    end_of_word = -1
    for match in _RUN.finditer(normal):
        run = match[0]
        runs.append(run)
        if IS_HANGUL.match(run):
            grammar = korean.is_function_word(run) or (
                match.start() == end_of_word and korean.is_particle(run)  # GitHub+에서
            )
        else:
            grammar = run.lower() in english.FUNCTION_WORDS
            end_of_word = match.end()
        if not grammar:
            asked.append(run)
    return runs, asked


def _query_terms_of(run: str, *, is_korean: bool) -> Iterator[QueryTerm]:
    if is_korean and (read := _read_in_korean(run)):
        # Korean texts have both; those that never use Han characters, only the reading
        yield from (QueryTerm(part.term, "cjk") for part in read)
        yield from (QueryTerm(part.term, "cjk", ENDING_WEIGHT) for part in _neighbours(run))
        return
    if not IS_HANGUL.match(run):
        parts = _neighbours(run) if IS_HAN.match(run) or IS_KANA.match(run) else _parts_of(run)
        for part in parts:
            yield QueryTerm(part.term, part.kind)
        return
    length = korean.stem_length(run)
    for part in _neighbours(run):
        yield QueryTerm(part.term, "cjk", 1.0 if part.end <= length else ENDING_WEIGHT)
    if len(run) == 2 and korean.stem_length(run, at_least=1) == 1:
        yield QueryTerm(run[0], "cjk", ENDING_WEIGHT)
