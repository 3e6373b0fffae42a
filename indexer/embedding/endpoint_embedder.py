"""Vectors from an OpenAI-compatible service, on this machine or elsewhere.

What the service cannot do now is said as ``VectorsUnavailableError`` and is no fault of the texts: the
index leaves its work for later, and a search goes by keyword. Secrets are taken out of every
text once more before it is sent: notes that a person wrote are indexed as they are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from ..errors import VectorsUnavailableError
from .centring import CENTRE_VERSION, TEXTS, centre_of, centred
from .embedders import Matrix, Vector
from .endpoint import Conversation, Endpoint, Patience, TextRefusedError
from .endpoint_options import EndpointOptions

_SHORTEST: Final = 32  # characters; a text that is refused is not cut any further
_SEARCH_S: Final = 5.0  # after which a search does not try again
_INDEX_S: Final = 60.0  # nor the index, for whoever writes it waits


class EndpointEmbedder:
    """The model called *name* of the service that *options* describe."""

    def __init__(self, name: str, options: EndpointOptions) -> None:
        """Ask for the vectors of a few texts, which tell the dimension and that all is well.

        Raises:
            VectorsUnavailableError: the settings, or the service, cannot be used now.
        """
        self._endpoint = Endpoint(name, options)
        self.is_remote = self._endpoint.is_remote
        self._options = options
        search_s = min(options.timeout_s, _SEARCH_S)
        self._searching = Patience(n_tries=2, timeout_s=search_s, total_s=search_s)
        self._indexing = Patience(n_tries=5, timeout_s=options.timeout_s, total_s=_INDEX_S)
        middle = self._middle(options.passage_prefix)
        self._passage_centre = centre_of(middle)
        self.dimension = int(middle.shape[1])
        if options.dimensions not in (0, self.dimension):
            raise VectorsUnavailableError(
                f"the model gives {self.dimension} dimensions and not {options.dimensions}",
                where=self._endpoint.host,
                mend="set embedding.dimensions to 0",
            )
        told = f"{name}\0{options.passage_prefix}\0{CENTRE_VERSION}"
        self.fingerprint = "-".join(
            (
                re.sub(r"[^\w.-]+", "_", f"{self._endpoint.host}-{name}"),
                str(self.dimension),
                hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16],
            )
        )

    def encode(self, texts: Sequence[str]) -> Matrix:
        """As the protocol says; a text that the service does not take, even cut, is a row of zeros."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        chosen = [place for place, text in enumerate(texts) if text.strip()]
        with self._endpoint.conversation(self._indexing) as conversation:
            for start in range(0, len(chosen), self._options.batch_size):
                places = chosen[start : start + self._options.batch_size]
                batch = [self._outgoing(texts[place], is_query=False) for place in places]
                rows[places] = self._rows(conversation, batch)
        return centred(rows, self._passage_centre)

    def encode_query(self, text: str) -> Vector:
        if not text.strip():
            return np.zeros(self.dimension, np.float32)
        centre = self._query_centre
        with self._endpoint.conversation(self._searching) as conversation:
            rows = self._rows(conversation, [self._outgoing(text, is_query=True)])
        (row,) = centred(rows, centre)
        return np.asarray(row)

    @cached_property
    def _query_centre(self) -> Vector:
        if self._options.query_prefix == self._options.passage_prefix:
            return self._passage_centre
        return centre_of(self._middle(self._options.query_prefix))

    def _middle(self, prefix: str) -> Matrix:
        """The vectors of the texts that mark the middle, asked for with the patience of a search."""
        size = self._options.batch_size
        try:
            with self._endpoint.conversation(self._searching) as conversation:
                return np.concatenate(
                    [
                        conversation.rows([prefix + text for text in TEXTS[start : start + size]])
                        for start in range(0, len(TEXTS), size)
                    ]
                )
        except TextRefusedError as error:
            raise VectorsUnavailableError(
                error.what, where=error.where, mend="check embedding.url and the model's name"
            ) from error
        except ValueError as error:  # batches of different dimensions
            raise VectorsUnavailableError(
                "the embedding service gives vectors of different dimensions",
                where=self._endpoint.host,
            ) from error

    def _outgoing(self, text: str, *, is_query: bool) -> str:
        prefix = self._options.query_prefix if is_query else self._options.passage_prefix
        return prefix + self._options.redact(text)

    def _rows(self, conversation: Conversation, texts: Sequence[str]) -> Matrix:
        """The vectors of *texts*. Those that are refused are tried in halves, then cut.

        Raises:
            VectorsUnavailableError: not one text is taken any more, or another dimension is given.
        """
        try:
            rows = conversation.rows(texts)
        except TextRefusedError:
            if len(texts) > 1:
                half = len(texts) // 2
                parts = (texts[:half], texts[half:])
                return np.concatenate([self._rows(conversation, part) for part in parts])
            if len(texts[0]) > _SHORTEST:
                return self._rows(conversation, [texts[0][: len(texts[0]) // 2]])
            self._middle(self._options.passage_prefix)  # is it the text, or does it refuse us?
            return np.zeros((1, self.dimension), np.float32)
        if rows.shape[1] != self.dimension:
            raise VectorsUnavailableError(
                f"the embedding service now gives {rows.shape[1]} dimensions",
                where=self._endpoint.host,
                mend=f"it gave {self.dimension}; run the command again",
            )
        return rows
