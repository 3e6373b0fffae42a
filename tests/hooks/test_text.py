"""Cutting keeps head and tail and says what is gone; cleaning leaves text that can be stored."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.hooks.text import Limits, clean, cut, exceeds, fence, trim


@given(st.text(alphabet="ab\n한", max_size=400), st.integers(2, 40), st.integers(2, 10))
def test_a_cut_text_is_its_head_and_tail(text: str, characters: int, lines: int) -> None:
    limits = Limits(characters=characters, lines=lines)
    kept = cut(text, limits)
    if not exceeds(text, limits):
        assert kept == text
    elif kept != text:
        mark = re.search(r"\n\[… ([\d,]+) characters, ([\d,]+) lines cut …\]\n", kept)
        assert mark is not None
        head, tail = kept[: mark.start()], kept[mark.end() :]
        assert text.startswith(head) and text.endswith(tail)
        assert len(head) <= characters // 2 and len(tail) <= characters // 2
        n_cut = int(mark[1].replace(",", ""))
        assert 0 <= len(text) - n_cut - len(head) - len(tail) <= characters


def test_the_default_limits_are_halves_of_100_lines() -> None:
    kept = cut("\n".join(str(n) for n in range(1_000)), Limits())
    lines = kept.split("\n")
    assert lines[49] == "49" and lines[-50] == "950" and len(lines) == 101
    assert lines[50] == "[… 3,550 characters, 900 lines cut …]"


@pytest.mark.parametrize("before", range(8, 20))
def test_no_word_is_cut_through(before: int) -> None:
    text = "x" * before + " HunterXX9 " + "y " * 100 + "\n비밀번호는 HunterXX9 " + "z" * before
    kept = cut(text, Limits(characters=40))
    assert "cut …]" in kept and set(re.findall(r"Hunter\w*|\w*XX9", kept)) <= {"HunterXX9"}


@pytest.mark.parametrize(
    "text",
    ["HunterXX9 " + "y " * 100, "y " * 100 + "HunterXX9", "HunterXX9 " + "y " * 100 + "HunterXX9"],
    ids=["first", "last", "both"],
)
def test_no_word_at_an_end_is_cut_through_either(text: str) -> None:
    kept = cut(text, Limits(characters=10))
    assert "cut …]" in kept
    assert set(re.findall(r"H\w*|\w*X\w*", kept)) <= {"HunterXX9"}


def test_what_has_no_blanks_is_cut_where_the_limit_is() -> None:
    head, _, tail = cut("x" * 5_000, Limits(characters=1_000)).split("\n")
    assert len(head) == len(tail) == 500


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1;31m빨강\x1b[0m", "빨강"),
        ("\x1b]8;;https://x\x07link\x1b]8;;\x07", "link"),
        ("\x1b(Ba\x1b=b\x1bMc\x00d", "abcd"),
        ("a\ud800b", "a\ufffdb"),
        ("tab\tand\r\nline", "tab\tand\r\nline"),
    ],
)
def test_control_sequences_are_removed(text: str, expected: str) -> None:
    assert clean(text) == expected


@given(st.text(alphabet=st.characters(codec=None)))
def test_clean_text_can_be_written(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert "\x00" not in cleaned and "\x1b" not in cleaned
    assert clean(cleaned) == cleaned


@given(st.text(alphabet="`a\n"))
def test_a_fence_is_longer_than_any_inside(text: str) -> None:
    opening, *_, closing = fence(text).split("\n")
    assert opening == closing and opening not in text


def test_trimming_keeps_the_first_indentation() -> None:
    assert trim("\n  \n    code\n\n") == "    code"
