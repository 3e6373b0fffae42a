"""Writing a segment, of new documents and of what is left of older segments, all as arrays.

The postings of a range of terms are read from every source, given their new places, sorted at once
and written; then the next range. So memory is bounded whatever is merged, and the cost is that of
sorting numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .posting_blocks import Blocks, encode
from .segment_files import POSTINGS, TERMS, OpenSegment, column_file
from .term_batch import Rows, TermBatch, joined_rows
from .term_dictionary import pack_dictionary

Ints = NDArray[np.int64]

_AT_ONCE: Final = 2_000_000  # postings in memory, some 100 bytes each


class Source(Protocol):
    """Where documents of a new segment come from."""

    rows: Rows
    living: Ints  # places in *rows* that are taken over
    terms: list[bytes]  # ascending
    sizes: Ints  # how many postings each has, those of documents that are not taken over included

    def read(self, first: int, last: int) -> Blocks:
        """The postings of the terms from *first* up to *last*; a document may stand twice."""
        ...


class FromBatches:
    """New documents."""

    def __init__(self, batches: Sequence[TermBatch]) -> None:
        self.rows = joined_rows([batch.rows for batch in batches])
        self.living: Ints = np.arange(len(self.rows.docnos))
        names = sorted({term.encode("utf-8") for batch in batches for term in batch.terms})
        place = {term: at for at, term in enumerate(names)}
        terms, n_before = [], np.cumsum([0, *(len(batch.rows.docnos) for batch in batches)])
        for batch in batches:
            encoded = (place[term.encode("utf-8")] for term in batch.terms)
            terms.append(np.fromiter(encoded, np.int64, len(batch.terms))[batch.term])
        term = np.concatenate(terms)
        order = np.argsort(term, kind="stable")
        self.terms = names
        self.sizes: Ints = np.bincount(term, minlength=len(names))
        self._starts = np.concatenate([[0], np.cumsum(self.sizes)])
        documents = [
            batch.document + start for batch, start in zip(batches, n_before, strict=False)
        ]
        self._documents = np.concatenate(documents)[order]
        self._title_tf = np.concatenate([batch.title_tf for batch in batches])[order]
        self._body_tf = np.concatenate([batch.body_tf for batch in batches])[order]

    def read(self, first: int, last: int) -> Blocks:
        starts = self._starts[first : last + 1]
        these = slice(starts[0], starts[-1])
        return Blocks(
            starts=starts - starts[0],
            documents=self._documents[these],
            title_tf=self._title_tf[these],
            body_tf=self._body_tf[these],
        )


class FromSegment:
    """What is left of an older segment."""

    def __init__(self, segment: OpenSegment, deleted: Ints) -> None:
        self.rows = segment.rows
        is_alive = np.ones(len(segment), np.bool_)
        is_alive[deleted] = False
        self.living: Ints = np.flatnonzero(is_alive)
        self.terms = segment.terms.all_terms()
        self.sizes: Ints = segment.terms.counts(0, len(self.terms)).astype(np.int64)
        self._segment = segment

    def read(self, first: int, last: int) -> Blocks:
        return self._segment.blocks(first, last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A segment that is on disk."""

    n_documents: int
    checks: dict[
        str, int
    ]  # of each file its checksum, of the postings their length; by how it ends


def write_segment(folder: Path, name: str, sources: Sequence[Source]) -> Written | None:
    """Write all that lives in *sources*, ascending in docnos; None, and no file, if nothing does."""
    rows = joined_rows([source.rows.take(source.living) for source in sources])
    order = np.argsort(rows.docnos, kind="stable")
    if not len(order):
        return None
    rows = rows.take(order)
    data = {
        column_file(name): getattr(rows, name).astype(">u4").tobytes() for name in Rows.__slots__
    }
    postings = folder / f"{name}{POSTINGS}"
    data[TERMS] = _write_postings(postings, sources, _new_places(sources, order))
    for end, written in data.items():
        (folder / f"{name}{end}").write_bytes(written)
    checks = {end: crc32(written) for end, written in data.items()}
    checks[POSTINGS] = postings.stat().st_size
    return Written(n_documents=len(order), checks=checks)


