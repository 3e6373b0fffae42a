"""From vectors to the bytes that are kept and compared: rotated, and one byte for each number.

A rotation (a product with a fixed orthogonal matrix) changes no cosine, and spreads every vector evenly
over its numbers, whatever model made it: of length 1, they then lie around 0 with a deviation of
1/sqrt(d), and one step serves all of them (the randomised Hadamard rotation of Ailon and Chazelle 2009,
"The fast Johnson-Lindenstrauss transform", before a scalar quantisation). What the bytes lose changes
a cosine by 0.011/sqrt(d), 0.0007 for 256 numbers (standard deviation): a hundredth of what two passages
about the same differ by.

A vector's bytes are the same whatever stands beside it, and in any process: no product of matrices is
in it, whose last digits depend on how many rows it is given. A query is whole numbers too, so that its
products with rows are exact, whoever adds them up in whatever order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float32]
Half = NDArray[np.float16]
Codes = NDArray[np.int8]

_LARGEST: Final = 127
_DEVIATIONS: Final = 5
"""What a byte covers, in standard deviations. With 4 the error is a fifth less, but some numbers in
100,000 are cut off, which costs their vectors ten times as much."""
_SEED: Final = b"memjournal vectors 4"
_FINER: Final = 256  # steps of a query in one of its coarse ones
_ROWS_AT_ONCE: Final = 256  # what the cache of a core holds; 2 us a row


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EncodedQuery:
    """What rows of bytes are multiplied with: whole numbers, and one byte's worth of them."""

    fine: NDArray[np.float64]  # (d,)
    scale: float  # of a product with *fine*: then it is a cosine
    coarse: Float
    """``(d,)``, whole numbers up to 127: what FAISS compares bytes with may be cut to bytes itself, where
    the processor multiplies these (1.15, AVX-512, d a multiple of 64), and must be the same elsewhere."""
    error_bound: float
    """Of two rows that differ by more than this in their products with *coarse*, the better one is better
    by *fine* as well (Cauchy-Schwarz, of what *coarse* leaves out)."""


class RowCodec:
    """Makes ``(n, d)`` bytes of ``(n, d)`` vectors of length 1 (or 0)."""

    def __init__(self, dimension: int) -> None:
        self._step = np.float32(_DEVIATIONS / (_LARGEST * np.sqrt(dimension)))
        self._longest = float(1 / self._step + np.sqrt(dimension) / 2)  # that a row of bytes can be
        self._span = 1 << (dimension.bit_length() - 1)  # of one rotation: a power of two
        n_rotations = 1 if self._span == dimension else 4  # else of its beginning and end in turns
        digest = hashlib.shake_256(_SEED).digest(n_rotations * self._span // 8 + 1)
        bits = np.unpackbits(np.frombuffer(digest, np.uint8))[: n_rotations * self._span]
        scale = np.float32(1 / np.sqrt(self._span))
        self._signs: Float = (scale * (1 - 2 * bits.astype(np.float32))).reshape(n_rotations, -1)

    def encode(self, rows: Float | Half) -> Codes:
        """The bytes of *rows*."""
        codes = np.empty(rows.shape, np.int8)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            rotated = self._rotated(rows[start : start + _ROWS_AT_ONCE])
            rotated /= self._step
            np.rint(rotated, out=rotated)
            codes[start : start + _ROWS_AT_ONCE] = np.clip(
                rotated, -_LARGEST, _LARGEST, out=rotated
            )
        return codes

    def decode(self, codes: Codes) -> Float:
        """The vectors that *codes* stand for, rotated: only their products with each other mean anything."""
        vectors: Float = codes * self._step
        return vectors

    def encode_query(self, query: Float) -> EncodedQuery:
        """*query*, ``(d,)`` of length 1, to be compared with rows."""
        rotated = self._rotated(query[None])[0].astype(np.float64)
        step = max(float(np.abs(rotated).max()), 1e-12) / (_FINER * _LARGEST)
        fine = np.rint(rotated / step)
        coarse = np.rint(fine / _FINER)
        left_out = float(np.linalg.norm(fine / _FINER - coarse))
        rounding = len(query) * float(np.finfo(np.float32).eps) * float(np.linalg.norm(coarse))
        return EncodedQuery(
            fine=fine,
            scale=step * float(self._step),
            coarse=coarse.astype(np.float32),
            error_bound=2 * self._longest * (left_out + rounding),
        )

    def _rotated(self, rows: Float | Half) -> Float:
        rotated = rows.astype(np.float32)
        for number, signs in enumerate(self._signs):
            part = rotated[:, -self._span :] if number % 2 else rotated[:, : self._span]
            part[:] = _hadamard(part * signs)
        return rotated


def _hadamard(rows: Float) -> Float:
    """*rows* times the Hadamard matrix of their length, a power of two, its columns in some order."""
    half = rows.shape[1] // 2
    other = np.empty_like(rows)
    for _ in range(half.bit_length()):
        even, odd = rows[:, ::2], rows[:, 1::2]
        np.add(even, odd, out=other[:, :half])
        np.subtract(even, odd, out=other[:, half:])
        rows, other = other, rows
    return rows
