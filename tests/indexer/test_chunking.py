"""Chunks cover the text, respect its headings, and cost linear time."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.text.chunking import (
    MAX_TOKENS,
    Chunk,
    chunk,
    estimate_tokens,
    opening,
    passages,
)

LINES = st.text(st.sampled_from("가나다 漢字カナ abc.!? #`-\t"), max_size=120)
TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(LINES, max_size=40).map("\n".join),
    st.builds(
        str.__mul__, st.sampled_from(["가", "x", "😀", "word ", "문장. "]), st.integers(0, 900)
    ),
)


def starts(chunks: list[Chunk]) -> list[str]:
    return [piece.text.split("\n")[0] for piece in chunks]


@given(TEXTS, st.integers(8, 60), st.floats(0, 0.5))
def test_chunks_cover_every_character_in_order(text: str, max_tokens: int, part: float) -> None:
    chunks = chunk(text, max_tokens=max_tokens, overlap=int(max_tokens * part))

    assert chunks[0].start == 0
    assert chunks[-1].end == len(text)
    for before, after in pairwise(chunks):
        assert before.start < after.start <= before.end < after.end
    for piece in chunks:
        assert piece.text == text[piece.start : piece.end]
        assert piece.text or not text


@given(TEXTS, st.integers(8, 60), st.floats(0, 0.5))
def test_a_chunk_is_never_larger_than_asked(text: str, max_tokens: int, part: float) -> None:
    overlap = int(max_tokens * part)
    for piece in chunk(text, max_tokens=max_tokens, overlap=overlap):
        assert estimate_tokens(piece.text) <= max_tokens + overlap


@given(st.text(), st.text())
def test_tokens_of_two_texts_are_those_of_both(one: str, other: str) -> None:
    together = estimate_tokens(one + other)
    assert together <= estimate_tokens(one) + estimate_tokens(other) <= together + 1


@pytest.mark.parametrize(
    ("text", "n_tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("토큰", 2), ("토큰 abc", 3)]
)
def test_a_korean_character_is_a_token_and_four_others_are_one(text: str, n_tokens: int) -> None:
    assert estimate_tokens(text) == n_tokens


def test_a_short_text_is_one_chunk() -> None:
    text = "# 결정\n\n세션 토큰은 서명 쿠키로."
    assert chunk(text) == [Chunk(start=0, end=len(text), text=text, heading="결정")]


def test_an_empty_text_is_one_empty_chunk() -> None:
    assert chunk("") == [Chunk(start=0, end=0, text="")]


def test_a_heading_begins_a_chunk_and_names_it() -> None:
    body = "가나다라마바사 " * 12
    text = f"# 인증\n{body}\n## 토큰\n{body}\n## 쿠키\n{body}\n"

    chunks = chunk(text, max_tokens=200, overlap=20)

    assert starts(chunks) == ["# 인증", "## 토큰", "## 쿠키"]
    assert [piece.heading for piece in chunks] == ["인증", "인증 > 토큰", "인증 > 쿠키"]


def test_a_comment_in_code_is_no_heading() -> None:
    code = "```sh\n" + "# install\nmake all\n" * 30 + "```\n"
    assert {piece.heading for piece in chunk("# Build\n" + code, max_tokens=40, overlap=0)} == {
        "Build"
    }


def test_a_chunk_repeats_the_end_of_the_one_before_from_the_beginning_of_a_word() -> None:
    text = " ".join(f"word{n}" for n in range(200))
    first, second, *_ = chunk(text, max_tokens=60, overlap=10)
    repeated = text[second.start : first.end]
    assert repeated.startswith("word")
    assert 0 < estimate_tokens(repeated) <= 10


def test_a_long_line_is_cut_between_sentences() -> None:
    text = "커넥션 풀이 고갈되어 주문이 느려졌다. " * 40
    assert all(piece.text.rstrip().endswith(".") for piece in chunk(text, overlap=0))


@pytest.mark.parametrize("unit", ["x", "가", "단어 ", "a b ", "\n", "# 제목\n"])
def test_the_time_is_linear_in_the_text(unit: str) -> None:
    def cost_s(n: int) -> float:
        text = unit * (n // len(unit))
        start = time.process_time()
        chunk(text)
        return time.process_time() - start

    small, large = max(cost_s(200_000), 0.005), cost_s(1_600_000)
    assert large < 8 * small * 5  # 64 times as much if it were quadratic


@pytest.mark.parametrize(("max_tokens", "overlap"), [(7, 0), (100, 51), (100, -1)])
def test_sizes_that_cannot_work_are_refused(max_tokens: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="no chunks"):
        chunk("text", max_tokens=max_tokens, overlap=overlap)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n\n## 풀 크기 결정\n본문", "풀 크기 결정"),
        ("The build failed. It ran out of memory.", "The build failed."),
        ("배포가 멈췄다. 프로브가 느렸다.", "배포가 멈췄다."),
        ("- v1.2 is out\n- rest", "v1.2 is out"),
        ("x" * 500, "x" * 120),
    ],
)
def test_the_opening_is_the_first_sentence_or_line(text: str, expected: str) -> None:
    assert opening(text) == expected


def test_an_entry_is_embedded_by_its_title_and_by_each_chunk_under_the_title() -> None:
    text = "가 나 다 라. " * MAX_TOKENS
    first, *rest = passages("제목", text)
    assert first == (0, "제목")
    assert len(rest) > 1
    for start, passage in rest:
        under, body = passage.split("\n", 1)
        assert under == "제목"
        assert text.startswith(body, start)


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("제목", "", ["제목"]),
        ("", "한 문장뿐이다.", ["한 문장뿐이다."]),
        ("", "첫 문장. 둘째 문장.", ["첫 문장.", "첫 문장. 둘째 문장."]),
        ("", "", []),
        (" ", "\n", []),
    ],
)
def test_no_passage_is_embedded_twice(title: str, text: str, expected: list[str]) -> None:
    assert [passage for _, passage in passages(title, text)] == expected
