"""One state of the keyword index, warm: its segments open, what was asked before still at hand.

A segment never changes; a commit adds some, takes some away, and marks documents as deleted. So a new
snapshot takes over from the one before whatever belongs to the same segment, and costs what has
changed, not what there is. Statistics are whole numbers over living documents, and scores are
added up term by term, so that an index with a history answers as one built anew.

Any number of threads may ask one snapshot; only the memory of what was asked has a lock.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ..text.analysis import QueryTerm
from ..text.letters import Scripts
from .bm25f import TITLE_WEIGHT, Statistics, gains, length_norms, saturation, steady
from .scores import Found, KeywordScores, is_among
from .segment_files import OpenSegment
from .term_batch import Rows, sum_shares

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_REMEMBERED_BYTES: Final = 8 << 20  # at least
_REMEMBERED_BYTES_A_DOCUMENT: Final = 160
"""16 MB at 100,000 documents: a new question then has 14 terms worked out in a segment. With 96 MB it
has 12, which saves less than 1 ms in 20."""
_OVERHEAD_BYTES: Final = 300  # of a thing remembered, beside its arrays
_MANY: Final = 50  # a table of all is made for more than one in so many documents: a judgement
_DENSE: Final = 4  # a term in more than one of so many documents is kept as one number for each


class Remembered:
    """What was worked out, by what it is; what was not asked for longest is forgotten first."""

    def __init__(self, max_bytes: int = _REMEMBERED_BYTES) -> None:
        self._max_bytes, self._n_bytes = max_bytes, 0
        self._known: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def allow(self, max_bytes: int) -> None:
        """From now on, remember so much."""
        with self._lock:
            self._max_bytes = max_bytes

    def get(self, key: Hashable, make: Callable[[], tuple[Any, int]]) -> Any:
        """What is known as *key*, or what *make* returns: it and its size in bytes."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key][0]
        value, size = make()  # two threads may make the same; either will do
        with self._lock:
            self._n_bytes += size - self._known.pop(key, (None, 0))[1]
            self._known[key] = (value, size)
            while self._n_bytes > self._max_bytes and len(self._known) > 1:
                self._n_bytes -= self._known.popitem(last=False)[1][1]
        return value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Living:
    """A segment and what of it has not been deleted."""

    segment: OpenSegment
    deleted: Ints  # ascending
    all_sums: Ints  # of all its documents: _sums
    sums: Ints  # of the living ones

    @classmethod
    def of(cls, segment: OpenSegment, deleted: Ints, before: Living | None) -> Living:
        """*segment* without *deleted*; *before* is the same segment at an earlier time."""
        if before is not None and len(before.deleted) == len(deleted):
            return before  # deletions are only ever added
        all_sums = before.all_sums if before is not None else _sums(segment.rows)
        sums = all_sums - _sums(segment.rows.take(deleted)) if len(deleted) else all_sums
        return cls(segment=segment, deleted=deleted, all_sums=all_sums, sums=sums)

    def find(self, docnos: NDArray[np.uint32]) -> tuple[Ints, Bools]:
        """The places of *docnos*, and which of them live in this segment at all."""
        rows = self.segment.rows.docnos
        at = np.minimum(np.searchsorted(rows, docnos), len(rows) - 1)
        is_here = rows[at] == docnos
        if len(self.deleted):
            is_here &= ~is_among(self.deleted, at)
        return at, is_here


def _sums(rows: Rows) -> Ints:
    """Whole numbers, so that any order gives the same: documents, lengths, texts, shares."""
    return np.asarray(
        [
            len(rows.docnos),
            rows.title_lengths.sum(dtype=np.int64),
            np.count_nonzero(rows.title_lengths),
            rows.body_lengths.sum(dtype=np.int64),
            np.count_nonzero(rows.body_lengths),
            *sum_shares(rows.scripts),
        ],
        np.int64,
    )


