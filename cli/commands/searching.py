"""Search, expand, source: from a question to the words that were said, each step on request."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ...journal.errors import NotFoundError, UsageError
from .. import filters, options, output
from ..context import Context
from ..present import journal_field, print_entry, print_rows
from ..question import DEFAULT_MODE, Question
from ..references import as_shown, find_anywhere
from ..search_run import run_search
from ..show_run import run_show


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (search, timeline, show, source, history):
        app.command()(command)


def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help="Words, a question, an identifier or an id.")],
    project: options.Project = None,
    scope: Annotated[
        str | None,
        typer.Option(
            "--scope", help="all; project: only the current folder's; shared: only shared journals."
        ),
    ] = None,
    kind: options.Kind = None,
    type_: options.Type = None,
    tag: options.Tag = None,
    session: options.Session = None,
    file: options.File = None,
    agent: options.Agent = None,
    since: options.Since = None,
    until: options.Until = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, max=1000, help="At most so many results.")
    ] = None,
    min_score: Annotated[
        float | None,
        typer.Option("--min-score", min=0.0, max=1.0, help="Leave out what scores less."),
    ] = None,
    by: Annotated[
        str, typer.Option("--by", help="hybrid, keyword or vector: what to search by.")
    ] = DEFAULT_MODE,
    show_all: Annotated[
        bool, typer.Option("--all", "-a", help="Also print results that hardly match.")
    ] = False,
    no_dates: Annotated[
        bool,
        typer.Option("--no-dates", help='Read words like "last week" as words, not as a time.'),
    ] = False,
    ids_only: Annotated[bool, typer.Option("--ids", help="Print citations only.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Find memories by keyword and by meaning. Step 1 of 3: then timeline, then show."""
    surroundings: Context = context.obj
    question = Question(
        text=_text_of(query),
        projects=project,
        scope=scope,
        kinds=kind,
        types=type_,
        tags=tag,
        sessions=session,
        files=file,
        agents=agent,
        since=since,
        until=until,
        limit=limit,
        min_score=min_score,
        by=by,
        dates_in_words=not no_dates,
    )
    run_search(surroundings, question, show_all=show_all, ids_only=ids_only, as_json=as_json)


def _text_of(query: list[str]) -> str:
    """The question; of ``-`` what comes by standard input."""
    text = " ".join(query).strip()
    if text == "-":
        text = sys.stdin.read().strip()
    if not text:
        raise UsageError("the query is empty", mend='ask for something: mem search "pool timeout"')
    return text


def timeline(
    context: typer.Context,
    refs: Annotated[
        list[str] | None, typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")
    ] = None,
    window: Annotated[
        int, typer.Option("--window", "-w", min=0, max=100, help="Neighbours on each side.")
    ] = 3,
    project: options.Project = None,
    session: options.Session = None,
    file: options.File = None,
    since: options.Since = None,
    until: options.Until = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-n", min=1, max=1_000_000, help="The last so many, without a reference."
        ),
    ] = 50,
    as_json: options.AsJson = False,
) -> None:
    """Show what was said and done around a memory, or in a session, file or time. Step 2 of 3."""
    surroundings: Context = context.obj
    targets = find_anywhere(surroundings, refs) if refs else []
    if not targets:
        catalog = surroundings.fresh_catalog()
        wanted = filters.make_filter(
            surroundings,
            catalog,
            projects=project,
            sessions=session,
            files=file,
            since=since,
            until=until,
        )
        rows = catalog.find(wanted, limit=limit)[::-1]
        if not rows:
            raise NotFoundError("nothing happened there", mend="widen the filters")
        print_rows(rows, surroundings, as_json=as_json)
    for number, target in enumerate(targets):
        row = target.row
        before, after = target.catalog.neighbours(row, before=window, after=window)
        if number and not as_json:
            output.line()
        print_rows(
            [*before, row, *after],
            surroundings,
            as_json=as_json,
            target=row.id,
            journal=target.journal,
        )


def show(
    context: typer.Context,
    refs: Annotated[list[str], typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")],
    raw: Annotated[
        bool, typer.Option("--raw", help="The Markdown as it stands in the file.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Open memories: everything that is known of each. Step 3 of 3."""
    run_show(context.obj, refs, raw=raw, as_json=as_json)


def source(
    context: typer.Context,
    refs: Annotated[list[str], typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")],
    as_json: options.AsJson = False,
) -> None:
    """Show where a memory comes from: its whole turn, or the entries that it was derived from."""
    from ...indexer.search.sources import sources_of
    from ...journal.export import entry_fields

    surroundings: Context = context.obj
    opened = [(found, found.opened()) for found in find_anywhere(surroundings, refs)]
    for found, stored in opened:
        row, place = found.row, found.context
        line = place.index.line_of(row)
        journal = journal_field(found.journal)
        if as_json:
            fields = {"of": f"mem:{row.id}", "path": row.path, "line": line}
            output.emit("source", {**fields, **journal})
        else:
            output.line(output.style(f"{place.root / row.path}:{line}", output.DIM))
            output.line()
        for number, one in enumerate(sources_of(found.catalog, row, stored.entry)):
            source_entry = place.index.read(one)
            if source_entry is None:
                continue
            entry = as_shown(found, source_entry.entry)
            if as_json:
                output.emit("entry", {**entry_fields(entry, one.path), **journal})
                continue
            if number:
                output.line()
            is_target = one.id == row.id
            now = surroundings.now
            print_entry(one, entry, now=now, is_target=is_target, journal=found.journal)


def history(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="At most so many.")
    ] = 20,
    project: options.Project = None,
    kind: options.Kind = None,
    type_: options.Type = None,
    tag: options.Tag = None,
    session: options.Session = None,
    file: options.File = None,
    agent: options.Agent = None,
    since: options.Since = None,
    until: options.Until = None,
    as_json: options.AsJson = False,
) -> None:
    """List the newest memories, newest first."""
    surroundings: Context = context.obj
    catalog = surroundings.fresh_catalog()
    wanted = filters.make_filter(
        surroundings,
        catalog,
        projects=project,
        kinds=kind,
        types=type_,
        tags=tag,
        sessions=session,
        files=file,
        agents=agent,
        since=since,
        until=until,
    )
    rows = catalog.find(wanted, limit=limit)
    if not rows and not as_json:
        output.note("no memories yet" if not catalog.count(type(wanted)()) else "none fits")
    print_rows(rows, surroundings, as_json=as_json)
