"""What a vector's bytes keep: its cosines, whatever model made it, and whatever stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from memjournal.indexer.vectors.codes import RowCodec

Rows = NDArray[np.float32]
DIMENSIONS = [64, 100, 256, 300, 384, 768, 1000]


def gaussian(n: int, dimension: int) -> Rows:
    return np.random.default_rng(0).normal(size=(n, dimension)).astype(np.float32)


def lopsided(n: int, dimension: int) -> Rows:
    """As of a model whose first numbers say nearly all."""
    return gaussian(n, dimension) * np.geomspace(1, 1e-3, dimension, dtype=np.float32)


def with_an_outlier(n: int, dimension: int) -> Rows:
    """As of a transformer, of which one number is large in every vector."""
    rows = gaussian(n, dimension)
    rows[:, -1] = dimension
    return rows


def unit(rows: Rows) -> Rows:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def errors(rows: Rows) -> Iterator[NDArray[np.float64]]:
    """What the bytes of *rows* change in their cosines to some of them."""
    codec = RowCodec(rows.shape[1])
    codes = codec.encode(rows).astype(np.float64)
    for query in rows[:20]:
        encoded = codec.encode_query(query)
        yield encoded.scale * (codes @ encoded.fine) - rows.astype(np.float64) @ query


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("made", [gaussian, lopsided])
def test_cosines_stay(dimension: int, made: Callable[[int, int], Rows]) -> None:
    for error in errors(unit(made(2000, dimension))):
        assert error.std() < 0.015 / np.sqrt(dimension)
        assert np.abs(error).max() < 0.3 / np.sqrt(dimension)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_an_outlier_common_to_all_costs_little(dimension: int) -> None:
    for error in errors(unit(with_an_outlier(2000, dimension))):
        assert np.abs(error).max() < 0.02


@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 16])
def test_the_fewest_numbers_are_kept_too(dimension: int) -> None:
    rows = unit(gaussian(50, dimension))
    codec = RowCodec(dimension)
    kept = codec.decode(codec.encode(rows))
    np.testing.assert_allclose(kept @ kept.T, rows @ rows.T, atol=0.1)


@pytest.mark.parametrize("dimension", [100, 256])
def test_bytes_do_not_depend_on_what_stands_beside(dimension: int) -> None:
    rows = unit(gaussian(700, dimension))
    codec = RowCodec(dimension)
    alone = np.concatenate([codec.encode(row[None]) for row in rows])
    np.testing.assert_array_equal(codec.encode(rows), alone)
    np.testing.assert_array_equal(codec.encode(rows[::-1])[::-1], alone)


def test_nothing_stays_nothing_and_no_vector_becomes_nothing() -> None:
    codec = RowCodec(256)
    assert not codec.encode(np.zeros((3, 256), np.float32)).any()
    assert codec.encode(np.eye(256, dtype=np.float32)).any(axis=1).all()
    assert codec.encode(np.zeros((0, 256), np.float32)).shape == (0, 256)


@pytest.mark.parametrize("dimension", [1, 7, 64, 256, 300, 1536])
@pytest.mark.parametrize("made", [gaussian, lopsided, with_an_outlier])
def test_what_is_better_by_more_than_the_error_bound_is_better(
    dimension: int, made: Callable[[int, int], Rows]
) -> None:
    rows = unit(made(800, dimension))
    codec = RowCodec(dimension)
    codes = codec.encode(rows).astype(np.float64)
    for query in rows[:10]:
        encoded = codec.encode_query(query)
        coarse, fine = codes @ encoded.coarse.astype(np.float64), codes @ encoded.fine
        assert np.abs(encoded.coarse).max() <= 127 and (encoded.coarse % 1 == 0).all()
        order = np.argsort(coarse)
        best_up_to = np.maximum.accumulate(fine[order])
        # the last one that each row must be better than: the best of those that are below it by the bound
        below = np.searchsorted(coarse[order], coarse - encoded.error_bound, "left") - 1
        assert (fine[below >= 0] >= best_up_to[below[below >= 0]]).all()


def test_a_query_of_nothing_is_near_nothing() -> None:
    encoded = RowCodec(16).encode_query(np.zeros(16, np.float32))
    assert not encoded.fine.any() and not encoded.coarse.any() and encoded.error_bound == 0
