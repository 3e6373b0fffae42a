"""What a text is searched for is found where cutting all of it into terms would find it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Mapping
from typing import Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memjournal.indexer.search.characters import whole_end, whole_start
from memjournal.indexer.search.matches import Match, Matches
from memjournal.indexer.text.analysis import query_terms, spans

ENGLISH = "pool Pool timeout PoolTimeout pool_timeout pool-timeout policy policies flying fly dyed"
NAMES = (
    "maxPoolSize max_pool_size __init__ src/auth.py src\\auth.py v1.2.3 1.2 3.12 IDs y_ing c 2 x"
)
ACCENTS = "Café cafés Größe größe_wert straße ﬁle Ⅳ ㎏ x² ½ İstanbul naïve Ёлка ёлка Σίσυφος ᾳ"
KOREAN = "풀 커넥션 커넥션을 토큰은 분산락을 설정 한자 접속 이 이이 GitHub에서 ㅋㅋ ㅠㅠ 한글ascii"
OTHERS = "漢字 設定을 接続 女子 カナ ｶﾞｲﾄﾞ ﾊﾝ が ข้อมูล ข้อมูลล่ม น้ำ हिन्दी কো ｐｏｏｌ Ｐｏｏｌ＿ｓｉｚｅ"
PLAIN = f"{ENGLISH} {NAMES} {ACCENTS} {KOREAN} {OTHERS}".split()
WORDS = st.sampled_from([*PLAIN, *(unicodedata.normalize("NFD", word) for word in PLAIN)])
GAPS = st.sampled_from(
    [
        *([" "] * 8),
        "",
        "",
        "\n",
        "\u00a0",
        "…",
        "„",
        "（",
        ". ",
        ".",
        "-",
        "_",
        "/",
        "\u0301",
        "👩\u200d",
    ]
)
TEXTS = st.lists(st.tuples(WORDS, GAPS).map("".join), max_size=60).map("".join)
VOICE_MARKS = "\uff9e\uff9f\u3099\u309a"  # one alone is cut together with what it does not stand on
STRAY = st.text(st.characters(exclude_characters=VOICE_MARKS), max_size=20)
ANY = TEXTS | st.lists(TEXTS | STRAY, max_size=5).map("".join)
QUESTIONS = st.lists(WORDS, min_size=1, max_size=5).map(" ".join)


def weights(query: str) -> dict[str, float]:
    return {term.term: term.weight * (1 + n % 3) for n, term in enumerate(query_terms(query).terms)}


def all_matches(text: str, wanted: Mapping[str, float]) -> list[Match]:
    """What there is, by cutting the whole text."""
    return [
        Match(whole_start(text, at.start), whole_end(text, at.end), at.term)
        for at in spans(text, wanted)
    ]


def best_worth(found: list[Match], wanted: Mapping[str, float], n_chars: int) -> tuple[float, int]:
    """What the best window is worth and where it ends, by trying each."""
    best, best_end = 0.0, 0
    clipped = [match._replace(end=min(match.end, match.start + n_chars)) for match in found]
    for end in sorted(match.end for match in clipped):
        within = {m.term for m in clipped if m.start >= end - n_chars and m.end <= end}
        if (worth := sum(wanted[term] for term in within)) > best + 1e-9:
            best, best_end = worth, end
    return best, best_end


@settings(max_examples=300)
@example("ข้อมูลล่ม👩\u200dㅋㅋ ", "ㅋㅋ", 10)  # the character begins in the block before its term
@given(ANY, QUESTIONS, st.integers(10, 300))
def test_what_stands_in_the_whole_text_is_found(text: str, query: str, n_chars: int) -> None:
    wanted = weights(query)
    found = Matches(text, wanted, n_chars=n_chars).between(0, len(text))
    assert set(found) == set(all_matches(text, wanted))


@settings(max_examples=300)
@given(ANY, QUESTIONS, st.integers(10, 300))
def test_the_best_window_is_the_best_of_all(text: str, query: str, n_chars: int) -> None:
    wanted = weights(query)
    window = Matches(text, wanted, n_chars=n_chars).best_window()
    worth, end = best_worth(all_matches(text, wanted), wanted, n_chars)
    assert (window.worth if window else 0.0) == pytest.approx(worth)
    assert (window.end if window else 0) == end
    assert window is None or window.end - window.start <= n_chars


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("pool_timeout", "PoolTimeout"),
        ("pooltimeout", "pool_timeout"),
        ("src\\auth.py", "src/auth.py"),
        ("policies", "policy"),
        ("dying", "dyed"),
        ("Größe", "grösse"),
        ("STRASSE", "straße"),
        ("сервер_имя", "серверИмя"),
        ("ﬁle", "file"),
        ("Ｐｏｏｌ", "pool"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("設定을", "설정"),
        ("น้ำ", "น้ำ"),
    ],
)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("lead", [0, 1, 235, 1_195, 100_000])
def test_a_word_is_found_however_it_is_written(
    written: str, asked: str, form: Literal["NFC", "NFD"], lead: int
) -> None:
    text = unicodedata.normalize(form, "–" * lead + written + " …")
    wanted = weights(asked)
    window = Matches(text, wanted, n_chars=240).best_window()
    found = all_matches(text, wanted)
    assert found
    assert window and window.end == best_worth(found, wanted, 240)[1]


@pytest.mark.parametrize("filler", ["x", "다", "漢", "x9Qz+", "ก", "no_", "1."])
def test_a_name_is_found_within_a_word_without_end(filler: str) -> None:
    name = "max_pool_size_of_all_the_connections_of_one_worker_in_the_background_process"
    wanted = weights(name)
    for lead in range(240, 320):
        text = "".join(((filler * lead)[-lead:], "/", name, "/", filler * 240))
        found = Matches(text, wanted, n_chars=80).between(0, len(text))
        assert set(found) == set(all_matches(text, wanted))


def test_a_word_is_found_behind_many_that_only_seem_to_be_it() -> None:
    text = "concatenate publication " * 5_000 + "the cat " + "concatenate " * 5_000
    window = Matches(text, weights("cat"), n_chars=240).best_window()
    assert window and text[window.start : window.end] == "cat"


@pytest.mark.parametrize("lead", range(0, 200, 10))
def test_two_words_that_are_near_are_worth_more_than_one_rare_word(lead: int) -> None:
    text = f"{'.' * lead}alpha {'.' * 80} beta {'.' * 300} gamma"
    window = Matches(text, {"alpha": 1.0, "beta": 1.0, "gamma": 1.5}, n_chars=100).best_window()
    assert window and text[window.start : window.end].split()[0::2] == ["alpha", "beta"]


def test_of_windows_worth_the_same_the_first_is_shown() -> None:
    text = f"alpha {'.' * 300} alpha betamax {'.' * 300} alpha"
    window = Matches(text, {"alpha": 1.0, "beta": 1.0}, n_chars=100).best_window()
    assert window == (0, 5, 1.0)


def test_the_window_is_the_same_in_every_process() -> None:
    """Sums of the same weights in another order differ in a last digit, and sets have another order."""
    words = [f"word{n}" for n in range(12)]
    weights = {word: 0.1 + 0.7 * n for n, word in enumerate(words)}
    turned = (words[n % 12 :] + words[: n % 12] for n in range(1200))
    text = "".join(f"{' '.join(some):<100}{'.' * 100}" for some in turned)
    asked = (
        "import json, sys; from memjournal.indexer.search.matches import Matches\n"
        "text, weights = json.load(sys.stdin)\n"
        "print(*Matches(text, weights, n_chars=100).best_window())"
    )
    windows = {
        subprocess.run(
            [sys.executable, "-P", "-c", asked],
            input=json.dumps([text, weights]),
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for seed in range(6)
    }
    assert len(windows) == 1 and windows.pop().startswith("0 ")
