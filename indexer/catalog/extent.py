"""What the catalog keeps of how a file was read, to tell later whether it is as it was."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far a session file was read: whole records, from the end of its head to ``end``."""

    head_end: int
    head: bytes  # digest of what stands before the first record
    end: int
    is_proven: bool = True  # all of it was read, or compared with what was read


class Placed(NamedTuple):
    """Where an entry stood, and the digest of its bytes."""

    offset: int
    length: int
    digest: bytes


def digest_of(raw: bytes) -> bytes:
    """What tells whether an entry's bytes are the same."""
    return hashlib.blake2b(raw, digest_size=16).digest()
