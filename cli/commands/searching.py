"""Search, expand, source: from a question to the words that were said, each step on request."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import MemjournalError, NotFoundError, UsageError
from .. import options, output
from ..context import Context
from ..present import heading_of, hit_fields, print_entry, print_rows, title_of
from ..question import Question

if TYPE_CHECKING:
    from ...indexer.search.answer import Answer, Hit


_N_NEAREST = 3


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (search, timeline, show, source, history):
        app.command()(command)


def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help="Words, a question, an identifier or an id.")],
    project: options.Project = None,
    scope: Annotated[
        str | None, typer.Option("--scope", help="all, or project: only the current folder's.")
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
    ] = "hybrid",
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
        scope=scope or surroundings.settings.search.scope,
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
    found = _ask_daemon(surroundings, question)
    answer, remarks = found or _search_here(surroundings, question)
    surroundings.remark(*remarks)
    if as_json:
        _emit_answer(answer, question.text)
    elif ids_only:
        for hit in answer.hits:
            if show_all or not hit.is_weak:
                output.line(f"mem:{hit.row.id}")
    else:
        _print_answer(answer, surroundings, show_all=show_all)


def _text_of(query: list[str]) -> str:
    """The question; of ``-`` what comes by standard input."""
    text = " ".join(query).strip()
    if text == "-":
        text = sys.stdin.read().strip()
    if not text:
        raise UsageError("the query is empty", mend='ask for something: mem search "pool timeout"')
    return text


def _emit_answer(answer: Answer, text: str) -> None:
    for rank, hit in enumerate(answer.hits, 1):
        output.emit("hit", {"rank": rank, **hit_fields(hit)})
    output.emit(
        "answer",
        {
            "query": text,
            "total": answer.total,
            "shown": len(answer.hits),
            "confidence": answer.confidence,
            "used_keyword": answer.used_keyword,
            "used_vector": answer.used_vector,
            "fallback_applied": answer.fallback_applied,
            "no_vectors": answer.no_vectors,
            "left_out": answer.left_out,
            "did_you_mean": answer.did_you_mean,
            "period": _period_fields(answer),
            "missing_phrases": answer.missing_phrases,
        },
    )


def _ask_daemon(surroundings: Context, question: Question) -> tuple[Answer, tuple[str, ...]] | None:
    """The answer and remarks of a daemon; None where the search has to be done here."""
    if surroundings.daemon is None:
        return None
    from ..daemon_link import ask_daemon

    try:
        request = question.request(
            surroundings, surroundings.catalog if question.projects else None
        )
    except MemjournalError:  # a project that is too new to be known, or a mistake: seen here
        return None
    return ask_daemon(surroundings, request)


def _search_here(surroundings: Context, question: Question) -> tuple[Answer, tuple[str, ...]]:
    """The answer and remarks of a search in this process, after its index has followed the files."""
    catalog = surroundings.fresh_catalog()
    request = question.request(surroundings, catalog)
    from ...indexer.search.searcher import Searcher

    with contextlib.closing(Searcher(surroundings.index, catalog)) as searcher:
        answer = searcher.search(request)
    return answer, tuple(searcher.remarks)


def _print_answer(answer: Answer, surroundings: Context, *, show_all: bool) -> None:
    n_columns, now = output.columns(), surroundings.now
    strong = [hit for hit in answer.hits if not hit.is_weak]
    shown = answer.hits if show_all else strong or answer.hits[:_N_NEAREST]
    if shown and answer.confidence == "none":
        output.line(output.style("nothing surely answers this; the nearest:", output.YELLOW))
    for hit in shown:
        output.line(heading_of(hit.row, now=now, n_columns=n_columns))
        if hit.snippet.text and hit.snippet.text != title_of(hit.row):
            output.line(f"    {output.mark(hit.snippet.text, hit.snippet.spans)}")
        reasons = ", ".join(hit.reasons)
        output.line(f"    {output.style(f'{hit.score:.2f} {reasons}', output.DIM)}")
    if shown:
        output.line()
    output.line(output.style(_summary_of(answer, shown), output.DIM))
    for remark in _remarks_on(answer, surroundings):
        output.line(output.style(remark, output.YELLOW))
    if answer.no_vectors:
        output.warn(f"searched by keyword only: {answer.no_vectors}")


def _period_fields(answer: Answer) -> dict[str, object] | None:
    period = answer.period
    if period is None:
        return None
    return {
        "words": period.words,
        "start": period.start,
        "end": period.end,
        "is_used": period.is_used,
    }


def _remarks_on(answer: Answer, surroundings: Context) -> Iterator[str]:
    """How the question was understood, and how it may have been meant."""
    if answer.did_you_mean:
        yield f"did you mean: {output.safe(answer.did_you_mean)}"
    for phrase in answer.missing_phrases:
        yield f'nothing says "{output.safe(phrase)}" word for word'
    if (period := answer.period) is not None:
        now, words = surroundings.now, output.safe(period.words)
        start = output.when(period.start, now) if period.start else ""
        end = output.when(period.end, now) if period.end else ""
        if period.is_used:
            yield f'"{words}" was read as a time: {start} – {end}'
        else:
            yield f'nothing of "{words}" was found ({start} – {end}); all times were searched'


def _summary_of(answer: Answer, shown: Sequence[Hit]) -> str:
    legs = " + ".join(
        name
        for name, used in (("keyword", answer.used_keyword), ("meaning", answer.used_vector))
        if used
    )
    if not shown:
        return f"nothing found ({legs or 'no leg could be searched'})"
    n_weak = len(answer.hits) - len(shown)
    parts = [
        f"{len(shown)} of {output.count(answer.total, 'match', 'matches')}",
        *([f"{n_weak} that hardly match left out (--all)"] if n_weak else []),
        legs,
        f"confidence: {answer.confidence}",
        f"open one with `mem show mem:{shown[0].row.id}`",
    ]
    return " · ".join(parts)


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
    catalog = surroundings.fresh_catalog()
    targets = surroundings.resolve(catalog, refs or ())
    if not targets:
        wanted = options.make_filter(
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
        before, after = catalog.neighbours(target, before=window, after=window)
        if number and not as_json:
            output.line()
        print_rows([*before, target, *after], surroundings, as_json=as_json, target=target.id)


def show(
    context: typer.Context,
    refs: Annotated[list[str], typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")],
    raw: Annotated[
        bool, typer.Option("--raw", help="The Markdown as it stands in the file.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Open memories: everything that is known of each. Step 3 of 3."""
    from ...journal.export import entry_fields

    surroundings: Context = context.obj
    catalog = surroundings.fresh_catalog()
    for number, (row, stored) in enumerate(surroundings.open_entries(catalog, refs)):
        if raw:
            sys.stdout.flush()
            if sys.stdout.isatty():  # as it stands, but for what would act on the terminal
                output.line(output.safe(stored.raw.decode("utf-8", "replace")))
            else:
                sys.stdout.buffer.write(stored.raw)
        elif as_json:
            output.emit("entry", entry_fields(stored.entry, row.path))
        else:
            if number:
                output.line()
            before, after = catalog.neighbours(row, before=1, after=1)
            print_entry(row, stored.entry, before=before, after=after, now=surroundings.now)


def source(
    context: typer.Context,
    refs: Annotated[list[str], typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")],
    as_json: options.AsJson = False,
) -> None:
    """Show where a memory comes from: its whole turn, or the entries that it was derived from."""
    from ...indexer.search.sources import sources_of
    from ...journal.export import entry_fields

    surroundings: Context = context.obj
    catalog = surroundings.fresh_catalog()
    for row, stored in surroundings.open_entries(catalog, refs):
        found = sources_of(catalog, row, stored.entry)
        line = surroundings.index.line_of(row)
        if as_json:
            output.emit("source", {"of": f"mem:{row.id}", "path": row.path, "line": line})
        else:
            output.line(output.style(f"{surroundings.root / row.path}:{line}", output.DIM))
            output.line()
        for number, one in enumerate(found):
            opened = surroundings.index.read(one)
            if opened is None:
                continue
            if as_json:
                output.emit("entry", entry_fields(opened.entry, one.path))
                continue
            if number:
                output.line()
            print_entry(one, opened.entry, now=surroundings.now, is_target=one.id == row.id)


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
    wanted = options.make_filter(
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
