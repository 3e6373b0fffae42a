"""Private keys in armour: PEM, OpenSSH, PGP, SSH2 and PuTTY.

A block that was cut off before its END line hides to the end of the text, also when its line
breaks were escaped. A header that nothing follows (``if line == "-----BEGIN PRIVATE KEY-----"``)
is no key.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from typing import Final

from .lazy import Pattern
from .spans import Span

_BEGIN: Final = Pattern(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_END: Final = Pattern(r"-{4,5} ?END [A-Z0-9 ]{0,40}KEY(?: BLOCK)? ?-{0,5}")
_BODY: Final = Pattern(
    r"(?:[\s\"'`+,#>|*.\\()/]|\\[nrt]|[0-9]{1,6}[→:|\t]){0,200}"
    r"(?:[A-Za-z0-9+/=]{12,}|(?:Proc-Type|DEK-Info|Version|Comment|Subject|X-[\w-]{1,30}|"
    r"Charset)[\"']?:)"
)
_PUTTY: Final = Pattern(r"Private-(?:Lines|MAC|Hash): ?\S+(?:(?:\r?\n|\\n)[A-Za-z0-9+/=]{8,})*")
_FAR: Final = 20_000
"""Characters; an RSA key of 16,384 bits in PEM has 12,700."""


def find_key_blocks(text: str) -> Iterator[Span]:
    """From BEGIN to END, both included."""
    if "PRIVATE KEY" in text:
        ends = [(match.start(), match.end()) for match in _END.finditer(text)]
        at = 0
        while begin := _BEGIN.search(text, at):
            at = begin.end()
            after = bisect.bisect_left(ends, (at, 0))
            end = ends[after] if after < len(ends) else None
            if end and end[0] - at <= _FAR or _BODY.match(text, at):
                at = end[1] if end else len(text)
                yield Span(begin.start(), at, "private-key")
    if "PuTTY-User-Key-File" in text or "Private-Lines:" in text:
        for match in _PUTTY.finditer(text):
            yield Span(*match.span(), "private-key")
