"""The one module that touches Whoosh: term postings on disk, one document for each entry.

Whoosh stores and merges; scoring happens elsewhere, over whole postings as arrays (its own Python
matchers take 758 ms for an eight-word query at 100,000 documents, the arrays 15 ms). Statistics are
taken over living documents alone, so that an index with a history scores as one built anew.

Only calls that Whoosh 2.7.4 and its fork whoosh3 share are used. Whoosh's files hold pickles and may
be torn by a power cut: any failure to read them means *rebuild*, and the folder is never read from
anywhere but the journal's own ``index/``. What could be wrong and read all the same is checked: each
row carries a number made of its values, and a term's postings must be as many as were counted.
"""

from __future__ import annotations

import contextlib
import errno
import shutil
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..journal import files
from ..journal.errors import LockedError
from .analysis import document_length
from .errors import IndexDamagedError

with warnings.catch_warnings():
    # 2.7.4 has invalid escapes in its string literals, an error where warnings are errors.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from whoosh import columns, fields, formats, index, reading
    from whoosh.codec.whoosh3 import W3Codec
    from whoosh.matching import ListMatcher
    from whoosh.matching.wrappers import WrappingMatcher

Int = NDArray[np.int64]
Float = NDArray[np.float64]
T = TypeVar("T")

_LIMIT_MB: Final = 512  # the default of 128 spills pickled runs and halves the speed of a build
_MAX_SEGMENTS: Final = 8  # 41 segments double the time of a query
_OPENING_TRIES: Final = 5
_OPENING_PAUSE_S: Final = 0.01
_NAME: Final = "terms"
_NUMBERS: Final = ("docno", "title_length", "body_length", "scripts", "row_check")
_REFUSALS: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
    | {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
)
"""What a disk or a system says when it refuses; every other failure is of the files' content."""


def _while_it_moves(open_: Callable[[], T], folder: Path) -> T:
    """What *open_* returns; tried again where a file is missing, for a commit replaces files one by
    one, and a listing of the folder may come just between two names of the newest.
    """
    for remaining in reversed(range(_OPENING_TRIES)):
        try:
            with _translated(folder):
                return open_()
        except IndexDamagedError as error:
            is_gap = isinstance(error.__cause__, (FileNotFoundError, index.EmptyIndexError))
            if not is_gap or not remaining:
                raise
            time.sleep(_OPENING_PAUSE_S)
    raise AssertionError("the last try returns or raises")


class TermCounts(fields.FieldType):
    """A field that is given terms with their counts; the analysis is ours."""

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

    def index(  # pyright: ignore[reportIncompatibleMethodOverride]  # each of Whoosh's differs too
        self, value: Mapping[str, int], **_: Any
    ) -> Iterator[tuple[bytes, int, float, bytes]]:
        for term, count in value.items():
            yield term.encode("utf-8"), count, float(count), b""


def _schema() -> Any:
    numbers = {name: fields.COLUMN(columns.NumericColumn("I")) for name in _NUMBERS}
    return fields.Schema(title=TermCounts(), body=TermCounts(), **numbers)


def _codec() -> Any:
    """Whoosh's own format; without the lengths at each posting, which cost a seventh of a build.

    Compressed for the checksum: a changed byte in a posting must not pass for another posting.
    """
    codec = W3Codec(compression=1)
    codec.length_stats = False
    return codec


