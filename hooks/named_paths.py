"""What in the input of a tool may name a file: fields that are called so, and the words of a command line.

More is given than there is, never less: whoever asks wants to keep something out. A command line says in many
ways where it means a file to be (`cd`, `-C`, a variable), so a word is given with every folder that it may
be meant from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from ..journal.redaction.lazy import Pattern
from ..journal.values import dataclass
from .command_line import CommandLine
from .commands import command_of

_MAX_DEPTH: Final = 8
_MAX_FOLDERS: Final = 16
_MAX_BRACES: Final = 64
_MAX_SHELLS: Final = 3  # `sh -c "sh -c '…'"`
_PATH_WORDS: Final = frozenset(
    (
        *("path", "paths", "file", "files", "filename", "filenames", "filepath", "filepaths"),
        *("source", "src", "destination", "dest", "dst", "target", "from", "to", "location"),
        *("uri", "uris", "url", "urls", "dir", "directory", "folder"),
    )
)
_KEY_WORDS: Final = Pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CHANGES_FOLDER: Final = ("cd", "pushd", "chdir")
_HERE: Final = Pattern(r"\$(?:PWD\b|\{PWD\})")
_VARIABLE: Final = Pattern(r"\$(?:\{[^}]*\}|\w+|)")
_BRACES: Final = Pattern(r"\{([^{}]*,[^{}]*)\}")
_PART: Final = Pattern(r"[^\s=:,@{}()\"'`;<>|&\\]+")
_LOOSE_WORD: Final = Pattern(r"'([^']*)'|\"([^\"]*)\"|([^\s'\"|;&<>()=:]+)")
_PLAIN: Final = Pattern(r"[\w./-]+")
_SCHEME: Final = Pattern(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Named:
    """Something that may be a path."""

    path: str  # as it was written, absolute or below *folder*
    folder: str  # from where it may be meant
    is_sure: bool = True  # whether it is known that it is meant from there
    is_word: bool = False  # of a command line, where `*` stands for anything


def paths_named(given: object, cwd: str) -> Iterator[Named]:
    """What may be a path in a tool's input; the same one may come more than once."""
    for path in _fields(given, is_path=False, depth=0):
        yield Named(_as_path(path), cwd)
    if command := command_of(given):
        yield from _in_command(command, cwd, n_shells=0)


def _fields(value: object, *, is_path: bool, depth: int) -> Iterator[str]:
    """The texts under names for a path, however deep they lie."""
    if depth > _MAX_DEPTH:
        return
    match value:
        case str() if is_path and value and len(value) <= 4_096:
            yield value
        case Mapping():
            for key, part in value.items():
                if isinstance(key, str):
                    if is_path and depth:
                        yield key  # {"files": {"a.txt": "…"}}
                    yield from _fields(part, is_path=_names_path(key), depth=depth + 1)
        case list() | tuple():
            for part in value:
                yield from _fields(part, is_path=is_path, depth=depth + 1)


def _names_path(key: str) -> bool:
    words = [word.lower() for word in _KEY_WORDS.findall(key)]
    return bool(words) and (words[-1] in _PATH_WORDS or words[-2:] == ["file", "name"])


def _as_path(text: str) -> str:
    if text[:7].lower() == "file://":
        from urllib.parse import unquote

        host, slash, rest = unquote(text[7:]).partition("/")
        return slash + rest if host in ("", "localhost") else ""
    if _SCHEME.match(text):
        return ""
    return text.replace("\\", "/") if os.sep == "/" and text[1:3] == ":\\" else text


def _in_command(command: str, cwd: str, *, n_shells: int) -> Iterator[Named]:
    folders = [(cwd, True)]
    for words in CommandLine(command).parts:
        folders += [one for one in _entered(words, folders[-1]) if one not in folders]
        del folders[_MAX_FOLDERS:]
        for word in words:
            if _PLAIN.fullmatch(word):
                yield from (Named(word, folder, sure, is_word=True) for folder, sure in folders)
            else:
                yield from _in_word(word, folders, n_shells=n_shells)
    for found in _LOOSE_WORD.findall(command):  # also in the texts that follow a `<<MARK`
        if word := "".join(found).strip():
            yield Named(word, cwd)


def _entered(words: Sequence[str], last: tuple[str, bool]) -> Iterator[tuple[str, bool]]:
    """The folders that what follows may be meant from, and whether that is certain."""
    folder, is_sure = last
    for before, word in pairwise(words):
        if before == "-C" or (before in _CHANGES_FOLDER and not word.startswith("-")):
            plain = _VARIABLE.sub("", _HERE.sub(lambda _: folder, word))
            entered = os.path.normpath(os.path.join(folder, os.path.expanduser(plain)))
            yield entered, is_sure and "$" not in _HERE.sub("", word)


def _in_word(word: str, folders: Sequence[tuple[str, bool]], *, n_shells: int) -> Iterator[Named]:
    """*word* as a path, the parts of it that may be one, and what it is as a command line of its own."""
    if n_shells < _MAX_SHELLS and re.search(r"\s", word):
        for folder, _ in folders:
            yield from _in_command(word, folder, n_shells=n_shells + 1)
    for folder, is_sure in folders:
        plain = _HERE.sub(lambda _, here=folder: here, word)
        for expanded in _without_braces(plain):
            has_gap = "$" in expanded
            for whole in {expanded, *_VARIABLE.sub("\0", expanded).split("\0")}:
                for part in {whole, *_PART.findall(whole)}:
                    yield from _if_path(part, folder, is_sure=is_sure, has_gap=has_gap)


def _if_path(part: str, folder: str, *, is_sure: bool, has_gap: bool) -> Iterator[Named]:
    if not part or _SCHEME.match(part):
        return
    yield Named(part, folder, is_sure and not has_gap, is_word=True)
    if has_gap and part.startswith("/"):
        yield Named(part.lstrip("/"), folder, False, is_word=True)


def _without_braces(word: str) -> list[str]:
    """The words that a shell makes of ``{a,b}.env``; what is left open stays as it is."""
    words = [word]
    for at, one in enumerate(words):
        if len(words) > _MAX_BRACES:
            break
        if found := _BRACES.search(one):
            before, after = one[: found.start()], one[found.end() :]
            words[at] = ""
            words += [f"{before}{choice}{after}" for choice in found[1].split(",")]
    return [one for one in words if one]
