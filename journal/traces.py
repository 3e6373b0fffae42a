"""What is left of entries in a journal's files: to find them by their words, and to prove them gone."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .entry import Entry
from .place import INDEX_FOLDER
from .reading import Oddity, Stored, list_files, read_entries

MIN_LINE_CHARS: Final = 12
"""Shorter lines (``ok``, ``done.``) stand everywhere and prove nothing."""

MAX_SOUGHT_IN_INDEX: Final = 64
"""Lines looked for in the index's own files, which hold no lines: each costs a pass over them."""

_RECORD_ID: Final = re.compile(
    rb"^(?:## [^\r\n]*\[mem:(?P<heading>\w+)\]\r?$|<!-- mem:(?P<comment>\w+) |id: \"?(?P<field>\w+))",
    re.MULTILINE,
)
_CITED_ID: Final = re.compile(rb"mem:([0-9A-Za-z]{6,64})")


def entries_containing(root: Path, words: str) -> Iterator[Stored]:
    """Every entry whose title, text, tags or files contain *words* as they stand, in any case.

    Files that cannot be read are passed over; `mem doctor` names them.
    """
    wanted = _plain(words)
    for file in list_files(root).files:
        try:
            for found in read_entries(root, file):
                if not isinstance(found, Oddity) and wanted in _plain(_all_text(found.entry)):
                    yield found
        except OSError:
            continue


def _all_text(entry: Entry) -> str:
    return "\n".join((entry.title, entry.body, *entry.tags, *entry.files))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


@dataclass(frozen=True, slots=True)
class Traces:
    """Where something of the entries still stands: paths in the journal, in their order."""

    records: tuple[str, ...]  # the entry itself
    citations: tuple[str, ...]  # only its id, in the words of another
    words: tuple[str, ...]  # a line of its text, in another entry
    index: tuple[str, ...]  # a line of its text, in a file of the index


def telling_line(entry: Entry) -> str:
    """The line by which the entry's text would be recognised; "" when it has none that is its own."""
    lines = (line.strip() for line in (entry.title, *entry.body.splitlines()))
    longest = max(lines, key=len, default="")
    return longest if len(longest) >= MIN_LINE_CHARS else ""


def find_traces(root: Path, *, ids: Iterable[str], lines: Iterable[str]) -> Traces:
    """Look through every file below *root*, git's own apart, for *ids* and for *lines*.

    Raises:
        OSError: a file cannot be read, so that nothing can be said about it.
    """
    sought_ids = {one.encode() for one in ids}
    sought_lines = {line.encode() for line in lines if line}
    in_index = set(sorted(sought_lines)[:MAX_SOUGHT_IN_INDEX])
    records, citations, words, index = set[str](), set[str](), set[str](), set[str]()
    later: list[tuple[str, Path]] = []
    for path in _all_files(root):
        name = path.relative_to(root).as_posix()
        if name.startswith(f"{INDEX_FOLDER}/"):
            later.append((name, path))
            continue
        data = path.read_bytes()
        if not sought_ids.isdisjoint(
            found[found.lastgroup or 0] for found in _RECORD_ID.finditer(data)
        ):
            records.add(name)
        elif not sought_ids.isdisjoint(_CITED_ID.findall(data)):
            citations.add(name)
        if not sought_lines.isdisjoint(map(bytes.strip, data.splitlines())):
            words.add(name)
        in_index -= {line for line in in_index if line in data}  # the index may know it from there
    for name, path in later:
        data = path.read_bytes() if in_index else b""
        if any(line in data for line in in_index):
            index.add(name)
    return Traces(*(tuple(sorted(found)) for found in (records, citations, words, index)))


def _all_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(folder, name)
            if not path.is_symlink():
                yield path
