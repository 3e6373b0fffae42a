"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

from ..journal.entry import KINDS

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