def _new_places(sources: Sequence[Source], order: Ints) -> list[Ints]:
    """For each source, the place of each of its documents in the new segment; -1 if it has none."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    new_places, start = [], 0
    for source in sources:
        new = np.full(len(source.rows.docnos), -1, np.int64)
        new[source.living] = place[start : start + len(source.living)]
        new_places.append(new)
        start += len(source.living)
    return new_places


def _write_postings(path: Path, sources: Sequence[Source], new_places: Sequence[Ints]) -> bytes:
    """Write all postings to *path*, and return the dictionary that leads to them."""
    terms: list[bytes] = []
    offsets, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    n_bytes = 0
    with open(path, "wb") as stream:
        for kept, blocks in _merged(sources, new_places):
            data, lengths = encode(blocks)
            stream.write(data.data)
            terms += kept
            offsets.append(n_bytes + np.cumsum(lengths) - lengths)
            counts.append(blocks.sizes)
            n_bytes += len(data)
    return pack_dictionary(terms, np.concatenate(offsets), np.concatenate(counts))


def _merged(
    sources: Sequence[Source], new_places: Sequence[Ints]
) -> Iterator[tuple[list[bytes], Blocks]]:
    """The postings of all sources in the order of terms and new places, some millions at a time."""
    names = sorted(set[bytes]().union(*(source.terms for source in sources)))
    rank = {term: at for at, term in enumerate(names)}
    ranks = [
        np.fromiter(map(rank.__getitem__, source.terms), np.int64, len(source.terms))
        for source in sources
    ]
    del rank
    sizes = np.zeros(len(names), np.int64)
    for source, places in zip(sources, ranks, strict=True):
        sizes[places] += source.sizes
    for first, last in _portions(sizes):
        parts = []
        for source, places, new in zip(sources, ranks, new_places, strict=True):
            begin, end = np.searchsorted(places, (first, last)).tolist()
            if begin < end:
                blocks = source.read(begin, end)
                parts.append((places[begin:end][blocks.terms] - first, new, blocks))
        kept, blocks = _sorted(parts)
        yield [names[first + at] for at in kept.tolist()], blocks


def _portions(sizes: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of terms with about as many postings as may be in memory at once."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        done = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _AT_ONCE, "right")))
        yield first, last
        first = last


def _sorted(parts: Sequence[tuple[Ints, Ints, Blocks]]) -> tuple[Ints, Blocks]:
    """The living postings by term and place, each pair once; and the terms that have any."""
    term = np.concatenate([term for term, _, _ in parts])
    document = np.concatenate([new[blocks.documents] for _, new, blocks in parts])
    title_tf = np.concatenate([blocks.title_tf for _, _, blocks in parts])
    body_tf = np.concatenate([blocks.body_tf for _, _, blocks in parts])
    key = term << 32 | document
    key[document < 0] = -1
    order = np.argsort(key)
    key = key[order]
    n_gone = int(np.searchsorted(key, 0))
    key, order = key[n_gone:], order[n_gone:]
    title_tf, body_tf = title_tf[order], body_tf[order]
    is_first = np.diff(key, prepend=-1) != 0
    if not is_first.all():
        at = np.flatnonzero(is_first)
        key = key[at]
        title_tf, body_tf = np.add.reduceat(title_tf, at), np.add.reduceat(body_tf, at)
    terms = key >> 32
    begins = np.flatnonzero(np.diff(terms, prepend=-1))
    return terms[begins], Blocks(
        starts=np.concatenate([begins, [len(key)]]),
        documents=key & 0xFFFFFFFF,
        title_tf=title_tf,
        body_tf=body_tf,
    )
