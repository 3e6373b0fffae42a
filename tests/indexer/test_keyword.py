"""The keyword index holds what a dictionary would, whatever was put in and taken out before."""

from __future__ import annotations

import pickle
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.indexer.errors import IndexDamagedError
from memjournal.indexer.keywords.bm25f import KeywordEvidence, steady
from memjournal.indexer.keywords.index import KeywordIndex
from memjournal.indexer.keywords.snapshot import Remembered, Snapshot
from memjournal.indexer.keywords.term_batch import TermDocument, make_batch
from memjournal.indexer.search.evidence import DECIMALS, _leading
from memjournal.indexer.search.ranking import VectorEvidence, fuse
from memjournal.indexer.text.analysis import QueryTerm, document_length, query_terms
from memjournal.indexer.text.letters import Scripts
from memjournal.journal.errors import LockedError

from ..bench.reference_bm25f import Collection as WholeCollection
from ..bench.reference_bm25f import Posting, average_length, bm25f
from .whoosh_reader import read_by_whoosh
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
    with index.snapshot() as snapshot:
        return {term: postings_of(snapshot, term) for term in TERMS}


def postings_of(snapshot: Snapshot, term: str) -> dict[int, tuple[float, float]]:
    """Each living entry that *term* is in, and how often in title and body."""
    found: dict[int, tuple[float, float]] = {}
    for one in snapshot.by_segment().values():
        if (block := one.segment.block(term)) is None:
            continue
        docnos = one.segment.rows.docnos[block.documents].tolist()
        counts = zip(block.title_tf.tolist(), block.body_tf.tolist(), strict=True)
        for place, docno, tfs in zip(block.documents.tolist(), docnos, counts, strict=True):
            if place not in one.deleted:
                assert docno not in found
                found[docno] = tfs
    return found


def lengths_of(snapshot: Snapshot) -> dict[int, tuple[int, int]]:
    """The lengths of title and body of each living entry."""
    found: dict[int, tuple[int, int]] = {}
    for one in snapshot.by_segment().values():
        rows = one.segment.rows.take(np.setdiff1d(np.arange(len(one.segment)), one.deleted))
        lengths = zip(rows.title_lengths.tolist(), rows.body_lengths.tolist(), strict=True)
        found |= zip(rows.docnos.tolist(), lengths, strict=True)
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


