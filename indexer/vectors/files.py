"""The vectors of one journal on disk: a base, and beside it a log of what changed since.

An edit appends one record and never writes the rest again; when the log has grown too long for its
base, both become a new base. Everything is checked by CRC-32. What a kill or a power failure can
leave behind, at any moment:

- Half a record at the end of the log: whoever reads it stops there, the next writer cuts it off.
  Its work was not ticked off, and is done again. So that a log that lost more than that is not
  taken for such a one, its length is noted where work is ticked off (``mark``).
- A new base half written: it has a name of its own until it is whole.
- A log whose base never came, or went: its name has the generation of its base, a number drawn for
  each, so that nobody takes it for another's; the next new base removes it.

A base without its log, or a wrong byte anywhere, is damage, and answered by a rebuild.

All numbers are little-endian. Base: magic, generation, dimension (u4), number of rows (u8), CRC, then
slices of 8192 rows: the entries (i8), the places (u4), the vectors (``codes``, i1), CRC (u4) of all up to here;
so none is taken in before it is known to be right, nor memory for all before their number is. Log:
magic, generation, then records: length (u8), CRC of the payload (u4), CRC of these twelve bytes (u4),
payload: how many entries are taken out (u8), how many rows put in (u8), the entries taken out (i8),
then the rows as in a slice.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from ...journal import files
from ..errors import IndexDamagedError
from .codes import Codes

_BASE_MAGIC: Final = b"memvec 4"
_LOG_MAGIC: Final = b"memlog 4"
_GENERATION_BYTES: Final = 8
_BASE_HEADER: Final = struct.Struct("<8s8sIQ")
_RECORD_HEADER: Final = struct.Struct("<QII")
_COUNTS: Final = struct.Struct("<QQ")
_CRC: Final = struct.Struct("<I")
_LOG_START: Final = len(_LOG_MAGIC) + _GENERATION_BYTES
SLICE_ROWS: Final = 8192
_BINARY: Final = getattr(os, "O_BINARY", 0)

LOG_SHARE: Final = 0.5
"""Of the base's size: then a bulk build writes three times what is left of it at last, and opening
reads half as much again at most."""
LOG_BYTES: Final = 8 << 20  # a shorter log is left alone: 0.01 s to read


Piece = bytes | memoryview
Identity = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Passages: the entries' numbers, the places in them, and their vectors, ``(n, d)`` bytes."""

    docnos: NDArray[np.int64]
    places: NDArray[np.uint32]
    codes: Codes

    def pieces(self) -> tuple[Piece, ...]:
        """The bytes of a slice."""
        columns = ((self.docnos, "<i8"), (self.places, "<u4"), (self.codes, "i1"))
        return tuple(np.ascontiguousarray(column, dtype).data for column, dtype in columns)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One change: the entries that are taken out, and the rows put in."""

    removed: NDArray[np.int64]
    rows: Rows


class VectorFiles:
    """The base and the log, and how far they were read or written through this object."""

    def __init__(self, folder: Path, *, fingerprint: str, dimension: int) -> None:
        self._folder, self._dimension = folder, dimension
        self._name = re.sub(r"[^0-9A-Za-z._-]", "_", fingerprint)
        self._path = folder / f"{self._name}.vectors"
        self._generation = b""
        self._base: Identity | None = None  # which file it was
        self._end = 0  # of the log, as far as it was read or written

    # --- reading ----------------------------------------------------------------------------

    def open_base(self, expect: Callable[[int], object]) -> Iterator[Rows]:
        """The rows of the base, in slices; *expect* is told how many there are before.

        Raises:
            IndexDamagedError: it is missing, damaged, or of another dimension.
            StorageError: it cannot be read.
        """
        self._base = None
        with _failures_named(self._path), open(self._path, "rb") as stream:
            base = _identity(os.fstat(stream.fileno()))
            header = stream.read(_BASE_HEADER.size)
            if stream.read(_CRC.size) != _CRC.pack(zlib.crc32(header)):
                raise IndexDamagedError("vector", "its base begins as no base does")
            magic, self._generation, dimension, n_rows = _BASE_HEADER.unpack(header)
            if magic != _BASE_MAGIC or dimension != self._dimension:
                raise IndexDamagedError("vector", "made for other vectors")
            if base[2] != _base_bytes(n_rows, dimension):
                raise IndexDamagedError("vector", "its base is not as long as it should be")
            expect(n_rows)
            yield from _read_base(stream, n_rows, dimension, zlib.crc32(header))
        self._base, self._end = base, _LOG_START

    def read_log(self) -> Iterator[Record]:
        """What was added to the log since it was read last, by whomever.

        Raises:
            IndexDamagedError: it is missing or damaged.
            StorageError: it cannot be read.
        """
        path = self._log_path
        with _failures_named(path), open(path, "rb", buffering=0) as stream:
            if _read(stream, _LOG_START) != _LOG_MAGIC + self._generation:
                raise IndexDamagedError("vector", "its log begins as no log does")
            while (payload := _read_payload(stream, self._end)) is not None:
                record = _record_of(payload, self._dimension)
                self._end += _RECORD_HEADER.size + len(payload)
                yield record

    def has_new_base(self) -> bool:
        """Whether the base is not the one that was read or written here.

        Raises:
            IndexDamagedError: there is none any more.
            StorageError: it cannot be looked at.
        """
        with _failures_named(self._path):
            return _identity(os.stat(self._path)) != self._base

    def has_grown(self) -> bool:
        """Whether the log has more in it than was read or written here; False if there is none."""
        try:
            return os.stat(self._log_path).st_size > self._end
        except OSError:
            return False

    @property
    def mark(self) -> str:
        """How far the log reaches that was read or written here, for ``mark.reaches``."""
        return f"{self._generation.hex()}/{self._end}"

    @property
    def _log_path(self) -> Path:
        return self._log_of(self._generation)

    def _log_of(self, generation: bytes) -> Path:
        return self._folder / f"{self._name}.{generation.hex()}.log"

    # --- writing ----------------------------------------------------------------------------

    def has_room(self, *, n_removed: int, n_rows: int) -> bool:
        """Whether a record of this size belongs into the log, and not both into a new base."""
        assert self._base is not None  # it was read
        size = _COUNTS.size + 8 * n_removed + _row_bytes(self._dimension) * n_rows
        return self._end + size <= max(LOG_BYTES, LOG_SHARE * self._base[2])

    def append(self, record: Record) -> None:
        """Add *record* to the log, on disk when this returns.

        The caller has the right to write and has read all that was there: what else stands at the
        end of the log is half a record of somebody who died.

        Raises:
            IndexDamagedError: the log is missing.
            StorageError: the disk refused; the log ends where it ended before.
        """
        data = _to_bytes(record)
        path = self._log_path
        with _failures_named(path):
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | _BINARY)
            try:
                if os.fstat(fd).st_size > self._end:
                    os.ftruncate(fd, self._end)
                files.append(fd, data, path)
            finally:
                os.close(fd)
        self._end += len(data)

    def write_base(self, slices: Iterable[Rows], n_rows: int) -> None:
        """Put a base of these rows, in slices of ``SLICE_ROWS``, in place of all that is there.

        Raises:
            StorageError: the disk refused; what was there still is.
        """
        generation = os.urandom(_GENERATION_BYTES)
        header = _BASE_HEADER.pack(_BASE_MAGIC, generation, self._dimension, n_rows)
        fresh = self._folder / f"{self._name}.new"  # always the same, so that no second one is left
        with _failures_named(self._path):
            files.make_folder(self._folder)
            _write(fresh, _checked(header, slices))
            _write(self._log_of(generation), [_LOG_MAGIC + generation])
            files.sync_folder(self._folder)
            os.replace(fresh, self._path)
            self._base = _identity(os.stat(self._path))
            self._generation, self._end = generation, _LOG_START
            files.sync_folder(self._folder)
            self._remove_other_logs()

    def _remove_other_logs(self) -> None:
        pattern = f"{self._name}.{'[0-9a-f]' * 2 * _GENERATION_BYTES}.log"
        for path in self._folder.glob(pattern):
            if path != self._log_path:
                files.remove(path)


def _checked(header: bytes, slices: Iterable[Rows]) -> Iterator[Piece]:
    """The bytes of a base."""
    crc = zlib.crc32(header)
    yield from (header, _CRC.pack(crc))
    for rows in slices:
        for piece in rows.pieces():
            crc = zlib.crc32(piece, crc)
            yield piece
        yield _CRC.pack(crc)


def _write(path: Path, pieces: Iterable[Piece]) -> None:
    """Make a file of *pieces*, on disk when this returns; none is left if the disk refuses."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600)
        with open(fd, "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fsync(fd)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def _to_bytes(record: Record) -> bytes:
    removed = np.ascontiguousarray(record.removed, "<i8").tobytes()
    counts = _COUNTS.pack(len(record.removed), len(record.rows.docnos))
    payload = b"".join((counts, removed, *record.rows.pieces()))
    header = struct.pack("<QI", len(payload), zlib.crc32(payload))
    return header + _CRC.pack(zlib.crc32(header)) + payload


def _read_base(stream: BinaryIO, n_rows: int, dimension: int, crc: int) -> Iterator[Rows]:
    for start in range(0, n_rows, SLICE_ROWS):
        n_here = min(SLICE_ROWS, n_rows - start)
        data = _read(stream, n_here * _row_bytes(dimension))
        crc = zlib.crc32(data, crc)
        if _read(stream, _CRC.size) != _CRC.pack(crc):
            raise IndexDamagedError("vector", "its checksum is wrong")
        yield _rows_of(data, 0, n_here, dimension)


def _read_payload(stream: BinaryIO, at: int) -> bytes | None:
    """The payload of the record that begins at *at*; None if there is none, or half of one."""
    try:
        return _try_payload(stream, at)
    except IndexDamagedError:  # or half a record was just cut off, and another put in its place
        return _try_payload(stream, at)


def _try_payload(stream: BinaryIO, at: int) -> bytes | None:
    stream.seek(at)
    header = _read(stream, _RECORD_HEADER.size)
    if len(header) < _RECORD_HEADER.size:
        return None
    length, crc, header_crc = _RECORD_HEADER.unpack(header)
    if zlib.crc32(header[: -_CRC.size]) != header_crc:
        if not any(header) and not any(iter(lambda: _read(stream, 1 << 20).strip(b"\0"), b"")):
            return None  # a power failure may leave a file longer than what was written
        raise IndexDamagedError("vector", "its log is damaged")
    if at + len(header) + length > os.fstat(stream.fileno()).st_size:
        return None
    payload = _read(stream, length)
    if len(payload) < length:
        return None
    if zlib.crc32(payload) != crc:
        raise IndexDamagedError("vector", "a checksum in its log is wrong")
    return payload


def _record_of(payload: bytes, dimension: int) -> Record:
    n_removed, n_rows = _COUNTS.unpack_from(payload)
    if len(payload) != _COUNTS.size + 8 * n_removed + n_rows * _row_bytes(dimension):
        raise IndexDamagedError("vector", "a record of its log has another length than it says")
    removed = np.frombuffer(payload, "<i8", n_removed, _COUNTS.size)
    return Record(removed, _rows_of(payload, _COUNTS.size + 8 * n_removed, n_rows, dimension))


def _rows_of(data: bytes, start: int, n_rows: int, dimension: int) -> Rows:
    places_at, codes_at = start + 8 * n_rows, start + 12 * n_rows
    return Rows(
        np.frombuffer(data, "<i8", n_rows, start),
        np.frombuffer(data, "<u4", n_rows, places_at),
        np.frombuffer(data, "i1", n_rows * dimension, codes_at).reshape(n_rows, dimension),
    )


def _base_bytes(n_rows: int, dimension: int) -> int:
    n_slices = -(-n_rows // SLICE_ROWS)
    return _BASE_HEADER.size + n_rows * _row_bytes(dimension) + (1 + n_slices) * _CRC.size


def _row_bytes(dimension: int) -> int:
    return 8 + 4 + dimension


def _read(stream: BinaryIO, n_bytes: int) -> bytes:
    """*n_bytes*, or fewer where the file ends: one call may give less than there is."""
    data = stream.read(n_bytes)
    while len(data) < n_bytes and (more := stream.read(n_bytes - len(data))):
        data += more
    return data


def _identity(status: os.stat_result) -> Identity:
    return status.st_ino, status.st_mtime_ns, status.st_size


@contextlib.contextmanager
def _failures_named(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise IndexDamagedError("vector", f"{path.name} is missing") from error
    except OSError as error:
        raise files.as_storage_error(error, path) from error
