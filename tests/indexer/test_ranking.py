"""Relevance decides the order; what an entry is only decides between equals; scores mean something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memjournal.indexer.embedding.passage_vectors import in_context
from memjournal.indexer.keywords.bm25f import KeywordEvidence, idf
from memjournal.indexer.search.confidence import judge
from memjournal.indexer.search.ordering import MAX_BONUS, Candidate, Result, order_results
from memjournal.indexer.search.ranking import Relevance, VectorEvidence, fuse
from memjournal.indexer.text.analysis import (
    document_length,
    document_terms,
    query_terms,
)
from memjournal.indexer.text.letters import Scripts, scripts
from memjournal.journal.entry import Kind

from ..bench.reference_bm25f import Collection, Posting, average_length, bm25f

Texts = Sequence[tuple[str, str]]  # titles and bodies
SCORES = st.floats(0, 1, width=32)


class SmallIndex:
    """A few documents that can be asked; *similar* gives cosines by document."""

    def __init__(self, *documents: tuple[str, str]) -> None:
        self._terms = [(document_terms(title), document_terms(body)) for title, body in documents]
        titles = np.array([document_length(title) for title, _ in self._terms], np.float64)
        bodies = np.array([document_length(body) for _, body in self._terms], np.float64)
        shares = [scripts(f"{title} {body}") for title, body in documents]
        self.collection = Collection(
            n_documents=len(documents),
            title_lengths=titles,
            body_lengths=bodies,
            average_title_length=average_length(titles),
            average_body_length=average_length(bodies),
            scripts=Scripts(*np.mean(shares, axis=0).tolist()),
        )

    def keyword(self, text: str) -> KeywordEvidence:
        return bm25f(
            [self._posting(term.term) for term in query_terms(text).terms], self.collection
        )

    def _posting(self, term: str) -> Posting:
        at = [n for n, (title, body) in enumerate(self._terms) if title[term] or body[term]]
        return Posting(
            documents=np.array(at, np.int64),
            title_tf=np.array([self._terms[n][0][term] for n in at], np.float64),
            body_tf=np.array([self._terms[n][1][term] for n in at], np.float64),
        )

    def ask(self, text: str, similar: dict[int, float] | None = None) -> Relevance:
        vector = None
        if similar is not None:
            vector = VectorEvidence(
                documents=np.array(list(similar), np.int64),
                similarity=np.array(list(similar.values()), np.float64),
            )
        return fuse(self.keyword(text), vector, query=query_terms(text), collection=self.collection)


def relevance_of(
    scores: Sequence[float], *, similarity: float = 0.5, share: float = 0.5, strength: float = 0.3
) -> Relevance:
    """A ranking with these scores, best first, of documents none of which is a copy of another."""
    n = len(scores)
    return Relevance(
        documents=np.arange(n),
        relevance=np.array(sorted(scores, reverse=True), np.float64),
        strength=np.asarray(strength - 1e-4 * np.arange(n), np.float64),
        share=np.full(n, share),
        similarity=np.full(n, similarity),
        agreement=1.0,
        used_keyword=True,
        used_vector=True,
    )


def candidate(type: str = "note", *, age_days: float = 1000.0, turn: str = "") -> Candidate:
    kind: Kind = "event" if type in ("user_prompt", "assistant_response", "tool_output") else "fact"
    return Candidate(kind=kind, type=type, age_days=age_days, turn=turn)


def shown(results: Sequence[Result]) -> list[int]:
    return [result.document for result in results]


def filler(n: int = 8) -> list[tuple[str, str]]:
    return [("", f"deploy the page number {n} and the server") for n in range(n)]


# --- keywords ---------------------------------------------------------------------------------


def test_bm25f_is_the_formula_on_a_case_worked_by_hand() -> None:
    collection = Collection(
        n_documents=4,
        title_lengths=np.array([2.0, 0.0]),
        body_lengths=np.array([10.0, 30.0]),
        average_title_length=1.0,
        average_body_length=20.0,
        scripts=Scripts(0, 0, 0, 1),
    )
    posting = Posting(
        documents=np.array([0, 1]), title_tf=np.array([1.0, 0.0]), body_tf=np.array([1.0, 2.0])
    )

    evidence = bm25f([posting], collection)

    first = 2 * 1 / (0.25 + 0.75 * 2 / 1) + 1 / (0.25 + 0.75 * 10 / 20)
    second = 2 / (0.25 + 0.75 * 30 / 20)
    assert evidence.strength == pytest.approx([first / (first + 1.2), second / (second + 1.2)])
    assert evidence.share == pytest.approx([1.0, 1.0])
    assert idf(2, 4) == pytest.approx(np.log(1 + 2.5 / 2.5))


def test_a_word_in_the_title_counts_more_than_one_in_the_body() -> None:
    index = SmallIndex(("pool size", "we chose it"), ("we chose it", "pool size"), *filler())
    assert index.ask("pool").documents[0] == 0


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    index = SmallIndex(("", "the deadlock"), *filler())
    assert index.ask("server deadlock").documents[0] == 0


def test_words_that_occur_nowhere_lower_the_share() -> None:
    index = SmallIndex(("", "connection pool"), *filler())
    assert index.keyword("pool").share[0] == pytest.approx(1.0)
    assert index.keyword("pool zebra quagga").share[0] < 0.5


def test_a_lone_common_word_proves_little() -> None:
    index = SmallIndex(("", "the deadlock"), *filler(30))
    assert index.keyword("server").certainty < 0.1
    assert index.ask("server").relevance[0] < 0.1 < index.ask("deadlock").relevance[0] < 1


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), min_size=1))
def test_evidence_lies_between_0_and_1(bodies: list[str]) -> None:
    evidence = SmallIndex(*(("", body) for body in bodies)).keyword("a b b e")
    for values in (evidence.strength, evidence.share):
        assert np.all((values > 0) & (values <= 1 + 1e-9))
    assert np.all(np.diff(evidence.documents) > 0)


# --- fusion -----------------------------------------------------------------------------------


def test_a_chance_keyword_hit_does_not_outrank_the_right_entry_in_the_other_language() -> None:
    index = SmallIndex(
        ("커넥션 풀 고갈", "주문 API 타임아웃"), ("", "the order of the pages"), *filler()
    )
    question = "why did the order endpoint time out waiting for a connection"
    assert index.ask(question, similar={0: 0.45, 1: 0.2}).documents[0] == 0


def test_an_identifier_outranks_a_vaguely_similar_entry() -> None:
    index = SmallIndex(("", "set proxy_read_timeout to 3600"), ("", "slow sockets"), *filler())
    assert index.ask("proxy_read_timeout", similar={0: 0.2, 1: 0.45}).documents[0] == 0


def test_keywords_alone_and_vectors_alone_are_enough() -> None:
    index = SmallIndex(("", "deadlock"), *filler())
    query = query_terms("deadlock")
    by_keyword = fuse(index.keyword("deadlock"), None, query=query, collection=index.collection)
    assert by_keyword.documents.tolist() == [0]
    vector = VectorEvidence(documents=np.array([3, 1]), similarity=np.array([0.1, 0.6]))
    by_vector = fuse(None, vector, query=query, collection=index.collection)
    assert by_vector.documents.tolist() == [1, 3]
    nothing = fuse(None, None, query=query, collection=index.collection)
    assert not len(nothing.documents)


@given(
    st.dictionaries(st.integers(0, 9), SCORES, max_size=10),
    st.dictionaries(st.integers(0, 9), st.floats(-1, 1), max_size=10),
    st.floats(0, 1),
)
def test_relevance_falls_and_stays_between_0_and_1(
    strengths: dict[int, float], similarities: dict[int, float], share: float
) -> None:
    documents = sorted(strengths)
    keyword = KeywordEvidence(
        documents=np.array(documents, np.int64),
        strength=np.array([strengths[n] for n in documents], np.float64),
        share=np.full(len(documents), share),
        certainty=1.0,
    )
    vector = VectorEvidence(
        documents=np.array(list(similarities), np.int64),
        similarity=np.array(list(similarities.values()), np.float64),
    )
    fused = fuse(
        keyword, vector, query=query_terms("query"), collection=SmallIndex(("", "a")).collection
    )
    assert sorted(fused.documents.tolist()) == sorted(strengths.keys() | similarities.keys())
    assert np.all(np.diff(fused.relevance) <= 0)
    assert np.all((fused.relevance >= 0) & (fused.relevance <= 1))


def test_taken_documents_keep_what_belongs_to_them_and_added_ones_have_nothing() -> None:
    ranking = relevance_of([0.9, 0.5, 0.2])
    taken = ranking.take(np.array([2, 0])).with_documents(np.array([7]))
    assert taken.documents.tolist() == [*ranking.documents[[2, 0]].tolist(), 7]
    for name in ("relevance", "strength", "share", "similarity"):
        before = getattr(ranking, name)
        assert getattr(taken, name).tolist() == [*before[[2, 0]].tolist(), 0.0]
    masked = ranking.take(np.array([True, False, True]))
    assert masked.documents.tolist() == ranking.documents[[0, 2]].tolist()


def test_passages_move_towards_their_entry_and_keep_their_length() -> None:
    rows = np.eye(3, 8, dtype=np.float32)
    moved = in_context(rows)
    assert np.linalg.norm(moved, axis=1) == pytest.approx([1, 1, 1])
    assert moved[0] @ moved[1] > rows[0] @ rows[1]
    assert in_context(rows[:1]) == pytest.approx(rows[:1])
    assert not in_context(np.zeros((2, 8), np.float32)).any()


# --- order ------------------------------------------------------------------------------------


def test_a_spec_comes_before_a_note_that_is_as_relevant() -> None:
    ordered = order_results(
        relevance_of([0.5, 0.5]), [candidate("note"), candidate("spec")], limit=2
    )
    assert shown(ordered) == [1, 0]


def test_the_newer_of_two_equals_comes_first() -> None:
    two = [candidate(age_days=90), candidate(age_days=2)]
    assert shown(order_results(relevance_of([0.5, 0.5]), two, limit=2)) == [1, 0]


@given(
    st.lists(SCORES, min_size=2, max_size=2),
    st.sampled_from(["spec", "skill", "lesson", "note", "plan"]),
    st.floats(0, 10_000),
)
def test_type_and_age_never_beat_relevance(scores: list[float], type: str, age: float) -> None:
    ranking = relevance_of(scores)
    two = [candidate("note", age_days=10_000), candidate(type, age_days=age)]
    if ranking.relevance[0] - ranking.relevance[1] > MAX_BONUS:
        assert shown(order_results(ranking, two, limit=2)) == [0, 1]


def test_an_earlier_question_stands_below_its_answer() -> None:
    same_turn = [
        candidate("user_prompt", turn="s1/3"),
        candidate("note"),
        candidate("assistant_response", turn="s1/3"),
    ]
    ordered = order_results(relevance_of([0.8, 0.6, 0.3], similarity=0.95), same_turn, limit=3)
    assert shown(ordered) == [2, 0, 1]
    assert ordered[0].score == pytest.approx(0.8, abs=MAX_BONUS)


def test_a_question_that_only_resembles_stands_below_its_answer_too() -> None:
    two = [candidate("user_prompt", turn="s1/3"), candidate("assistant_response", turn="s1/3")]
    ordered = order_results(relevance_of([0.6, 0.3], similarity=0.6), two, limit=2)
    assert shown(ordered) == [1, 0]
    assert "continuity_link" in ordered[0].reasons


def test_a_question_without_its_answer_is_pushed_down() -> None:
    two = [candidate("user_prompt", turn="s1/3"), candidate("note")]
    assert shown(order_results(relevance_of([0.6, 0.55], similarity=0.9), two, limit=2)) == [1, 0]


def test_the_output_of_a_tool_stands_below_what_was_said() -> None:
    two = [candidate("tool_output", turn="a"), candidate("assistant_response", turn="a")]
    ordered = order_results(relevance_of([0.6, 0.55]), two, limit=2)
    assert shown(ordered) == [1, 0]
    assert "tool_followup" in ordered[1].reasons


def test_what_repeats_an_earlier_result_is_pushed_down() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    ranking = relevance_of([0.6, 0.59, 0.55])
    three = [candidate() for _ in range(3)]
    assert shown(order_results(ranking, three, limit=3, vectors=vectors)) == [0, 2, 1]
    assert shown(order_results(ranking, three, limit=3)) == [0, 1, 2]


def unit_rows(draw: st.DrawFn, n: int) -> NDArray[np.float32]:
    angles = draw(st.lists(st.floats(0, 6.2), min_size=n, max_size=n))
    return np.array([[np.cos(a), np.sin(a)] for a in angles], np.float32).reshape(n, 2)


@given(st.data(), st.lists(SCORES, min_size=1, max_size=12), st.integers(1, 15))
def test_scores_fall_with_the_rank_and_nothing_is_shown_twice(
    data: st.DataObject, scores: list[float], limit: int
) -> None:
    types = st.sampled_from(
        ["spec", "note", "user_prompt", "assistant_response", "tool_output", "decision"]
    )
    turns = st.sampled_from(["", "a", "b"])
    ages = st.floats(0, 1000)
    candidates = [
        candidate(data.draw(types), age_days=data.draw(ages), turn=data.draw(turns)) for _ in scores
    ]
    vectors = data.draw(st.composite(unit_rows)(len(scores)))
    ranking = relevance_of(scores, similarity=data.draw(SCORES), share=data.draw(SCORES))

    results = order_results(ranking, candidates, limit=limit, vectors=vectors)

    assert len(results) == min(limit, len(scores))
    assert len(set(shown(results))) == len(results)
    assert all(0 <= result.score <= 1 and result.reasons for result in results)
    assert all(before.score >= after.score for before, after in pairwise(results))


@pytest.mark.parametrize(
    ("similarity", "share", "expected"),
    [
        (0.5, 0.1, ("semantic_match",)),
        (0.1, 0.5, ("keyword_match",)),
        (0.5, 0.5, ("semantic_match", "keyword_match")),
        (0.2, 0.1, ("semantic_match",)),
    ],
)
def test_each_result_says_why_it_is_there(
    similarity: float, share: float, expected: tuple[str, ...]
) -> None:
    ranking = relevance_of([0.5], similarity=similarity, share=share)
    assert order_results(ranking, [candidate()], limit=1)[0].reasons == expected


def test_a_recent_result_and_a_summary_say_so() -> None:
    summary = Candidate(kind="summary", type="session", age_days=1)
    ranking = relevance_of([0.2], similarity=0.1, share=0.0)
    (result,) = order_results(ranking, [summary], limit=1)
    assert result.reasons == ("summary_fallback", "recent_relevance")


# --- confidence -------------------------------------------------------------------------------


def test_a_clear_winner_is_high_and_a_distant_one_is_nothing() -> None:
    assert judge(relevance_of([0.7, 0.3], similarity=0.75, share=1.0)) == "high"
    assert judge(relevance_of([0.7, 0.69], similarity=0.55, share=0.9)) == "suggested"
    assert judge(relevance_of([0.14, 0.13], similarity=0.2, share=0.05)) == "none"
    assert judge(relevance_of([])) == "none"


def test_a_copy_of_the_first_result_takes_nothing_from_confidence() -> None:
    two = relevance_of([0.6, 0.6], similarity=0.55, share=0.9)
    assert judge(two) == "suggested"
    assert judge(replace(two, strength=np.full(2, 0.3))) == "high"


def test_words_of_grammar_alone_are_sure_of_nothing() -> None:
    assert judge(relevance_of([0.7, 0.3], similarity=0.75, share=1.0), is_grammar=True) == "none"


@given(SCORES, SCORES, SCORES, SCORES)
def test_a_wider_gap_never_lowers_confidence(
    first: float, second: float, similarity: float, share: float
) -> None:
    order = {"none": 0, "suggested": 1, "high": 2}
    narrow = judge(relevance_of([first, min(first, second)], similarity=similarity, share=share))
    wide = judge(relevance_of([first, 0.0], similarity=similarity, share=share))
    assert order[wide] >= order[narrow]
