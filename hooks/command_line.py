"""A command line taken apart as a POSIX shell does it: which commands it has, and whether it writes into a file.

Nothing is expanded. What stands in ``$(…)``, ``(…)`` or back-ticks is a command of its own; texts that follow
a ``<<MARK`` are none, but for what is put into them.
"""

from __future__ import annotations

import re
from typing import Final

from ..journal.redaction.lazy import Pattern

_TOKEN: Final = Pattern(
    r"""(?P<blank>(?:\\\r?\n|[ \t\r])+|\#[^\n]*)
    | (?P<text>'[^']*(?:'|\Z))
    | (?P<quote>")
    | \\(?P<escaped>.)
    | (?P<open>\$\(|[<>]\(|\()
    | (?P<close>\))
    | (?P<tick>`)
    | <<<
    | <<(?P<dash>-?)[ \t]*(?P<literal>['"\\]?)(?P<tag>\w+)['"]?
    | (?P<harmless>\d*[<>]&[\d-]+|[\d&]*>{1,2}[ \t]*/dev/null\b|<)
    | (?P<write>[\d&]*>{1,2}\|?)
    | (?P<end>\|[|&]?|&&?|;[;&]?|\n)
    | (?P<word>[^\s'"\\()<>`|;&$\d][^\s'"\\()<>`|;&$]*|\d+(?![<>])|\$[\#?@*!$-]|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED: Final = Pattern(
    r"""(?P<quote>")|\\(?P<escaped>.)|(?P<open>\$\()|(?P<tick>`)|(?P<word>[^"\\$`]+|.)""",
    re.DOTALL,
)


class CommandLine:
    """The commands of a line as their words, inner ones first, and whether a file is written to."""

    def __init__(self, command: str, *, is_inner: bool = False) -> None:
        self.parts: list[list[str]] = []
        self.writes = False
        self._command, self._at, self._is_inner = command, 0, is_inner
        self._frames = [_Frame("")]
        self._heredocs: list[re.Match[str]] = []
        while self._at < len(command):
            self._take_token()
        while self._frames:
            self._end_part()
            self._frames.pop()

    def _take_token(self) -> None:
        frame = self._frames[-1]
        token = (_QUOTED if frame.is_quoted else _TOKEN).match(self._command, self._at)
        if token is None:  # a back-slash is the last character
            self._at = len(self._command)
            return
        self._at = token.end()
        match token.lastgroup:
            case "quote":
                frame.is_quoted = not frame.is_quoted
                frame.add("")
            case "text":
                frame.add(token[0].strip("'"))
            case "word":
                frame.add(token[0])
            case "escaped":
                frame.add(token["escaped"])
            case "open":
                self._open(")", stands_for_word=token[0] != "(")
            case "close":
                self._close(")")
            case "tick" if frame.closed_by == "`":
                self._close("`")
            case "tick":
                self._open("`", stands_for_word=True)
            case "write":
                self.writes = True
                frame.end_word()
            case "end":
                self._end_part()
                if token[0] == "\n":
                    self._skip_heredocs()
            case "tag":
                frame.end_word()
                self._heredocs.append(token)
            case _:
                frame.end_word()

    def _end_part(self) -> None:
        frame = self._frames[-1]
        frame.end_word()
        if frame.words:
            self.parts.append(frame.words)
            frame.words = []

    def _open(self, closed_by: str, *, stands_for_word: bool) -> None:
        if stands_for_word:
            self._frames[-1].add("$")
        self._frames.append(_Frame(closed_by))

    def _close(self, sign: str) -> None:
        self._end_part()
        if self._frames[-1].closed_by == sign:
            self._frames.pop()

    def _skip_heredocs(self) -> None:
        """Go past the texts that begin here; commands in them are run unless their mark is quoted."""
        for mark in self._heredocs:
            indent = r"\t*" if mark["dash"] else ""
            last_line = re.compile(rf"^{indent}{mark['tag']}\r?$\n?", re.MULTILINE)
            end = last_line.search(self._command, self._at)
            text = self._command[self._at : end.start() if end else len(self._command)]
            self._at = end.end() if end else len(self._command)
            if not mark["literal"] and ("$(" in text or "`" in text):
                self._run_inside(text)
        self._heredocs.clear()

    def _run_inside(self, text: str) -> None:
        if self._is_inner:  # nobody nests these: whatever it is, it does more than look
            self.writes = True
            return
        inner = CommandLine('"' + text.replace('"', '\\"') + '"', is_inner=True)
        self.parts += inner.parts[:-1]  # the last is the text
        self.writes = self.writes or inner.writes


class _Frame:
    """One nesting of a line: the whole, or what stands in ``$(…)``, ``(…)`` or back-ticks."""

    __slots__ = ("closed_by", "is_quoted", "word", "words")

    def __init__(self, closed_by: str) -> None:
        self.closed_by = closed_by
        self.words: list[str] = []
        self.word: list[str] | None = None  # the pieces of the one that is being read
        self.is_quoted = False

    def add(self, text: str) -> None:
        if self.word is None:
            self.word = []
        self.word.append(text)

    def end_word(self) -> None:
        if self.word is not None:
            self.words.append("".join(self.word))
            self.word = None
