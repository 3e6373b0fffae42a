"""A secret that was recognised once is hidden wherever it stands beside."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.redaction import KnownSecrets, Redactor
from memjournal.journal.redaction.repeats import MAX_KNOWN

REDACTOR = Redactor()


def hidden_in(text: str, secrets: Iterable[str]) -> str:
    """*text* as it is written once *secrets* are known."""
    known = KnownSecrets()
    known.learn(secrets)
    return known.hide(text, marker="[REDACTED]")[0]


@pytest.mark.parametrize(
    ("given", "result", "secret"),
    [
        (
            {"command": 'curl -H "Authorization: Bearer tok_9f8e7d6c5b4a3210ffee" https://api'},
            "401 for tok_9f8e7d6c5b4a3210ffee",
            "tok_9f8e7d6c5b4a3210ffee",
        ),
        ({"command": "curl -u bob:S3cr3tPW https://api"}, "user bob:S3cr3tPW rejected", "S3cr3tPW"),
        ({"command": "mysql -pHunterXX9 shop"}, "Access denied (HunterXX9)", "HunterXX9"),
        ({"password": "dkagh1234!"}, "로그인 실패: dkagh1234!", "dkagh1234!"),
        ({"env": [{"name": "DB_PASSWORD", "value": "p4ssphrase"}]}, "p4ssphrase?", "p4ssphrase"),
        (
            {"command": "psql postgres://bob:s3cretpw@db.example.com/shop"},
            'password "s3cretpw" was refused',
            "s3cretpw",
        ),
        ({"command": "export 비밀번호=gkdl2024!!"}, "gkdl2024!! 값이 틀렸습니다", "gkdl2024!!"),
    ],
)
def test_what_a_call_gave_away_is_hidden_in_its_result(
    given: object, result: str, secret: str
) -> None:
    hidden = hidden_in(result, REDACTOR.secrets_in(given))
    assert secret not in hidden
    assert "[REDACTED]" in hidden


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ({"command": "login --password admin"}, "the admin page"),
        ({"password": "correct horse"}, "a correct horse"),
        ({"otp_token": "123456"}, "order 123456"),
        ({"command": "ls"}, "nothing to hide 1234abcd"),
        ({"token": "${TOKEN}"}, "set ${TOKEN}"),
    ],
)
def test_words_and_numbers_that_mean_other_things_too_stay(given: object, result: str) -> None:
    assert hidden_in(result, REDACTOR.secrets_in(given)) == result


@given(
    st.recursive(
        st.text() | st.integers(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
    )
)
def test_any_value_can_be_looked_through(value: object) -> None:
    REDACTOR.secrets_in(value)


@given(st.text(), st.sets(st.text(min_size=6), max_size=4))
def test_hiding_twice_is_hiding_once(text: str, known: set[str]) -> None:
    known = {one for one in known if not set(one) & set("[REDACTED]")}
    once = hidden_in(text, known)
    assert hidden_in(once, known) == once
    assert not any(one in once for one in known)


def test_what_is_known_is_hidden_and_what_is_recognised_is_known_from_then_on() -> None:
    known = KnownSecrets()
    assert REDACTOR.redact("HunterXX9?", known=known).text == "HunterXX9?"
    given = REDACTOR.redact("HunterXX9: mysql -pHunterXX9 shop", known=known)
    assert given.text == "[REDACTED]: mysql -p[REDACTED] shop"
    assert (given.n_secrets, given.kinds[-2:]) == (2, ("command", "known"))
    again = REDACTOR.redact("아까 그 HunterXX9", known=known)
    assert (again.text, again.n_secrets, again.kinds) == ("아까 그 [REDACTED]", 1, ("known",))


def test_a_secret_in_a_private_part_is_known_as_well() -> None:
    known = KnownSecrets()
    REDACTOR.redact("<private>mysql -pHunterXX9</private>", known=known)
    assert REDACTOR.redact("HunterXX9", known=known).text == "[REDACTED]"


def test_no_more_is_known_than_there_is_room_for_but_in_the_same_text() -> None:
    known = KnownSecrets()
    known.learn(f"secret{number:04}" for number in range(MAX_KNOWN))
    text = "password=secret9999 secret0000 secret9999"
    assert REDACTOR.redact(text, known=known).text == "password=[REDACTED] [REDACTED] [REDACTED]"
    assert REDACTOR.redact("secret9999", known=known).text == "secret9999"


@given(st.lists(st.text(max_size=30) | st.sampled_from(["password=Zx81-kl2Q", "Zx81-kl2Q"])))
def test_redacting_what_was_redacted_with_what_is_known_changes_nothing(texts: list[str]) -> None:
    known = KnownSecrets()
    for text in ("".join(texts), *texts):
        once = REDACTOR.redact(text, known=known).text
        assert REDACTOR.redact(once).text == once == REDACTOR.redact(once, known=known).text


def test_a_short_one_is_hidden_where_it_is_a_word_and_not_in_another() -> None:
    text = "test123 을 쓰다가 test123로 로그인, _test123_ 'test123'; pytest123 latest1234 test1234"
    hidden = hidden_in(text, ["test123"])
    assert hidden.count("[REDACTED]") == 4
    assert "pytest123 latest1234 test1234" in hidden
