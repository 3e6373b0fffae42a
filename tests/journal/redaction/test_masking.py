"""In decoded JSON, the key decides: what it calls a secret goes, what only sounds so stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memjournal.journal.redaction import Redactor

REDACTOR = Redactor()

TELLING = [
    "password",
    "secret",
    "token",
    "api_key",
    "apiKey",
    "X-Api-Key",
    "auth",
    "credential",
    "credentials",
    "privateKey",
    "DB_PASSWORD",
    "accessToken",
    "refresh_token",
    "client_secret",
    "Authorization",
    "cookie",
    "Set-Cookie",
    "mypassword",
    "passphrase",
    "aws_secret_access_key",
    "SecretAccessKey",
    "session_token",
    "GITHUB_TOKEN",
    "SECRET_KEY_BASE",
    "private_key",
    "AccountKey",
    "encryption_key",
    "signing-key",
    "pwd",
    "otp",
    "cvv",
    "basic_auth",
    "authToken",
    "비밀번호",
    "비번",
    "토큰",
    "API키",
    "db_비밀번호",
    "인증키",
    "시크릿",
    "주민등록번호",
]
HARMLESS = [
    "max_tokens",
    "token_count",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_input_tokens",
    "maxTokens",
    "author",
    "authors",
    "authority",
    "keyboard",
    "key_bindings",
    "keyBindings",
    "tokenizer",
    "primary_key",
    "foreign_key",
    "public_key",
    "session_id",
    "sessionId",
    "keywords",
    "key",
    "keys",
    "token_type",
    "expires_in",
    "password_hash",
    "passed",
    "compass",
    "secretary",
    "file_path",
    "tokenUrl",
    "authorization_endpoint",
    "monkey",
    "키보드",
    "암호화",
]


@pytest.mark.parametrize("key", TELLING)
def test_a_telling_key_takes_its_value_away(key: str) -> None:
    assert REDACTOR.redact_value({key: "abc"}) == {key: "[REDACTED]"}
    assert REDACTOR.redact_value([{"a": {key: ["abc", "def"]}}]) in (
        [{"a": {key: ["[REDACTED]", "[REDACTED]"]}}],
    )


@pytest.mark.parametrize("key", HARMLESS)
def test_a_harmless_key_keeps_its_value(key: str) -> None:
    assert REDACTOR.redact_value({key: "abc", "n": 1}) == {key: "abc", "n": 1}
    assert REDACTOR.redact_value({key: 123456}) == {key: 123456}


def test_strings_are_redacted_wherever_they_are() -> None:
    value = {
        "command": "curl -u bob:hunter2 x",
        "list": ["<private>a</private>", {"b": "비번 a1!b2c3"}],
    }
    text = json.dumps(REDACTOR.redact_value(value), ensure_ascii=False)
    assert "hunter2" not in text and "<private>" not in text and "a1!b2" not in text


def test_keys_are_text_too() -> None:
    assert REDACTOR.redact_value({"password=hunter2": 1}) == {"password=[REDACTED]": 1}
    both = {"password=hunter2": 1, "password=hunter3": 2}
    assert REDACTOR.redact_value(both) == {"password=[REDACTED]": 1, "password=[REDACTED] 2": 2}


def test_names_and_values_side_by_side() -> None:
    value = {"env": [{"name": "DB_PASSWORD", "value": "abc"}, {"name": "HOME", "value": "/x"}]}
    assert REDACTOR.redact_value(value) == {
        "env": [{"name": "DB_PASSWORD", "value": "[REDACTED]"}, {"name": "HOME", "value": "/x"}]
    }


def test_command_lines_in_lists() -> None:
    assert REDACTOR.redact_value(["x", "--password", "abc", "--verbose", "abc"]) == [
        "x",
        "--password",
        "[REDACTED]",
        "--verbose",
        "abc",
    ]


def test_schemas_counts_and_folders_stay() -> None:
    for value in (
        {"password": {"type": "string", "minLength": 8}},
        {"usage": {"tokens": 512}, "pass": 3},
        {"pwd": "/home/bob"},
        {"token": None, "secret": True, "password": ""},
        {"token": "${GITHUB_TOKEN}"},
        {"auth": {"type": "oauth", "user": "bob"}},
    ):
        assert REDACTOR.redact_value(value) == value


def test_numbers_under_a_password_go() -> None:
    assert REDACTOR.redact_value({"password": 123456, "otp": 987654}) == {
        "password": "[REDACTED]",
        "otp": "[REDACTED]",
    }


@pytest.mark.parametrize(
    "key",
    [
        "ｐａｓｓｗｏｒｄ",  # full-width
        "pаssword",  # Cyrillic
        "pass\u200bword",
        "비 밀 번 호",
        "비밀_번호",
        "액세스  키",
        "비\u2060번",
        "DB_PASSWORD?",
    ],
)
def test_a_key_is_read_as_a_person_sees_it(key: str) -> None:
    assert REDACTOR.redact_value({key: "abc"}) == {key: "[REDACTED]"}


@pytest.mark.parametrize("key", ["색 인 표", "토큰화 방식", "рост"])  # Cyrillic
def test_a_key_in_other_letters_is_not_taken_for_one(key: str) -> None:
    assert REDACTOR.redact_value({key: "abc"}) == {key: "abc"}


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        (["mysql", "-pPASSw", "shop"], ["mysql", "-p[REDACTED]", "shop"]),
        (["curl", "-u", "bob:hunter2", "x"], ["curl", "-u", "bob:[REDACTED]", "x"]),
        (["sshpass", "-p", "my pass phrase", "ssh"], ["sshpass", "-p", "[REDACTED]", "ssh"]),
        (["mysql", "-p나비야나비야"], ["mysql", "-p[REDACTED]"]),
        (["mysql", "-h", "db"], ["mysql", "-h", "db"]),
        (["mysql", 7, "-pPASSw"], ["mysql", 7, "-pPASSw"]),
    ],
)
def test_what_a_word_of_a_command_gives_away_goes(
    words: list[object], hidden: list[object]
) -> None:
    assert REDACTOR.redact_value({"command": words}) == {"command": hidden}


@pytest.mark.parametrize(
    ("question", "answer", "is_hidden"),
    [
        ("What is the password?", "swordfish", True),
        ("DB password?", "swordfish", True),
        ("Please enter your API key:", "abcdefgh", True),
        ("Which token do we deploy with?", "aB3dE5fG7", True),
        ("비밀번호가 뭐야?", "나비야", True),
        ("DB 비밀번호는?", "swordfish", True),
        ("배포 토큰을 알려 주세요?", "나비야", True),
        ("Use JWT or sessions?", "JWT", False),
        ("Where should we store the token?", "In a cookie", False),
        ("What is the best way to keep the token?", "httpOnly cookie", False),
        ("토큰은 무엇으로 저장할까요?", "서명 쿠키", False),
        ("로그인 방식은?", "JWT", False),
    ],
)
def test_the_answer_to_a_question_for_a_secret_goes(
    question: str, answer: str, is_hidden: bool
) -> None:
    told = "[REDACTED]" if is_hidden else answer
    assert REDACTOR.redact_value({"answers": {question: answer}}) == {"answers": {question: told}}
    assert REDACTOR.redact_value({"question": question, "answer": [answer]}) == {
        "question": question,
        "answer": [told],
    }
    for text in (f'You asked: "{question}"="{{}}", go on.', f"Color? → red\n{question} → {{}}"):
        assert REDACTOR.redact(text.format(answer)).text == text.format(told)


def test_depth_does_not_matter() -> None:
    value: object = "hunter2"
    for _ in range(3000):
        value = [value]
    assert "hunter2" not in repr(REDACTOR.redact_value({"password": value}))[:100_000]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(TELLING), inner),
    max_leaves=12,
)


@settings(deadline=None)  # the first text compiles the expressions
@given(JSON)
def test_masking_twice_is_masking_once(value: object) -> None:
    once = REDACTOR.redact_value(value)
    assert REDACTOR.redact_value(once) == once
    json.dumps(once)
