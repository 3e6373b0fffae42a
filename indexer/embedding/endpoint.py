"""Talking to an OpenAI-compatible embeddings service: a batch of texts goes out, vectors come back.

Texts of a journal are private and so is the key. They go to the one host that the user named and
nowhere else: a redirect is refused, certificates are checked, no proxy is taken from the
surroundings, and what the service says in words is not repeated, as it may quote either.
The standard library does it: of a client we would use one request, and every rule here would be
something to switch off.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import math
import re
import ssl
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import SplitResult, urlsplit

from ..errors import VectorsUnavailableError
from .embedders import Matrix
from .endpoint_answer import LASTING_CODES, error_code, read_rows
from .endpoint_options import EndpointOptions

_TEXT_FAULTS: Final = frozenset({400, 413, 422})
_PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_CHECK_KEY: Final = "embedding.key_variable names the variable that holds the key: check both"
_MENDS: Final = {
    401: _CHECK_KEY,
    403: _CHECK_KEY,
    404: "check embedding.url and the model's name",
}
_MAX_ANSWER_BYTES: Final = 256 * 2**20
_READ_BYTES: Final = 2**16
_LONGEST_PAUSE_S: Final = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to try. A search must not wait for what an index can."""

    n_tries: int
    timeout_s: float  # for one answer
    total_s: float = math.inf  # no other try after that


class TextRefusedError(VectorsUnavailableError):
    """The service is there and does not take these texts: one may be too long for the model."""


class _PassingError(VectorsUnavailableError):
    """Another try may do."""

    wait_s = 0.0  # what the service asks for


