"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from ..journal.entry import KINDS, TYPES

if TYPE_CHECKING:
    from ..indexer.catalog.catalog import Catalog
    from ..indexer.catalog.entry_filter import EntryFilter
    from .context import Context

_Choice = TypeVar("_Choice", bound=str)
LABELS: Final = {"prompt": "user_prompt", "answer": "assistant_response", "tool": "tool_output"}
"""What lists call the types of events, and people therefore ask for."""
_ALL_TYPES = tuple(dict.fromkeys(one for group in TYPES.values() for one in group))

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line; see docs/json.md.")]
Project = Annotated[
    list[str] | None,
    typer.Option("--project", "-p", metavar="NAME", help="Only this project (repeatable)."),
]
Kind = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", help=f"Only this kind: {', '.join(KINDS)}."),
]
Type = Annotated[
    list[str] | None,
    typer.Option("--type", "-t", metavar="TYPE", help="Only this type, such as decision."),
]
Tag = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Only with this tag (repeatable).")
]
Session = Annotated[
    list[str] | None,
    typer.Option(
        "--session", "-s", metavar="ID", help="Only this session; its beginning is enough."
    ),
]
File = Annotated[
    list[str] | None,
    typer.Option("--file", "-f", metavar="PATH", help="Only what touched this file, or its end."),
]
Agent = Annotated[
    list[str] | None, typer.Option("--agent", metavar="NAME", help="Only from this assistant.")
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="WHEN", help="Not older: 2026-11-30, 7d, yesterday, 지난주."),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="WHEN", help="Not newer: as --since; a day counts whole."),
]


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
    return EntryFilter(
        projects=tuple(find_project(known, one) for one in projects or ()) or tuple(own),
        kinds=choices("--kind", kinds, KINDS),
        types=choices("--type", [LABELS.get(one, one) for one in types or ()], _ALL_TYPES),
        tags=tuple(tag.removeprefix("#") for tag in tags or ()),
        sessions=tuple(sessions or ()),
        files=tuple(files or ()),
        agents=tuple(agents or ()),
        since=moment("--since", since, surroundings),
        until=moment("--until", until, surroundings, at_end=True)
        or moment("--before", before, surroundings),
    )


def refuse_blank(option: str, values: Iterable[str] | None) -> None:
    """Refuse an empty value: it would stand for everything, which nobody means by it.

    Raises:
        typer.BadParameter: one of *values* is blank, as an unset variable in a script makes it.
    """
    if any(not value.strip() for value in values or ()):
        raise typer.BadParameter("it is empty", param_hint=option)


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
        raise typer.BadParameter(
            f"{text!r} is no time; try 2026-11-30, 7d, yesterday or 지난주", param_hint=option
        )
    return found.end if at_end and found.end != now else found.start  # 7d is a moment, not a time


def choice(option: str, value: str, allowed: Sequence[_Choice]) -> _Choice:
    """*value*, which must be one of *allowed*.

    Raises:
        typer.BadParameter: it is not.
    """
    for one in allowed:
        if one == value:
            return one
    raise typer.BadParameter(f"{value!r} is not one of {', '.join(allowed)}", param_hint=option)


def choices(
    option: str, values: Iterable[str] | None, allowed: Sequence[_Choice]
) -> tuple[_Choice, ...]:
    """*values*, each of which must be one of *allowed*.

    Raises:
        typer.BadParameter: one is not.
    """
    return tuple(choice(option, value, allowed) for value in values or ())
