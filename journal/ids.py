"""Ids and citations: how one memory is quoted, anywhere, for ever.

An id is minted once from the entry's dedupe key, written in the file and never changed. Six base62
characters name 5.7e10 entries; a pair that meets is expected at about 0.3 million entries, so
minting asks which ids are taken and lengthens by one while it must.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

from .digests import sha256
from .entry import EntryId
from .errors import UsageError
from .values import dataclass

ID_LENGTH: Final = 6
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_UNBIASED: Final = 256 // len(_ALPHABET) * len(_ALPHABET)  # bytes from 248 on would favour 0-7
_ID = re.compile(r"[0-9A-Za-z]{6,64}")
_CITATION = re.compile(r"\[mem:([0-9A-Za-z]{6,64})\]")
_WORD = re.compile(r"[0-9A-Za-z]+")


def is_id(text: str) -> bool:
    """Whether *text* has the form of an id; it says nothing about whether an entry has it."""
    return _ID.fullmatch(text) is not None


def mint(key: str, *, taken: Callable[[str], bool] = lambda _: False) -> EntryId:
    """The id that belongs to the dedupe key *key*: the shortest one of 6 or more that is free.

    The same key gives the same id on every machine, as long as the same ids are taken there.
    """
    digits = _digits(key)
    text = "".join(next(digits) for _ in range(ID_LENGTH))
    while taken(text):
        text += next(digits)
    return EntryId(text)


def _digits(key: str) -> Iterator[str]:
    """An endless stream of base62 digits: SHA-256 in counter mode, biased bytes left out."""
    counter = 0
    while True:
        block = key if counter == 0 else f"{key}\0{counter}"
        for byte in sha256(block.encode("utf-8", "surrogatepass")).digest():
            if byte < _UNBIASED:
                yield _ALPHABET[byte % len(_ALPHABET)]
        counter += 1


def content_key(*parts: str) -> str:
    """The dedupe key of a hand-made entry: the same words in the same place are one entry."""
    texts = (unicodedata.normalize("NFC", part.strip()) for part in parts)
    return "content:" + "\0".join(f"{len(text)}:{text}" for text in texts)


def path_key(path: str) -> str:
    """The dedupe key of a file that carries no id: its path in the journal."""
    return "path:" + unicodedata.normalize("NFC", path)


def find_citations(text: str) -> list[EntryId]:
    """Every id that *text* cites as ``[mem:ID]``, in order, each once."""
    return [EntryId(found) for found in dict.fromkeys(_CITATION.findall(text))]


@dataclass(frozen=True, slots=True)
class Reference:
    """What a person typed to name an entry: an id or its beginning, or a path."""

    text: str
    id_prefix: str = ""
    path: str = ""


def parse_references(text: str) -> list[Reference]:
    """Read ``mem:a7Bc3x``, ``[mem:a7Bc3x]``, ``a7Bc3x``, a prefix of it, or a path.

    Pasted text with several citations gives several references.

    Raises:
        UsageError: *text* is empty, or ``mem:`` is followed by something that is no id.
    """
    text = text.strip()
    if cited := find_citations(text):
        return [Reference(f"mem:{found}", id_prefix=found) for found in cited]
    bare = text.removeprefix("[").removesuffix("]").strip()
    if bare.lower().startswith("mem:"):
        bare = bare[4:].strip()
        if not _WORD.fullmatch(bare):
            raise UsageError(
                f"{text!r} is not a citation", mend="ids are letters and digits, as in mem:a7Bc3x"
            )
        return [Reference(text, id_prefix=bare)]
    if not bare:
        raise UsageError("empty reference", mend="give an id such as mem:a7Bc3x, or a path")
    if _WORD.fullmatch(bare):
        return [Reference(text, id_prefix=bare, path=bare)]
    return [Reference(text, path=text)]
