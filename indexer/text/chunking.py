"""Cuts a long text into chunks, and makes of them the passages that are embedded.

Invariants: the chunks are in order, none is empty unless the text is, and together they cover every
character; a chunk is the text between its offsets, so that a hit can be shown in its file. The
time is linear in the text, whatever its shape: one line of 50 MB is as good as any other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

MAX_TOKENS: Final = 320
"""With OVERLAP: half a point of recall above 400 and 60, for a sixth more vectors; 240 gains 0.2
points more for another quarter."""
OVERLAP: Final = 40  # tokens
_FULL: Final = 0.5  # of max_tokens: a chunk this full is closed, if more is to come
_HEADING_CLOSES: Final = 0.2  # of max_tokens: a heading closes a chunk that is this full

_CJK: Final = re.compile(
    "[\u1100-\u11ff\u3000-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+([^\n]*?)[ \t#]*$", re.MULTILINE)
_LONGEST_HEADING: Final = 500  # characters; a longer line is text
_FENCE: Final = re.compile(r" {0,3}(?:```|~~~)")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_SENTENCE: Final = re.compile(r"[.!?…]\s+|[。！？]\s*")  # where a long line is best cut
_SPACE: Final = re.compile(r"\s+")
_MARKS: Final = re.compile(r"^[\s#>*+-]+")
_OPENING: Final = 120  # characters
_OPENING_WINDOW: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a text: ``text == whole[start:end]``."""

    start: int
    end: int
    text: str
    heading: str = ""  # the headings it stands under, outermost first, joined by " > "


class _Atom(NamedTuple):
    """A line, or a piece of a long line: what is never cut again."""

    start: int
    end: int
    n_tokens: int
    heading: str
    opens: bool  # whether it is itself a heading


def estimate_tokens(text: str) -> int:
    """About how many tokens a model makes of *text*: one a CJK character, one per four others."""
    if text.isascii():
        return (len(text) + 3) // 4
    n_others = len(_CJK.sub("", text))
    return len(text) - n_others + (n_others + 3) // 4


def chunk(text: str, *, max_tokens: int = MAX_TOKENS, overlap: int = OVERLAP) -> list[Chunk]:
    """The pieces of *text*, each of at most *max_tokens* and the *overlap* with the piece before.

    A text that fits is one piece. A longer one is cut at headings and ends of lines where it can
    be, at sentences and spaces within a long line, and anywhere where there is nothing else. An
    empty text has one empty piece, so that an entry with only a title has a vector.

    Raises:
        ValueError: *max_tokens* is below 8, or *overlap* is not between 0 and half of it.
    """
    if max_tokens < 8 or not 0 <= overlap <= max_tokens // 2:
        raise ValueError(f"no chunks of {max_tokens} tokens with an overlap of {overlap}")
    if len(text) <= max_tokens or estimate_tokens(text) <= max_tokens:
        return [Chunk(start=0, end=len(text), text=text, heading=_first_heading(text))]
    chunks: list[Chunk] = []
    for first, last in _pack(_atoms(text, max_tokens), max_tokens):
        start = first.start
        if chunks and not first.opens:
            start = max(_overlap_start(text, start, overlap), chunks[-1].start + 1)
        chunks.append(
            Chunk(start=start, end=last.end, text=text[start : last.end], heading=first.heading)
        )
    return chunks


class Passage(NamedTuple):
    """What is embedded as one vector, an opening or a chunk under its title, and where it begins."""

    start: int
    text: str


def passages(
    title: str, text: str, *, max_tokens: int = MAX_TOKENS, overlap: int = OVERLAP
) -> list[Passage]:
    """What is embedded of an entry: its opening, then each chunk under the title.

    The opening is the title, or the first sentence of an entry without one; a text that is no more
    than its opening has one passage, and an entry without title and text has none. Measured: a
    vector for the opening alone lifts the recall of the vector leg by 2.5 points and of both legs by
    3 (tests/bench/retrieval.py --ablation).
    """
    title, text_only = title.strip()[:_LONGEST_HEADING], text.strip()  # it stands in each passage
    if not title and not text_only:
        return []
    head = Passage(0, title or opening(text))
    if not text_only or (not title and head.text == text_only):
        return [head]
    bodies = [
        Passage(piece.start, f"{title}\n{piece.text}" if title else piece.text)
        for piece in chunk(text, max_tokens=max_tokens, overlap=overlap)
    ]
    return [head, *bodies] if head.text else bodies


