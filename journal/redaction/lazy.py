"""Regular expressions that are compiled when they are first needed.

A hook lives for milliseconds, and compiling all expressions of this package takes longer than
the hook has: most texts need five of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator


class Pattern:
    """Stands for ``re.compile(source, flags)`` and turns into it at first use."""

    __slots__ = ("_flags", "_source", "findall", "finditer", "fullmatch", "match", "search", "sub")

    match: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    findall: Callable[..., list[str]]
    sub: Callable[..., str]

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> object:
        """Called once, as afterwards the methods are there."""
        compiled = re.compile(self._source, self._flags)
        for method in ("match", "search", "fullmatch", "finditer", "findall", "sub"):
            setattr(self, method, getattr(compiled, method))
        return object.__getattribute__(self, name)
