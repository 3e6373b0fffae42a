"""The answers of several journals become one: nothing lost, nothing twice, and no surer than it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.catalog.row import Row
from memjournal.indexer.search.answer import Answer, AskedPeriod, Features, Hit, Snippet
from memjournal.indexer.search.joining import WORDS_ALONE, join_answers
from memjournal.indexer.search.ranking import KEYWORD_WEIGHT

NOW = datetime(2026, 11, 30, tzinfo=UTC)
SURE = Features(similarity=0.6, share=1.0, relevance=0.8, gap=0.9, standout=0.3, agreement=1.0)


def row(name: str, docno: int = 1) -> Row:
    texts = ("path", "kind", "type", "project", "session", "agent", "tool", "privacy", "outcome")
    return Row(
        docno=docno,
        id=name,
        title=f"on {name}",
        offset=0,
        length=1,
        digest=b"",
        turn=None,
        created=NOW,
        created_us=0,
        branch="",
        n_chars=1,
        tags=(),
        files=(),
        symbols=(),
        body_start=None,
        body_length=0,
        **dict.fromkeys(texts, ""),
    )


def answer(*hits: tuple[str, float], **more: object) -> Answer:
    found = tuple(
        Hit(row=row(name), score=score, reasons=(), snippet=Snippet(""), share=1.0, similarity=0.5)
        for name, score in hits
    )
    fields: dict[str, object] = {
        "hits": found,
        "total": len(found),
        "confidence": "suggested" if hits else "none",
        "used_keyword": True,
        "used_vector": True,
        "fallback_applied": False,
        "features": replace(SURE, relevance=hits[0][1]) if hits else None,
    }
    return Answer(**{**fields, **more})  # type: ignore[arg-type]  # test helper


def names(found: Answer) -> list[str]:
    return [hit.row.id for hit in found.hits]


_scores = st.lists(st.integers(0, 100).map(lambda n: n / 100), max_size=6)
_answers = st.lists(_scores, min_size=1, max_size=4).map(
    lambda lists: [
        answer(*((f"{at}x{n}", score) for n, score in enumerate(sorted(scores, reverse=True))))
        for at, scores in enumerate(lists)
    ]
)


def test_one_answer_stays_as_it_is() -> None:
    only = answer(("a", 0.5), ("b", 0.4))
    joined = join_answers([only], limit=1)  # the journal itself has kept to the limit
    assert (joined.answer, joined.origins) == (only, (0, 0))


@given(_answers, st.integers(1, 30))
def test_the_best_of_all_are_there_best_first_each_once(answers: list[Answer], limit: int) -> None:
    joined = join_answers(answers, limit=limit)
    everything = [hit for one in answers for hit in one.hits]
    if len(answers) > 1:
        assert len(joined.answer.hits) == min(limit, len(everything))
    scores = [hit.score for hit in joined.answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert scores == sorted((hit.score for hit in everything), reverse=True)[: len(scores)]
    for hit, origin in zip(joined.answer.hits, joined.origins, strict=True):
        assert hit in answers[origin].hits
    assert joined.answer.total == sum(one.total for one in answers)


@given(_answers)
def test_the_order_within_a_journal_is_kept(answers: list[Answer]) -> None:
    joined = join_answers(answers, limit=100)
    for at, one in enumerate(answers):
        pairs = zip(joined.answer.hits, joined.origins, strict=True)
        assert [hit for hit, origin in pairs if origin == at] == list(one.hits)


def test_of_equals_the_rank_decides_and_then_the_journal_in_use() -> None:
    joined = join_answers([answer(("a", 0.5), ("b", 0.5)), answer(("c", 0.5), ("d", 0.5))], limit=3)
    assert names(joined.answer) == ["a", "c", "b"]


def test_an_entry_of_both_is_shown_once_as_ones_own_at_its_best_place() -> None:
    own = answer(("z", 0.6), ("a", 0.3), total=9)
    team = answer(("a", 0.5), ("c", 0.4), total=4)
    joined = join_answers([own, team], limit=10)
    assert names(joined.answer) == ["z", "a", "c"]
    assert joined.origins == (0, 0, 1)
    assert joined.answer.total == 12


def test_another_entry_by_the_same_id_is_shown_beside_it() -> None:
    own, team = answer(("a", 0.6)), answer(("a", 0.5))
    (hit,) = team.hits
    team = replace(team, hits=(replace(hit, row=replace(hit.row, title="another")),))
    assert names(join_answers([own, team], limit=10).answer) == ["a", "a"]


def test_the_same_words_under_another_id_are_shown_once() -> None:
    own, team = answer(("a", 0.5)), answer(("b", 0.6), ("c", 0.4))
    same = Snippet("the pool runs dry")
    (mine,), (theirs, other) = own.hits, team.hits
    own = replace(own, hits=(replace(mine, snippet=same),))
    row_ = replace(theirs.row, title=mine.row.title)
    team = replace(team, hits=(replace(theirs, row=row_, snippet=same), other))
    joined = join_answers([own, team], limit=10)
    assert names(joined.answer) == ["a", "c"]
    assert joined.answer.hits[0].score == 0.6


def test_words_alone_count_as_much_as_words_do_beside_vectors() -> None:
    assert max(KEYWORD_WEIGHT) == WORDS_ALONE
    own = answer(("a", 0.5))
    team = answer(("b", 0.7), ("c", 0.2), used_vector=False)
    joined = join_answers([own, team], limit=10).answer
    assert names(joined) == ["a", "b", "c"]
    assert [round(hit.score, 2) for hit in joined.hits] == [0.5, 0.42, 0.12]
    both_by_words = [replace(own, used_vector=False), team]
    assert names(join_answers(both_by_words, limit=10).answer) == ["b", "a", "c"]


# --- how sure -----------------------------------------------------------------------------------


def test_what_one_journal_is_sure_of_stays_sure_where_others_have_nothing_like_it() -> None:
    own = answer(("a", 0.8), confidence="high")
    for other in (answer(), answer(("b", 0.1), confidence="none")):
        assert join_answers([own, other], limit=10).answer.confidence == "high"
        assert join_answers([other, own], limit=10).answer.confidence == "high"


def test_a_rival_in_another_journal_makes_it_unsure() -> None:
    own = answer(("a", 0.8), confidence="high")
    rival = answer(("b", 0.79), confidence="high")
    assert join_answers([own, rival], limit=10).answer.confidence == "suggested"


def test_a_copy_in_another_journal_is_no_rival() -> None:
    own = answer(("a", 0.8), confidence="high")
    copy = answer(("a", 0.8), ("b", 0.1), confidence="high")
    assert join_answers([own, copy], limit=10).answer.confidence == "high"
    close = replace(copy, features=replace(SURE, gap=0.01))
    assert join_answers([own, close], limit=10).answer.confidence == "suggested"


def test_a_first_result_is_no_surer_than_its_own_journal_is() -> None:
    own = answer(("a", 0.8), confidence="suggested")
    sure = answer(("b", 0.3), confidence="high")
    assert join_answers([own, sure], limit=10).answer.confidence == "suggested"


def test_an_entry_that_the_question_names_is_sure_whatever_others_have() -> None:
    named = answer(("a", 1.0), confidence="high", features=None)
    assert join_answers([answer(("b", 0.9)), named], limit=10).answer.confidence == "high"


@given(_answers, st.data())
def test_there_is_no_answer_only_where_no_leading_journal_has_one(
    answers: list[Answer], data: st.DataObject
) -> None:
    given_ = [
        replace(one, confidence=data.draw(st.sampled_from(["high", "suggested", "none"])))
        if one.hits
        else one
        for one in answers
    ]
    joined = join_answers(given_, limit=10)
    leading = {given_[origin].confidence for origin in joined.origins[:5]} or {"none"}
    if len(given_) > 1:
        assert (joined.answer.confidence == "none") == (leading == {"none"})
    if joined.answer.confidence == "high":
        assert given_[joined.origins[0]].confidence == "high"


# --- how the question was read ------------------------------------------------------------------


@pytest.mark.parametrize("used_here", [True, False])
def test_where_one_has_something_of_the_time_asked_for_others_show_no_other_time(
    used_here: bool,
) -> None:
    period = AskedPeriod(words="last week", start=NOW, end=None)
    of_it = answer(("a", 0.3), period=replace(period, is_used=used_here))
    of_all = answer(("b", 0.6), period=replace(period, is_used=False))
    joined = join_answers([of_it, of_all], limit=10).answer
    assert names(joined) == (["a"] if used_here else ["b", "a"])
    assert joined.period is not None
    assert joined.period.is_used == used_here


def test_a_phrase_is_missing_where_no_journal_says_it() -> None:
    one = answer(("a", 0.5), missing_phrases=("x y", "z"))
    other = answer(("b", 0.4), missing_phrases=("z",))
    assert join_answers([one, other], limit=10).answer.missing_phrases == ("z",)


def test_a_slip_is_mended_as_by_the_journal_that_leads() -> None:
    own = answer(("a", 0.2), did_you_mean="connection pool")
    team = answer(("b", 0.5))
    assert join_answers([own, team], limit=10).answer.did_you_mean == ""
    assert join_answers([answer(), own], limit=10).answer.did_you_mean == "connection pool"


def test_that_vectors_are_missing_somewhere_is_said() -> None:
    off = {"used_vector": False, "fallback_applied": True}
    joined = join_answers(
        [answer(("a", 0.5)), answer(("b", 0.4), no_vectors="off", **off)], limit=10
    ).answer
    assert (joined.used_vector, joined.fallback_applied) == (True, True)
    assert joined.no_vectors == "off"
