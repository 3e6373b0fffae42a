"""Entries embedded together have the vectors that each has alone, and travel between processes."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from memjournal.indexer.embedding.embedders import SHIPPED_MODEL, Embedder, load_embedder
from memjournal.indexer.embedding.passage_vectors import embed_entries, in_context
from memjournal.indexer.text.chunking import passages

ENTRIES = (
    ("Connection pool is exhausted", "Orders time out because refunds keep theirs. " * 60),
    ("커넥션 풀 고갈", "주문이 느려졌고 환불이 커넥션을 놓지 않는다.\n" * 40),
    ("", ""),
    (" ", "\n"),
    ("only a title", ""),
    ("", "def refund(order_id: str) -> None:\n    raise TimeoutError(order_id)\n" * 50),
    ("\0", ""),
    ("the last one", "short"),
)


@pytest.fixture(scope="module", params=["shipped", "tiny"])
def embedder(request: pytest.FixtureRequest, model: Path) -> Embedder:
    return load_embedder(SHIPPED_MODEL if request.param == "shipped" else str(model))


def test_each_has_the_vectors_that_it_has_alone(embedder: Embedder) -> None:
    together = list(embed_entries(ENTRIES, embedder, max_tokens=80, overlap=10))
    assert len(together) == len(ENTRIES)
    for entry, rows in zip(ENTRIES, together, strict=True):
        (alone,) = embed_entries([entry], embedder, max_tokens=80, overlap=10)
        np.testing.assert_array_equal(rows, alone)
        if not "".join(entry).strip():
            assert len(rows) == 0
            continue
        texts = [one.text for one in passages(*entry, max_tokens=80, overlap=10)]
        plain = in_context(np.stack([embedder.encode([text])[0] for text in texts]))
        np.testing.assert_array_equal(rows, plain.astype(np.float16))


def test_the_vectors_travel_as_two_arrays(embedder: Embedder) -> None:
    made = embed_entries(ENTRIES * 20, embedder, max_tokens=80, overlap=10)
    packed = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
    assert len(packed) < made.rows.nbytes + made.counts.nbytes + 1000
    back = pickle.loads(packed)
    assert [rows.tolist() for rows in back] == [rows.tolist() for rows in made]


def test_no_entries_have_no_vectors(embedder: Embedder) -> None:
    made = embed_entries([], embedder, max_tokens=80, overlap=10)
    assert list(made) == []
    assert made.rows.shape == (0, embedder.dimension)
