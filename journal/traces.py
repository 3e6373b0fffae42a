"""What is left of entries in a journal's files: to find them by their words, and to prove them gone."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from .entry import Entry
from .file_walk import printable
from .files import open_regular
from .obstacle import kind_at
from .place import INDEX_FOLDER
from .reading import Oddity, Stored, list_files, read_entries

MIN_LINE_CHARS: Final = 12
"""Shorter lines (``ok``, ``done.``) stand everywhere and prove nothing."""

MAX_SOUGHT_IN_INDEX: Final = 64
"""Lines looked for in the index's own files, which hold no lines: each costs a pass over them."""

_PIECE_BYTES: Final = 1 << 20  # of a file, looked through at once
_LONGEST_ID_BYTES: Final = 80  # a citation, with what is around it

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
    unread: tuple[str, ...]  # what could not be looked through, so that it may be there


def telling_line(entry: Entry) -> str:
    """The line by which the entry's text would be recognised; "" when it has none that is its own."""
    lines = (line.strip() for line in (entry.title, *entry.body.splitlines()))
    longest = max(lines, key=len, default="")
    return longest if len(longest) >= MIN_LINE_CHARS else ""


def find_traces(root: Path, *, ids: Iterable[str], lines: Iterable[str]) -> Traces:
    """Look through every file below *root*, git's own apart, for *ids* and for *lines*.

    What is no regular file holds nothing; what cannot be read is named.
    """
    search = _Search(ids, lines)
    later: list[tuple[str, Path]] = []
    for name, path in _all_files(root, unread=search.unread.add):
        if name.startswith(f"{INDEX_FOLDER}/"):
            later.append((name, path))
        else:
            search.look_through(name, path)
    for name, path in later:
        search.look_through_index(name, path)
    return search.found()


class _Search:
    """What is looked for, and where it was found so far."""

    def __init__(self, ids: Iterable[str], lines: Iterable[str]) -> None:
        self._ids = {one.encode() for one in ids}
        self._lines = {line.encode() for line in lines if line}
        self._in_index = set(sorted(self._lines)[:MAX_SOUGHT_IN_INDEX])
        self._overlap = max([_LONGEST_ID_BYTES, *map(len, self._lines)])
        self.records, self.citations, self.words = set[str](), set[str](), set[str]()
        self.index, self.unread = set[str](), set[str]()

    def found(self) -> Traces:
        places = (self.records, self.citations, self.words, self.index, self.unread)
        return Traces(*(tuple(sorted(map(printable, found))) for found in places))

    def look_through(self, name: str, path: Path) -> None:
        """Note what stands in a file of the journal; the index may know the same words from there."""
        for data in self._pieces(name, path):
            if not self._ids.isdisjoint(
                found[found.lastgroup or 0] for found in _RECORD_ID.finditer(data)
            ):
                self.records.add(name)
            elif not self._ids.isdisjoint(_CITED_ID.findall(data)):
                self.citations.add(name)
            if not self._lines.isdisjoint(map(bytes.strip, data.splitlines())):
                self.words.add(name)
            self._in_index -= {line for line in self._in_index if line in data}
        self.citations -= self.records

    def look_through_index(self, name: str, path: Path) -> None:
        """Note whether a line stands in a file of the index."""
        for data in self._pieces(name, path) if self._in_index else ():
            if any(line in data for line in self._in_index):
                self.index.add(name)
                return

    def _pieces(self, name: str, path: Path) -> Iterator[bytes]:
        try:
            with open_regular(path) as stream:
                yield from _pieces(stream, overlap=self._overlap)
        except FileNotFoundError:  # also of a pipe or a link: no file, and nothing in it
            return
        except OSError:
            if kind_at(path) in ("", "a file"):  # a socket cannot be opened
                self.unread.add(name)


def _pieces(stream: BinaryIO, *, overlap: int) -> Iterator[bytes]:
    """A file in pieces of whole lines; of a line that is longer than a piece, in pieces that overlap."""
    rest = b""
    while data := stream.read(max(_PIECE_BYTES, overlap)):
        data = rest + data
        end = data.rfind(b"\n") + 1
        if end:
            yield data[:end]
            rest = data[end:]
        else:
            yield data
            rest = b"\0" + data[-overlap:]  # the zero: no line begins here
    if rest:
        yield rest


def _all_files(root: Path, *, unread: Callable[[str], None]) -> Iterator[tuple[str, Path]]:
    """What stands below *root* and is no folder, by its path there; *unread* hears of folders that are closed."""

    def name_of(path: str) -> str:
        return Path(path).relative_to(root).as_posix()

    def closed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            unread(name_of(str(error.filename)))

    for folder, folders, names in os.walk(root, onerror=closed):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield name_of(path), Path(path)
