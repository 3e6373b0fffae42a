"""Vectors are those of the model's own library, one by one as in a batch, and named after the model."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from memjournal.indexer.embedding.embedders import (
    SHIPPED_MODEL,
    Embedder,
    LibraryEmbedder,
    StaticEmbedder,
    UnsupportedModelError,
    load_embedder,
)
from memjournal.indexer.errors import VectorsUnavailableError

from .world import DAMAGES, make_model

SHIPPED = Path(__file__).parents[2] / "indexer/model" / SHIPPED_MODEL
TEXTS = (
    "The connection pool is exhausted when orders time out.",
    "커넥션 풀이 고갈되어 주문이 느려졌다",
    "def refund(order_id: str) -> None:\n    raise TimeoutError(order_id)",
    "a",
    "가",
    "日本語のテキスト",
    "ﾊﾝｶｸ ＦＵＬＬ ｗｉｄｔｈ",
    "e\u0301 \u1112\u1161\u11ab",
    "😀",
    "",
    "   ",
    "\0",
    "word " * 300,
)


@pytest.fixture(scope="module")
def shipped() -> Embedder:
    return load_embedder(SHIPPED_MODEL)


@pytest.fixture(scope="module")
def library() -> LibraryEmbedder:
    return LibraryEmbedder(str(SHIPPED))


def lengths(rows: np.ndarray) -> Iterable[float]:
    return np.linalg.norm(rows, axis=1).tolist()


def test_vectors_are_those_of_the_library(shipped: Embedder, library: LibraryEmbedder) -> None:
    ours, theirs = shipped.encode(TEXTS), library.encode(TEXTS)
    assert ours.dtype == np.float32
    assert ours.shape == theirs.shape == (len(TEXTS), shipped.dimension)
    for text, mine, other in zip(TEXTS, ours, theirs, strict=True):
        assert mine.any() == other.any(), text
        assert not mine.any() or mine @ other >= 0.9999, text


def test_a_batch_gives_the_vectors_of_its_texts(shipped: Embedder) -> None:
    texts = list(TEXTS) * 50  # more than one batch of the tokenizer
    batch = shipped.encode(texts)
    for text, row in zip(TEXTS, batch[-len(TEXTS) :], strict=True):
        np.testing.assert_array_equal(shipped.encode([text])[0], row)
    assert shipped.encode([]).shape == (0, shipped.dimension)


def test_rows_have_length_1_or_0(shipped: Embedder) -> None:
    for text, length in zip(TEXTS, lengths(shipped.encode(TEXTS)), strict=True):
        assert length == pytest.approx(1, abs=1e-5) or (length == 0 and len(text.strip()) < 2)


def test_the_end_of_a_long_text_counts(shipped: Embedder) -> None:
    start = "word " * 2_000
    one, other = shipped.encode([start + "refund " * 2_000, start + "포도 " * 2_000])
    assert one @ other < 0.99


def test_a_translation_is_nearer_than_another_subject(shipped: Embedder) -> None:
    english, korean, other = shipped.encode(["payment refund", "결제 환불", "점심 메뉴"])
    assert english @ korean > english @ other


def test_a_model_has_the_same_fingerprint_anywhere_and_another_one_another(tmp_path: Path) -> None:
    mine = make_model(tmp_path / "mine")
    shutil.copytree(mine, tmp_path / "there/mine")
    names = [StaticEmbedder(folder).fingerprint for folder in (mine, tmp_path / "there/mine")]
    assert names[0] == names[1]
    assert StaticEmbedder(make_model(tmp_path / "x/mine", seed=1)).fingerprint != names[0]
    assert StaticEmbedder(make_model(tmp_path / "y/mine", dimension=16)).fingerprint != names[0]


FILES = ("model.safetensors", "tokenizer.json", "config.json")


@pytest.mark.parametrize("damage", [*DAMAGES, "gone"])
@pytest.mark.parametrize("name", FILES[:2])
def test_a_broken_model_is_named_or_does_no_harm(name: str, damage: str, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    target = folder / name
    if damage == "gone":
        target.unlink()
    else:
        target.write_bytes(DAMAGES[damage](target.read_bytes()))
    try:
        embedder = load_embedder(str(folder))
    except VectorsUnavailableError as error:
        assert str(folder) in str(error)
    else:
        assert damage == "longer"
        assert embedder.encode(["pool"])[0].any()


@pytest.mark.parametrize("name", FILES)
def test_a_model_that_lacks_a_file_is_named(name: str, tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(VectorsUnavailableError, match=name.partition(".")[0]):
        load_embedder(str(folder))


@pytest.mark.parametrize("name", ["./gone", "~/gone", "/gone/model", "a/b/c", "no-such-model"])
def test_a_folder_that_is_not_there_is_not_asked_for_elsewhere(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LibraryEmbedder, "__init__", lambda *_: pytest.fail("a hub was asked"))
    with pytest.raises(VectorsUnavailableError, match="no such model folder"):
        load_embedder(name)


def test_a_model_of_another_form_goes_through_its_library(tmp_path: Path) -> None:
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    plain = make_model(tmp_path / "plain")
    tokenizer = Tokenizer.from_file(str(plain / "tokenizer.json"))
    n = tokenizer.get_vocab_size()
    rows = np.random.default_rng(0).normal(size=(n, 8)).astype(np.float32)
    StaticModel(rows, tokenizer, weights=np.linspace(0.5, 1, n)).save_pretrained(
        str(tmp_path / "weighted")
    )
    with pytest.raises(UnsupportedModelError):
        StaticEmbedder(tmp_path / "weighted")
    embedder = load_embedder(str(tmp_path / "weighted"))
    assert isinstance(embedder, LibraryEmbedder)
    assert list(lengths(embedder.encode(["pool timeout", ""]))) == [pytest.approx(1), 0]
