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
