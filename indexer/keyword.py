"""The one module that touches Whoosh: term postings on disk, one document for each entry.

Whoosh stores and merges; scoring happens elsewhere, over whole postings as arrays (its own Python
matchers take 758 ms for an eight-word query at 100,000 documents, the arrays 15 ms). Statistics are
taken over living documents alone, so that an index with a history scores as one built anew.

Only calls that Whoosh 2.7.4 and its fork whoosh3 share are used. Whoosh's files hold pickles, are
never fsynced and may be torn by a power cut: any failure to read them means *rebuild*, and the folder
is never read from anywhere but the journal's own ``index/``.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from ..journal.errors import MemjournalError
from .analysis import document_length
from .errors import IndexDamagedError

with warnings.catch_warnings():
    # 2.7.4 has invalid escapes in its string literals, an error where warnings are errors.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from whoosh import columns, fields, formats, index, reading
    from whoosh.matching import ListMatcher
    from whoosh.matching.wrappers import WrappingMatcher

Int = NDArray[np.int64]
Float = NDArray[np.float64]

_LIMIT_MB: Final = 512  # the default of 128 spills pickled runs and halves the speed of a build
_MAX_SEGMENTS: Final = 8  # 41 segments double the time of a query
_NAME: Final = "terms"


class TermCounts(fields.FieldType):  # type: ignore[misc]  # Whoosh has no types
    """A field that is given terms with their counts; the analysis is ours."""

    indexed = True
    stored = False
    scorable = True  # Whoosh keeps rounded lengths then, and does not look for them at each posting
    vector = None
    column_type = None
    multitoken_query = "default"
    analyzer = None
    spelling = False
    unique = False

    def __init__(self) -> None:
        self.format = formats.Frequency()

    def index(
        self, value: Mapping[str, int], **_: Any
    ) -> Iterator[tuple[bytes, int, float, bytes]]:
        encode = self.format.encode if hasattr(self.format, "encode") else None
        for term, count in value.items():
            packed = encode(count) if encode else count.to_bytes(4, "big")
            yield term.encode("utf-8"), count, float(count), packed


def _schema() -> Any:
    return fields.Schema(
        title=TermCounts(),
        body=TermCounts(),
        docno=fields.COLUMN(columns.NumericColumn("I")),
        scripts=fields.COLUMN(columns.NumericColumn("I")),
        title_length=fields.COLUMN(columns.NumericColumn("I")),
        body_length=fields.COLUMN(columns.NumericColumn("I")),
    )


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
        """Open the index in *folder*, made if there is none.

        Raises:
            IndexDamagedError: the files are there and cannot be read.
        """
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if index.exists_in(str(folder), indexname=_NAME):
                self._index = index.open_dir(str(folder), indexname=_NAME, schema=_schema())
            else:
                self._index = index.create_in(str(folder), _schema(), indexname=_NAME)
        except OSError:
            raise
        except Exception as error:  # pickles raise anything
            raise IndexDamagedError("keyword", str(error)) from error

    @staticmethod
    def remove(folder: Path) -> None:
        """Delete the index in *folder*."""
        shutil.rmtree(folder, ignore_errors=True)

    def apply(self, documents: Iterable[TermDocument], *, replaced: Collection[int]) -> None:
        """Take out the entries numbered *replaced* and put *documents* in, in one commit.

        Raises:
            IndexDamagedError: the index cannot be read or written as it is.
        """
        try:
            self._apply(documents, set(replaced))
        except (OSError, MemjournalError):
            raise
        except Exception as error:
            raise IndexDamagedError("keyword", str(error)) from error

    def _apply(self, documents: Iterable[TermDocument], replaced: set[int]) -> None:
        stale = self._positions_of(replaced)
        writer = self._index.writer(limitmb=_LIMIT_MB, compound=False)
        try:
            for position in stale:
                writer.delete_document(position)
            for document in documents:
                writer.add_document(
                    title=document.title,
                    body=document.body,
                    docno=document.docno,
                    title_length=document_length(document.title),
                    body_length=document_length(document.body),
                    scripts=_pack(document.scripts),
                )
        except BaseException:
            writer.cancel()
            raise
        writer.commit(mergetype=_merge_when_many)

    def compact(self) -> None:
        """Write all segments as one, so that nothing is left of what was taken out.

        Raises:
            IndexDamagedError: the index cannot be read or written as it is.
        """
        try:
            if not self._index.is_empty():
                self._index.writer(limitmb=_LIMIT_MB, compound=False).commit(optimize=True)
        except OSError:
            raise
        except Exception as error:
            raise IndexDamagedError("keyword", str(error)) from error

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
        """
        try:
            return Snapshot(self._index.reader())
        except OSError:
            raise
        except Exception as error:
            raise IndexDamagedError("keyword", str(error)) from error