@contextlib.contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """Whatever Whoosh raises as what it means: the disk refuses, another writes, or it is damaged."""
    try:
        yield
    except index.LockError as error:
        raise LockedError("another process writes to it", where=str(folder)) from error
    except OSError as error:
        if error.errno in _REFUSALS:
            raise files.as_storage_error(error, folder) from error
        raise IndexDamagedError("keyword", str(error)) from error
    except IndexDamagedError:
        raise
    except index.EmptyIndexError as error:
        raise IndexDamagedError("keyword", "it is missing") from error
    except Exception as error:  # pickles raise anything
        raise IndexDamagedError("keyword", f"{type(error).__name__} {error}".strip()) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class TermDocument:
    """What is indexed of one entry."""

    docno: int
    title: Mapping[str, int]  # term -> how often
    body: Mapping[str, int]
    scripts: tuple[float, float, float, float]  # shares of Hangul, Han, kana and Latin


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Where one term occurs: ``(n,)`` arrays, ascending in *docs*."""

    docs: Int  # positions in the snapshot's arrays
    title_tf: Float
    body_tf: Float


class KeywordIndex:
    """The keyword index in one folder. Any number of readers; one writer, which the caller ensures."""

    def __init__(self, folder: Path) -> None:
        """Open the index in *folder*; nothing is written.

        Raises:
            IndexDamagedError: there is none, or it cannot be read.
            StorageError: the disk refused.
        """
        self._folder = folder
        self._index = _while_it_moves(
            lambda: index.open_dir(str(folder), indexname=_NAME, schema=_schema()), folder
        )

    @classmethod
    def create(cls, folder: Path) -> KeywordIndex:
        """An empty index in *folder*, in place of what is there.

        Raises:
            StorageError: the disk refused.
        """
        shutil.rmtree(folder, ignore_errors=True)
        with _translated(folder):
            folder.mkdir(parents=True, exist_ok=True)
            index.create_in(str(folder), _schema(), indexname=_NAME)
        return cls(folder)

    def apply(self, documents: Iterable[TermDocument], *, replaced: Collection[int]) -> None:
        """Take out the entries numbered *replaced* and put *documents* in, in one commit.

        Raises:
            IndexDamagedError: the index cannot be read or written as it is.
            StorageError: the disk refused.
        """
        stale = self._positions_of(set(replaced))
        with _translated(self._folder):
            writer = self._index.writer(limitmb=_LIMIT_MB, compound=False, codec=_codec())
        try:
            with _translated(self._folder):
                for position in stale:
                    writer.delete_document(position)
            for document in documents:  # an error in making them is not one of the index
                with _translated(self._folder):
                    writer.add_document(**_values_of(document))
            with _translated(self._folder):
                writer.commit(mergetype=_merge_when_many)
        except BaseException:
            with contextlib.suppress(Exception):
                writer.cancel()
            raise

    def compact(self) -> None:
        """Write all segments as one, so that nothing is left of what was taken out.

        Raises:
            IndexDamagedError: the index cannot be read or written as it is.
            StorageError: the disk refused.
        """
        with _translated(self._folder):
            if not self._index.is_empty():
                writer = self._index.writer(limitmb=_LIMIT_MB, compound=False, codec=_codec())
                writer.commit(optimize=True)

    def _positions_of(self, docnos: set[int]) -> list[int]:
        if not docnos or self._index.is_empty():
            return []
        wanted = np.fromiter(docnos, dtype=np.int64, count=len(docnos))
        with self.snapshot() as snapshot:
            found = np.isin(snapshot.docnos, wanted) & snapshot.alive
        return [int(position) for position in np.flatnonzero(found)]

    def snapshot(self) -> Snapshot:
        """The index as it is now.

        Raises:
            IndexDamagedError: the files cannot be read.
            StorageError: the disk refused.
        """
        return _while_it_moves(self._open_snapshot, self._folder)

    def _open_snapshot(self) -> Snapshot:
        try:
            reader: Any = self._index.reader()
        except FileNotFoundError as error:  # Whoosh has tried again and again
            raise IndexDamagedError("keyword", str(error)) from None
        try:
            return Snapshot(reader, self._folder)
        except BaseException:
            reader.close()
            raise


class Snapshot:
    """One state of the index, unchanged by later writes."""

    def __init__(self, reader: Any, folder: Path) -> None:
        self._reader, self._folder = reader, folder
        with _translated(folder):
            self._leaves = list(reader.leaf_readers())
            parts = [_numbers_of(leaf) for leaf, _ in self._leaves]
        docnos, titles, bodies, packed = (
            _joined([part[column] for part in parts], np.int64) for column in range(4)
        )
        self.docnos: Int = docnos
        self.title_length: Float = titles.astype(np.float64)
        self.body_length: Float = bodies.astype(np.float64)
        self.alive: NDArray[np.bool_] = np.ones(len(docnos), dtype=np.bool_)
        for leaf, base in self._leaves:
            if leaf.has_deletions():
                gone = np.fromiter(leaf.segment().deleted_docs(), np.int64)
                self.alive[gone + base] = False
        self.n_documents = int(self.alive.sum())
        living = packed[self.alive]
        shares = [float((living >> shift & 0xFF).sum()) for shift in (24, 16, 8, 0)]
        total = sum(shares) or 1.0
        self.scripts = (shares[0] / total, shares[1] / total, shares[2] / total, shares[3] / total)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the files back."""
        self._reader.close()

    def postings(self, term: str) -> Postings:
        """The living documents that *term* occurs in."""
        title_docs, title_tf = self._field_postings("title", term)
        body_docs, body_tf = self._field_postings("body", term)
        docs = np.union1d(title_docs, body_docs)
        title, body = np.zeros(len(docs), np.float64), np.zeros(len(docs), np.float64)
        title[np.searchsorted(docs, title_docs)] = title_tf
        body[np.searchsorted(docs, body_docs)] = body_tf
        return Postings(docs=docs, title_tf=title, body_tf=body)

    def _field_postings(self, name: str, term: str) -> tuple[Int, Float]:
        key = term.encode("utf-8")
        docs: list[Int] = []
        counts: list[Float] = []
        with _translated(self._folder):
            for leaf, base in self._leaves:
                if (name, key) in leaf:
                    ids, weights = _read_postings(leaf.postings(name, key))
                    n_counted = leaf.doc_frequency(name, key)
                    if not len(ids) == len(weights) == n_counted or (np.diff(ids) <= 0).any():
                        raise IndexDamagedError("keyword", "postings are missing")
                    docs.append(ids + base)
                    counts.append(weights)
        ids, weights = _joined(docs, np.int64), _joined(counts, np.float64)
        living = self.alive[ids]
        return ids[living], weights[living]


