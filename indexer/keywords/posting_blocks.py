"""Postings as bytes: for each term one block of three arrays, written and read many at a time.

A block holds a checksum, how many postings there are, the bytes a number takes in each array, and
then the arrays, little-endian: the gaps between document numbers, how often the term occurs in the
title, and how often in the body. An array takes 1, 2 or 4 bytes a number, and none where all are 0.
The checksum is over all that follows it: a changed byte does not pass for another posting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Buffer = bytes | memoryview

_HEAD: Final = np.dtype([("check", "<u4"), ("n", "<u4"), ("widths", "u1", 3), ("unused", "u1")])
_WIDTHS: Final = (1, 2, 4)


class DamagedBlockError(ValueError):
    """The bytes are not those that were written."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """The postings of one term: ``(n,)`` arrays, ascending in *documents*."""

    documents: NDArray[np.int32]
    title_tf: NDArray[np.uint32]
    body_tf: NDArray[np.uint32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocks:
    """The postings of several terms, one after the other; ascending in *documents* for each, and no
    term without any."""

    starts: Ints  # (n_terms + 1,): where the postings of each term begin, and where all end
    documents: Ints
    title_tf: NDArray[np.uint32]
    body_tf: NDArray[np.uint32]

    @property
    def sizes(self) -> Ints:
        """How many postings each term has."""
        return np.diff(self.starts)

    @property
    def terms(self) -> Ints:
        """The place of each posting's term."""
        return np.repeat(np.arange(len(self.starts) - 1), self.sizes)


def encode(blocks: Blocks) -> tuple[Bytes, Ints]:
    """One block for each term, one after the other, and how long each is."""
    begins, sizes = blocks.starts[:-1], blocks.sizes
    if not len(sizes):
        return np.zeros(0, np.uint8), sizes
    gaps = np.diff(blocks.documents, prepend=0)
    gaps[begins] = blocks.documents[begins]
    arrays = (gaps.astype(np.uint32), blocks.title_tf, blocks.body_tf)
    widths = np.stack([_widths(numbers, begins) for numbers in arrays], axis=1)
    lengths = _HEAD.itemsize + sizes * widths.sum(axis=1)
    offsets = np.cumsum(lengths) - lengths
    data = np.zeros(int(lengths.sum()), np.uint8)
    for numbers, width, at, mask in _runs(blocks.starts, offsets, widths, arrays):
        chosen = numbers[mask].astype(f"<u{width}").view(np.uint8).reshape(-1, width)
        for byte in range(width):
            data[at + byte] = chosen[:, byte]
    _put_heads(data, offsets, sizes, widths)
    _put_checks(data, offsets, lengths)
    return data, lengths


def _widths(numbers: NDArray[np.uint32], begins: Ints) -> Ints:
    most = np.maximum.reduceat(numbers, begins)
    return np.select([most == 0, most < 1 << 8, most < 1 << 16], [0, 1, 2], default=4)


def _runs(
    starts: Ints, offsets: Ints, widths: Ints, arrays: tuple[NDArray[np.uint32], ...]
) -> Iterator[tuple[NDArray[np.uint32], int, Ints, NDArray[np.bool_] | slice]]:
    """For each array and each width: which of its numbers have that width, and where they stand."""
    sizes = np.diff(starts)
    begins: Ints = offsets + _HEAD.itemsize
    for column, numbers in enumerate(arrays):
        width_of = widths[:, column]
        for width in _WIDTHS:
            is_so = width_of == width
            if not is_so.any():
                continue
            at = np.repeat(
                begins - starts[:-1] * width, sizes
            )  # as if posting 0 were in each array
            mask: NDArray[np.bool_] | slice = slice(None)
            place = np.arange(starts[-1])
            if not is_so.all():
                mask = np.repeat(is_so, sizes)
                at, place = at[mask], place[mask]
            at += place * width
            yield numbers, width, at, mask
        begins += sizes * width_of


