"""Text from outside made fit to be kept: no control sequences, no half characters, no floods."""

from __future__ import annotations

import re
from typing import Final

from ..journal.settings import DEFAULTS
from ..journal.values import dataclass

# ECMA-48: CSI and OSC sequences, other escapes of two or three characters, a lone escape.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
    r"|\x00"
)
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_LEADING_BLANK_LINES = re.compile(r"\A(?:[ \t]*\r?\n)+")
_BACKTICKS = re.compile(r"`{3,}")
_BLANK = re.compile(r"\s")
_WORD_BEFORE = re.compile(r"\S*\Z")
_MAX_WORD: Final = 200  # characters; what has no blank for longer is no word and no password


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a tool's output is kept: half from its head, half from its tail."""

    characters: int = DEFAULTS.capture.tool_output_max_chars
    lines: int = DEFAULTS.capture.tool_output_max_lines


def clean(text: str) -> str:
    """*text* without NUL and terminal escapes; lone surrogates become U+FFFD."""
    if "\x1b" in text or "\x00" in text or "\x9b" in text:
        text = _ESCAPES.sub("", text)
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def trim(text: str) -> str:
    """*text* without blank lines before and blanks after it; its first indentation stays."""
    return _LEADING_BLANK_LINES.sub("", text.rstrip())


def exceeds(text: str, limits: Limits) -> bool:
    """Whether `cut` would leave something out."""
    return len(text) > limits.characters or text.count("\n") >= limits.lines


def cut(text: str, limits: Limits) -> str:
    """*text*, or its head and tail around a mark that tells how much is missing.

    No word is cut through, unless it is endless: half a secret would not be recognised any more.
    """
    if not exceeds(text, limits):
        return text
    head_end = min(_end_of_line(text, limits.lines // 2), limits.characters // 2)
    tail_start = max(_start_of_line(text, limits.lines // 2), len(text) - limits.characters // 2)
    head_end, tail_start = _before_word(text, head_end), _behind_word(text, tail_start)
    if head_end >= tail_start:  # an odd limit of lines can make the two meet
        return text
    n_lines = text.count("\n", head_end, tail_start)
    n_characters = tail_start - head_end
    mark = f"[… {n_characters:,} characters, {n_lines:,} lines cut …]"
    return f"{text[:head_end].rstrip()}\n{mark}\n{text[tail_start:]}"


def fence(text: str, language: str = "") -> str:
    """*text* as a fenced code block that its own fences cannot end."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{text}\n{marks}"


def _before_word(text: str, at: int) -> int:
    """Where the word begins that goes on at *at*; *at* itself between words, and in what is no word."""
    if text[at : at + 1].isspace():
        return at
    earliest = max(at - _MAX_WORD, 0)
    found = _WORD_BEFORE.search(text, earliest, at)
    is_whole = found is not None and (found.start() > earliest or at <= _MAX_WORD)
    return found.start() if found is not None and is_whole else at


def _behind_word(text: str, at: int) -> int:
    """Where the word ends that began before *at*."""
    if text[at - 1 : at].isspace():
        return at
    if found := _BLANK.search(text, at, at + _MAX_WORD):
        return found.start()
    return len(text) if len(text) - at <= _MAX_WORD else at


def _end_of_line(text: str, n_lines: int) -> int:
    """Where the first *n_lines* of text end."""
    at = -1
    for _ in range(n_lines):
        at = text.find("\n", at + 1)
        if at < 0:
            return len(text)
    return at + 1


def _start_of_line(text: str, n_lines: int) -> int:
    """Where the last *n_lines* of text begin."""
    at = len(text)
    for _ in range(n_lines):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1
