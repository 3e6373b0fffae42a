"""A secret that is planted in a text, in any form, wording and place, appears nowhere afterwards.

All secrets are drawn when the tests run: none is in this file, so that it trips no scanner.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterator

import pytest

from memjournal.journal.redaction import Redactor, guards

from .planted import (
    BY_SHAPE,
    CONTEXTS,
    ENGLISH,
    KEYED_ENGLISH,
    KEYED_KOREAN,
    KOREAN,
    drawn,
    hexadecimal,
    telling_parts,
)

REDACTOR = Redactor()


def lines(wordings: tuple[str, ...], secret: str) -> Iterator[str]:
    for wording in wordings:
        yield wording.format(secret)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("shape", BY_SHAPE)
def test_a_secret_of_known_shape_is_removed(shape: str, context: str) -> None:
    secret = BY_SHAPE[shape]()
    for text in lines(ENGLISH + KOREAN, secret):
        planted = CONTEXTS[context](text)
        redacted = REDACTOR.redact(planted)
        for part in telling_parts(secret):
            assert part not in redacted.text, (text, redacted.text)
        assert redacted.n_secrets


@pytest.mark.parametrize("secret", ["UUKUjPCGEt7VCBTQUDXS!", "kq7dmzlwofhtrxubT"])
def test_one_digit_is_enough_where_no_word_is_written_so(secret: str) -> None:
    for wording in ("API 키는 {}입니다", "the API key is {}"):
        assert secret not in REDACTOR.redact(wording.format(secret)).text


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("wording", KEYED_ENGLISH + KEYED_KOREAN)
def test_a_secret_after_a_word_for_it_is_removed(wording: str, context: str) -> None:
    if context == "ascii json" and not wording.isascii():
        pytest.skip("the word itself is gone")
    for secret in (drawn(16), drawn(20) + "!", hexadecimal(40), "s3" + drawn(6) + "#" + drawn(4)):
        if "admin\n" in wording and guards.is_digest(secret):
            continue  # below an address, without any word for a secret, it is a commit
        planted = CONTEXTS[context](wording.format(secret))
        redacted = REDACTOR.redact(planted)
        assert secret not in redacted.text, redacted.text
        assert secret[:8] not in redacted.text, redacted.text
        assert secret[-8:] not in redacted.text, redacted.text


@pytest.mark.parametrize("shape", BY_SHAPE)
def test_a_file_name_hides_nothing(shape: str) -> None:
    secret = BY_SHAPE[shape]()
    if "/" in secret or " " in secret:
        return
    for name in (f"/home/bob/{secret}.txt", f"backup-{secret}", f"C:\\Users\\bob\\{secret}"):
        assert secret not in REDACTOR.redact(name).text


@pytest.mark.parametrize("n_blanks", [1, 3])
def test_a_quoted_phrase_goes_whole(n_blanks: int) -> None:
    phrase = " ".join(["correct", "horse", "battery", "staple"][: n_blanks + 1])
    for wording in ('password = "{}"', "비밀번호: '{}'", '"passphrase": "{}"', "secret='{}'"):
        assert "horse" not in REDACTOR.redact(wording.format(phrase)).text


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA ", "PGP "])
@pytest.mark.parametrize("end", ["", "END"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\\\\n", "\n> ", '\\n" +\n  "'])
def test_a_private_key_goes_whole_even_without_its_end(kind: str, end: str, newline: str) -> None:
    block = " BLOCK" if kind == "PGP " else ""
    body = [drawn(64) for _ in range(4)]
    rows = ["-----BEGIN " + kind + "PRIVATE KEY" + block + "-----", *body]
    if end:
        rows.append(f"-----END {kind}PRIVATE KEY{block}-----")
    redacted = REDACTOR.redact("before " + newline.join(rows) + (" after" if end else ""))
    assert not any(row in redacted.text for row in body)
    assert redacted.text.startswith("before ")
    assert redacted.text.endswith(" after") == bool(end)


def test_the_key_in_a_service_account_file_is_removed() -> None:
    body = drawn(64)
    pem = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"
    text = json.dumps({"type": "service_account", "private_key": pem, "client_id": "1"}, indent=1)
    redacted = REDACTOR.redact(text)
    assert body not in redacted.text
    assert json.loads(redacted.text)["client_id"] == "1"


def test_an_aws_secret_below_its_key_id_is_removed() -> None:
    secret = drawn(20) + "/aB3" + drawn(16)
    text = "AK" + "IA" + drawn(16, string.ascii_uppercase + "234567") + "\n" + secret
    assert secret not in REDACTOR.redact(text).text


@pytest.mark.parametrize("shape", BY_SHAPE)
def test_no_field_of_a_payload_keeps_it(shape: str) -> None:
    secret = BY_SHAPE[shape]()
    payload = {
        "prompt": f"이 키로 배포해줘: {secret}",
        "tool_name": "Bash",
        "tool_input": {
            "command": f"deploy '{secret}'",
            "file_path": f"/home/bob/{secret if '/' not in secret else 'a'}.txt",
            "env": {"DB_PASSWORD": "swordfish", "비밀번호": "swordfish"},
            "edits": [{"old_string": "", "new_string": f"key = '{secret}'"}],
        },
        "tool_response": {"stdout": f"ok {secret}\n", "stderr": f"401: {secret}", "tokens": 5},
        "tool_error": f"Error: login with {secret} failed",
    }
    text = json.dumps(REDACTOR.redact_value(payload), ensure_ascii=False)
    assert "swordfish" not in text
    for part in telling_parts(secret):
        assert part not in text


def test_the_word_for_a_secret_stays() -> None:
    assert REDACTOR.redact("DB_PASSWORD=hunter2 make").text == "DB_PASSWORD=[REDACTED] make"
    assert REDACTOR.redact("비밀번호는 hunter2!야").text == "비밀번호는 [REDACTED]야"
    assert REDACTOR.redact('{"password": "hunter2"}').text == '{"password": "[REDACTED]"}'