def _pack(shares: tuple[float, float, float, float]) -> int:
    """Four shares in four bytes; whole numbers, so that any order of documents gives one sum."""
    hangul, han, kana, latin = (round(255 * share) for share in shares)
    return hangul << 24 | han << 16 | kana << 8 | latin


def _joined(arrays: list[Any], dtype: Any) -> Any:
    return np.concatenate(arrays).astype(dtype) if arrays else np.zeros(0, dtype)


def _values_of(document: TermDocument) -> dict[str, Any]:
    numbers = [
        document.docno,
        document_length(document.title),
        document_length(document.body),
        _pack(document.scripts),
    ]
    values = dict(zip(_NUMBERS, [*numbers, _row_check(numbers)], strict=True))
    return {"title": document.title, "body": document.body, **values}


def _row_check(numbers: Sequence[Any]) -> Any:
    """What tells a row that was written from zeros, another row's values and noise; 32-bit FNV-1a,
    by whole numbers; of integers, or of arrays of them."""
    mixed = 0x811C9DC5
    for number in numbers:
        mixed = (mixed ^ number) * 0x01000193 & 0xFFFFFFFF
    return mixed


def _numbers_of(leaf: Any) -> list[Int]:
    numbers = [_column(leaf, name).astype(np.int64) for name in _NUMBERS]
    if (_row_check(numbers[:-1]) != numbers[-1]).any():
        raise IndexDamagedError("keyword", "its numbers do not agree")
    return numbers


def _column(leaf: Any, name: str) -> NDArray[np.uint32]:
    """A numeric column as an array; read in one piece, for Whoosh unpacks number by number."""
    values = np.zeros(leaf.doc_count_all(), np.uint32)
    if not len(values):
        return values
    if not leaf.has_column(name):
        raise IndexDamagedError("keyword", f"the column {name} is missing") from FileNotFoundError()
    column = leaf.column_reader(name, translate=False)
    raw = column._dbfile.get(column._basepos, column._count * column._fixedlen)
    values[: column._count] = np.frombuffer(raw, ">u4")  # zeros at the end are not written
    return values


def _read_postings(matcher: Any) -> tuple[Int, Float]:
    """All of a term's document numbers and counts, block by block as they are stored."""
    while isinstance(matcher, WrappingMatcher):
        matcher = matcher.child  # the filter of deleted documents; we mask them at once ...
        matcher.reset()  # ... and it has gone on to the first that is not deleted
    if isinstance(matcher, ListMatcher):  # a term with one posting is stored beside the term
        return np.asarray(matcher._ids, np.int64), np.asarray(matcher._weights, np.float64)
    ids: list[Int] = []
    weights: list[Float] = []
    while matcher.is_active():
        matcher._read_ids()
        matcher._read_weights()
        ids.append(np.asarray(matcher._ids, np.int64))
        weights.append(np.asarray(matcher._weights, np.float64))
        matcher._next_block()
    return _joined(ids, np.int64), _joined(weights, np.float64)


def _merge_when_many(writer: Any, segments: list[Any]) -> list[Any]:
    """Whoosh's hook for merging: join the smallest segments once there are too many.

    A segment of more than a third of all documents is left alone, for merging costs as much as
    indexing, unless more than half of it has been taken out.
    """
    if len(segments) < _MAX_SEGMENTS:
        return segments
    n_all = sum(segment.doc_count_all() for segment in segments)
    small = [
        segment
        for segment in segments
        if segment.doc_count_all() * 3 <= n_all or segment.doc_count() * 2 < segment.doc_count_all()
    ]
    for segment in small:
        leaf = reading.SegmentReader(writer.storage, writer.schema, segment)
        writer.add_reader(leaf)
        leaf.close()
    return [segment for segment in segments if segment not in small]


__all__ = ["KeywordIndex", "Postings", "Snapshot", "TermDocument"]
