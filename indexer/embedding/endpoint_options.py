"""Where an OpenAI-compatible embeddings service is and how it is asked: a value, light to import."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """Where the service is, and how it is asked."""

    url: str  # up to and without /embeddings
    key_variable: str = ""  # the environment variable that holds the key, for messages
    key: str = field(default="", repr=False)  # its value
    redact: Callable[[str], str]  # takes the secrets out of a text that is about to be sent
    batch_size: int = 64
    timeout_s: float = 30.0
    dimensions: int = 0  # asked of the model; 0: as many as it has
    query_prefix: str = ""
    passage_prefix: str = ""
    plain_http: bool = False  # also to another host
    pause_s: float = 0.5  # before the second try; doubled with each
