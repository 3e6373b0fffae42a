"""What is indexed of entries, as arrays: quick to send between processes, and to sort at once.

A memory has some 160 different terms. As a dictionary each costs an object to pickle, to sort and to
write; as a batch, numbers in arrays and each different word once.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ..text.analysis import document_length

Uint = NDArray[np.uint32]
_MOST: Final = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, kw_only=True)
class TermDocument:
    """What is indexed of one entry."""

    docno: int
    title: Mapping[str, int]  # term -> how often
    body: Mapping[str, int]
    scripts: tuple[float, float, float, float]  # shares of Hangul, Han, kana and Latin


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """The numbers of entries, in arrays of one length."""

    docnos: Uint
    title_lengths: Uint  # analysis.document_length
    body_lengths: Uint
    scripts: Uint  # pack_shares

    def take(self, places: NDArray[np.int64]) -> Rows:
        """The rows at *places*, in that order."""
        return Rows(
            docnos=self.docnos[places],
            title_lengths=self.title_lengths[places],
            body_lengths=self.body_lengths[places],
            scripts=self.scripts[places],
        )


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """The rows of all *parts*, one after the other."""
    return Rows(
        docnos=_joined([part.docnos for part in parts]),
        title_lengths=_joined([part.title_lengths for part in parts]),
        body_lengths=_joined([part.body_lengths for part in parts]),
        scripts=_joined([part.scripts for part in parts]),
    )


def _joined(arrays: Sequence[Uint]) -> Uint:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TermBatch:
    """Any number of entries with their terms. Postings in any order; of a pair of document and term
    that stands twice, the counts are added."""

    rows: Rows
    terms: Sequence[str]  # each once
    term: Uint  # of each posting, its place in *terms*,
    document: Uint  # its place in *rows*,
    title_tf: Uint  # and how often the term occurs there
    body_tf: Uint


class _Builder:
    """Collects documents into a batch."""

    def __init__(self) -> None:
        self._numbers: dict[str, array[int]] = {name: array("I") for name in Rows.__slots__}
        self._places: defaultdict[str, int] = defaultdict()
        self._places.default_factory = self._places.__len__
        self._title, self._body = _Field(), _Field()

    def __len__(self) -> int:
        return len(self._numbers["docnos"])

    def add(self, document: TermDocument) -> None:
        self._numbers["docnos"].append(document.docno)
        self._numbers["title_lengths"].append(min(_MOST, document_length(document.title)))
        self._numbers["body_lengths"].append(min(_MOST, document_length(document.body)))
        self._numbers["scripts"].append(pack_shares(document.scripts))
        self._title.add(document.title, self._places)
        self._body.add(document.body, self._places)

    def batch(self) -> TermBatch:
        n_title, n_body = len(self._title.terms), len(self._body.terms)
        nothing = np.zeros(max(n_title, n_body), np.uint32)
        return TermBatch(
            rows=Rows(**{name: _array(numbers) for name, numbers in self._numbers.items()}),
            terms=list(self._places),
            term=np.concatenate([_array(self._title.terms), _array(self._body.terms)]),
            document=np.concatenate([self._title.documents(), self._body.documents()]),
            title_tf=np.concatenate([_array(self._title.counts), nothing[:n_body]]),
            body_tf=np.concatenate([nothing[:n_title], _array(self._body.counts)]),
        )


class _Field:
    """The terms of one field, document by document."""

    def __init__(self) -> None:
        self.terms, self.counts, self._sizes = array("I"), array("I"), array("I")

    def add(self, terms: Mapping[str, int], places: defaultdict[str, int]) -> None:
        self.terms.extend(map(places.__getitem__, terms))
        self.counts.extend(terms.values())
        self._sizes.append(len(terms))

    def documents(self) -> Uint:
        sizes = _array(self._sizes)
        return np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)


def _array(numbers: array[int]) -> Uint:
    return np.frombuffer(numbers, np.uintc).astype(np.uint32)


def make_batch(documents: Iterable[TermDocument]) -> TermBatch:
    """*documents* as one batch."""
    builder = _Builder()
    for document in documents:
        builder.add(document)
    return builder.batch()


def as_batches(documents: Iterable[TermDocument | TermBatch]) -> Iterator[TermBatch]:
    """The same in batches alone, in their order; documents side by side are one batch."""
    builder = _Builder()
    for document in documents:
        if isinstance(document, TermDocument):
            builder.add(document)
            continue
        if len(builder):
            yield builder.batch()
            builder = _Builder()
        yield document
    if len(builder):
        yield builder.batch()


def pack_shares(shares: tuple[float, float, float, float]) -> int:
    """Four shares in four bytes; whole numbers, so that any order of documents gives one sum."""
    hangul, han, kana, latin = (round(255 * share) for share in shares)
    return hangul << 24 | han << 16 | kana << 8 | latin


def sum_shares(packed: Uint) -> NDArray[np.int64]:
    """The sums of the four shares over rows, (4,)."""
    by_byte = packed.astype(">u4").view(np.uint8).reshape(-1, 4)
    return np.asarray(by_byte.sum(axis=0), np.int64)
