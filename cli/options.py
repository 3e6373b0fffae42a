"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ..journal.entry import KINDS, TYPES

if TYPE_CHECKING:
    from ..indexer.catalog import Catalog, EntryFilter
    from .context import Context

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
    str | None, typer.Option("--until", metavar="WHEN", help="Older than this; as --since.")
]
Level = Annotated[
    int, typer.Option("--level", min=0, max=4, help="Only memories of this level or above.")
]


def make_filter(
    surroundings: Context,
    catalog: Catalog,
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
    level: int = 0,
) -> EntryFilter:
    """The filter that a command line asks for.

    Raises:
        typer.BadParameter: a kind, type or time that there is not.
        NotFoundError: no project goes by that name.
    """
    from ..indexer.catalog import EntryFilter
    from ..journal.project import find_project

    known = list(catalog.tally("project"))
    names = [find_project(known, wanted) for wanted in projects or ()]
    if not names and scope == "project":
        names = [surroundings.project.name]
    _check("--kind", kinds or (), KINDS)
    _check("--type", types or (), [one for group in TYPES.values() for one in group])
    return EntryFilter(
        projects=tuple(names),
        kinds=tuple(kinds or ()),
        types=tuple(types or ()),
        tags=tuple(tag.removeprefix("#") for tag in tags or ()),
        sessions=tuple(sessions or ()),
        files=tuple(files or ()),
        agents=tuple(agents or ()),
        since=moment("--since", since, surroundings),
        until=moment("--until", until, surroundings),
        min_level=level,
    )


def moment(option: str, text: str | None, surroundings: Context) -> datetime | None:
    if text is None:
        return None
    from ..journal.when import parse_when

    found = parse_when(text, now=surroundings.now)
    if found is None:
        raise typer.BadParameter(
            f"{text!r} is no time; try 2026-11-30, 7d, yesterday or 지난주", param_hint=option
        )
    return found


def _check(option: str, given: list[str] | tuple[str, ...], allowed: object) -> None:
    choices = list(dict.fromkeys(allowed))  # type: ignore[call-overload]  # any iterable of str
    for value in given:
        if value not in choices:
            raise typer.BadParameter(
                f"{value!r} is not one of {', '.join(choices)}", param_hint=option
            )
