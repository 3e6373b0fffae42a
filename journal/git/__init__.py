"""Git, and the history that it keeps of a journal."""

from .commits import Signature, UnfinishedMergeError
from .program import OLD_LOCK, Git, GitError, GitLockedError, is_installed
from .repository import (
    COMMITTED,
    RepositoryState,
    commit,
    create_repository,
    is_repository,
    left_behind,
    old_locks,
    read_state,
    uncommitted,
    were_committed,
)

__all__ = [
    "COMMITTED",
    "OLD_LOCK",
    "Git",
    "GitError",
    "GitLockedError",
    "RepositoryState",
    "Signature",
    "UnfinishedMergeError",
    "commit",
    "create_repository",
    "is_installed",
    "is_repository",
    "left_behind",
    "old_locks",
    "read_state",
    "uncommitted",
    "were_committed",
]
