"""The keyword index holds what a dictionary would, whatever was put in and taken out before."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.indexer import ranking
from memjournal.indexer.analysis import Scripts, document_length
from memjournal.indexer.errors import IndexDamagedError
from memjournal.indexer.keyword import KeywordIndex, TermDocument
from memjournal.journal.errors import LockedError

from .world import DAMAGES

TERMS = ("pool", "timeout", "토큰", "maxpoolsiz", "풀", "src/auth.py", "😀", "漢")
COUNTS = st.dictionaries(st.sampled_from(TERMS), st.integers(1, 70_000), max_size=5)
BATCHES = st.lists(
    st.tuples(
        st.dictionaries(st.integers(1, 30), st.tuples(COUNTS, COUNTS), max_size=8),
        st.sets(st.integers(1, 30), max_size=8),
    ),
    min_size=1,
    max_size=10,
)

Texts = tuple[Mapping[str, int], Mapping[str, int]]  # title and body


def document(docno: int, texts: Texts) -> TermDocument:
    return TermDocument(docno=docno, title=texts[0], body=texts[1], scripts=(0.5, 0, 0, 0.5))


def apply(index: KeywordIndex, changed: Mapping[int, Texts], removed: Collection[int] = ()) -> None:
    documents = [document(docno, texts) for docno, texts in changed.items()]
    index.apply(documents, replaced={*changed, *removed})


def contents(index: KeywordIndex) -> dict[str, dict[int, tuple[float, float]]]:
    """Each term with the entries it is in, and how often in title and body."""
    found = {}
    with index.snapshot() as snapshot:
        for term in TERMS:
            postings = snapshot.postings(term)
            docnos = snapshot.docnos[postings.docs].tolist()
            counts = zip(postings.title_tf.tolist(), postings.body_tf.tolist(), strict=True)
            found[term] = dict(zip(docnos, counts, strict=True))
            assert len(found[term]) == len(docnos)
    return found


def expected(living: Mapping[int, Texts]) -> dict[str, dict[int, tuple[float, float]]]:
    return {
        term: {
            docno: (float(title.get(term, 0)), float(body.get(term, 0)))
            for docno, (title, body) in living.items()
            if term in title or term in body
        }
        for term in TERMS
    }


@settings(max_examples=20)
@given(batches=BATCHES)
def test_it_holds_what_a_dictionary_would(
    batches: list[tuple[dict[int, Texts], set[int]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    index = KeywordIndex.create(tmp_path_factory.mktemp("whoosh"))
    living: dict[int, Texts] = {}
    for changed, removed in batches:
        apply(index, changed, removed)
        living = {docno: texts for docno, texts in living.items() if docno not in removed}
        living |= changed

    assert contents(index) == expected(living)
    with index.snapshot() as snapshot:
        alive = snapshot.alive
        assert sorted(snapshot.docnos[alive].tolist()) == sorted(living)
        assert snapshot.n_documents == len(living)
        lengths = zip(
            snapshot.docnos[alive].tolist(),
            snapshot.title_length[alive].tolist(),
            snapshot.body_length[alive].tolist(),
            strict=True,
        )
        assert {docno: (title, body) for docno, title, body in lengths} == {
            docno: (document_length(title), document_length(body))
            for docno, (title, body) in living.items()
        }


@pytest.fixture
def index(tmp_path: Path) -> KeywordIndex:
    """Several segments, some entries replaced, one term in all of them."""
    index = KeywordIndex.create(tmp_path / "whoosh")
    for start in range(1, 400, 100):
        apply(
            index,
            {n: ({"풀": 1}, {"pool": n % 7 + 1, "토큰": 1}) for n in range(start, start + 100)},
        )
    apply(index, {n: ({}, {"pool": 1, "timeout": n}) for n in range(50, 60)}, {300})
    return index


def folder_of(index: KeywordIndex) -> Path:
    return index._folder


def segments(folder: Path) -> set[str]:
    return {path.name.rpartition(".")[0] for path in folder.glob("*.trm")}


def test_many_commits_leave_few_segments(tmp_path: Path) -> None:
    index = KeywordIndex.create(tmp_path / "whoosh")
    apply(index, {n: ({}, {"pool": 1}) for n in range(100, 200)})
    for n in range(1, 40):
        apply(index, {n: ({}, {"pool": n})})
    assert len(segments(tmp_path / "whoosh")) <= 10
    assert len(contents(index)["pool"]) == 139


def test_a_segment_of_which_most_was_taken_out_is_merged(tmp_path: Path) -> None:
    index = KeywordIndex.create(tmp_path / "whoosh")
    for _ in range(30):  # always the same entries
        apply(index, {n: ({}, {"pool": 1}) for n in range(1, 100)})
    with index.snapshot() as snapshot:
        assert len(snapshot.docnos) < 20 * 99
        assert snapshot.n_documents == 99


def test_compacting_leaves_nothing_of_what_was_taken_out(index: KeywordIndex) -> None:
    apply(index, {}, set(range(50, 60)))
    index.compact()
    with index.snapshot() as snapshot:
        assert snapshot.alive.all()
    assert contents(index)["timeout"] == {}


def test_a_snapshot_does_not_change_with_later_commits(index: KeywordIndex) -> None:
    with index.snapshot() as snapshot:
        for n in range(1000, 1020):
            apply(index, {n: ({}, {"pool": 1})}, {n - 900})
        assert len(snapshot.postings("pool").docs) == 399
    assert len(contents(index)["pool"]) == 399  # as many came as went


# Whoosh's own reading, for what is read here through names of its own


def test_postings_are_those_that_whoosh_reads(index: KeywordIndex) -> None:
    with index._index.searcher() as searcher, index.snapshot() as snapshot:
        for field in ("title", "body"):
            for text in searcher.reader().field_terms(field):
                matcher = searcher.reader().postings(field, text)
                read = {}
                while matcher.is_active():
                    read[matcher.id()] = matcher.weight()
                    matcher.next()
                ours = snapshot.postings(text.decode() if isinstance(text, bytes) else text)
                counts = ours.title_tf if field == "title" else ours.body_tf
                mine = zip(ours.docs.tolist(), counts.tolist(), strict=True)
                assert {doc: count for doc, count in mine if count} == read


@pytest.mark.parametrize("term", ["pool", "timeout", "토큰"])
def test_whoosh_ranks_the_same_up_to_ties(index: KeywordIndex, term: str) -> None:
    from whoosh.query import Term

    with index.snapshot() as snapshot:
        postings = snapshot.postings(term)
        lengths = snapshot.body_length[snapshot.alive]
        evidence = ranking.bm25f(
            [
                ranking.Posting(
                    documents=postings.docs,
                    title_tf=postings.title_tf,
                    body_tf=postings.body_tf,
                )
            ],
            ranking.Collection(
                n_documents=snapshot.n_documents,
                title_lengths=snapshot.title_length,
                body_lengths=snapshot.body_length,
                average_title_length=1.0,
                average_body_length=float(lengths.mean()),
                scripts=Scripts(0, 0, 0, 1),
            ),
        )
        strength = dict(zip(evidence.documents.tolist(), evidence.strength.tolist(), strict=True))
    with index._index.searcher() as searcher:
        ranked = [hit.docnum for hit in searcher.search(Term("body", term), limit=None)]
    assert sorted(ranked) == sorted(strength)
    in_their_order = [strength[doc] for doc in ranked]
    slack = 0.02  # Whoosh rounds lengths to a byte
    assert all(a >= b - slack for a, b in pairwise(in_their_order))


# Damage; Whoosh leaves files open that it could not read

LEAVES_FILES_OPEN = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and "LOCK" not in path.name)


@LEAVES_FILES_OPEN
@pytest.mark.parametrize("damage", [*DAMAGES, "gone"])
def test_damage_is_recognised_or_does_no_harm(
    index: KeywordIndex, damage: str, tmp_path: Path
) -> None:
    whole = contents(index)
    n_recognised = 0
    for path in files_of(folder_of(index)):
        copy = tmp_path / "copy"
        shutil.copytree(folder_of(index), copy)
        target = copy / path.name
        if damage == "gone":
            target.unlink()
        else:
            target.write_bytes(DAMAGES[damage](path.read_bytes()))
        try:
            assert contents(KeywordIndex(copy)) == whole, (path.name, damage)
            apply(KeywordIndex(copy), {1000: ({}, {"timeout": 1})}, {1000})
            KeywordIndex(copy).compact()
        except IndexDamagedError as error:
            assert error.name == "keyword"
            n_recognised += 1
        shutil.rmtree(copy)
    assert n_recognised >= 3 or damage == "longer"


@LEAVES_FILES_OPEN
@settings(max_examples=30)
@given(data=st.data())
def test_a_flipped_byte_in_a_number_or_a_posting_is_recognised_or_does_no_harm(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("whoosh")
    index = KeywordIndex.create(folder)
    apply(index, {n: ({"풀": 1}, {"pool": n % 7 + 1, "토큰": 1}) for n in range(1, 40)})
    whole = contents(index)
    path = data.draw(
        st.sampled_from(sorted(one for one in folder.glob("*.[cp]*") if one.stat().st_size))
    )
    raw = bytearray(path.read_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(raw)
    try:
        assert contents(KeywordIndex(folder)) == whole
    except IndexDamagedError:
        pass


def test_opening_an_index_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(IndexDamagedError, match="missing"):
        KeywordIndex(tmp_path / "whoosh")
    assert list(tmp_path.iterdir()) == []


def test_an_error_in_making_documents_is_not_blamed_on_the_index(index: KeywordIndex) -> None:
    def broken() -> Iterator[TermDocument]:
        yield document(1000, ({}, {"pool": 1}))
        raise ZeroDivisionError

    before = contents(index)
    with pytest.raises(ZeroDivisionError):
        index.apply(broken(), replaced={1000, 1})
    assert contents(index) == before
    apply(index, {1000: ({}, {"pool": 1})})  # and the lock was given back


def test_a_second_writer_is_told_so(index: KeywordIndex) -> None:
    def meanwhile() -> Iterator[TermDocument]:
        with pytest.raises(LockedError):
            apply(KeywordIndex(folder_of(index)), {1: ({}, {"pool": 1})})
        yield document(1000, ({}, {"pool": 1}))

    index.apply(meanwhile(), replaced=())
    assert 1000 in contents(index)["pool"]


@pytest.mark.parametrize("n", [1, 127, 128, 129, 1000])
def test_postings_of_any_number_of_blocks_come_back(n: int, tmp_path: Path) -> None:
    index = KeywordIndex.create(tmp_path / "whoosh")
    apply(index, {docno: ({}, {"pool": docno}) for docno in range(1, n + 1)})
    assert contents(index)["pool"] == {docno: (0.0, docno) for docno in range(1, n + 1)}


def test_shares_of_scripts_are_those_of_living_entries(tmp_path: Path) -> None:
    index = KeywordIndex.create(tmp_path / "whoosh")
    korean = TermDocument(docno=1, title={}, body=Counter({"풀": 1}), scripts=(1, 0, 0, 0))
    english = TermDocument(docno=2, title={}, body=Counter({"pool": 1}), scripts=(0, 0, 0, 1))
    index.apply([korean, english], replaced=())
    with index.snapshot() as snapshot:
        np.testing.assert_allclose(snapshot.scripts, (0.5, 0, 0, 0.5))
    index.apply([], replaced=[1])
    with index.snapshot() as snapshot:
        np.testing.assert_allclose(snapshot.scripts, (0, 0, 0, 1))
