"""The vector index answers as a plain matrix would, whatever happened to it, and is never half of it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from numpy.typing import NDArray

from memjournal.indexer.errors import IndexDamagedError
from memjournal.indexer.vectors import files as vector_files
from memjournal.indexer.vectors import rows as vector_rows
from memjournal.indexer.vectors.codes import RowCodec
from memjournal.indexer.vectors.index import VectorDocument, VectorIndex
from memjournal.indexer.vectors.mark import reaches
from memjournal.indexer.vectors.rows import VectorRows
from memjournal.journal.errors import StorageError

from .world import DAMAGES

D = 16
CODEC = RowCodec(D)
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
    encoded = CODEC.encode_query(query)
    found = [
        (
            docno,
            place,
            encoded.scale * float(codes.astype(np.float64) @ encoded.fine),
        )
        for docno, rows in living.items()
        if allowed is None or docno in allowed
        for place, codes in enumerate(CODEC.encode(rows))
        if codes.any()
    ]
    found.sort(key=lambda one: (-one[2], one[0], one[1]))
    return [(docno, place, min(1.0, cosine)) for docno, place, cosine in found]


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


@settings(max_examples=40, deadline=None)
@given(BATCHES, st.sets(st.integers(1, 20)), st.integers(1, 30))
def test_it_answers_as_a_matrix_would(
    batches: list[tuple[dict[int, int], set[int]]], allowed: set[int], limit: int
) -> None:
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
                    pytest.approx(max(living[docno] @ query), abs=0.02),
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
    assert not len(reopen(tmp_path).docnos)


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
    assert rows[4] @ rows[7] == pytest.approx(vectors(4, 3)[0] @ vectors(7, 1)[0], abs=0.02)


@pytest.fixture(params=["base", "log"])
def part(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of an index that has entries in both of its files."""
    index = create(tmp_path)
    put(index, {docno: vectors(docno, 2) for docno in range(1, 40)})
    index.compact()
    for docno in (3, 77, 78):
        put(index, {docno: vectors(docno, 2)})
        index.save()
    return next(tmp_path.glob("*.vectors" if request.param == "base" else "*.log"))


@pytest.mark.parametrize("damage", ["emptied", "zeros", "noise", "gone", "cut short", "flipped"])
def test_damage_is_recognised(damage: str, part: Path) -> None:
    data = part.read_bytes()
    if damage == "gone":
        part.unlink()
    elif damage == "cut short":
        part.write_bytes(data[:10])
    elif damage == "flipped":
        part.write_bytes(data[:60] + bytes([data[60] ^ 4]) + data[61:])
    else:
        part.write_bytes(DAMAGES[damage](data))
    with pytest.raises(IndexDamagedError) as caught:
        reopen(part.parent)
    assert caught.value.name == "vector"


@pytest.mark.parametrize("damage", ["a byte short", "cut in half", "longer"])
def test_a_base_of_another_length_is_damaged(damage: str, tmp_path: Path) -> None:
    put(index := create(tmp_path), {1: vectors(1, 2)})
    index.compact()
    base = next(tmp_path.glob("*.vectors"))
    base.write_bytes(DAMAGES[damage](base.read_bytes()))
    with pytest.raises(IndexDamagedError):
        reopen(tmp_path)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["*.vectors", "*.log"]), st.integers(0, 10_000), st.integers(0, 7))