class Snapshot:
    """One state of the index, unchanged by later writes."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._leaves = list(reader.leaf_readers())
        parts = [_columns_of(leaf) for leaf, _ in self._leaves]
        self.docnos: Int = _joined([part[0] for part in parts], np.int64)
        self.title_length: Float = _joined([part[1] for part in parts], np.float64)
        self.body_length: Float = _joined([part[2] for part in parts], np.float64)
        packed: Int = _joined([part[3] for part in parts], np.int64)
        self.alive: NDArray[np.bool_] = np.ones(len(self.docnos), dtype=np.bool_)
        for leaf, base in self._leaves:
            if leaf.has_deletions():
                gone = [docnum for docnum in range(leaf.doc_count_all()) if leaf.is_deleted(docnum)]
                self.alive[np.asarray(gone, dtype=np.int64) + base] = False
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
        try:
            for leaf, base in self._leaves:
                if (name, key) in leaf:
                    ids, weights = _read_postings(leaf.postings(name, key))
                    docs.append(ids + base)
                    counts.append(weights)
        except OSError:
            raise
        except Exception as error:
            raise IndexDamagedError("keyword", str(error)) from error
        ids, weights = _joined(docs, np.int64), _joined(counts, np.float64)
        living = self.alive[ids]
        return ids[living], weights[living]


def _pack(shares: tuple[float, float, float, float]) -> int:
    """Four shares in four bytes; whole numbers, so that any order of documents gives one sum."""
    hangul, han, kana, latin = (round(255 * share) for share in shares)
    return hangul << 24 | han << 16 | kana << 8 | latin


def _joined(arrays: list[Any], dtype: Any) -> Any:
    return np.concatenate(arrays).astype(dtype) if arrays else np.zeros(0, dtype)


def _columns_of(leaf: Any) -> list[NDArray[np.uint32]]:
    return [_column(leaf, name) for name in ("docno", "title_length", "body_length", "scripts")]


def _column(leaf: Any, name: str) -> NDArray[np.uint32]:
    """A numeric column as an array; read in one piece, for Whoosh unpacks number by number."""
    values = np.zeros(leaf.doc_count_all(), np.uint32)
    if not leaf.has_column(name):
        return values
    column = leaf.column_reader(name, translate=False)
    raw = column._dbfile.get(column._basepos, column._count * column._fixedlen)
    values[: column._count] = np.frombuffer(raw, ">u4")
    return values


def _read_postings(matcher: Any) -> tuple[Int, Float]:
    """All of a term's document numbers and counts, block by block as they are stored."""
    while isinstance(matcher, WrappingMatcher):
        matcher = matcher.child  # the filter of deleted documents; we mask them at once
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

    A segment of more than a third of all documents is left alone: merging costs as much as indexing.
    """
    if len(segments) < _MAX_SEGMENTS:
        return segments
    n_all = sum(segment.doc_count_all() for segment in segments)
    small = [segment for segment in segments if segment.doc_count_all() * 3 <= n_all]
    for segment in small:
        leaf = reading.SegmentReader(writer.storage, writer.schema, segment)
        writer.add_reader(leaf)
        leaf.close()
    return [segment for segment in segments if segment not in small]


__all__ = ["KeywordIndex", "Postings", "Snapshot", "TermDocument"]
