"""Whoosh's own reader over our segments: a second opinion on what they hold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whoosh.codec.base import TermsReader
from whoosh.index import TOC
from whoosh.matching import ListMatcher
from whoosh.reading import MultiReader, SegmentReader, TermInfo, TermNotFound

from memjournal.indexer.keywords.index import KeywordIndex
from memjournal.indexer.keywords.posting_blocks import Block
from memjournal.indexer.keywords.posting_codec import FIELD, ArrayCodec
from memjournal.indexer.keywords.segment_files import OpenSegment


def read_by_whoosh(index: KeywordIndex) -> Any:
    """A reader of the whole index, as Whoosh would make it if the codec could read terms."""
    storage = index._index.storage
    toc = TOC.read(storage, index._index.indexname)
    codec = ReadingCodec()
    return MultiReader(
        [SegmentReader(storage, toc.schema, one, codec=codec) for one in toc.segments]
    )


class ReadingCodec(ArrayCodec):
    """The codec, with the terms as Whoosh asks for them."""

    def terms_reader(self, storage: Any, segment: Any) -> Any:
        return ArrayTerms(segment.open_in(Path(storage.folder)))


class ArrayTerms(TermsReader):
    """A segment's terms and postings."""

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
        raise NotImplementedError("only fuzzy queries need it")

    def term_info(self, fieldname: str, text: bytes) -> Any:
        block = self._block(fieldname, text)
        weights = block.title_tf + block.body_tf
        return TermInfo(
            weight=int(weights.sum()),
            df=len(weights),
            minlength=1,  # lengths are not kept for Whoosh, which then takes them all for 1
            maxlength=1,
            maxweight=int(weights.max()),
            minid=int(block.documents[0]),
            maxid=int(block.documents[-1]),
        )

    def frequency(self, fieldname: str, text: bytes) -> Any:
        return self.term_info(fieldname, text).weight() if (fieldname, text) in self else 0.0

    def doc_frequency(self, fieldname: str, text: bytes) -> Any:
        known = (fieldname, text) in self
        return self.term_info(fieldname, text).doc_frequency() if known else 0

    def matcher(self, fieldname: str, text: bytes, format_: Any, scorer: Any = None) -> Any:
        block = self._block(fieldname, text)
        weights = (block.title_tf + block.body_tf).astype(float).tolist()
        documents = block.documents.tolist()
        term = (fieldname, text)
        return ListMatcher(documents, weights, format=format_, scorer=scorer, term=term)

    def _block(self, fieldname: str, text: bytes) -> Block:
        block = self._segment.block(text.decode("utf-8")) if fieldname == FIELD else None
        if block is None:
            raise TermNotFound(f"No term {fieldname}:{text!r}")
        return block
