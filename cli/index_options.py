"""What the settings and this machine make of a journal's index: where it is, and how it is built."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..journal.place import INDEX_FOLDER
from .machine_token import machine_token
from .user_folders import cache_folder, state_folder

if TYPE_CHECKING:
    from ..indexer.embedding.endpoint_options import EndpointOptions
    from ..indexer.options import IndexOptions
    from .context import Context


def folder_of_index(root: Path) -> Path:
    """The journal's ``index/``; for a journal that cannot be written, a folder of the user's."""
    folder = root / INDEX_FOLDER
    if os.access(folder if folder.exists() else root, os.W_OK):
        return folder
    return cache_folder() / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def options_of_index(surroundings: Context) -> IndexOptions:
    """How the journal's index is built and asked."""
    from ..indexer.options import IndexOptions

    settings = surroundings.settings
    return IndexOptions(
        vectors=settings.embedding.enabled,
        model=_model_of(surroundings),
        endpoint=_endpoint_of(surroundings),
        chunk_tokens=settings.index.chunk_tokens,
        chunk_overlap_tokens=settings.index.chunk_overlap_tokens,
        machine=_machine(),
        lock_timeout_s=settings.journal.lock_timeout_s,
        n_workers=os.cpu_count() or 1,
        git_environ=surroundings.environ,
    )


def mark_of_index(surroundings: Context) -> str:
    """Stands for all that decides what a search finds, but for the files and the question."""
    values = surroundings.settings.values
    decisive = {
        name: str(values[name]) for name in values if name.startswith(("embedding.", "index."))
    }
    folder = str(surroundings.index_folder)
    parts = (sorted(decisive.items()), _model_of(surroundings), _machine(), folder)
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _model_of(surroundings: Context) -> str:
    """The model's name; a folder below ``~`` with its whole path."""
    name = surroundings.settings.embedding.model
    return str(surroundings.home / name[2:]) if name.startswith("~/") else name


def _endpoint_of(surroundings: Context) -> EndpointOptions | None:
    """The embedding service, if the model is one of a service; the key comes from here alone."""
    embedding = surroundings.settings.embedding
    if not embedding.is_service:
        return None
    from ..indexer.embedding.endpoint_options import EndpointOptions

    return EndpointOptions(
        url=embedding.url,
        key_variable=embedding.key_variable,
        key=surroundings.environ.get(embedding.key_variable, ""),
        redact=lambda text: surroundings.redactor.redact(text).text,
        batch_size=embedding.batch_size,
        timeout_s=embedding.timeout_s,
        dimensions=embedding.dimensions,
        query_prefix=embedding.query_prefix,
        passage_prefix=embedding.passage_prefix,
        plain_http=embedding.plain_http,
    )


def _machine() -> str:
    return machine_token(state_folder() / "machine-id")
