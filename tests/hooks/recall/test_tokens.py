"""What is cut fits its budget, ends where a character ends, and loses no more than it must."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.recall.tokens import count_tokens, cut_to_tokens
from memjournal.indexer.search.characters import whole_end, whole_start

texts = st.text(
    st.sampled_from("abc .,!#\n가나다각각ᄀ한漢字カｶ、·！é́👍🏽🇰🇷㐀𠀀🄰‍👩‍💻")
    | st.characters(exclude_categories=["Cs"]),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "n_tokens"),
    [
        ("", 0),
        ("a", 1),
        ("four", 1),
        ("fours", 2),
        ("가", 1),
        ("커넥션 풀", 5),  # four syllables and a blank
        (unicodedata.normalize("NFD", "커넥션 풀"), 5),
        ("漢字、", 3),
        ("ｶ", 2),  # half-width
        ("ㄱ", 1),
        ("\u1100", 3),  # a lone lead
        ("𠀀", 4),
        ("👍", 3),
        ("👍" * 50, 150),
        ("✅ 끝", 4),  # nine to four and a blank
        ("𝒜" * 60, 180),
        ("→", 1),
        ("!@#$%^&*()" * 10, 100),
        ("-" * 40, 10),
        ("a.b, c!", 2),
    ],
)
def test_characters_weigh_what_the_tables_say(text: str, n_tokens: int) -> None:
    assert count_tokens(text) == n_tokens


@given(texts, st.integers(0, 30))
def test_what_is_cut_fits_and_is_the_beginning(text: str, max_tokens: int) -> None:
    whole = unicodedata.normalize("NFC", text)
    cut = cut_to_tokens(text, max_tokens)
    assert whole.startswith(cut)
    assert count_tokens(cut) <= max_tokens
    assert whole_start(whole, len(cut)) == len(cut)  # between two characters
    if cut != whole:  # and the next one would not have fitted
        assert count_tokens(whole[: whole_end(whole, len(cut) + 1)]) > max_tokens


@given(texts, st.integers(0, 30))
def test_a_larger_budget_never_leaves_less(text: str, max_tokens: int) -> None:
    assert cut_to_tokens(text, max_tokens + 1).startswith(cut_to_tokens(text, max_tokens))


@given(texts)
def test_what_fits_is_not_cut(text: str) -> None:
    assert cut_to_tokens(text, count_tokens(text)) == unicodedata.normalize("NFC", text)
