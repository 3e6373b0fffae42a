"""Taken word by word and remembered, a text has the tokens that it has as a whole."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

from memjournal.indexer.embedding import word_tokens
from memjournal.indexer.embedding.embedders import SHIPPED_MODEL
from memjournal.indexer.embedding.word_tokens import WordTokens, takes_words, words_of

MODEL = files("memjournal.indexer").joinpath("model", SHIPPED_MODEL, "tokenizer.json")
ENGLISH = (
    "the",
    "pool's",
    "time-outs,",
    "(3x)",
    "HttpClientFactory;",
    "don't",
    "SELECT",
    "*",
    "x.",
)
KOREAN = ("커넥션", "풀이", "고갈되어", "환불했다.", "왜?", "ㅋㅋ", "한글NFD", "뷁뷁")
CODE = ("f(a_b:int=0x1F)->None:", "{'key':[1,2]}", "//path/To/File.tsx::Cls#m", "ERR_5xx_TIMEOUT")
ODD = (
    *(
        "e\u0301",
        "\u0301",
        "=\u0338",
        "\u00b4",
        "\ufdfa",
        "\u3000",
        "\xa0",
        "\x85",
        "\x1c",
        "a\x1db",
    ),
    *(
        "\u1112\u1161\u11ab",
        "ﾊﾝｶｸ",
        "ＦＵＬＬ",
        "ﬁ",
        "İ",
        "ß",
        "Σς",
        "😀",
        "👩\u200d💻",
        "\u200b",
        "\ufeff",
    ),
    *(
        "日本語のテキスト",
        "漢字",
        "\0",
        "\U0010fffd",
        "\ue000",
        "\u2028",
        "\u180e",
        "x" * 60,
        "▁",
        "<unk>",
    ),
)
PIECES = st.sampled_from((*ENGLISH, *KOREAN, *CODE, *ODD)) | st.text(max_size=8)
SPACES = st.sampled_from(("", "", " ", " ", "\n", "\t ", "\r\n", "\n\n", "\u2003", "\x1f", "\x0b"))
TEXTS = st.lists(st.tuples(PIECES, SPACES), max_size=25).map(
    lambda pairs: "".join(part for pair in pairs for part in pair)
)


def whole(tokenizer: Any, unknown: int | None, text: str) -> bytes:
    numbers = tokenizer.encode(text, add_special_tokens=False).ids
    return array("i", [number for number in numbers if number != unknown]).tobytes()


@pytest.fixture(scope="module")
def shipped() -> Any:
    tokenizer = Tokenizer.from_file(str(MODEL))
    tokenizer.no_truncation()
    return tokenizer


@pytest.fixture(scope="module")
def tokens(shipped: Any) -> WordTokens:
    return WordTokens(shipped, unknown=shipped.token_to_id("<unk>"))


@settings(max_examples=300, deadline=None)
@given(st.lists(TEXTS, max_size=5))
def test_the_shipped_model_s_tokens_are_those_of_the_whole_text(
    shipped: Any, tokens: WordTokens, texts: list[str]
) -> None:
    unknown = shipped.token_to_id("<unk>")
    assert tokens.of(texts) == [whole(shipped, unknown, text) for text in texts]


def test_the_shipped_model_and_its_like_take_words(shipped: Any) -> None:
    assert takes_words(shipped)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(PIECES, max_size=6), max_size=12))
def test_what_is_forgotten_again_and_again_makes_no_difference(
    shipped: Any, texts: list[list[str]]
) -> None:
    unknown = shipped.token_to_id("<unk>")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(word_tokens, "_REMEMBERED", 3)
        patched.setattr(word_tokens, "_GROUP", 2)
        patched.setattr(word_tokens, "_LONGEST", 6)
        tokens = WordTokens(shipped, unknown=unknown)
        for words in texts:
            text = " ".join(words)
            assert tokens.of([text]) == [whole(shipped, unknown, text)]


def test_no_texts_have_no_tokens(tokens: WordTokens) -> None:
    assert tokens.of([]) == []
    assert tokens.of(["", " \n"]) == [b"", b""]


@given(st.text(st.sampled_from("ab \t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u2028\u3000\u200b")))
def test_words_are_cut_where_the_tokenizers_cut_them(text: str) -> None:
    pieces = pre_tokenizers.WhitespaceSplit().pre_tokenize_str(text)
    assert words_of(text) == [piece for piece, _ in pieces]


def make(normalizer: Any, pre_tokenizer: Any, added: Sequence[AddedToken] = ()) -> Any:
    vocabulary = {piece: n for n, piece in enumerate(["[UNK]", "a", "b", "ab", "▁a", "Ġa", "ba"])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.add_tokens(list(added))
    return tokenizer


BERT = (normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer())
SPLIT = pre_tokenizers.WhitespaceSplit()
OTHERS: dict[str, Callable[[], Any]] = {
    "nothing is cut": lambda: make(None, None),
    "spaces are part of words": lambda: make(None, pre_tokenizers.Metaspace()),
    "bytes with their spaces": lambda: make(None, pre_tokenizers.ByteLevel()),
    "cut at something else first": lambda: make(
        None, pre_tokenizers.Sequence([pre_tokenizers.Split(Regex("a b"), "isolated"), SPLIT])
    ),
    "the first piece is marked": lambda: make(
        None, pre_tokenizers.Sequence([SPLIT, pre_tokenizers.Metaspace(prepend_scheme="first")])
    ),
    "the start of the text is marked": lambda: make(normalizers.Prepend("▁"), SPLIT),
    "words are joined": lambda: make(normalizers.Replace("a b", "ab"), SPLIT),
    "words are joined by a pattern": lambda: make(normalizers.Replace(Regex("a\\sb"), "ab"), SPLIT),
    "a token with a space in it": lambda: make(*BERT, [AddedToken("a b")]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_tokenizer_that_may_look_across_spaces_gets_whole_texts(name: str) -> None:
    tokenizer = OTHERS[name]()
    assert not takes_words(tokenizer)
    tokens = WordTokens(tokenizer, unknown=0)
    for text in ("a b", "b a\nb", "ab  a b ab"):
        assert tokens.of([text]) == [whole(tokenizer, 0, text)]


@settings(deadline=None)
@given(st.lists(st.text(st.sampled_from("abÁ \n[UNK].\u0301漢"), max_size=12), max_size=4))
def test_a_bert_tokenizer_takes_words(texts: list[str]) -> None:
    tokenizer = make(*BERT, [AddedToken("[UNK]", special=True), AddedToken("ba", lstrip=True)])
    assert takes_words(tokenizer)
    tokens = WordTokens(tokenizer, unknown=0)
    assert tokens.of(texts) == [whole(tokenizer, 0, text) for text in texts]