@settings(max_examples=30)
@given(batches=BATCHES, data=st.data())
def test_it_holds_what_a_dictionary_would(
    batches: list[tuple[dict[int, Texts], set[int]]],
    data: st.DataObject,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    index = KeywordIndex.create(tmp_path_factory.mktemp("whoosh"))
    living: dict[int, Texts] = {}
    warm = index.snapshot()
    for changed, removed in batches:
        documents = [document(docno, texts) for docno, texts in changed.items()]
        known = data.draw(st.sampled_from([warm, None]))
        at = data.draw(st.integers(0, len(documents)))
        index.apply(
            [*documents[:at], make_batch(documents[at:])],
            replaced={*changed, *removed},
            known=known,
        )
        if data.draw(st.booleans()):
            index.compact()
        if data.draw(st.booleans()):
            warm = index.snapshot(warm)
        living = {docno: texts for docno, texts in living.items() if docno not in removed}
        living |= changed

    assert contents(index) == expected(living)
    for snapshot in (index.snapshot(), index.snapshot(warm)):
        alive = snapshot.alive
        assert sorted(snapshot.docnos[alive].tolist()) == sorted(living)
        assert snapshot.n_documents == len(living)
        assert lengths_of(snapshot) == {
            docno: (document_length(title), document_length(body))
            for docno, (title, body) in living.items()
        }


# The whole of a question, against the formula as it is written down

QUESTIONS = st.lists(st.sampled_from(TERMS), min_size=1, max_size=4, unique=True)


def asked(terms: list[str]) -> list[QueryTerm]:
    """*terms* as those of a question; two by two they are of one word."""
    return [QueryTerm(term, "word", 1 / (at + 1), at // 2) for at, term in enumerate(terms)]


def scores_of(snapshot: Snapshot, terms: list[str]) -> dict[int, tuple[float, float]]:
    """Strength and share of every entry that matches."""
    scores = snapshot.scores(asked(terms))
    evidence = scores.leading(1000, exponent=0.5, slack=0.0)
    assert scores.n_matched == len(evidence.documents)
    docnos = snapshot.docnos_at(evidence.documents).tolist()
    values = zip(evidence.strength.tolist(), evidence.share.tolist(), strict=True)
    return dict(zip(docnos, values, strict=True))


def evidence_by_formula(living: Mapping[int, Texts], terms: list[str]) -> KeywordEvidence:
    """The same by the reference; its documents are places in *living*."""
    texts = list(living.values())
    titles, bodies = (
        np.array([document_length(one[field]) for one in texts], np.float64) for field in (0, 1)
    )
    collection = WholeCollection(
        n_documents=len(texts),
        title_lengths=titles,
        body_lengths=bodies,
        average_title_length=steady(average_length(titles)),
        average_body_length=steady(average_length(bodies)),
        scripts=Scripts(0.5, 0, 0, 0.5),
    )
    postings = []
    for term in asked(terms):
        at = [n for n, one in enumerate(texts) if any(term.term in field for field in one)]
        posting = Posting(
            documents=np.array(at, np.int64),
            title_tf=np.array([texts[n][0].get(term.term, 0) for n in at], np.float64),
            body_tf=np.array([texts[n][1].get(term.term, 0) for n in at], np.float64),
            weight=term.weight,
            word=term.word,
        )
        postings.append(posting)
    return bm25f(postings, collection)


@settings(max_examples=30)
@given(batches=BATCHES, terms=QUESTIONS)
def test_scores_do_not_depend_on_the_history(
    batches: list[tuple[dict[int, Texts], set[int]]],
    terms: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    index = KeywordIndex.create(tmp_path_factory.mktemp("whoosh"))
    living: dict[int, Texts] = {}
    warm = index.snapshot()
    for changed, removed in batches:
        apply(index, changed, removed)
        living = {docno: texts for docno, texts in living.items() if docno not in removed}
        living |= changed
        warm = index.snapshot(warm)
        scores_of(warm, terms)  # fills what is remembered
    anew = KeywordIndex.create(tmp_path_factory.mktemp("anew"))
    apply(anew, living)

    with anew.snapshot() as rebuilt, index.snapshot() as cold:
        by_rebuild = scores_of(rebuilt, terms)
        assert scores_of(warm, terms) == by_rebuild  # to the last digit
        assert scores_of(cold, terms) == by_rebuild
        certainty = rebuilt.scores(asked(terms)).certainty
    by_formula = evidence_by_formula(living, terms)
    assert certainty == pytest.approx(by_formula.certainty)
    assert sorted(by_rebuild) == sorted(list(living)[n] for n in by_formula.documents)
    for at, strength, share in zip(
        by_formula.documents, by_formula.strength, by_formula.share, strict=True
    ):
        assert by_rebuild[list(living)[at]] == pytest.approx((strength, share), abs=1e-6)


@settings(max_examples=50)
@given(
    texts=st.lists(COUNTS, min_size=1, max_size=40),
    terms=QUESTIONS,
    limit=st.integers(1, 12),
    exponent=st.sampled_from([0.0, 0.5, 1.0]),
    slack=st.sampled_from([0.0, 1e-6, 0.1, 10.0]),
)
def test_nobody_who_can_be_among_the_best_is_left_out(
    texts: list[dict[str, int]],
    terms: list[str],
    limit: int,
    exponent: float,
    slack: float,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    index = KeywordIndex.create(tmp_path_factory.mktemp("whoosh"))
    apply(index, {docno: ({}, body) for docno, body in enumerate(texts, 1)})
    with index.snapshot() as snapshot:
        scores = snapshot.scores(asked(terms))
        all_of_them = scores.evidence(np.flatnonzero(scores.raw))
        worth = all_of_them.strength * all_of_them.share**exponent
        best = np.sort(worth)[::-1]
        bound = best[limit - 1] - slack if len(best) > limit else 0.0
        leading = scores.leading(limit, exponent=exponent, slack=slack)
        assert set(all_of_them.documents[worth >= bound].tolist()) <= set(
            leading.documents.tolist()
        )
        strongest = set(scores.strongest(limit).tolist())
        raw = np.sort(scores.raw[scores.raw > 0])[::-1]
        least = raw[limit - 1] if len(raw) > limit else 0.0
        assert strongest == set(np.flatnonzero((scores.raw > 0) & (scores.raw >= least)).tolist())


@settings(max_examples=50)
@given(
    texts=st.lists(COUNTS, min_size=1, max_size=30),
    similar=st.dictionaries(st.integers(0, 29), st.floats(-1, 1), max_size=30),
    limit=st.integers(1, 8),
)
def test_what_is_left_out_would_not_have_come_into_the_answer(
    texts: list[dict[str, int]],
    similar: dict[int, float],
    limit: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    index = KeywordIndex.create(tmp_path_factory.mktemp("whoosh"))
    apply(index, {docno: ({}, body) for docno, body in enumerate(texts, 1)})
    query = query_terms("pool timeout 토큰 漢")
    known = [n for n in sorted(similar) if n < len(texts)]
    vector = VectorEvidence(
        documents=np.array(known, np.int64), similarity=np.array([similar[n] for n in known])
    )
    with index.snapshot() as snapshot:
        scores = snapshot.scores(query.terms)
        everything = scores.evidence(np.flatnonzero(scores.raw))
        for found in (vector, None) if known else (None,):
            cut = _leading(scores, found, query=query, snapshot=snapshot, limit=limit)
            answers = []
            for keyword in (everything, cut):
                ranked = fuse(keyword, found, query=query, collection=snapshot.statistics)
                rounded = np.round(ranked.relevance, DECIMALS)
                least = rounded[limit - 1] if len(rounded) >= limit else -1.0
                shown = zip(ranked.documents.tolist(), rounded.tolist(), strict=True)
                answers.append({(doc, value) for doc, value in shown if value >= least})
            assert answers[0] == answers[1]


def test_the_best_of_many_are_found_block_by_block(tmp_path: Path) -> None:
    index = KeywordIndex.create(tmp_path / "whoosh")
    apply(index, {n: ({}, {"pool": n * 7919 % 2003 + 1}) for n in range(1, 2000)})
    with index.snapshot() as snapshot:
        scores = snapshot.scores(asked(["pool"]))
        for limit in (1, 3, 7, 8, 500):
            least = np.sort(scores.raw)[::-1][limit - 1]
            best = np.flatnonzero(scores.raw >= least)
            assert scores.strongest(limit).tolist() == best.tolist()
        assert len(scores.strongest(5000)) == 1999


def test_terms_are_counted_and_found_by_their_beginning(index: KeywordIndex) -> None:
    with index.snapshot() as snapshot:
        assert {
            term: snapshot.n_containing(term) for term in ("pool", "timeout", "풀", "없음")
        } == {term: len(postings_of(snapshot, term)) for term in ("pool", "timeout", "풀", "없음")}
        every = range(1, 100)
        assert set(snapshot.beginning_with("po", every)) == {"pool"}
        assert set(snapshot.beginning_with("", every)) == {"pool", "timeout", "풀", "토큰"}
        assert set(snapshot.beginning_with("", range(3, 5))) == {"pool", "풀"}
        assert list(snapshot.beginning_with("zebra", every)) == []


def test_only_what_passes_a_filter_is_counted(index: KeywordIndex) -> None:
    with index.snapshot() as snapshot:
        scores = snapshot.scores(asked(["pool"]))
        positions, present = snapshot.positions_of(np.array([1, 55, 300, 9999]))
        assert present.tolist() == [True, True, False, False]
        assert snapshot.docnos_at(positions).tolist() == [1, 55]
        some = scores.only_at(positions)
        assert some.n_matched == 2
        assert some.strongest(10).tolist() == np.sort(positions).tolist()
        assert (
            some.leading(10, exponent=0.5, slack=0).documents.tolist()
            == np.sort(positions).tolist()
        )
        assert scores.n_matched > 2, "of the same question, all others still count"


@pytest.mark.parametrize("n_asked", [1, 399])
def test_however_many_are_asked_for_they_stand_where_they_stand(
    index: KeywordIndex, n_asked: int
) -> None:
    with index.snapshot() as snapshot:
        docnos = np.append(np.arange(1, n_asked + 1), [300, 4_000_000])
        positions, present = snapshot.positions_of(docnos)
        living = snapshot.docnos[snapshot.alive].tolist()
        assert docnos[present].tolist() == [one for one in docnos.tolist() if one in living]
        assert 300 not in docnos[present]
        assert snapshot.docnos_at(positions).tolist() == docnos[present].tolist()
        assert snapshot.alive[positions].all()


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


def test_edits_leave_a_large_segment_as_it_is(tmp_path: Path) -> None:
    index = KeywordIndex.create(tmp_path / "whoosh")
    apply(index, {n: ({}, {"pool": 1}) for n in range(1, 2000)})
    (large,) = segments(tmp_path / "whoosh")
    for n in range(1, 60):
        apply(index, {n: ({}, {"pool": n})})
        assert large in segments(tmp_path / "whoosh")
    assert len(segments(tmp_path / "whoosh")) <= 10


def test_a_snapshot_does_not_change_with_later_commits(index: KeywordIndex) -> None:
    with index.snapshot() as snapshot:
        for n in range(1000, 1020):
            apply(index, {n: ({}, {"pool": 1})}, {n - 900})
        assert len(postings_of(snapshot, "pool")) == 399
    assert len(contents(index)["pool"]) == 399  # as many came as went


def test_a_later_snapshot_takes_over_what_has_not_changed(index: KeywordIndex) -> None:
    before = index.snapshot()
    scores_of(before, ["pool", "풀"])
    apply(index, {2000: ({}, {"timeout": 1})}, {1})
    after = index.snapshot(before)
    old, new = before.by_segment(), after.by_segment()
    assert len(old.keys() & new.keys()) >= 3
    assert all(new[name].segment is old[name].segment for name in old.keys() & new.keys())
    assert any(new[name] is old[name] for name in old.keys() & new.keys())
    before.close()
    assert scores_of(after, ["pool", "풀"]) == scores_of(index.snapshot(), ["pool", "풀"])


def test_what_is_remembered_takes_no_more_room_than_it_may() -> None:
    remembered = Remembered(max_bytes=1000)
    n_made = 0

    def ask(key: str, size: int) -> str:
        def make() -> tuple[str, int]:
            nonlocal n_made
            n_made += 1
            return f"value of {key}", size

        assert remembered.get(key, make) == f"value of {key}"
        return key

    for key in "abcde":
        ask(key, 200)
    ask("a", 200)
    assert n_made == 5
    ask("f", 200)  # b was not asked for longest
    ask("a", 200)
    assert n_made == 6
    ask("b", 200)
    assert n_made == 7
    ask("huge", 5000)  # alone, and still of use
    ask("huge", 5000)
    assert n_made == 8


def test_threads_read_beside_a_writer(index: KeywordIndex) -> None:
    snapshot = index.snapshot()
    alone = scores_of(index.snapshot(), ["pool", "timeout"])

    def read(_: int) -> bool:
        return scores_of(snapshot, ["pool", "timeout"]) == alone

    def write(n: int) -> None:
        apply(index, {n: ({}, {"pool": n})}, {n - 900})

    with ThreadPoolExecutor(4) as threads:
        same = threads.map(read, range(200))
        for n in range(1000, 1020):
            write(n)
        assert all(same)
    assert scores_of(index.snapshot(snapshot), ["pool"]) == scores_of(index.snapshot(), ["pool"])


def test_a_batch_survives_the_way_to_another_process(index: KeywordIndex) -> None:
    documents = [document(n, ({"풀": 1}, {"pool": n})) for n in range(1000, 1010)]
    batch = pickle.loads(pickle.dumps(make_batch(documents)))
    index.apply([batch], replaced=range(1000, 1010))
    assert {n: contents(index)["pool"][n] for n in range(1000, 1010)} == {
        n: (0.0, n) for n in range(1000, 1010)
    }


# Whoosh reads it, too


def test_postings_are_those_that_whoosh_reads(index: KeywordIndex) -> None:
    with read_by_whoosh(index) as reader, index.snapshot() as snapshot:
        assert sorted(reader.field_terms("text")) == sorted(["pool", "timeout", "토큰", "풀"])
        for text in ("pool", "timeout", "토큰", "풀"):
            matcher = reader.postings("text", text)
            read = {}
            while matcher.is_active():
                read[int(snapshot.docnos[matcher.id()])] = matcher.weight()
                matcher.next()
            assert {n: sum(tfs) for n, tfs in postings_of(snapshot, text).items()} == read
            assert reader.doc_frequency("text", text) >= len(read)


def test_whoosh_finds_what_is_there(index: KeywordIndex) -> None:
    from whoosh.query import And, Prefix, Term
    from whoosh.searching import Searcher

    with Searcher(read_by_whoosh(index)) as searcher:
        both = searcher.search(And([Term("text", "timeout"), Term("text", "pool")]), limit=None)
        assert len(both) == 10
        assert len(searcher.search(Prefix("text", "time"), limit=None)) == 10
        column = searcher.reader().column_reader("docnos")
        assert sorted(column[hit.docnum] for hit in both) == list(range(50, 60))


# Damage


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and "LOCK" not in path.name)


LEAVES_FILES_OPEN = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
"""Whoosh does, of a table of contents that it cannot read."""


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
    assert n_recognised >= len(files_of(folder_of(index))) // 2


@LEAVES_FILES_OPEN
@settings(max_examples=150)
@given(data=st.data())
def test_a_flipped_bit_is_recognised_or_does_no_harm(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("whoosh")
    index = KeywordIndex.create(folder)
    apply(index, {n: ({"풀": 1}, {"pool": n % 7 + 1, "토큰": 1}) for n in range(1, 40)})
    apply(index, {n: ({}, {"pool": 300, "timeout": 70_000}) for n in range(5, 9)}, {20})
    whole = contents(index)
    ending = data.draw(st.sampled_from([".toc", ".trm", ".pst", ".col"]))
    path = data.draw(st.sampled_from(sorted(folder.glob(f"*{ending}"))))
    raw = bytearray(path.read_bytes())
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(raw)
    try:
        assert contents(KeywordIndex(folder)) == whole
        KeywordIndex(folder).compact()
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


def scripts_of(snapshot: Snapshot) -> tuple[float, ...]:
    found = snapshot.statistics.scripts
    return (found.hangul, found.han, found.kana, found.latin)


def test_shares_of_scripts_are_those_of_living_entries(tmp_path: Path) -> None:
    index = KeywordIndex.create(tmp_path / "whoosh")
    korean = TermDocument(docno=1, title={}, body=Counter({"풀": 1}), scripts=(1, 0, 0, 0))
    english = TermDocument(docno=2, title={}, body=Counter({"pool": 1}), scripts=(0, 0, 0, 1))
    index.apply([korean, english], replaced=())
    with index.snapshot() as snapshot:
        np.testing.assert_allclose(scripts_of(snapshot), (0.5, 0, 0, 0.5))
    index.apply([], replaced=[1])
    with index.snapshot() as snapshot:
        np.testing.assert_allclose(scripts_of(snapshot), (0, 0, 0, 1))