class Snapshot:
    """One state of the index, unchanged by later writes.

    A *position* is a document's place among all documents of all segments, deleted ones included;
    it means something in this snapshot only.
    """

    def __init__(self, living: Sequence[Living], remembered: Remembered) -> None:
        self._living: tuple[Living, ...] = tuple(living)
        self._remembered = remembered
        sizes = [len(one.segment) for one in self._living]
        self._bases = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        remembered.allow(max(_REMEMBERED_BYTES, _REMEMBERED_BYTES_A_DOCUMENT * sum(sizes)))
        sums = sum((one.sums for one in self._living), np.zeros(9, np.int64))
        n_documents, title, n_titles, body, n_bodies, *shares = sums.tolist()
        n_shares = max(1, sum(shares))
        self.n_documents: int = n_documents
        self.statistics = Statistics(
            n_documents=n_documents,
            average_title_length=steady(title / max(1, n_titles)),
            average_body_length=steady(body / max(1, n_bodies)),
            scripts=Scripts(*(share / n_shares for share in shares)),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the files that no other snapshot uses."""
        self._living = ()

    @property
    def remembered(self) -> Remembered:
        """What later snapshots share with this one."""
        return self._remembered

    def by_segment(self) -> dict[str, Living]:
        """What a later snapshot, or a writer, can take over, by the segment's name."""
        return {one.segment.name: one for one in self._living}

    # --- documents ------------------------------------------------------------------------------

    @cached_property
    def docnos(self) -> Ints:
        """Of every position, the number of its entry."""
        return self._joined("docnos").astype(np.int64)

    @cached_property
    def alive(self) -> Bools:
        """Of every position, whether its document has not been deleted."""
        alive = np.ones(int(self._bases[-1]), np.bool_)
        for base, one in self._placed():
            alive[base + one.deleted] = False
        return alive

    def _joined(self, name: str) -> NDArray[np.uint32]:
        columns = [getattr(one.segment.rows, name) for one in self._living]
        return np.concatenate(columns) if columns else np.zeros(0, np.uint32)

    def _placed(self) -> Iterator[tuple[int, Living]]:
        return zip(self._bases[:-1].tolist(), self._living, strict=True)

    def positions_of(self, docnos: Ints) -> tuple[Ints, Bools]:
        """Where *docnos* stand, and which of them stand anywhere: positions of those alone."""
        if len(docnos) * _MANY > self.n_documents:
            positions = self._places[np.where(docnos < len(self._places), docnos, -1)]
            present = positions >= 0
            return positions[present], present
        positions = np.full(len(docnos), -1, np.int64)
        wanted = docnos.astype(np.uint32)  # as the columns are, or each would be converted whole
        for base, one in self._placed():
            at, is_here = one.find(wanted)
            positions[is_here] = at[is_here] + base
        present = positions >= 0
        return positions[present], present

    @cached_property
    def _places(self) -> Ints:
        """For each number, the position of its document; -1 where it has none, and at the end."""
        living = np.flatnonzero(self.alive)
        docnos = self.docnos[living]
        places = np.full(int(docnos.max(initial=0)) + 2, -1, np.int64)
        places[docnos] = living
        return places

    def docnos_at(self, positions: Ints) -> Ints:
        """The numbers of the entries at *positions*."""
        docnos = np.zeros(len(positions), np.int64)
        of_segment = np.searchsorted(self._bases, positions, "right") - 1
        for number in np.unique(of_segment).tolist():
            these = of_segment == number
            rows = self._living[number].segment.rows
            docnos[these] = rows.docnos[positions[these] - self._bases[number]]
        return docnos

    # --- terms ----------------------------------------------------------------------------------

    def n_containing(self, term: str) -> int:
        """How many living documents *term* occurs in.

        Raises:
            IndexDamagedError: postings are not as they were written.
        """
        n_found = 0
        for one in self._living:
            place = one.segment.terms.place_of(term.encode("utf-8"))
            if place is not None and not len(one.deleted):
                n_found += int(one.segment.terms.counts(place, place + 1)[0])
            elif (block := one.segment.block(term)) is not None:
                n_found += len(block.documents) - int(is_among(block.documents, one.deleted).sum())
        return n_found

    def beginning_with(self, prefix: str, sizes: range) -> Iterator[str]:
        """The terms that begin with *prefix* and are as long as one of *sizes*, in bytes of UTF-8.

        Once for each segment that has them; deleted documents may be all that one has.
        """
        for one in self._living:
            for term in one.segment.terms.beginning_with(prefix.encode("utf-8"), sizes):
                yield term.decode("utf-8")

    def scores(self, terms: Sequence[QueryTerm]) -> KeywordScores:
        """How well each document matches *terms*.

        Raises:
            IndexDamagedError: postings are not as they were written.
        """
        found = [[self._found(one, term.term) for one in self._living] for term in terms]
        counts = [
            sum(
                self._n_living(one, term.term, where)
                for one, where in zip(self._living, of_term, strict=True)
            )
            for term, of_term in zip(terms, found, strict=True)
        ]
        words, weights = [term.word for term in terms], [term.weight for term in terms]
        most = gains(words, weights, counts, self.n_documents)
        scores = KeywordScores(gains=most, found=found, bases=self._bases)
        for base, one in self._placed():
            scores.raw[base + one.deleted] = 0
        return scores

    def _found(self, one: Living, term: str) -> Found | None:
        """Where *term* occurs in a segment and what it counts there, whatever the question."""
        statistics = self.statistics
        averages = (statistics.average_title_length, statistics.average_body_length)

        def look() -> tuple[Found | None, int]:
            block = one.segment.block(term)
            if block is None:
                return None, _OVERHEAD_BYTES
            at = block.documents
            title_norms, body_norms = self._norms(one)
            part = saturation(block.title_tf, block.body_tf, title_norms[at], body_norms[at])
            if len(at) * _DENSE < len(one.segment):
                return Found(at, part, len(at)), at.nbytes + part.nbytes + _OVERHEAD_BYTES
            whole = np.zeros(len(one.segment), np.float32)
            whole[at] = part
            return Found(None, whole, len(at)), whole.nbytes + _OVERHEAD_BYTES

        found: Found | None = self._remembered.get((one.segment.name, term, averages), look)
        return found

    def _n_living(self, one: Living, term: str, found: Found | None) -> int:
        if found is None or not len(one.deleted):
            return found.n if found else 0
        key = (one.segment.name, term, len(one.deleted))
        n_gone: int = self._remembered.get(
            key, lambda: (int(found.contains(one.deleted).sum()), _OVERHEAD_BYTES)
        )
        return found.n - n_gone

    def _norms(self, one: Living) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Of each document of a segment, what a count in its title and its body is multiplied by."""
        statistics, rows = self.statistics, one.segment.rows
        title_average = statistics.average_title_length
        body_average = statistics.average_body_length

        def work_out() -> tuple[Any, int]:
            title = length_norms(rows.title_lengths, title_average, weight=TITLE_WEIGHT)
            body = length_norms(rows.body_lengths, body_average)
            return (title, body), title.nbytes + body.nbytes

        key = (one.segment.name, title_average, body_average)
        norms: tuple[NDArray[np.float32], NDArray[np.float32]] = self._remembered.get(key, work_out)
        return norms
