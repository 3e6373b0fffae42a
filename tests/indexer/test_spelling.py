"""A slip is mended only where the word as typed stands nowhere, and into a word that stands somewhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.search.spelling import WEIGHT, mend
from memjournal.indexer.text.analysis import document_terms, query_terms
from memjournal.indexer.text.edits import as_hangul, as_keys, distances, near_syllables

from .world import World

WORDS = st.text(st.sampled_from("abc"), min_size=1, max_size=9)


class Known:
    """The vocabulary of a text."""

    def __init__(self, text: str) -> None:
        self.terms = document_terms(text)

    def n_containing(self, term: str) -> int:
        return self.terms[term]

    def beginning_with(self, prefix: str, sizes: range) -> Iterator[str]:
        return (t for t in self.terms if t.startswith(prefix) and len(t.encode()) in sizes)


KNOWN = Known(
    "The connection timeout of the token cache; maxPoolSize, deploy and commit. pool pool pool "
    "세션 토큰은 캐시에 있고 커넥션 풀이 고갈됐다. 배포 설정"
)


def steps_between(one: str, other: str) -> int:
    """Optimal string alignment as it is defined."""
    rows = [[i + j if not i * j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            changed = rows[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            rows[i][j] = min(changed, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(WORDS, st.lists(WORDS, max_size=9))
def test_distances_are_those_of_the_definition(one: str, others: list[str]) -> None:
    assert distances(one, others).tolist() == [steps_between(one, other) for other in others]


@given(st.text("ab", min_size=40, max_size=62), st.text("ab", min_size=1, max_size=64))
def test_distances_of_long_words_are_too(one: str, other: str) -> None:
    assert distances(one, [other, one]).tolist() == [steps_between(one, other), 0]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("conection", "connection"),
        ("connetcion", "connection"),
        ("conections", "connections"),
        ("timout", "timeout"),
        ("tokne", "token"),
        ("otken", "token"),
        ("토큼을", "토큰을"),
        ("캐쉬", "캐시"),
        ("커낵션", "커넥션"),
        ("커션넥", "커넥션"),
        ("qovh", "배포"),  # the keyboard was still set to Latin
        ("채ㅡㅡㅑㅅ", "commit"),  # or to Korean
        ("設定", "설정"),
    ],
)
def test_a_slip_is_mended(typed: str, meant: str) -> None:
    mended = mend(query_terms(typed), KNOWN)
    assert mended is not None
    assert [word.better for word in mended.words] == [meant]
    assert all(
        KNOWN.n_containing(term.term) for term in mended.query.terms if term.weight == WEIGHT
    )


@pytest.mark.parametrize(
    "typed", ["connection", "token", "토큰을", "the", "zzzzqqq", "cat", "풀", "한글이", "3.12", ""]
)
def test_what_is_known_or_near_nothing_is_left_alone(typed: str) -> None:
    assert mend(query_terms(typed), KNOWN) is None


def test_a_mended_word_counts_less_than_one_that_was_typed() -> None:
    mended = mend(query_terms("token conection"), KNOWN)
    assert mended is not None
    weights = {term.term: term.weight for term in mended.query.terms}
    assert weights == {"token": 1.0, "connection": WEIGHT}


def test_an_identifier_is_suggested_and_never_exchanged() -> None:
    query = query_terms("maxPolSize")
    mended = mend(query, KNOWN)
    assert mended is not None
    assert mended.query is query
    assert [word.term for word in mended.words] == ["maxpoolsiz"]


@given(st.text(max_size=30))
def test_any_question_can_be_mended(text: str) -> None:
    mend(query_terms(text), KNOWN)


@given(st.text(st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=6))
def test_hangul_on_the_keys_of_a_latin_keyboard_is_read_back(text: str) -> None:
    assert as_hangul(as_keys(text)) == text


def test_syllables_are_near_that_differ_in_a_letter_of_like_sound() -> None:
    assert "시" in near_syllables("쉬")
    assert "큰" in near_syllables("큼")
    assert near_syllables("x") == ()


# Searching


@pytest.fixture
def filled(world: World) -> World:
    world.memory("Pool timeout", "The connection pool had a timeout of the maxPoolSize setting.")
    world.memory("세션 토큰", "세션 토큰은 서명 쿠키로 옮겼다.")
    world.memory("배포", "deploy 후 rollback 은 cache 를 비운다")
    world.update()
    return world


@pytest.mark.parametrize("by", ["hybrid", "keyword"])
@pytest.mark.parametrize(
    ("typed", "meant", "title"),
    [
        ("timeot", "timeout", "Pool timeout"),
        ("connetcion pool", "connection pool", "Pool timeout"),
        ("토큼은 어디에", "토큰은 어디에", "세션 토큰"),
        ("rolback", "rollback", "배포"),
    ],
)
def test_what_was_meant_is_found_and_named(
    filled: World, by: str, typed: str, meant: str, title: str
) -> None:
    answer = filled.ask(typed, by=by)
    assert answer.did_you_mean == meant
    assert answer.hits[0].row.title == title
    assert answer.confidence != "high"


def test_a_word_that_stands_somewhere_is_never_mended(filled: World) -> None:
    for text in ("timeout", "세션 토큰", "deploy"):
        assert filled.ask(text).did_you_mean == ""


def test_an_identifier_that_is_not_there_is_named_as_it_is_written(filled: World) -> None:
    assert filled.ask("maxPolSize", by="keyword").did_you_mean == "maxPoolSize"


def test_what_only_removed_entries_had_is_never_meant(world: World) -> None:
    world.note("notes/a.md", "retry queue")
    world.note("notes/b.md", "retri of the invoice")
    world.note("notes/c.md", "the invoice")
    world.update(later_s=5)
    (world.root / "notes/a.md").unlink()
    world.update(later_s=5)
    answers = world.answers(queries=("retrx", "the retrz of an invoice"))
    assert answers == world.answers(world.rebuilt(), ("retrx", "the retrz of an invoice"))
