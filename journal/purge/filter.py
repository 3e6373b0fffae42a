"""What is left of a version of a file when memories are taken out of it: the same on every machine.

A function of the file and the ids alone, so that two machines that purge the same rewrite the same
history into the same commits, and can merge them.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ..frontmatter import parse_document
from ..ids import is_id, mint, path_key
from ..reading import MARKDOWN
from ..store import without_records

_MARKDOWN_PLACES = ("memories/", "notes/")
_ID_IN_NAME = re.compile(r"--([0-9A-Za-z]{6,64})\.md$")
_TITLED = re.compile(rb"(add|edit): (?!.*\[mem:)")
"""Older versions wrote the titles of memories into their messages."""


@dataclass(frozen=True, slots=True)
class PurgeFilter:
    """Takes the memories with *ids* out of anything."""

    ids: AbstractSet[str]
    _any: re.Pattern[bytes] = field(init=False)

    def __post_init__(self) -> None:
        pattern = b"|".join(sorted(one.encode() for one in self.ids)) or rb"(?!)"
        object.__setattr__(self, "_any", re.compile(pattern))

    def takes_path(self, path: str) -> bool:
        """Whether a file goes for its name alone: that of a memory ends with its id, and a note without
        an id is known by its path."""
        if path.startswith("memories/") and (found := _ID_IN_NAME.search(path)):
            return found[1] in self.ids
        is_note = path.startswith("notes/") and path.endswith(MARKDOWN)
        return is_note and str(mint(path_key(path))) in self.ids

    def takes_file(self, content: bytes) -> bool:
        """Whether a file goes because it says that it is one of these memories."""
        if not self._any.search(content) or not content.startswith((b"---", b"\xef\xbb\xbf---")):
            return False
        fields = parse_document(content.decode("utf-8", "replace")).fields
        given = fields.get("id")
        is_memory = fields.get("kind") != "session"
        return is_memory and isinstance(given, str) and is_id(given) and given in self.ids

    def without(self, content: bytes) -> bytes:
        """A session without their records; anything else as it is."""
        if b"mem:" not in content or not self._any.search(content):
            return content
        return without_records(content, frozenset(self.ids))

    def holds(self, path: str, content: bytes) -> bool:
        """Whether anything of them is in the file at *path*."""
        if self.takes_path(path):
            return True
        if path.startswith(_MARKDOWN_PLACES) and self.takes_file(content):
            return True
        return self.without(content) != content

    def message(self, message: bytes, *, touches: bool) -> bytes:
        """A commit's message without titles, if the commit *touches* one of these memories."""
        found = _TITLED.match(message) if touches else None
        if found is None:
            return message
        _, newline, rest = message.partition(b"\n")
        return found[1] + b": 1 entry" + newline + rest
