"""Texts to vectors. Here by static embeddings: one vector for each token, their mean for a text.

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
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import VectorsUnavailableError
from .word_tokens import WordTokens

if TYPE_CHECKING:
    from .endpoint_options import EndpointOptions

SHIPPED_MODEL: Final = "memjournal-static-v1"
E5_MODELS: Final = ("e5", "multilingual-e5-small")
SERVICE_PREFIX: Final = "openai:"  # before the name of a model that a service has
_BATCH: Final = 4096
_DTYPES: Final = {"I8": np.int8, "F16": np.float16, "F32": np.float32}
_N_SAMPLES, _SAMPLE_BYTES = 16, 4096

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]


class Embedder(Protocol):
    """What makes vectors of texts."""

    @property
    def fingerprint(self) -> str:
        """Names the model's content: vectors of different fingerprints cannot be compared."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def is_remote(self) -> bool:
        """Whether texts leave this machine. Entries that are private must not be given to it then."""
        ...

    def encode(self, texts: Sequence[str]) -> Matrix:
        """``(n, d)`` float32, rows of length 1; a text without any known token is a row of zeros.

        Raises:
            VectorsUnavailableError: it cannot be done now, whatever the texts.
        """
        ...

    def encode_query(self, text: str) -> Vector:
        """``(d,)`` float32: the vector of a question, to be compared with those of ``encode``.

        Raises:
            VectorsUnavailableError: it cannot be done now, whatever the question.
        """
        ...


def may_be_given(privacy: str, embedder: Embedder) -> bool:
    """Whether an entry of that *privacy* may be embedded: what is private stays on this machine."""
    return not embedder.is_remote or privacy in ("public", "internal")


class Static:
    """What all static models have in common: no network, and a question is a text as any other."""

    @property
    def is_remote(self) -> bool:
        return False

    def encode_query(self: Embedder, text: str) -> Vector:
        return np.asarray(self.encode([text])[0])


class UnsupportedModelError(VectorsUnavailableError):
    """The folder is a model, but not of the plain form."""


class StaticEmbedder(Static):
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
            self._table = np.asarray(_read_table(folder / "model.safetensors"))
            tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
            tokenizer.no_truncation()  # how long a text is, is for its chunks to decide
            tokenizer.no_padding()
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
        if tokenizer.get_vocab_size() > len(self._table):
            raise VectorsUnavailableError(
                "the model's tokenizer and its table do not belong together", where=str(folder)
            )
        unknown = tokenizer.token_to_id("[UNK]")
        if unknown is None:
            unknown = tokenizer.token_to_id("<unk>")
        self._tokens = WordTokens(tokenizer, unknown=unknown)
        # Whole numbers have the same sum in any order, and are summed faster as what they are.
        self._sums_as = np.int32 if self._table.dtype == np.int8 else np.float32
        self.dimension = int(self._table.shape[1])

    def encode(self, texts: Sequence[str]) -> Matrix:
        sums = np.zeros((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _BATCH):
            for row, tokens in enumerate(self._tokens.of(texts[start : start + _BATCH]), start):
                if tokens:
                    rows = self._table.take(np.frombuffer(tokens, np.int32), axis=0)
                    sums[row] = rows.sum(axis=0, dtype=self._sums_as)
        return _unit(sums)  # of a sum as of the mean


class LibraryEmbedder(Static):
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


def load_embedder(name: str, endpoint: EndpointOptions | None = None) -> Embedder:
    """The model called *name*: the shipped one, e5, ``openai:NAME``, a folder, or one of model2vec's.

    A folder is given with its whole path. One that does not exist is an error, never a request to
    a hub. *endpoint* says where ``openai:NAME`` is.

    Raises:
        VectorsUnavailableError: it cannot be loaded.
    """
    if name == SHIPPED_MODEL:
        with _shipped_folder() as folder:
            return StaticEmbedder(folder)
    if name in E5_MODELS:
        from .e5 import E5Embedder

        return E5Embedder()
    if name.startswith(SERVICE_PREFIX):
        return _load_service(name.removeprefix(SERVICE_PREFIX), endpoint)
    folder = Path(name)
    if not folder.is_absolute() and not name.startswith((".", "~")) and name.count("/") == 1:
        return LibraryEmbedder(name)
    if not folder.is_absolute() or not folder.is_dir():
        raise VectorsUnavailableError("no such model folder", where=name)
    try:
        return StaticEmbedder(folder)
    except UnsupportedModelError:
        return LibraryEmbedder(name)


def _load_service(name: str, endpoint: EndpointOptions | None) -> Embedder:
    from .endpoint_embedder import EndpointEmbedder

    if not name.strip():
        raise VectorsUnavailableError(
            "embedding.model names no model of the service", mend=f"write {SERVICE_PREFIX}NAME"
        )
    if endpoint is None:
        raise ValueError("a service's model was asked for without its address")
    return EndpointEmbedder(name, endpoint)


@contextlib.contextmanager
def _shipped_folder() -> Iterator[Path]:
    indexer = (__package__ or "").rpartition(".")[0]
    with as_file(files(indexer).joinpath("model", SHIPPED_MODEL)) as folder:
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
        add_samples(digest, folder / name)
    return f"{folder.name}-{digest.hexdigest()[:16]}"


def add_samples(digest: hashlib._Hash, path: Path) -> None:
    """Add the name, the size and samples of a model's file to *digest*."""
    size = path.stat().st_size
    digest.update(f"{path.name}:{size}".encode())
    with open(path, "rb") as stream:
        for sample in range(_N_SAMPLES):
            stream.seek(sample * max(0, size - _SAMPLE_BYTES) // (_N_SAMPLES - 1))
            digest.update(stream.read(_SAMPLE_BYTES))
