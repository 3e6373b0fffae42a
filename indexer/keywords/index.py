"""The keyword index on disk: Whoosh's segments, table of contents and lock, one document an entry.

Whoosh stores and commits; a segment's postings are arrays (``posting_codec``), and scoring happens
over them (``snapshot``): Whoosh's own Python matchers take 758 ms for an eight-word query at 100,000
documents. This module and the codec are the two that use Whoosh.

Only calls that Whoosh 2.7.4 and its fork whoosh3 share are used. Whoosh's files hold pickles and may
be torn by a power cut: any failure to read them means *rebuild*, and the folder is never read from
anywhere but the journal's own ``index/``. What could be wrong and read all the same has a checksum.
"""

from __future__ import annotations

import contextlib
import errno
import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from ...journal import files
from ...journal.errors import LockedError
from ..errors import IndexDamagedError
from .mark import INDEX_NAME
from .posting_codec import ArrayCodec, ArraySegment, Segments, schema
from .segment_files import OpenSegment
from .segment_writing import FromBatches, FromSegment, Source, write_segment
from .snapshot import Living, Remembered, Snapshot
from .term_batch import TermBatch, TermDocument, as_batches
from .whoosh_imports import index

T = TypeVar("T")

_MAX_SEGMENTS: Final = 8  # then some are merged
_MERGED_SHARE: Final = (
    2  # a segment is merged with smaller ones of at least 1 / so many of its size
)
_OPENING_TRIES: Final = 5
_OPENING_PAUSE_S: Final = 0.01
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


@contextlib.contextmanager
def _translated(folder: Path) -> Iterator[None]:
    """Whatever Whoosh raises as what it means: the disk refuses, another writes, or it is damaged."""
    try:
        yield
    except index.LockError as error:
        raise LockedError(
            "another process writes to it", where=str(folder), mend="try again in a minute"
        ) from error
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
            lambda: index.open_dir(str(folder), indexname=INDEX_NAME, schema=schema()), folder
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
            index.create_in(str(folder), schema(), indexname=INDEX_NAME)
        return cls(folder)

    def apply(
        self,
        documents: Iterable[TermDocument | TermBatch],
        *,
        replaced: Collection[int],
        known: Snapshot | None = None,
    ) -> None:
        """Take out the entries numbered *replaced* and put *documents* in, in one commit.

        With *known*, a snapshot of any age, the segments that it has open are not read again.

        Raises:
            IndexDamagedError: the index cannot be read or written as it is.
            StorageError: the disk refused.
        """
        opener = _Opener(self._folder, known)
        with self._writing() as commit:
            batches = list(as_batches(documents))  # an error in making them is not one of the index

            def change(segments: Segments) -> Segments:
                _take_out(segments, replaced, opener)
                n_new = sum(len(batch.rows.docnos) for batch in batches)
                new: list[Source] = [FromBatches(batches)] if n_new else []
                return _rewritten(segments, _to_merge(segments, n_new), new, opener)

            commit(change)

    def compact(self) -> None:
        """Write all segments as one, so that nothing is left of what was taken out.

        Raises:
            IndexDamagedError: the index cannot be read or written as it is.
            StorageError: the disk refused.
        """
        opener = _Opener(self._folder, None)
        with self._writing() as commit:
            commit(lambda segments: _rewritten(segments, segments, [], opener))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Callable[[Callable[[Segments], Segments]], None]]:
        """Whoosh's lock; what is yielded commits the list of segments that a function makes of one."""
        with _translated(self._folder):
            writer = self._index.writer(compound=False, codec=ArrayCodec())

        def commit(change: Callable[[Segments], Segments]) -> None:
            # Whoosh's hook for merging is given the segments, and what it returns is committed
            with _translated(self._folder):
                writer.commit(mergetype=lambda _, found: change(Segments(found)))

        try:
            yield commit
        except BaseException:
            with contextlib.suppress(Exception):
                writer.cancel()
            raise

    def snapshot(self, previous: Snapshot | None = None) -> Snapshot:
        """The index as it is now; what *previous* knows of unchanged segments is taken over.

        Raises:
            IndexDamagedError: the files cannot be read.
            StorageError: the disk refused.
        """
        return _while_it_moves(lambda: self._open_snapshot(previous), self._folder)

    def _open_snapshot(self, previous: Snapshot | None) -> Snapshot:
        opener = _Opener(self._folder, previous)
        before = previous.by_segment() if previous is not None else {}
        toc = index.TOC.read(self._index.storage, INDEX_NAME, schema=schema())
        return Snapshot(
            [
                Living.of(opener.open(one), one.deleted, before.get(one.segment_id()))
                for one in toc.segments
            ],
            previous.remembered if previous is not None else Remembered(),
        )


class _Opener:
    """Opens segments that are not open yet."""

    def __init__(self, folder: Path, known: Snapshot | None) -> None:
        self.folder = folder
        self._open = (
            {name: one.segment for name, one in known.by_segment().items()} if known else {}
        )

    def open(self, segment: ArraySegment) -> OpenSegment:
        name = segment.segment_id()
        if name not in self._open:
            self._open[name] = segment.open_in(self.folder)
        return self._open[name]


def _take_out(segments: Segments, docnos: Collection[int], opener: _Opener) -> None:
    wanted = np.unique(np.fromiter(docnos, np.int64, len(docnos))).astype(np.uint32)
    if not len(wanted):
        return
    for segment in segments:
        at, is_here = Living.of(opener.open(segment), segment.deleted, None).find(wanted)
        if is_here.any():
            segment.take_out(at[is_here])


def _to_merge(segments: Sequence[ArraySegment], n_new: int) -> list[ArraySegment]:
    """Which segments are written anew together with *n_new* documents.

    Once there are many: the smallest, as long as what they come to is not small beside the next. So
    sizes rise by steps, an entry is written anew a few times at most, and a million have some dozen
    segments. One of which more than half was taken out is written anew, too.
    """
    if len(segments) < _MAX_SEGMENTS:
        return []
    merged, n_merged = [], n_new
    for segment in sorted(segments, key=lambda one: int(one.doc_count())):
        is_hollow = segment.doc_count() * 2 < segment.doc_count_all()
        if is_hollow or segment.doc_count() <= _MERGED_SHARE * n_merged:
            merged.append(segment)
            n_merged += segment.doc_count()
    return merged


def _rewritten(
    segments: Segments,
    merged: Collection[ArraySegment],
    new: Sequence[Source],
    opener: _Opener,
) -> Segments:
    """*segments* with *merged* and *new* as one, and without those that are empty."""
    living = [one for one in segments if one.doc_count()]
    old: list[Source] = [
        FromSegment(opener.open(one), one.deleted) for one in living if one in merged
    ]
    kept = Segments(one for one in living if one not in merged)
    segment = ArraySegment(INDEX_NAME)
    written = write_segment(opener.folder, segment.segment_id(), [*old, *new])
    return Segments([*kept, segment.holds(written)]) if written is not None else kept
