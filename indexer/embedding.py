"""Texts to vectors, by static embeddings: one vector for each token, their mean for a text.

The shipped model and any other model2vec folder of the plain form are read here directly, with the
tokenizer and a memory map: 0.2 s of CPU instead of 0.8 s with the library, which is most of what a
cold search costs. What that form does not cover (names on a hub, vocabulary quantisation) goes
through model2vec itself. A test holds both to the same vectors.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from .errors import VectorsUnavailableError

SHIPPED_MODEL: Final = "memjournal-static-v1"
_BATCH: Final = 512
_DTYPES: Final = {"I8": np.int8, "F16": np.float16, "F32": np.float32}
_N_SAMPLES, _SAMPLE_BYTES = 16, 4096

Matrix = NDArray[np.float32]


class Embedder(Protocol):
    """What makes vectors of texts."""

    @property
    def fingerprint(self) -> str:
        """Names the model's content: vectors of different fingerprints cannot be compared."""
        ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Matrix:
        """``(n, d)`` float32, rows of length 1; a text without any known token is a row of zeros."""
        ...


class UnsupportedModelError(VectorsUnavailableError):
    """The folder is a model, but not of the plain form."""


class StaticEmbedder:
    """A model2vec folder of the plain form: one table of embeddings, a row for each token."""

    def __init__(self, folder: Path) -> None:
        """Read the model in *folder*.

        Raises:
            UnsupportedModelError: the model has weights or a token mapping beside its table.
            VectorsUnavailableError: files are missing or cannot be read.
        """
        try:
            from tokenizers import Tokenizer

            self.fingerprint = _fingerprint(folder)
            self._table = _read_table(folder / "model.safetensors")
            self._tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._tokenizer.no_truncation()  # how long a text is, is for its chunks to decide
            self._tokenizer.no_padding()
        except ImportError as error:
            raise VectorsUnavailableError(
                f"the package {error.name!r} is not installed", mend="reinstall memjournal"
            ) from error
        except VectorsUnavailableError:
            raise
        except Exception as error:  # the tokenizer's own errors are plain Exceptions
            raise VectorsUnavailableError(
                f"the model cannot be read ({error})", where=str(folder)
            ) from error
        if self._tokenizer.get_vocab_size() > len(self._table):
            raise VectorsUnavailableError(
                "the model's tokenizer and its table do not belong together", where=str(folder)
            )
        self._unknown: int | None = self._tokenizer.token_to_id("[UNK]")
        if self._unknown is None:
            self._unknown = self._tokenizer.token_to_id("<unk>")
        self.dimension = int(self._table.shape[1])

    def encode(self, texts: Sequence[str]) -> Matrix:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            encoded = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            for row, encoding in enumerate(encoded, start):
                tokens = [token for token in encoding.ids if token != self._unknown]
                if tokens:
                    vectors[row] = self._table[tokens].astype(np.float32).mean(axis=0)
        return _unit(vectors)


class LibraryEmbedder:
    """Any other model that the model2vec library can load."""

    def __init__(self, name: str) -> None:
        """Load the model *name*: a folder, or a name on a hub where the network allows.

        Raises:
            VectorsUnavailableError: it cannot be loaded.
        """
        try:
            from model2vec import StaticModel

            self._model = StaticModel.from_pretrained(name)
        except Exception as error:  # hub, network, format: each library raises its own
            raise VectorsUnavailableError(
                f"the model {name!r} cannot be loaded ({error})",
                mend=f"set embedding.model to {SHIPPED_MODEL} or to a model2vec folder",
            ) from error
        digest = hashlib.sha256(np.ascontiguousarray(self._model.embedding[:64]).tobytes())
        self.fingerprint = f"{Path(name).name}-{digest.hexdigest()[:16]}"
        self.dimension = int(self._model.dim)

    def encode(self, texts: Sequence[str]) -> Matrix:
        vectors = self._model.encode(list(texts), use_multiprocessing=False).astype(np.float32)
        return _unit(vectors)


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, lengths, out=vectors, where=lengths > 0)
    return vectors


def load_embedder(name: str) -> Embedder:
    """The model called *name*: the shipped one, a folder, or what model2vec knows by that name.

    A folder is given with its whole path. One that does not exist is an error, never a request to
    a hub.

    Raises:
        VectorsUnavailableError: it cannot be loaded.
    """
    if name == SHIPPED_MODEL:
        with _shipped_folder() as folder:
            return StaticEmbedder(folder)
    folder = Path(name)
    if not folder.is_absolute() and not name.startswith((".", "~")) and name.count("/") == 1:
        return LibraryEmbedder(name)
    if not folder.is_absolute() or not folder.is_dir():
        raise VectorsUnavailableError("no such model folder", where=name)
    try:
        return StaticEmbedder(folder)
    except UnsupportedModelError:
        return LibraryEmbedder(name)


@contextlib.contextmanager
def _shipped_folder() -> Iterator[Path]:
    with as_file(files(__package__ or "").joinpath("model", SHIPPED_MODEL)) as folder:
        if not folder.is_dir():
            raise VectorsUnavailableError(
                "the shipped model is missing", mend="reinstall memjournal"
            )
        yield folder


def _read_table(path: Path) -> NDArray[Any]:
    """The embeddings of a safetensors file, mapped, not read.

    The format: eight bytes of length, a JSON header, then the tensors
    (https://huggingface.co/docs/safetensors).
    """
    with open(path, "rb") as stream:
        n_header = int.from_bytes(stream.read(8), "little")
        if n_header > 1_000_000:
            raise VectorsUnavailableError("not a safetensors file", where=str(path))
        tensors = json.loads(stream.read(n_header))
    tensors.pop("__metadata__", None)
    if set(tensors) != {"embeddings"} or tensors["embeddings"]["dtype"] not in _DTYPES:
        raise UnsupportedModelError("a model of another form", where=str(path))
    table = tensors["embeddings"]
    return np.memmap(
        path,
        dtype=_DTYPES[table["dtype"]],
        mode="r",
        offset=8 + n_header + table["data_offsets"][0],
        shape=tuple(table["shape"]),
    )


def _fingerprint(folder: Path) -> str:
    """A digest of samples of the model's files: reading all 14 MB would cost more than a search."""
    digest = hashlib.sha256()
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        path = folder / name
        size = path.stat().st_size
        digest.update(f"{name}:{size}".encode())
        with open(path, "rb") as stream:
            for sample in range(_N_SAMPLES):
                stream.seek(sample * max(0, size - _SAMPLE_BYTES) // (_N_SAMPLES - 1))
                digest.update(stream.read(_SAMPLE_BYTES))
    return f"{folder.name}-{digest.hexdigest()[:16]}"
