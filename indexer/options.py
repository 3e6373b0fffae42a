"""What an index is made with: values that the floors above read from settings and surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .embedding.endpoint_options import EndpointOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """What decides what is in an index, where a change means building it anew, and who makes it."""

    vectors: bool
    model: str  # as `load_embedder` takes it; a folder with its whole path
    chunk_tokens: int
    chunk_overlap_tokens: int
    machine: str  # a secret of this machine: an index that was not made with it is not read
    lock_timeout_s: float
    n_workers: int = 1  # processes that may help when there is much to index
    git_environ: Mapping[str, str] | None = None  # what git is run with; None: it is not asked
    endpoint: EndpointOptions | None = None  # where the model is, if a service has it

    def __post_init__(self) -> None:
        if not self.machine:
            raise ValueError("without a token of the machine any index would pass for its own")
