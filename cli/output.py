"""Everything that is printed: results on stdout, all else on stderr, nothing that moves a cursor.

What a memory says is data. Control characters in it never reach a terminal.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BAR_WIDTH: Final = 24
_REDRAW_S: Final = 0.1

BOLD, DIM, CYAN, GREEN, YELLOW, RED = "1", "2", "36", "32", "33", "31"
_MARK: Final = "1;33"  # of what matched


def use_colour() -> bool:
    """Colour on a terminal, unless NO_COLOR (https://no-color.org) asks for none."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def is_interactive() -> bool:
    """Whether somebody sits there who can be asked for something."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def style(text: str, *codes: str) -> str:
    """*text* in colour, where there is any."""
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if use_colour() and text else text


def mark(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """*text* made safe, with *spans* (ascending, apart) in bold yellow on a terminal."""
    parts: list[str] = []
    end = 0
    for start, stop in spans:
        parts += [safe(text[end:start]), style(safe(text[start:stop]), _MARK)]
        end = stop
    return "".join((*parts, safe(text[end:])))


def safe(text: str) -> str:
    """*text* without characters that act on a terminal or turn the reading direction around."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").removesuffix("\r"))


def line(text: str = "") -> None:
    """Print one line of a result."""
    print(text)


def emit(kind: str, fields: Mapping[str, object]) -> None:
    """Print one JSON object; ``object`` names its kind, docs/json.md its fields."""
    print(json_line({"object": kind, **fields}))


def json_line(value: object) -> str:
    """*value* as JSON on one line; what acts on a terminal stands as an escape, as JSON allows."""
    text = json.dumps(value, ensure_ascii=False, default=_as_json)
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _as_json(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def warn(text: str) -> None:
    """Say something on stderr that does not stop the command."""
    print(f"mem: {safe(text)}", file=sys.stderr)


def note(text: str) -> None:
    """Say on stderr what is going on."""
    print(safe(text), file=sys.stderr)


def when(moment: datetime, now: datetime) -> str:
    """A moment for people: local date and minute."""
    return f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M}"


def count(number: int, singular: str, plural: str = "") -> str:
    """``1 entry``, ``2,000 entries``."""
    word = singular if number == 1 else plural or f"{singular}s"
    return f"{number:,} {word}"


def size(n_bytes: int) -> str:
    """A size for people: ``12 B``, ``3.4 kB``, ``1.2 GB``."""
    amount = float(n_bytes)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")


def columns() -> int:
    """The width to lay out for."""
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError):
        return 100


def width(text: str) -> int:
    """How many columns *text* takes: a Korean syllable takes two."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def shorten(text: str, n_columns: int) -> str:
    """*text* on one line, cut to *n_columns*."""
    text = " ".join(text.split())
    if width(text) <= n_columns:
        return text
    kept, used = [], 1
    for sign in text:
        used += width(sign)
        if used > n_columns:
            break
        kept.append(sign)
    return "".join(kept).rstrip() + "…"


def pad(text: str, n_columns: int) -> str:
    """*text* filled up with blanks to *n_columns*."""
    return text + " " * max(0, n_columns - width(text))


_WORTH_A_LINE = 1_000  # things to do: with fewer it is over before the line is read


@contextlib.contextmanager
def progress(label: str, *, in_bytes: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on stderr for work that takes longer than a blink; plain lines where no terminal is.

    Yields what is to be called with: what is counted, how many are done, of how many.
    """
    shown = size if in_bytes else "{:,}".format
    is_terminal = sys.stderr.isatty()
    started = time.monotonic()
    state = {"drawn": started, "what": "", "line": "", "shown": False}

    def show(what: str, n_done: int, n_all: int) -> None:
        now = time.monotonic()
        if now - started < 0.5 or (now - float(str(state["drawn"])) < _REDRAW_S and n_done < n_all):
            return
        state["drawn"] = now
        if is_terminal:
            filled = round(_BAR_WIDTH * n_done / max(1, n_all))
            bar = "█" * filled + "░" * (_BAR_WIDTH - filled)
            print(
                f"\r\x1b[K{label} {what} {bar} {shown(n_done)}/{shown(n_all)}",
                end="",
                file=sys.stderr,
            )
            state["shown"] = True
        elif n_all >= _WORTH_A_LINE and (n_done >= n_all or what != state["what"]):
            line = f"{label}: {what} {shown(n_done)}/{shown(n_all)}"
            if line != state["line"]:
                print(line, file=sys.stderr)
            state["line"] = line
        state["what"] = what

    try:
        yield show
    finally:
        if state["shown"]:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
