"""What is in a document is found by a query that means it, however either was typed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.text.analysis import (
    MAX_QUERY_TERMS,
    document_length,
    document_terms,
    query_terms,
    spans,
)
from memjournal.indexer.text.english import stem
from memjournal.indexer.text.hanja import reading_of
from memjournal.indexer.text.korean import is_function_word, stem_length
from memjournal.indexer.text.letters import scripts

LETTERS = st.characters(codec="utf-8", categories=("L", "N"))
TEXTS = st.one_of(
    st.text(max_size=80),
    st.text(LETTERS, max_size=40),
    st.text(st.sampled_from("aBcD가나락을の語アＡé１ .-_/'\n"), max_size=60),
)


def found(query: str, document: str) -> set[str]:
    """The terms of *query* that *document* has."""
    return {term.term for term in query_terms(query).terms} & document_terms(document).keys()


def missing(query: str, document: str) -> set[str]:
    return {term.term for term in query_terms(query).terms} - document_terms(document).keys()


@given(TEXTS)
def test_a_text_is_found_by_itself(text: str) -> None:
    assert not missing(text, text)


@given(TEXTS)
def test_how_a_text_was_composed_makes_no_difference(text: str) -> None:
    composed = document_terms(unicodedata.normalize("NFC", text))
    assert document_terms(unicodedata.normalize("NFD", text)) == composed


@given(TEXTS)
def test_spans_are_the_terms_of_the_document_within_its_text(text: str) -> None:
    parts = list(spans(text))
    assert {part.term for part in parts} == document_terms(text).keys()
    assert all(0 <= part.start < part.end <= len(text) for part in parts)


@given(TEXTS)
def test_a_text_with_letters_or_digits_has_terms(text: str) -> None:
    assert bool(document_terms(text)) == any(part for part in spans(text))
    if any(c.isalnum() for c in unicodedata.normalize("NFKC", text) if c.isascii()):
        assert document_length(document_terms(text)) > 0


@given(TEXTS)
def test_shares_of_scripts_add_up(text: str) -> None:
    assert sum(scripts(text)) == pytest.approx(1.0) or sum(scripts(text)) == 0


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("초과", "한도 초과가 자주 난다"),
        ("커넥션 풀이 고갈", "커넥션풀 고갈로 타임아웃"),
        ("커넥션풀", "커넥션 풀을 늘렸다"),
        ("설정하기", "환경을 설정했습니다"),
        ("렌더링을 최적화하는 방법", "렌더링 최적화"),
        ("토큰", "리프레시토큰으로"),
        ("GitHub에서", "github 액션"),
        ("API가 느림", "주문 api 느림"),
        ("락", "분산락을 잡는다"),
        ("락이", "락을 푼다"),
        ("훅", "커밋 훅이 느리다"),
        ("키", "비밀키가 올라감"),
        ("東京", "東京タワー"),
        ("数据库", "连接数据库失败"),
        ("库", "连接数据库失败"),
        ("ログイン", "ログインエラー"),
        ("설정", "환경 設定을 바꿨다"),
        ("設定을", "환경 설정을 바꿨다"),
        ("노동", "勞動 시간은"),
        ("커밋", "커밋했다"),
        ("deploy", "deploy하다가 실패"),
        ("배포 deploy", "deploy하는 순서"),
    ],
)
def test_korean_japanese_and_chinese_are_found_in_other_forms(query: str, document: str) -> None:
    assert found(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("connections", "the connection was closed"),
        ("retrying", "it retried twice"),
        ("policies", "a policy"),
        ("caches", "cached"),
        ("IDs", "the id"),
        ("cafe", "Café"),
        ("Ｆｕｌｌ", "full width"),
        ("maxPoolSize", "max_pool_size: 20"),
        ("MAX_POOL_SIZE", "max-pool-size"),
        ("maxpoolsize", "maximum is maxPoolSize"),
        ("pool", "maxPoolSize"),
        ("server", "HTTPServer"),
        ("http", "HTTPServer"),
        ("token.py", "see src/auth/token.py:12"),
        ("src/auth/token.py", "see src/auth/token.py:12"),
        ("src\\auth\\token.py", "src/auth/token.py"),
        ("auto.commit", "enable.auto.commit=false"),
        ("econnreset", "Error: ECONNRESET"),
        ("3.12", "python:3.12-slim"),
        ("3.12", "python3.12.4-slim"),
        ("v1.2", "since 1.2.3"),
        ("whoosh.index.LockError", "LockError"),
        ("no-verify", "git commit --no-verify"),
    ],
)
def test_words_and_identifiers_are_found_in_other_forms(query: str, document: str) -> None:
    assert found(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("データベース", "本番のデータベース接続が失敗した"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        ("数据库连接", "今天数据库连接失败了"),
        ("ข้อมูล", "ฐานข้อมูลล่มเมื่อคืน"),
        ("ฐานข้อมูล", "เชื่อมต่อฐานข้อมูลไม่ได้"),
        ("قاعدة", "انقطع الاتصال مع قاعدة البيانات"),
        ("محمد", "مُحَمَّد كتب الوثيقة"),
        ("данных", "база данных недоступна"),
        ("ёлка", "большая елка"),
        ("हिन्दी", "यह हिन्दी में खोज है"),
        ("खोज", "यह हिन्दी में खोज है"),
        ("κωδικός", "ο κωδικός λάθος"),
        ("שלום", "שָׁלוֹם עולם"),
    ],
)
def test_a_word_of_any_script_is_found_by_itself_and_in_a_sentence(
    query: str, document: str
) -> None:
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, document)  # type: ignore[arg-type]  # one of the forms
        assert not missing(query, text)
        assert found(f"{query} zzz 없는말 不在", text)  # what is absent voids nothing
        marked = [text[p.start : p.end] for p in spans(text) if p.term in found(query, text)]
        assert marked
        assert all(not unicodedata.combining(mark[0]) for mark in marked)


@pytest.mark.parametrize("code", ["E0308", "ERR_PNPM_PEER", "ORA-00600", "0x80070005", "TS2345"])
def test_an_error_code_is_found_whole_and_by_its_number(code: str) -> None:
    document = f"the build stopped: {code}: see the log"
    assert not missing(code, document)
    assert found(code.lower(), document)
    assert not missing(code.rpartition("_")[2].rpartition("-")[2], document)


@pytest.mark.parametrize(
    ("run", "reading"),
    [
        ("設定", "설정"),
        ("女子", "여자"),
        ("勞動", "노동"),
        ("漢字", "한자"),
        ("接續", "접속"),
        ("东京", ""),
    ],
)
def test_han_characters_are_read_as_korean_does(run: str, reading: str) -> None:
    assert reading_of(run) == reading


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("max_pool_size", "maxPoolSize"),
        ("utf-8", "UTF8"),
        ("카페", unicodedata.normalize("NFD", "카페")),
        ("ｶﾞ", "ガ"),
    ],
)
def test_two_spellings_share_a_whole_term(one: str, other: str) -> None:
    whole = max(document_terms(one), key=len)
    assert whole in document_terms(other)


@pytest.mark.parametrize("unrelated", ["1.20", "21.2", "v12"])
def test_a_version_is_not_found_in_another(unrelated: str) -> None:
    assert not found("1.2", unrelated)


def test_what_is_asked_is_kept_and_how_it_is_asked_is_left_out() -> None:
    query = query_terms("How do I fix the connection pool?")
    assert [term.term for term in query.terms] == ["fix", "connection", "pool"]
    assert query.left_out == ("How", "do", "I", "the")

    query = query_terms("커넥션 풀을 어떻게 늘렸지?")
    assert query.left_out == ("어떻게",)
    assert {"커넥", "넥션"} <= {term.term for term in query.terms}


@pytest.mark.parametrize("text", ["how to be", "어떻게 하지", "the who"])
def test_a_question_of_function_words_is_asked_as_it_stands(text: str) -> None:
    query = query_terms(text)
    assert query.terms
    assert not query.left_out


@pytest.mark.parametrize("text", ["", "???", "\u0301", "—"])
def test_a_question_without_words_has_no_terms(text: str) -> None:
    assert query_terms(text).terms == ()


def test_endings_weigh_less_than_the_word() -> None:
    weights = {term.term: term.weight for term in query_terms("환경을 설정하기").terms}
    assert weights["환경"] == weights["설정"] == 1.0
    assert weights["경을"] == weights["하기"] < 1.0


def test_particles_after_a_latin_word_are_no_terms() -> None:
    query = query_terms("GitHub에서 CORS를")
    assert {"에서", "를"} <= set(query.left_out)


def test_a_pasted_log_keeps_its_identifiers() -> None:
    words = " ".join(f"word{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10]}" for n in range(100))
    query = query_terms(f"{words} {words.upper()[::-1]} lastIdentifier")
    assert len(query.terms) == MAX_QUERY_TERMS
    assert query.terms[0].term == "lastidentifier"


def test_spans_mark_a_decomposed_word_as_it_is_typed() -> None:
    text = unicodedata.normalize("NFD", "한도 초과가")
    marked = {text[part.start : part.end] for part in spans(text) if part.term == "초과"}
    assert marked == {unicodedata.normalize("NFD", "초과")}


def test_spans_mark_the_parts_and_the_whole_of_an_identifier() -> None:
    text = "set maxPoolSize=20"
    marked = {part.term: text[part.start : part.end] for part in spans(text)}
    assert marked["pool"] == "Pool"
    assert marked[stem("maxpoolsize")] == "maxPoolSize"


def test_single_syllables_do_not_lengthen_a_document() -> None:
    assert document_length(document_terms("커넥션을")) == 3


def test_agreement_is_high_for_texts_of_one_script() -> None:
    korean, english = scripts("커넥션 풀 고갈"), scripts("connection pool exhausted")
    assert korean.agreement(korean) == english.agreement(english) == 1.0
    assert korean.agreement(english) == 0.0


@pytest.mark.parametrize(
    ("word", "stem_of_it"),
    [
        ("설정하기를", "설정"),
        ("커넥션에서는", "커넥션"),
        ("회의", "회의"),
        ("고양이가", "고양이"),
        ("업데이트되지", "업데이트"),
    ],
)
def test_particles_and_endings_are_no_part_of_a_korean_stem(word: str, stem_of_it: str) -> None:
    assert word[: stem_length(word)] == stem_of_it


@pytest.mark.parametrize("word", ["어떻게", "무엇을", "누구에게", "때문에", "있었지"])
def test_korean_function_words(word: str) -> None:
    assert is_function_word(word)


@given(st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), min_size=1, max_size=15))
def test_a_stem_is_not_empty_and_not_longer(word: str) -> None:
    assert 1 <= len(stem(word)) <= len(word)
