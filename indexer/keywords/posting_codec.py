"""Our codec for Whoosh: what a segment is, for the list that Whoosh keeps and the readers it makes.

Whoosh's own codec costs 2.3 ms for a document of 160 terms, for it makes, sorts and pickles an object
for each posting; ours has arrays (``segment_writing``, ``segment_files``). Names of segments, columns
of numbers, deletions and the table of contents are as Whoosh has them, and Whoosh can read it all.

Whoosh checks nothing that it reads. Here the list of segments has a checksum, and holds one of each
of their files.
"""

from __future__ import annotations

import pickle
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..errors import IndexDamagedError
from .posting_blocks import Block
from .segment_files import OpenSegment
from .segment_writing import Written
from .term_batch import Rows

with warnings.catch_warnings():
    # 2.7.4 has invalid escapes in its string literals, an error where warnings are errors.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from whoosh import columns, fields, formats
    from whoosh.codec.base import TermsReader
    from whoosh.codec.whoosh3 import W3Codec, W3Segment
    from whoosh.matching import ListMatcher
    from whoosh.reading import TermInfo, TermNotFound

Ints = NDArray[np.int64]

FIELD: Final = "text"  # title and body in one, for they are always asked together


class Terms(fields.FieldType):
    """The one field of terms; the analysis is ours."""

    indexed = True
    stored = False
    scorable = True
    vector = None
    column_type = None
    multitoken_query = "default"
    analyzer = None
    spelling = False
    unique = False

    def __init__(self) -> None:
        self.format = formats.Existence()  # nothing beside the weight, which is the count


def schema() -> Any:
    """What Whoosh is told of our documents."""
    numbers = {name: fields.COLUMN(columns.NumericColumn("I")) for name in Rows.__slots__}
    return fields.Schema(**{FIELD: Terms(), **numbers})


class ArrayCodec(W3Codec):
    """Whoosh's codec, with the terms of ``segment_files``."""

    length_stats = False

    def terms_reader(self, storage: Any, segment: Any) -> Any:
        return ArrayTerms(segment.open_in(Path(storage.folder)))


class ArrayTerms(TermsReader):
    """A segment's terms and postings, as Whoosh asks for them."""

    def __init__(self, segment: OpenSegment) -> None:
        self._segment = segment

    def indexed_field_names(self) -> list[str]:
        return [FIELD]

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return term[0] == FIELD and self._segment.terms.place_of(term[1]) is not None

    def terms(self) -> Iterator[tuple[str, bytes]]:
        return self.terms_from(FIELD, b"")

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        terms = self._segment.terms
        return (
            (fieldname, terms[place]) for place in range(bisect_left(terms, prefix), len(terms))
        )

    def items(self) -> Iterator[tuple[tuple[str, bytes], Any]]:
        return self.items_from(FIELD, b"")

    def items_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[tuple[str, bytes], Any]]:
        return ((term, self.term_info(*term)) for term in self.terms_from(fieldname, prefix))

    def cursor(self, fieldname: str, fieldobj: Any) -> Any:
        raise NotImplementedError("Whoosh's fuzzy queries walk all terms in Python; ours do not")

    def _block(self, fieldname: str, tbytes: bytes) -> Block:
        block = self._segment.block(tbytes.decode("utf-8")) if fieldname == FIELD else None
        if block is None:
            raise TermNotFound(f"No term {fieldname}:{tbytes!r}")
        return block

    def term_info(self, fieldname: str, tbytes: bytes) -> Any:
        block = self._block(fieldname, tbytes)
        weights = block.title_tf + block.body_tf
        return TermInfo(
            weight=float(weights.sum()),
            df=len(weights),
            minlength=1,  # lengths are not kept for Whoosh, which then takes them all for 1
            maxlength=1,
            maxweight=float(weights.max()),
            minid=int(block.documents[0]),
            maxid=int(block.documents[-1]),
        )

    def frequency(self, fieldname: str, tbytes: bytes) -> Any:
        return self.term_info(fieldname, tbytes).weight() if (fieldname, tbytes) in self else 0.0

    def doc_frequency(self, fieldname: str, tbytes: bytes) -> Any:
        return (
            self.term_info(fieldname, tbytes).doc_frequency() if (fieldname, tbytes) in self else 0
        )

    def matcher(self, fieldname: str, tbytes: bytes, format_: Any, scorer: Any = None) -> Any:
        block = self._block(fieldname, tbytes)
        weights = (block.title_tf + block.body_tf).astype(float).tolist()
        documents = block.documents.tolist()
        term = (fieldname, tbytes)
        return ListMatcher(documents, weights, format=format_, scorer=scorer, term=term)


class ArraySegment(W3Segment):
    """Whoosh's segment, with checksums, and with its deletions as an array."""

    def __init__(self, indexname: str) -> None:
        super().__init__(ArrayCodec(), indexname)
        self._fieldlengths: dict[str, int] = {}
        self._checks: dict[str, int] = {}
        self.deleted: Ints = np.zeros(0, np.int64)  # ascending

    def holds(self, written: Written) -> ArraySegment:
        """This, now that its files are written."""
        self._doccount, self._checks = written.n_documents, written.checks
        return self

    def open_in(self, folder: Path) -> OpenSegment:
        """Its files in *folder*.

        Raises:
            IndexDamagedError: they are not as they were written.
            OSError: they cannot be read.
        """
        return OpenSegment(folder, self.segment_id(), checks=self._checks)

    def take_out(self, positions: Ints) -> None:
        """Mark the documents at *positions* as deleted."""
        self.deleted = np.union1d(self.deleted, positions)

    def deleted_count(self) -> int:
        return len(self.deleted)

    def deleted_docs(self) -> Iterator[int]:
        return iter(self.deleted.tolist())

    def is_deleted(self, docnum: int) -> bool:
        return bool(np.isin(docnum, self.deleted))


class Segments(list[ArraySegment]):
    """The segments of an index; what Whoosh pickles of it has a checksum."""

    def __reduce__(self) -> tuple[Any, ...]:
        pickled = pickle.dumps(list(self))
        return _unpickled, (pickled, crc32(pickled))


def _unpickled(pickled: bytes, check: int) -> Segments:
    if crc32(pickled) != check:
        raise IndexDamagedError("keyword", "its list of segments is not as it was written")
    return Segments(pickle.loads(pickled))
