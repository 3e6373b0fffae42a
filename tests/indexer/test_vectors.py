"""The vector index answers as a plain matrix would, in whatever order it was filled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memjournal.indexer.errors import IndexDamagedError
from memjournal.indexer.vectors import VectorDocument, VectorIndex

from .world import DAMAGES

D = 16
Rows = NDArray[np.float32]


def vectors(seed: int, n: int) -> Rows:
    rows = np.random.default_rng(seed).normal(size=(n, D)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def create(folder: Path) -> VectorIndex:
    return VectorIndex.create(folder, fingerprint="m-1", dimension=D)


def reopen(folder: Path) -> VectorIndex:
    return VectorIndex(folder, fingerprint="m-1", dimension=D)


def put(index: VectorIndex, changed: Mapping[int, Rows], removed: Iterable[int] = ()) -> None:
    documents = [VectorDocument(docno=docno, vectors=rows) for docno, rows in changed.items()]
    index.apply(documents, replaced=[*changed, *removed])


def expected(
    living: Mapping[int, Rows], query: Rows, allowed: set[int] | None = None
) -> list[tuple[int, int, float]]:
    found = [
        (docno, place, float(row.astype(np.float16).astype(np.float64) @ query.astype(np.float64)))
        for docno, rows in living.items()
        if allowed is None or docno in allowed
        for place, row in enumerate(rows)
        if row.any()
    ]
    return sorted(found, key=lambda one: (-one[2], one[0], one[1]))


def nearest(
    index: VectorIndex, query: Rows, limit: int, allowed: set[int] | None = None
) -> list[tuple[int, int, float]]:
    chosen = None if allowed is None else np.asarray(sorted(allowed), np.int64)
    docnos, scores, places = index.search(query, limit=limit, allowed=chosen)
    return list(zip(docnos.tolist(), places.tolist(), scores.tolist(), strict=True))


BATCHES = st.lists(
    st.tuples(
        st.dictionaries(st.integers(1, 20), st.integers(0, 4), max_size=6),
        st.sets(st.integers(1, 20), max_size=6),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=40)
@given(BATCHES, st.sets(st.integers(1, 20)), st.integers(1, 30))
def test_it_answers_as_a_matrix_would(
    batches: list[tuple[dict[int, int], set[int]]], allowed: set[int], limit: int
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        index = create(Path(folder))
        living: dict[int, Rows] = {}
        for number, (changed, removed) in enumerate(batches):
            fresh = {docno: vectors(100 * number + docno, n) for docno, n in changed.items()}
            put(index, fresh, removed)
            living = {docno: rows for docno, rows in living.items() if docno not in removed} | fresh
        index.save()
        query = vectors(7, 1)[0]
        for opened in (index, reopen(Path(folder))):
            assert set(opened.docnos.tolist()) == {n for n, rows in living.items() if len(rows)}
            for chosen in (None, allowed):
                whole = expected(living, query, chosen)
                assert nearest(opened, query, limit, chosen) == [
                    (docno, place, pytest.approx(score, abs=1e-12))
                    for docno, place, score in whole[:limit]
                ]
            similar = opened.similarities(query, np.asarray(sorted(allowed), np.int64))
            assert similar == {
                docno: (
                    pytest.approx(max(living[docno].astype(np.float16) @ query), abs=1e-2),
                    place,
                )
                for docno, place, _ in reversed(expected(living, query, allowed))
            }


def test_a_vector_of_zeros_is_not_indexed(tmp_path: Path) -> None:
    index = create(tmp_path)
    put(index, {1: np.zeros((2, D), np.float32), 2: vectors(0, 1)})
    assert index.docnos.tolist() == [2]


def test_what_was_not_saved_is_gone(tmp_path: Path) -> None:
    put(create(tmp_path), {1: vectors(0, 1)})
    assert reopen(tmp_path).n_passages == 0


def test_all_that_are_as_near_as_the_last_one_are_found(tmp_path: Path) -> None:
    row = vectors(0, 1)
    index = create(tmp_path)
    put(index, {docno: row for docno in range(1, 101)} | {200: vectors(1, 1)})
    assert {docno for docno, _, _ in nearest(index, row[0], 10)} == set(range(1, 101))
    assert [docno for docno, _, _ in nearest(index, vectors(1, 1)[0], 1)] == [200]


def test_the_last_digits_do_not_depend_on_the_order(tmp_path: Path) -> None:
    rows = {docno: vectors(docno, 3) for docno in range(1, 60)}
    one, other = create(tmp_path / "one"), create(tmp_path / "other")
    put(one, rows)
    for docno in reversed(rows):
        put(other, {docno: rows[docno]})
    put(other, {5: rows[5], 50: rows[50]})
    query, docnos = vectors(99, 1)[0], np.asarray([3, 9, 40], np.int64)

    def rounded(found: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
        return [(docno, place, round(score, 12)) for docno, place, score in found]

    assert rounded(nearest(one, query, 50)) == rounded(nearest(other, query, 50))
    by_search = {(n, place): score for n, place, score in nearest(one, query, 1000)}
    for index in (one, other):
        for docno, (score, place) in index.similarities(query, docnos).items():
            assert score == pytest.approx(by_search[docno, place], abs=1e-12)


def test_an_entry_is_compared_by_its_first_passage(tmp_path: Path) -> None:
    index = create(tmp_path)
    put(index, {4: vectors(4, 3), 7: vectors(7, 1)})
    rows = index.rows_of(np.asarray([7, 4, 9], np.int64))
    assert sorted(rows) == [4, 7]
    np.testing.assert_allclose(rows[4], vectors(4, 3)[0], atol=1e-3)


@pytest.mark.parametrize("damage", [*DAMAGES, "gone"])
def test_damage_is_recognised(damage: str, tmp_path: Path) -> None:
    index = create(tmp_path)
    put(index, {docno: vectors(docno, 2) for docno in range(1, 40)})
    index.save()
    (path,) = tmp_path.iterdir()
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(IndexDamagedError) as caught:
        reopen(tmp_path)
    assert caught.value.name == "vector"


@given(st.integers(0, 10_000), st.integers(0, 7))
def test_a_flipped_bit_is_recognised(at: int, bit: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        index = create(Path(folder))
        put(index, {docno: vectors(docno, 2) for docno in range(1, 20)})
        index.save()
        (path,) = Path(folder).iterdir()
        raw = bytearray(path.read_bytes())
        raw[at % len(raw)] ^= 1 << bit
        path.write_bytes(raw)
        with pytest.raises(IndexDamagedError):
            reopen(Path(folder))


def test_an_index_of_another_dimension_is_not_taken_for_ours(tmp_path: Path) -> None:
    VectorIndex.create(tmp_path, fingerprint="m-1", dimension=8)
    with pytest.raises(IndexDamagedError, match="other vectors"):
        reopen(tmp_path)


def test_each_model_has_a_file_of_its_own(tmp_path: Path) -> None:
    VectorIndex.create(tmp_path, fingerprint="org/모델 1-ab", dimension=D)
    VectorIndex.create(tmp_path, fingerprint="org/model-1-cd", dimension=D)
    assert len(list(tmp_path.iterdir())) == 2
