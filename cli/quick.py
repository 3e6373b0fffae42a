"""`mem search` and `mem show` as they are asked all day, understood without Typer.

Typer and the pydantic that it checks values with take longer than all else that a search beside a daemon
does. What is understood here is a part of what they understand: a known option, written out
plainly, with a value that is surely right. Whatever else stands on a command line - help, an unknown
word, a mistake - is for Typer to judge, and nothing has been done or said before it does. A line that
is understood here means there exactly the same; the tests ask both.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .text_encoding import is_text

if TYPE_CHECKING:
    from .context import Context
    from .question import Question

SHORT: Final[Mapping[str, str]] = {
    "-J": "--journal",
    "-a": "--all",
    "-f": "--file",
    "-n": "--limit",
    "-p": "--project",
    "-s": "--session",
    "-t": "--type",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The options of a command that are understood here, by their long names."""

    repeated: AbstractSet[str] = frozenset()
    single: AbstractSet[str] = frozenset()
    flags: AbstractSet[str] = frozenset()


COMMANDS: Final[Mapping[str, Known]] = {
    "search": Known(
        repeated={"--agent", "--file", "--kind", "--project", "--session", "--tag", "--type"},
        single={"--by", "--limit", "--min-score", "--scope"},
        flags={"--all", "--ids", "--json", "--no-dates"},
    ),
    "show": Known(flags={"--json", "--raw"}),
}
_BEFORE: Final = Known(single={"--journal"})
_MAX_LIMIT: Final = 1000


class _NotPlainError(Exception):
    """Something that is for Typer to judge."""


@dataclass(frozen=True, slots=True)
class _Line:
    """Part of a command line, sorted: words, values of options in their order, flags."""

    words: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)

    def last(self, option: str) -> str | None:
        """The value that counts of an option that has one."""
        return self.values[option][-1] if option in self.values else None


def run_quickly(arguments: Sequence[str]) -> bool:
    """Run *arguments* if they are plainly right; otherwise False, and nothing is done.

    Raises:
        MemjournalError: the command could not do its work.
    """
    read = read_line(arguments)
    if read is None:
        return False
    surroundings, command, line = read
    try:
        if command == "search":
            _search(surroundings, line)
        else:
            _show(surroundings, line)
    finally:
        surroundings.close()
    return True


def read_line(arguments: Sequence[str]) -> tuple[Context, str, _Line] | None:
    """The journal, command and options that *arguments* ask for; None if Typer has to read them."""
    at = next((at for at, word in enumerate(arguments) if word in COMMANDS), None)
    if at is None or "_MEM_COMPLETE" in os.environ:
        return None
    try:
        before = _sort(arguments[:at], _BEFORE)
        line = _sort(arguments[at + 1 :], COMMANDS[arguments[at]])
        journal = before.last("--journal")
        _check(before, line, journal)
    except _NotPlainError:
        return None
    from .context import Context

    return Context(Path(journal) if journal else None, tuple(arguments)), arguments[at], line


def _search(surroundings: Context, line: _Line) -> None:
    from .search_run import run_search

    run_search(
        surroundings,
        _question_of(line, surroundings),
        show_all="--all" in line.flags,
        ids_only="--ids" in line.flags,
        as_json="--json" in line.flags,
    )


def _show(surroundings: Context, line: _Line) -> None:
    from .show_run import run_show

    run_show(surroundings, line.words, raw="--raw" in line.flags, as_json="--json" in line.flags)


def _question_of(line: _Line, surroundings: Context) -> Question:
    """What *line* asks."""
    from .question import Question

    limit, min_score = line.last("--limit"), line.last("--min-score")
    return Question(
        text=" ".join(line.words).strip(),
        projects=line.values.get("--project"),
        scope=line.last("--scope") or surroundings.settings.search.scope,
        kinds=line.values.get("--kind"),
        types=line.values.get("--type"),
        tags=line.values.get("--tag"),
        sessions=line.values.get("--session"),
        files=line.values.get("--file"),
        agents=line.values.get("--agent"),
        since=None,
        until=None,
        limit=int(limit) if limit else None,
        min_score=float(min_score) if min_score else None,
        by=line.last("--by") or "hybrid",
        dates_in_words="--no-dates" not in line.flags,
    )


def _sort(arguments: Sequence[str], known: Known) -> _Line:
    """*arguments* as words, values and flags.

    Raises:
        _NotPlainError: one is none of these.
    """
    line = _Line()
    waiting = iter(arguments)
    for argument in waiting:
        name, equals, value = argument.partition("=")
        option = name if equals else SHORT.get(name, name)
        if not argument.startswith("-"):
            line.words.append(argument)
        elif option in known.flags and not equals:
            line.flags.add(option)
        elif option in known.repeated or option in known.single:
            given = value if equals else next(waiting, "")
            if not given.strip() or given.startswith("-"):
                raise _NotPlainError
            line.values.setdefault(option, []).append(given)
        else:
            raise _NotPlainError
    return line


def _check(before: _Line, line: _Line, journal: str | None) -> None:
    """Nothing, if the command is asked something and every value is surely right.

    Raises:
        _NotPlainError: one may be wrong.
    """
    values = [(option, value) for option, given in line.values.items() for value in given]
    is_plain = (
        not before.words
        and any(word.strip() for word in line.words)
        and all(map(is_text, line.words))
        and all(is_text(value) and _is_right(option, value) for option, value in values)
        and (journal is None or (is_text(journal) and os.access(journal, os.R_OK)))
    )
    if not is_plain:
        raise _NotPlainError


def _is_right(option: str, value: str) -> bool:
    """Whether *value* is surely one that *option* can have."""
    from ..journal.entry import KINDS
    from .filters import ALL_TYPES, LABELS
    from .question import MODES, SCOPES

    match option:
        case "--scope":
            return value in SCOPES
        case "--by":
            return value in MODES
        case "--kind":
            return value in KINDS
        case "--type":
            return LABELS.get(value, value) in ALL_TYPES
        case "--limit":
            return _is_number(value) and 1 <= int(value) <= _MAX_LIMIT
        case "--min-score":
            return _is_number(value.replace(".", "", 1)) and _is_share(value)
    return True


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < 9


def _is_share(value: str) -> bool:
    return value[0] != "." != value[-1] and float(value) <= 1.0