def _put_heads(data: Bytes, offsets: Ints, sizes: Ints, widths: Ints) -> None:
    heads = np.zeros(len(offsets), _HEAD)
    heads["n"], heads["widths"] = sizes, widths
    data[offsets[:, None] + np.arange(_HEAD.itemsize)] = _bytes_of(heads)


def _put_checks(data: Bytes, offsets: Ints, lengths: Ints) -> None:
    checks = np.asarray(list(_checks(data.data, offsets, lengths)), "<u4")
    data[offsets[:, None] + np.arange(4)] = _bytes_of(checks)


def _bytes_of(rows: NDArray[np.void] | NDArray[np.uint32]) -> Bytes:
    return rows.view(np.uint8).reshape(len(rows), -1)


def _checks(data: Buffer, offsets: Ints, lengths: Ints) -> Iterator[int]:
    ends = (offsets + lengths).tolist()
    return (crc32(data[at + 4 : end]) for at, end in zip(offsets.tolist(), ends, strict=True))


def decode(data: Buffer, offset: int) -> Block:
    """The block at *offset* of *data*.

    Raises:
        DamagedBlockError: there is none, or it is not as it was written.
    """
    at = offset + _HEAD.itemsize
    if not 0 <= offset <= len(data) - _HEAD.itemsize:
        raise DamagedBlockError("postings are missing")
    head = np.frombuffer(data, _HEAD, 1, offset)[0]
    n, widths = int(head["n"]), head["widths"].tolist()
    end = at + n * sum(widths)
    if end > len(data) or crc32(data[offset + 4 : end]) != int(head["check"]):
        raise DamagedBlockError("postings are not as they were written")
    arrays = []
    for width in widths:
        arrays.append(_numbers(data, width, n, at))
        at += n * width
    gaps, title_tf, body_tf = arrays
    documents = np.cumsum(gaps, dtype=np.int32)
    return Block(documents=documents, title_tf=title_tf, body_tf=body_tf)


def _numbers(data: Buffer, width: int, n: int, at: int) -> NDArray[np.uint32]:
    if not width:
        return np.zeros(n, np.uint32)
    return np.frombuffer(data, f"<u{width}", n, at).astype(np.uint32)


def decode_many(data: Buffer, offsets: Ints) -> Blocks:
    """The blocks at *offsets* of *data*, in that order.

    Raises:
        DamagedBlockError: one is missing, or is not as it was written.
    """
    raw = np.frombuffer(data, np.uint8)
    if not len(offsets):
        return _no_blocks()
    if offsets.min() < 0 or offsets.max() > len(raw) - _HEAD.itemsize:
        raise DamagedBlockError("postings are missing")
    heads = raw[offsets[:, None] + np.arange(_HEAD.itemsize)].view(_HEAD).reshape(-1)
    sizes, widths = heads["n"].astype(np.int64), heads["widths"].astype(np.int64)
    lengths = _HEAD.itemsize + sizes * widths.sum(axis=1)
    if (offsets + lengths).max() > len(raw):
        raise DamagedBlockError("postings are missing")
    if list(_checks(data, offsets, lengths)) != heads["check"].tolist():
        raise DamagedBlockError("postings are not as they were written")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    gaps, title_tf, body_tf = arrays = tuple(np.zeros(starts[-1], np.uint32) for _ in range(3))
    for numbers, width, at, mask in _runs(starts, offsets, widths, arrays):
        found = raw[at].astype(np.uint32)
        for byte in range(1, width):
            found |= raw[at + byte].astype(np.uint32) << np.uint32(8 * byte)
        numbers[mask] = found
    documents = np.cumsum(gaps, dtype=np.int64)
    before = documents[starts[:-1]] - gaps[starts[:-1]]
    documents -= np.repeat(before, sizes)
    return Blocks(starts=starts, documents=documents, title_tf=title_tf, body_tf=body_tf)


def _no_blocks() -> Blocks:
    nothing = np.zeros(0, np.uint32)
    return Blocks(
        starts=np.zeros(1, np.int64),
        documents=np.zeros(0, np.int64),
        title_tf=nothing,
        body_tf=nothing,
    )