def opening(text: str) -> str:
    """The first sentence of *text*, or the first line if that is shorter, without Markdown marks."""
    for line in _LINE.finditer(text):
        stripped = _MARKS.sub("", line[0][:_OPENING_WINDOW]).strip()
        if stripped:
            sentence = _SENTENCE.search(stripped)
            return (
                stripped[: sentence.end()].strip()[:_OPENING] if sentence else stripped[:_OPENING]
            )
    return ""


def _first_heading(text: str) -> str:
    found = _HEADING.match(text, 0, _LONGEST_HEADING)
    return found[2] if found else ""


def _atoms(text: str, max_tokens: int) -> Iterator[_Atom]:
    path: list[tuple[int, str]] = []
    in_fence = False
    heading = ""
    for line in _LINE.finditer(text):
        start, end = line.span()
        opens = False
        if _FENCE.match(text, start, end):
            in_fence = not in_fence
        elif (
            not in_fence
            and end - start <= _LONGEST_HEADING
            and (found := _HEADING.match(text, start, end))
        ):
            level = len(found[1])
            path = [above for above in path if above[0] < level] + [(level, found[2])]
            heading = " > ".join(title for _, title in path)
            opens = True
        for piece_start, piece_end in _pieces(text, start, end, max_tokens):
            n_tokens = estimate_tokens(text[piece_start:piece_end])
            yield _Atom(piece_start, piece_end, n_tokens, heading, opens and piece_start == start)


def _pieces(text: str, start: int, end: int, max_tokens: int) -> Iterator[tuple[int, int]]:
    """Cuts a line so that each piece has at most half of *max_tokens*."""
    limit = max_tokens // 2
    while end - start > limit:
        window = text[start : min(end, start + 4 * limit)]
        fits = _fitting(window, limit)
        if start + fits >= end:
            break
        cut = start + _best_cut(window[:fits])
        yield start, cut
        start = cut
    yield start, end


def _fitting(window: str, limit: int) -> int:
    """How many characters from the start of *window* have at most *limit* tokens, or nearly so many.

    No character is more than a token, so as many characters as tokens are left can always be taken.
    """
    n_chars, left = 0, limit
    while left > limit // 16 and n_chars < len(window):
        taken = window[n_chars : n_chars + left]
        n_chars += len(taken)
        left -= estimate_tokens(taken)
    return n_chars


def _best_cut(window: str) -> int:
    for pattern in (_SENTENCE, _SPACE):
        cuts = [found.end() for found in pattern.finditer(window, len(window) // 2)]
        if cuts:
            return cuts[-1]
    return len(window)


def _pack(atoms: Iterable[_Atom], max_tokens: int) -> Iterator[tuple[_Atom, _Atom]]:
    """The first and last atom of each chunk."""
    full, closes = _FULL * max_tokens, _HEADING_CLOSES * max_tokens
    pending: tuple[_Atom, _Atom, int] | None = None  # closed, but may still take a short rest
    first: _Atom | None = None
    last: _Atom | None = None
    n_tokens = 0
    for atom in atoms:
        if (
            first is not None
            and last is not None
            and (n_tokens + atom.n_tokens > full or (atom.opens and n_tokens >= closes))
        ):
            if pending:
                yield pending[:2]
            pending = (first, last, n_tokens)
            first, n_tokens = None, 0
        first = first or atom
        last = atom
        n_tokens += atom.n_tokens
    assert first is not None and last is not None  # a text of more than max_tokens has atoms
    if pending and not first.opens and n_tokens < closes and pending[2] + n_tokens <= max_tokens:
        yield pending[0], last
        return
    if pending:
        yield pending[:2]
    yield first, last


def _overlap_start(text: str, start: int, overlap: int) -> int:
    """Where a chunk begins that repeats up to *overlap* tokens before *start*, at a word if it can."""
    before = text[max(0, start - 4 * overlap) : start]
    while (excess := estimate_tokens(before) - overlap) > 0:
        before = before[excess:]  # a token has at least one character
    if space := _SPACE.search(before):
        before = before[space.end() :] or before
    return start - len(before)
