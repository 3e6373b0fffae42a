"""Blocks of postings come back as they were written, one by one or many at once, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.keywords.posting_blocks import (
    Blocks,
    DamagedBlockError,
    decode,
    decode_many,
    encode,
)
from memjournal.indexer.keywords.term_dictionary import TermDictionary, pack_dictionary

COUNTS = st.sampled_from([0, 1, 255, 256, 65_535, 65_536, 2**32 - 1])
DOCUMENTS = st.sets(
    st.integers(0, 300) | st.integers(0, 100_000) | st.integers(0, 2**31 - 1), min_size=1
)
TERMS = st.lists(DOCUMENTS, max_size=6)


@st.composite
def some_blocks(draw: st.DrawFn) -> Blocks:
    documents = [sorted(one) for one in draw(TERMS)]
    n = sum(map(len, documents))
    title_tf, body_tf = (
        draw(st.lists(COUNTS, min_size=n, max_size=n) | st.just([1] * n) | st.just([0] * n))
        for _ in range(2)
    )
    return Blocks(
        starts=np.cumsum([0, *map(len, documents)]),
        documents=np.array([doc for one in documents for doc in one], np.int64),
        title_tf=np.array(title_tf, np.uint32),
        body_tf=np.array(body_tf, np.uint32),
    )


@given(some_blocks())
def test_blocks_come_back_as_they_were_written(blocks: Blocks) -> None:
    data, lengths = encode(blocks)
    offsets = np.cumsum(lengths) - lengths
    together = decode_many(data.data, offsets)
    assert together.starts.tolist() == blocks.starts.tolist()
    for name in ("documents", "title_tf", "body_tf"):
        assert getattr(together, name).tolist() == getattr(blocks, name).tolist()
    for place, offset in enumerate(offsets.tolist()):
        these = slice(*blocks.starts[place : place + 2].tolist())
        alone = decode(data.data, offset)
        for name in ("documents", "title_tf", "body_tf"):
            assert getattr(alone, name).tolist() == getattr(blocks, name)[these].tolist()


@given(some_blocks().filter(lambda blocks: len(blocks.documents) > 0), st.data())
def test_a_changed_byte_or_a_missing_end_is_recognised(blocks: Blocks, data: st.DataObject) -> None:
    raw, lengths = encode(blocks)
    offsets = np.cumsum(lengths) - lengths
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at] ^= data.draw(st.integers(1, 255))
    else:
        raw = raw[: data.draw(st.integers(0, len(raw) - 1))].copy()
    with pytest.raises(DamagedBlockError):
        decode_many(raw.data, offsets)
    with pytest.raises(DamagedBlockError):
        for offset in offsets.tolist():
            decode(raw.data, offset)


@given(st.sets(st.binary(max_size=6)), st.binary(max_size=6))
def test_a_dictionary_finds_its_terms_and_no_others(terms: set[bytes], other: bytes) -> None:
    ordered = sorted(terms)
    offsets = np.arange(len(ordered)) * 3
    packed = pack_dictionary(ordered, offsets, offsets + 1)
    dictionary = TermDictionary(packed, lambda start, end: packed[start:end])
    assert len(dictionary) == len(ordered)
    assert dictionary.all_terms() == list(dictionary) == ordered
    assert dictionary.offsets(0, len(ordered)).tolist() == offsets.tolist()
    assert [dictionary.place_of(term) for term in ordered] == list(range(len(ordered)))
    assert (dictionary.place_of(other) is None) == (other not in terms)
    assert dictionary.counts(0, len(ordered)).tolist() == (offsets + 1).tolist()
    assert [dictionary[place] for place in dictionary.places_from(other)] == [
        term for term in ordered if term.startswith(other)
    ]