def test_a_flipped_bit_is_recognised(name: str, at: int, bit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = create(Path(folder))
        put(index, {docno: vectors(docno, 2) for docno in range(1, 20)})
        index.compact()
        for docno in (3, 30):
            put(index, {docno: vectors(docno, 2)})
            index.save()
        path = next(Path(folder).glob(name))
        raw = bytearray(path.read_bytes())
        raw[at % len(raw)] ^= 1 << bit
        path.write_bytes(raw)
        with pytest.raises(IndexDamagedError):
            reopen(Path(folder))


def test_an_index_of_another_dimension_is_not_taken_for_ours(tmp_path: Path) -> None:
    VectorIndex.create(tmp_path, fingerprint="m-1", dimension=8)
    with pytest.raises(IndexDamagedError, match="other vectors"):
        reopen(tmp_path)


def test_a_log_that_lost_more_than_half_a_record_is_known_by_its_mark(tmp_path: Path) -> None:
    index = create(tmp_path)
    put(index, {1: vectors(0, 1)})
    index.save()
    assert reaches(tmp_path, index.mark)
    assert reaches(tmp_path, "")  # nothing was ticked off yet
    (log,) = tmp_path.glob("*.log")
    os.truncate(log, log.stat().st_size - 1)
    assert not reaches(tmp_path, index.mark)
    log.unlink()
    assert reaches(tmp_path, index.mark)


def test_a_log_that_goes_once_the_folder_is_listed_is_no_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = create(tmp_path)
    put(index, {1: vectors(0, 1)})
    index.save()
    glob, gone = Path.glob, list[Path]()

    def glob_while_another_removes(folder: Path, pattern: str) -> Iterable[Path]:
        for path in list(glob(folder, pattern)):
            path.unlink()
            gone.append(path)
            yield path

    monkeypatch.setattr(Path, "glob", glob_while_another_removes)
    assert reaches(tmp_path, index.mark)
    assert len(gone) == 1


def test_each_model_has_a_file_of_its_own(tmp_path: Path) -> None:
    VectorIndex.create(tmp_path, fingerprint="org/모델 1-ab", dimension=D)
    VectorIndex.create(tmp_path, fingerprint="org/model-1-cd", dimension=D)
    assert len(list(tmp_path.glob("*.vectors"))) == len(list(tmp_path.glob("*.log"))) == 2


# --- any history ------------------------------------------------------------------------------


class AnyHistory(RuleBasedStateMachine):
    """Whatever was applied, saved, lost, torn and reopened, in any order, all see the same rows."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.writer = create(self.folder)
        self.reader = reopen(self.folder)
        self.living: dict[int, Rows] = {}  # as applied
        self.saved: dict[int, Rows] = {}
        self.seed = 0

    def teardown(self) -> None:
        self._folder.cleanup()

    @rule(changed=st.dictionaries(st.integers(1, 12), st.integers(0, 4), max_size=5))
    def put_in(self, changed: dict[int, int]) -> None:
        self.seed += 1
        fresh = {docno: vectors(100 * self.seed + docno, n) for docno, n in changed.items()}
        put(self.writer, fresh)
        self.living |= fresh

    @rule(removed=st.sets(st.integers(1, 12), max_size=5))
    def take_out(self, removed: set[int]) -> None:
        put(self.writer, {}, removed)
        self.living = {docno: rows for docno, rows in self.living.items() if docno not in removed}

    @rule()
    def save(self) -> None:
        self.writer.save()
        self.saved = dict(self.living)

    @rule()
    def compact(self) -> None:
        self.writer.compact()
        self.saved = dict(self.living)

    @rule()
    def lose_what_was_not_saved(self) -> None:
        self.writer = reopen(self.folder)
        self.living = dict(self.saved)

    @property
    def is_saved(self) -> bool:
        return self.saved.keys() == self.living.keys() and all(
            np.array_equal(rows, self.living[docno]) for docno, rows in self.saved.items()
        )

    @precondition(lambda self: self.is_saved)
    @rule()
    def let_another_process_write(self) -> None:
        self.writer, self.reader = self.reader, self.writer

    @rule(n_bytes=st.integers(1, 200))
    def die_while_saving(self, n_bytes: int) -> None:
        self.lose_what_was_not_saved()
        log = next(self.folder.glob("*.log"))
        whole = log.read_bytes()
        put(self.writer, {5: vectors(1, 2)}, [6, 7])
        self.writer.save()
        if log.exists():
            record = log.read_bytes()[len(whole) :]
            log.write_bytes(whole + record[: max(0, len(record) - n_bytes)])
            self.lose_what_was_not_saved()
        else:
            self.living |= {5: vectors(1, 2)}
            self.living = {n: rows for n, rows in self.living.items() if n not in (6, 7)}
            self.saved = dict(self.living)

    @rule()
    def leave_a_new_base_half_written(self) -> None:
        (self.folder / "m-1.new").write_bytes(b"memvec 4")

    @invariant()
    def all_see_what_a_matrix_has(self) -> None:
        query = vectors(7, 1)[0]
        self.reader.refresh()
        assert not self.reader.refresh()
        assert not self.writer.refresh()
        for index, rows in ((self.writer, self.living), (self.reader, self.saved)):
            assert nearest(index, query, 9) == [
                (docno, place, pytest.approx(score, abs=1e-12))
                for docno, place, score in expected(rows, query)[:9]
            ]


class TestAnyHistory(AnyHistory.TestCase):
    settings = settings(max_examples=15, stateful_step_count=15, deadline=None)


def test_any_history_with_a_base_at_nearly_every_save(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_files, "LOG_BYTES", 400)
    run_state_machine_as_test(
        AnyHistory, settings=settings(max_examples=15, stateful_step_count=15, deadline=None)
    )


def test_half_a_record_is_cut_off_and_what_was_saved_stays(tmp_path: Path) -> None:
    put(create(tmp_path), {})
    index = reopen(tmp_path)
    put(index, {1: vectors(1, 2)})
    index.save()
    log = next(tmp_path.glob("*.log"))
    whole = log.read_bytes()
    put(index, {2: vectors(2, 2)}, [1])
    index.save()
    record = log.read_bytes()[len(whole) :]
    for n_kept in (1, 15, 16, 40, len(record) - 1):
        log.write_bytes(whole + record[:n_kept])
        assert reopen(tmp_path).docnos.tolist() == [1]
    log.write_bytes(whole + bytes(len(record)))  # a power failure
    torn = reopen(tmp_path)
    assert torn.docnos.tolist() == [1]
    put(torn, {3: vectors(3, 1)})
    torn.save()
    assert reopen(tmp_path).docnos.tolist() == [1, 3]


def test_a_record_that_is_whole_and_wrong_is_damage_even_at_the_end(tmp_path: Path) -> None:
    put(index := create(tmp_path), {1: vectors(1, 2)})
    index.save()
    log = next(tmp_path.glob("*.log"))
    log.write_bytes(log.read_bytes()[:-1] + b"\x7f")
    with pytest.raises(IndexDamagedError):
        reopen(tmp_path)


def test_an_edit_writes_only_itself_until_the_log_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_files, "LOG_BYTES", 2_000)
    put(index := create(tmp_path), {docno: vectors(docno, 3) for docno in range(1, 300)})
    index.save()
    base = next(tmp_path.glob("*.vectors"))
    before, sizes = base.stat(), []
    while base.stat().st_mtime_ns == before.st_mtime_ns and len(sizes) < 1000:
        put(index, {5: vectors(len(sizes), 3)})
        index.save()
        sizes.append(next(tmp_path.glob("*.log")).stat().st_size)
    growths = {after - size for size, after in pairwise(sizes[:-1])}
    assert len(growths) == 1
    assert sizes[-2] <= before.st_size * vector_files.LOG_SHARE < sizes[-2] + growths.pop()
    assert base.stat().st_size == before.st_size
    assert len(list(tmp_path.iterdir())) == 2


def test_nothing_is_left_of_what_was_taken_out(tmp_path: Path) -> None:
    secret = vectors(42, 2)
    put(index := create(tmp_path), {1: vectors(1, 2), 2: secret})
    index.save()
    put(index, {}, [2])
    index.save()
    (tmp_path / "m-1.0123456789abcdef.log").write_bytes(CODEC.encode(secret).tobytes())
    (tmp_path / "m-1.new").write_bytes(CODEC.encode(secret).tobytes())
    index.compact()
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(codes.tobytes() in left for codes in CODEC.encode(secret))
    assert CODEC.encode(vectors(1, 2))[0].tobytes() in left


def test_a_full_disk_leaves_what_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(index := create(tmp_path), {1: vectors(1, 2)})
    index.save()
    put(index, {2: vectors(2, 2)})
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", _no_space)
        for write in (index.save, index.compact):
            with pytest.raises(StorageError, match="full"):
                write()
    assert reopen(tmp_path).docnos.tolist() == [1]
    index.save()
    assert reopen(tmp_path).docnos.tolist() == [1, 2]


def _no_space(_: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


# --- processes and threads --------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
import numpy as np
from memjournal.indexer.vectors import files as vector_files
from memjournal.indexer.vectors.index import VectorDocument, VectorIndex

vector_files.LOG_BYTES = int(sys.argv[2])
index = VectorIndex(Path(sys.argv[1]), fingerprint="m-1", dimension=16)
for number in range(int(sys.argv[3]), 100_000):
    row = np.random.default_rng(number).normal(size=(1, 16)).astype(np.float32)
    row /= np.linalg.norm(row)
    index.apply([VectorDocument(docno=number, vectors=row)], replaced=[number, number - 50])
    index.save()
    print(number, flush=True)
"""


@pytest.mark.parametrize("log_bytes", [1 << 20, 200])
def test_what_was_saved_survives_kill_9_and_a_reader_follows(
    log_bytes: int, tmp_path: Path
) -> None:
    create(tmp_path)
    reader = reopen(tmp_path)
    number = 1
    for n_saves in (3, 40, 1, 9):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(log_bytes), str(number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(n_saves):
                number = int(writer.stdout.readline())
                reader.refresh()
                assert number in reader.docnos or reader.docnos.max() >= number + 1
            writer.kill()
            number = max([number, *map(int, writer.stdout.read().split())])
        reader.refresh()
        for index in (reader, reopen(tmp_path)):
            last = int(index.docnos.max())
            assert last in (number, number + 1)  # saved, but not yet said
            assert index.docnos.tolist() == list(range(max(1, last - 49), last + 1))
        number = last + 1


def test_threads_search_while_one_applies_and_never_see_half_a_change(tmp_path: Path) -> None:
    index = create(tmp_path)
    rows = vectors(1, 4)
    put(index, {1: rows})
    wrong: list[object] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            index.refresh()
            found = nearest(index, rows[0], 4)
            if len({docno for docno, _, _ in found}) != 1 or len(found) != 4:
                wrong.append(found)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    for number in range(2, 150):
        put(index, {number: rows}, [number - 1])
        if number % 10 == 0:
            index.save()
        assert time.monotonic() < deadline
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    index.save()
    for opened in (index, reopen(tmp_path)):
        assert [docno for docno, _, _ in nearest(opened, rows[0], 10)] == [149] * 4


# --- blocks -----------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(1, 7)), max_size=30),
    st.sets(st.integers(0, 40)),
    st.integers(1, 60),
    st.booleans(),
)
def test_blocks_answer_as_one_would(
    changes: list[tuple[bool, int, int]], allowed: set[int], limit: int, has_ties: bool
) -> None:
    blocks = VectorRows(D, block_bytes=8 * D)
    living: dict[int, Rows] = {}
    for number, (is_put, docno, n) in enumerate(changes):
        blocks.remove(np.asarray([docno], np.int64))
        living.pop(docno, None)
        if is_put:
            living[docno] = vectors(number % 2 if has_ties else number, n)
            docnos, places = np.full(n, docno, np.int64), np.arange(n, dtype=np.uint32)
            blocks.put(docnos, places, CODEC.encode(living[docno]))
    assert len(blocks) == sum(map(len, living.values()))
    query = vectors(7, 1)[0]
    for chosen, n_looked_up in ((None, 0), (allowed, 0), (allowed, 500)):
        array = None if chosen is None else np.asarray(sorted(chosen), np.int64)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(vector_rows, "_FEW", n_looked_up)
            near = blocks.near(CODEC.encode_query(query), limit=limit, allowed=array)
        docnos, places = blocks.passages(near)
        found = set(zip(docnos.tolist(), places.tolist(), strict=True))
        whole = expected(living, query, chosen)
        assert len(found) == len(near)
        assert {(docno, place) for docno, place, _ in whole[:limit]} <= found
        if whole:
            worst = whole[min(limit, len(whole)) - 1][2]
            assert {(n, place) for n, place, score in whole if score >= worst} <= found


@pytest.mark.parametrize("dimension", [8, 64, 100, 256, 384, 1024])
def test_the_nearest_are_found_with_any_way_of_multiplying(dimension: int) -> None:
    """FAISS has one for each kind of processor, and some for certain dimensions alone."""
    rows = np.random.default_rng(1).normal(size=(3000, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    codec, blocks = RowCodec(dimension), VectorRows(dimension, block_bytes=1000 * dimension)
    codes = codec.encode(rows)
    blocks.put(np.arange(3000), np.zeros(3000, np.uint32), codes)
    for query in rows[:10]:
        encoded = codec.encode_query(query)
        products = codes.astype(np.float64) @ encoded.fine
        nearest = set(np.argsort(-products)[:40].tolist())
        near = blocks.near(encoded, limit=40, allowed=None)
        assert nearest <= set(blocks.passages(near)[0].tolist())
        assert len(near) < len(rows) / 5  # the bound says something
        np.testing.assert_array_equal(blocks.cosines(encoded, near), products[near] * encoded.scale)


def test_two_threads_find_what_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = VectorRows(D, block_bytes=64 * D)
    rows = vectors(3, 1000)
    blocks.put(np.arange(1000), np.zeros(1000, np.uint32), CODEC.encode(rows))
    queries = [CODEC.encode_query(row) for row in rows[:20]]
    alone = [set(blocks.near(one, limit=20, allowed=None).tolist()) for one in queries]
    monkeypatch.setattr(vector_rows, "PARALLEL_ROWS", 1)
    assert alone == [set(blocks.near(one, limit=20, allowed=None).tolist()) for one in queries]


@pytest.mark.parametrize("parallel_rows", [1, 10**9])
def test_a_search_that_goes_on_beside_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parallel_rows: int
) -> None:
    monkeypatch.setattr(vector_rows, "PARALLEL_ROWS", parallel_rows)
    index = create(tmp_path)
    put(index, {docno: vectors(docno, 3) for docno in range(1, 200)})
    allowed = np.arange(1, 150)
    begun = [index.begin_search(vectors(n, 1)[0], limit=9, allowed=allowed) for n in range(20)]
    for n, found in enumerate(begun):
        expected = index.search(vectors(n, 1)[0], limit=9, allowed=allowed)
        for one, other in zip(found(), expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_who_is_nearest_does_not_depend_on_how_rows_are_looked_up(tmp_path: Path) -> None:
    """So few allowed entries are looked up one by one, more are scanned for; cosines above 1 are no ties."""
    rows = np.random.default_rng(0).normal(size=(490, 2)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = VectorIndex.create(tmp_path, fingerprint="m-1", dimension=2)
    put(index, {docno: row[None] for docno, row in enumerate(rows, 1)})
    few = np.arange(1, 491)
    more = np.concatenate([few, 10**6 + np.arange(50)])  # none of these is there
    for one, other in zip(
        index.search(rows[0], limit=5, allowed=few),
        index.search(rows[0], limit=5, allowed=more),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_nothing_is_found_where_nothing_is_wanted(tmp_path: Path) -> None:
    put(index := create(tmp_path), {1: vectors(1, 2)})
    for allowed in (None, {1}, set[int]()):
        assert nearest(index, vectors(1, 1)[0], 0, allowed) == []


def test_places_are_used_again() -> None:
    blocks = VectorRows(D, block_bytes=8 * D)
    for number in range(200):
        docnos = np.full(5, number, np.int64)
        blocks.put(docnos, np.arange(5, dtype=np.uint32), CODEC.encode(vectors(number, 5)))
        blocks.remove(np.asarray([number - 1, number - 1, 10**12, -1], np.int64))
    assert len(blocks) == 5
    assert blocks.positions_of(np.asarray([199])).max() < 10


def test_a_block_reserves_little_more_than_stands_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_rows, "_STEP_BYTES", 512 * D)
    blocks = VectorRows(D, block_bytes=4096 * D)
    for number in range(4096 + 700):
        one = np.asarray([number])
        blocks.put(one, np.zeros(1, np.uint32), CODEC.encode(vectors(number % 7, 1)))
    full, last = blocks._blocks
    assert full.n_reserved == full.n_used == 4096
    assert last.n_used == 700 and last.n_reserved <= 700 + 512


def test_what_is_expected_is_reserved_at_once(tmp_path: Path) -> None:
    put(index := create(tmp_path), {n: vectors(n, 3) for n in range(1, 1001)})
    index._write_base()
    (block,) = reopen(tmp_path)._rows._blocks
    assert block.n_reserved == block.n_used == 3000
