"""A snippet is one line of the text, and what it marks are words of the query."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.indexer.search.snippets import make_snippet
from memjournal.indexer.text.analysis import document_terms, query_terms, spans

WORDS = st.sampled_from(
    [
        *("pool", "Pool", "ｐｏｏｌ", "maxPoolSize", "src/auth.py", "running", "run", "Café", "x"),
        *(
            "풀",
            "커넥션",
            "커넥션을",
            "토큰은",
            "漢字",
            "カナ",
            "ﾊﾝ",
            "1.2.3",
            "😀",
            "the",
            "\n",
            "\n\n  - ",
        ),
        *(unicodedata.normalize("NFD", word) for word in ("커넥션을", "토큰", "Café")),
    ]
)
TEXTS = st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=80)


def weights(query: str) -> dict[str, float]:
    return {term.term: term.weight for term in query_terms(query).terms}


@given(TEXTS, st.lists(WORDS, max_size=3).map(" ".join), st.integers(20, 200))
def test_spans_mark_what_matches(text: str, query: str, n_chars: int) -> None:
    wanted = weights(query)
    snippet = make_snippet(text, wanted, n_chars=n_chars)

    assert "\n" not in snippet.text
    assert len(snippet.text) <= n_chars + 2  # and an ellipsis at each end
    end = 0
    for start, stop in snippet.spans:
        assert end <= start < stop <= len(snippet.text)
        assert set(document_terms(snippet.text[start:stop])) & set(wanted), snippet
        end = stop
    if len(text) <= n_chars and "\n" not in text:
        assert snippet.text == text.strip() or snippet.text == text
        assert bool(snippet.spans) == bool(set(document_terms(text)) & set(wanted))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_is_marked_in_the_text_as_it_is(form: Literal["NFC", "NFD"]) -> None:
    text = unicodedata.normalize(form, "세션 토큰은 쿠키로")
    snippet = make_snippet(text, weights("토큰"))
    assert snippet.text == text
    ((start, end),) = snippet.spans
    assert unicodedata.normalize("NFC", text[start:end]).startswith("토큰")


def test_the_passage_with_most_of_the_query_is_shown() -> None:
    text = "pool " * 100 + "filler " * 100 + "the pool has a timeout here " + "filler " * 100
    snippet = make_snippet(text, weights("pool timeout"))
    assert "pool has a timeout here" in snippet.text
    assert snippet.text.startswith("…") and snippet.text.endswith("…")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("해당 설정은 " * 200 + "커넥션 풀 고갈", "고갈"),
        ("see below " * 200 + "set max_pool_size here", "maxPoolSize"),
        ("see below " * 200 + "Ｐｏｏｌ 크기", "pool"),
        ("see below " * 200 + "le café fermé", "cafe"),
        ("see below " * 200 + "two policies apply", "policy"),
        ("see below " * 200 + "环境 設定을 본다", "설정을 보다"),
        ("ดูด้านล่าง " * 200 + "ฐานข้อมูลล่ม", "ข้อมูล"),
        ("यहाँ देखें " * 200 + "हिन्दी में", "हिन्दी"),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_deep_in_a_text_is_shown_and_marked(
    text: str, query: str, form: Literal["NFC", "NFD"]
) -> None:
    snippet = make_snippet(unicodedata.normalize(form, text), weights(query))
    marked = [snippet.text[start:end] for start, end in snippet.spans]
    assert marked
    assert any(set(document_terms(mark)) & set(weights(query)) for mark in marked) or query > "설"


MANY_WORDS = st.lists(WORDS, min_size=200, max_size=400).map(" ".join)


@settings(max_examples=30)
@given(MANY_WORDS, st.lists(WORDS, min_size=1, max_size=3).map(" ".join))
def test_what_marks_a_short_text_marks_a_long_one(text: str, query: str) -> None:
    wanted = weights(query)
    snippet = make_snippet(text, wanted)
    assert bool(snippet.spans) == bool(set(document_terms(text)) & set(wanted))
    assert list(snippet.spans) == sorted(snippet.spans)


def places_marked(text: str, wanted: dict[str, float], start: int, end: int) -> list[int]:
    """Where ``text[start:end]`` is marked, by cutting the whole text."""
    inside = [m for m in spans(text, wanted) if m.start >= start and m.end <= end]
    return sorted({at - start for match in inside for at in range(match.start, match.end)})


@settings(max_examples=100)
@given(MANY_WORDS, st.lists(WORDS, min_size=1, max_size=3).map(" ".join), st.integers(30, 300))
def test_what_is_marked_are_all_matches_of_the_text_that_is_shown(
    text: str, query: str, n_chars: int
) -> None:
    text, wanted = text.replace("\n", "|"), weights(query)
    snippet = make_snippet(text, wanted, n_chars=n_chars)
    shown = snippet.text.removesuffix("…").removeprefix("…")
    head = len(snippet.text.removesuffix("…")) - len(shown)
    marked = [at - head for start, end in snippet.spans for at in range(start, end)]
    starts = [at for at in range(len(text)) if text.startswith(shown, at)]
    assert any(places_marked(text, wanted, at, at + len(shown)) == marked for at in starts)


def test_a_match_at_the_edge_of_a_full_window_is_shown() -> None:
    text = "가나다" * 100 + "풀고갈" + "라마바" * 26 + "재시도" + "가나다" * 100
    snippet = make_snippet(text, weights("고갈 재시도"), n_chars=83)
    assert snippet.text == f"…{text[301:384]}…"
    assert snippet.spans == ((1, 3), (81, 84))


def test_marks_end_where_characters_do() -> None:
    text = "cafe\u0301 한\u0301 ข้อมูล 👩\u200d👩 x" + unicodedata.normalize("NFD", " 토큰을")
    for query in ("cafe", "한", "ข้อมูล", "토큰"):
        for start, end in make_snippet(text, weights(query)).spans:
            for at in (start, end):
                assert at == len(text) or not unicodedata.combining(text[at])
                assert at == len(text) or not "\u1160" <= text[at] <= "\u11ff"


@pytest.mark.parametrize(
    "character",
    [
        "🇰🇷",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # a flag in tags
        "👩🏽\u200d🚀",
        "1\ufe0f\u20e3",
        "\u1112\u119e\u11ab",  # a syllable that no code point has
        "\u1107\u1109\u1161\u11af",
        "\ud558\u11ab",
        unicodedata.normalize("NFD", "한"),
    ],
)
def test_a_text_is_cut_between_characters(character: str) -> None:
    n = len(character)
    for lead in range(n):
        text = "." * lead + character * 60
        for n_chars in (20, 21, 22, 23):
            shown = make_snippet(text, {}, n_chars=n_chars, start_hint=lambda: 31).text
            body = shown.removeprefix("…").removesuffix("…").strip(".")
            assert body, (lead, n_chars)
            assert body == character * (len(body) // n), (lead, n_chars)


@pytest.mark.parametrize("query", ["\u119e\u11ab", "\u1112\u119e", "\u11ab\u1112"])
def test_marks_of_bare_jamo_are_whole_syllables(query: str) -> None:
    syllable = "\u1112\u119e\u11ab"
    text = f"see {syllable * 3} here"
    snippet = make_snippet(text, {query: 1.0})
    assert snippet.spans
    assert all((start - 4) % 3 == 0 and (end - 4) % 3 == 0 for start, end in snippet.spans)


@pytest.mark.parametrize("n", [10, 10_000, 300_000, 1_300_000])
def test_a_needle_at_the_end_is_shown(n: int) -> None:
    text = "hay " * (n // 4) + "needle"
    assert make_snippet(text, weights("needle"), start_hint=lambda: n - 100).text.endswith("needle")


def test_without_a_match_it_is_the_beginning_or_the_passage_that_was_near() -> None:
    text = "first words " + "x " * 500 + "near the end"
    assert make_snippet(text, {}).text.startswith("first words")
    assert make_snippet(text, {}, start_hint=lambda: len(text) - 12).text == "…near the end"
    assert make_snippet(text, {}, start_hint=lambda: 10**6).text.startswith("first words")
    assert make_snippet("", {"a": 1.0}).text == ""