class Endpoint:
    """The service at one address, for one model."""

    def __init__(self, model: str, options: EndpointOptions) -> None:
        """Look at the address and the key; nothing is sent.

        Raises:
            VectorsUnavailableError: one of them cannot be used.
        """
        self._address = _address(options)
        self.host = self._address.hostname or ""
        self.is_remote = not is_loopback(self.host)
        if options.key_variable and not options.key:
            raise VectorsUnavailableError(
                f"the environment variable {options.key_variable} is not set",
                mend="it holds the key of the embedding service",
            )
        if not re.fullmatch(r"[!-~]*", options.key):  # what http.client refuses, it quotes
            raise VectorsUnavailableError(
                f"the key in {options.key_variable or 'the settings'} has characters that no key has"
            )
        self._model, self._options = model, options

    @contextlib.contextmanager
    def conversation(self, patience: Patience) -> Iterator[Conversation]:
        """A connection that is kept for several batches."""
        port = self._address.port
        connection = (
            http.client.HTTPSConnection(
                self.host, port, timeout=patience.timeout_s, context=self._trusted
            )
            if self._address.scheme == "https"
            else http.client.HTTPConnection(self.host, port, timeout=patience.timeout_s)
        )
        with contextlib.closing(connection):
            yield Conversation(self, connection, patience)

    @cached_property
    def _trusted(self) -> ssl.SSLContext:
        """Whose certificates are trusted: those that this machine trusts. Reading them takes 20 ms."""
        return ssl.create_default_context()

    @property
    def path(self) -> str:
        return self._address.path.rstrip("/") + "/embeddings"

    @property
    def pause_s(self) -> float:
        return self._options.pause_s

    def headers(self) -> dict[str, str]:
        """The headers of a request; the key is in them."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._options.key:
            headers["Authorization"] = f"Bearer {self._options.key}"
        return headers

    def request(self, texts: Sequence[str]) -> bytes:
        """The body of a request."""
        asked: dict[str, object] = {
            "model": self._model,
            "input": list(texts),
            "encoding_format": "float",
        }
        if self._options.dimensions:
            asked["dimensions"] = self._options.dimensions
        # Escaped, so that half a surrogate pair goes through as well.
        return json.dumps(asked).encode("ascii")


class Conversation:
    """Requests over one connection, each tried as often as *patience* allows."""

    def __init__(
        self, endpoint: Endpoint, connection: http.client.HTTPConnection, patience: Patience
    ) -> None:
        self._endpoint, self._connection, self._patience = endpoint, connection, patience

    def rows(self, texts: Sequence[str]) -> Matrix:
        """The vectors of *texts*, as they were given: finite, none of them zero.

        Raises:
            TextRefusedError: the service does not take these texts.
            VectorsUnavailableError: it cannot be reached, refuses us, or answers nonsense.
        """
        body = self._endpoint.request(texts)
        deadline = time.monotonic() + self._patience.total_s
        pause_s = self._endpoint.pause_s
        for n_left in reversed(range(self._patience.n_tries)):
            try:
                return self._try(body, len(texts))
            except _PassingError as error:
                wait_s = max(error.wait_s, pause_s)
                is_too_long = wait_s > _LONGEST_PAUSE_S or time.monotonic() + wait_s > deadline
                if not n_left or is_too_long:
                    raise
            time.sleep(wait_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
        raise ValueError("no try was allowed")

    def _try(self, body: bytes, n_texts: int) -> Matrix:
        try:
            status, wait_s, answer = self._post(body)
        except ssl.SSLCertVerificationError as error:
            raise self._error(
                f"has a certificate that is not trusted ({error.verify_message})"
            ) from error
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise self._passing(_reason(error)) from error
        if status != 200:
            raise self._refusal(status, wait_s, answer)
        try:
            return read_rows(answer, n_texts)
        except ValueError as error:
            raise self._error(f"gives no usable answer: {error}") from error

    def _post(self, body: bytes) -> tuple[int, float, bytes]:
        """Status, seconds to wait and text of the answer, which is read within the time-out."""
        deadline = time.monotonic() + self._patience.timeout_s
        self._connection.request(
            "POST", self._endpoint.path, body=body, headers=self._endpoint.headers()
        )
        response = self._connection.getresponse()
        answer = bytearray()
        while piece := response.read1(_READ_BYTES):
            answer += piece
            if time.monotonic() > deadline:
                raise TimeoutError
            if len(answer) > _MAX_ANSWER_BYTES:
                raise self._error("answers with more than 256 MB")
        if response.length:
            raise http.client.IncompleteRead(b"")
        response.read()  # nothing is left; without this the connection does not know it
        return response.status, _seconds(response.headers.get("Retry-After", "")), bytes(answer)

    def _refusal(self, status: int, wait_s: float, answer: bytes) -> VectorsUnavailableError:
        """What an answer with *status* means."""
        code = error_code(answer)
        reason = f"answers {status}" + (f" ({code})" if code else "")
        if status in _TEXT_FAULTS:
            return TextRefusedError(f"the embedding service {reason}", where=self._endpoint.host)
        if status in _PASSING and code not in LASTING_CODES:
            return self._passing(reason, wait_s=wait_s)
        if 300 <= status < 400:
            return self._error(
                reason, mend="a redirect is not followed: put the final address in embedding.url"
            )
        return self._error(reason, mend=_MENDS.get(status, ""))

    def _error(self, reason: str, *, mend: str = "") -> VectorsUnavailableError:
        return VectorsUnavailableError(
            f"the embedding service {reason}", where=self._endpoint.host, mend=mend
        )

    def _passing(self, reason: str, *, wait_s: float = 0.0) -> _PassingError:
        error = _PassingError(f"the embedding service {reason}", where=self._endpoint.host)
        error.wait_s = wait_s
        return error


def is_loopback(host: str) -> bool:
    """Whether *host* is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _address(options: EndpointOptions) -> SplitResult:
    """The address of the service. Messages do not repeat it: a key may have been put into it."""
    url = options.url
    try:
        address = urlsplit(url)
        _ = address.port
    except ValueError as error:
        raise VectorsUnavailableError("embedding.url is not an address") from error
    fault, mend = "", ""
    if not url:
        fault, mend = "is not set", "for example http://localhost:11434/v1"
    elif address.scheme not in ("http", "https") or not address.hostname:
        fault, mend = "is not an address", "it begins with https:// or http://"
    elif address.username is not None or address.query or address.fragment:
        fault, mend = "has more than a host and a path", "a key belongs into embedding.key_variable"
    elif not re.fullmatch(r"[!-~]+", url):
        fault = "has blanks or other characters that no address has"
    elif address.scheme == "http" and not (options.plain_http or is_loopback(address.hostname)):
        fault = "would send texts unencrypted to another machine"
        mend = "write https://, or set embedding.plain_http"
    if fault:
        raise VectorsUnavailableError(f"embedding.url {fault}", mend=mend)
    return address


def _reason(error: OSError | http.client.HTTPException) -> str:
    """What failed, in words of this machine."""
    if isinstance(error, TimeoutError):
        return "does not answer in time"
    if isinstance(error, OSError):
        return f"cannot be reached ({error.strerror or type(error).__name__})"
    return f"breaks off its answer ({type(error).__name__})"


def _seconds(retry_after: str) -> float:
    """The header Retry-After in seconds; one that gives a date, as few do, is left to our pauses."""
    return float(retry_after) if re.fullmatch(r"\d{1,6}", retry_after) else 0.0
