"""An id follows from its key alone, is evenly spread, and is found however a person writes it."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.errors import UsageError
from memjournal.journal.ids import (
    content_key,
    find_citations,
    is_id,
    mint,
    parse_references,
    path_key,
)

from .strategies import BASE62, ids, texts


@given(st.text())
def test_the_same_key_gives_the_same_id(key: str) -> None:
    assert mint(key) == mint(key)
    assert len(mint(key)) == 6
    assert is_id(mint(key))


def test_ids_stay_what_they_were_in_journals_that_exist() -> None:
    assert [mint(key) for key in ("", "a", "event:s\0k", "path:notes/인증.md")] == [
        "fqA4SS",
        "GR5IGR",
        "mQ9Dhq",
        "zvDAu6",
    ]


def test_every_digit_is_as_likely_in_every_place() -> None:
    n_keys = 20_000
    minted = [mint(f"key {n}") for n in range(n_keys)]
    expected = n_keys / len(BASE62)
    for place in range(6):
        counts = Counter(text[place] for text in minted)
        chi_square = sum((counts[digit] - expected) ** 2 / expected for digit in BASE62)
        assert chi_square < 130  # 61 degrees of freedom: one in a million; a modulo gives 250


@given(st.text(), st.integers(0, 80))
def test_an_id_grows_by_one_digit_while_it_is_taken(key: str, n_taken: int) -> None:
    taken: list[str] = []

    def is_taken(text: str) -> bool:
        taken.append(text)
        return len(taken) <= n_taken

    minted = mint(key, taken=is_taken)
    assert [len(text) for text in taken] == list(range(6, 7 + n_taken))
    assert all(minted.startswith(text) for text in taken)
    assert minted.startswith(mint(key))


@given(st.lists(texts, min_size=1, max_size=4), st.lists(texts, min_size=1, max_size=4))
def test_different_contents_have_different_keys(one: list[str], other: list[str]) -> None:
    def normal(parts: list[str]) -> list[str]:
        return [unicodedata.normalize("NFC", part.strip()) for part in parts]

    assert (content_key(*one) == content_key(*other)) == (normal(one) == normal(other))


def test_a_nul_in_one_part_is_not_the_border_between_two() -> None:
    assert content_key("a\0b", "c") != content_key("a", "b\0c")


def test_a_name_is_the_same_composed_and_decomposed() -> None:
    decomposed = unicodedata.normalize("NFD", "notes/인증.md")
    assert path_key(decomposed) == path_key("notes/인증.md")
    assert content_key(decomposed) == content_key("notes/인증.md")


@given(st.lists(ids, max_size=5), texts.filter(lambda text: "mem" not in text))
def test_citations_are_found_in_any_text_in_order_and_once(cited: list[str], between: str) -> None:
    text = between.join(f"[mem:{one}]" for one in [*cited, *cited])
    assert find_citations(text) == list(dict.fromkeys(cited))


@pytest.mark.parametrize(
    "text", ["mem:a7Bc3x", "[mem:a7B3]", "[mem:a7Bc3-]", "[[mem:a7Bc3x|x]]", ""]
)
def test_what_is_no_citation_is_not_found(text: str) -> None:
    assert find_citations(text) == []


@pytest.mark.parametrize(
    ("text", "prefix", "path"),
    [
        ("mem:a7Bc3x", "a7Bc3x", ""),
        ("MEM:a7Bc3x", "a7Bc3x", ""),
        ("  [mem:a7Bc3x]\n", "a7Bc3x", ""),
        ("[mem:a7B]", "a7B", ""),
        ("mem:a", "a", ""),
        ("a7Bc3x", "a7Bc3x", "a7Bc3x"),
        ("a7", "a7", "a7"),
        ("notes/a b.md", "", "notes/a b.md"),
        ("notes/인증.md", "", "notes/인증.md"),
        ("인증", "", "인증"),
    ],
)
def test_a_reference_is_an_id_its_beginning_or_a_path(text: str, prefix: str, path: str) -> None:
    (found,) = parse_references(text)
    assert (found.id_prefix, found.path) == (prefix, path)


def test_a_pasted_text_names_all_that_it_cites() -> None:
    found = parse_references("이건 [mem:a7Bc3x] 와 [mem:k2Jd8f] 참고, 또 [mem:a7Bc3x]")
    assert [one.id_prefix for one in found] == ["a7Bc3x", "k2Jd8f"]


@pytest.mark.parametrize("text", ["", "  ", "[]", "mem:", "mem:a/b", "[mem:notes/x.md]"])
def test_what_names_nothing_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        parse_references(text)
