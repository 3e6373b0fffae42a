"""What the options of a command line narrow a search to: from their texts to a filter.

A value that cannot be read is raised as Typer's own mistake, which shows the command's usage beside it;
Typer is not loaded before there is one, for a search that is asked plainly does without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeVar

from ..journal.entry import KINDS, TYPES
from ..journal.errors import UsageError

if TYPE_CHECKING:
    import typer

    from ..indexer.catalog.catalog import Catalog
    from ..indexer.catalog.entry_filter import EntryFilter
    from .context import Context

_Choice = TypeVar("_Choice", bound=str)
LABELS: Final = {"prompt": "user_prompt", "answer": "assistant_response", "tool": "tool_output"}
"""What lists call the types of events, and people therefore ask for."""
ALL_TYPES: Final = tuple(dict.fromkeys(one for group in TYPES.values() for one in group))


def make_filter(
    surroundings: Context,
    catalog: Catalog | None,
    *,
    projects: list[str] | None = None,
    scope: str = "all",
    kinds: list[str] | None = None,
    types: list[str] | None = None,
    tags: list[str] | None = None,
    sessions: list[str] | None = None,
    files: list[str] | None = None,
    agents: list[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    before: str | None = None,
) -> EntryFilter:
    """The filter that a command line asks for; *until* takes in the day it names, *before* does not.

    *catalog* is needed where *projects* are named.

    Raises:
        typer.BadParameter: a kind, type or time that there is not.
        UsageError: the time ends before it begins.
        NotFoundError: no project goes by that name.
    """
    from ..indexer.catalog.entry_filter import EntryFilter
    from ..journal.project import find_project

    for option, values in (
        ("--project", projects),
        ("--tag", tags),
        ("--session", sessions),
        ("--file", files),
        ("--agent", agents),
    ):
        refuse_blank(option, values)

    known: list[str] = []
    if projects:
        assert catalog is not None  # the caller's condition
        known = list(catalog.tally("project"))
    own = [surroundings.project.name] if scope == "project" else []
    begin, end = _bounds(surroundings, since=since, until=until, before=before)
    return EntryFilter(
        projects=tuple(find_project(known, one) for one in projects or ()) or tuple(own),
        kinds=choices("--kind", kinds, KINDS),
        types=choices("--type", [LABELS.get(one, one) for one in types or ()], ALL_TYPES),
        tags=tuple(tag.removeprefix("#") for tag in tags or ()),
        sessions=tuple(sessions or ()),
        files=tuple(files or ()),
        agents=tuple(agents or ()),
        since=begin,
        until=end,
    )


def _bounds(
    surroundings: Context, *, since: str | None, until: str | None, before: str | None
) -> tuple[datetime | None, datetime | None]:
    """When the time begins that is asked for, and when it is over.

    Raises:
        typer.BadParameter: one is no time.
        UsageError: there is no time between them.
    """
    begin = moment("--since", since, surroundings)
    end = moment("--until", until, surroundings, at_end=True)
    end = end or moment("--before", before, surroundings)
    if begin and end and begin >= end:
        bound = f"--until {until}" if until is not None else f"--before {before}"
        raise UsageError(f"--since {since} is not before {bound}", mend="give an earlier time")
    return begin, end


def refuse_blank(option: str, values: Iterable[str] | None) -> None:
    """Refuse an empty value: it would stand for everything, which nobody means by it.

    Raises:
        typer.BadParameter: one of *values* is blank, as an unset variable in a script makes it.
    """
    if any(not value.strip() for value in values or ()):
        raise _refusal("it is empty", option)


def moment(
    option: str, text: str | None, surroundings: Context, *, at_end: bool = False
) -> datetime | None:
    """The time that *text* names: when it begins, or with *at_end* when it is over.

    Raises:
        typer.BadParameter: it names none.
    """
    if text is None:
        return None
    from ..journal.when import parse_span

    now = surroundings.now
    found = parse_span(text, now=now)
    if found is None:
        raise _refusal(f"{text!r} is no time; try 2026-11-30, 7d, yesterday or 지난주", option)
    return found.end if at_end and found.end != now else found.start  # 7d is a moment, not a time


def choice(option: str, value: str, allowed: Sequence[_Choice]) -> _Choice:
    """*value*, which must be one of *allowed*.

    Raises:
        typer.BadParameter: it is not.
    """
    for one in allowed:
        if one == value:
            return one
    raise _refusal(f"{value!r} is not one of {', '.join(allowed)}", option)


def choices(
    option: str, values: Iterable[str] | None, allowed: Sequence[_Choice]
) -> tuple[_Choice, ...]:
    """*values*, each of which must be one of *allowed*.

    Raises:
        typer.BadParameter: one is not.
    """
    return tuple(choice(option, value, allowed) for value in values or ())


def _refusal(what: str, option: str) -> typer.BadParameter:
    from typer import BadParameter

    return BadParameter(what, param_hint=option)
