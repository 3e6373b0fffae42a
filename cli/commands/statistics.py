"""Counting: what a journal holds, and of how much use it was. It reads, and writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from .. import filters, options, output
from ..context import Context

if TYPE_CHECKING:
    from ...indexer.catalog.catalog import Catalog
    from ...indexer.statistics import Statistics
    from ...journal.ledger_reader import BadLine
    from ...journal.recall_statistics import MemoryTally, RecallStatistics, Tally

N_MEMORIES: Final = 10


def stats(
    context: typer.Context,
    recall: Annotated[
        bool,
        typer.Option(
            "--recall", help="What assistants were told of it, and what of that was used."
        ),
    ] = False,
    project: options.Project = None,
    since: options.Since = None,
    as_json: options.AsJson = False,
) -> None:
    """Count what the journal holds: by kind, type, project, assistant, tag, file and month."""
    surroundings: Context = context.obj
    if recall:
        _show_recall(surroundings, project, since, as_json=as_json)
    else:
        _show_contents(surroundings, project, since, as_json=as_json)


# --- what it holds ------------------------------------------------------------------------------


def _show_contents(
    surroundings: Context, project: list[str] | None, since: str | None, *, as_json: bool
) -> None:
    from ...indexer.statistics import N_TOP, summarize
    from ...journal.disk import count_hidden

    catalog = surroundings.current_catalog()
    wanted = filters.make_filter(surroundings, catalog, projects=project, since=since)
    rows = catalog.find(wanted, limit=1 << 31)
    counted = summarize(rows)
    n_hidden = count_hidden(surroundings.root, {row.path for row in rows})
    tables: dict[str, dict[str, int]] = {
        "kinds": dict(counted.kinds.most_common()),
        "types": dict(counted.types.most_common()),
        "projects": dict(counted.projects.most_common()),
        "agents": dict(counted.agents.most_common()),
        "tags": dict(counted.tags.most_common(N_TOP)),
        "files": dict(counted.files.most_common(N_TOP)),
        "months": dict(sorted(counted.months.items())),
    }
    if as_json:
        output.emit("stats", {**_totals(counted, n_hidden), **tables})
    else:
        _print_stats(counted, n_hidden, tables, surroundings)


def _totals(counted: Statistics, n_hidden: int) -> dict[str, object]:
    return {
        "entries": counted.n_entries,
        "characters": counted.n_chars,
        "sessions": len(counted.sessions),
        "failed_tool_calls": counted.n_failed,
        "hidden": n_hidden,
        "first": counted.first,
        "last": counted.last,
    }


def _print_stats(
    counted: Statistics,
    n_hidden: int,
    tables: dict[str, dict[str, int]],
    surroundings: Context,
) -> None:
    now = surroundings.now
    output.line(
        f"{output.count(counted.n_entries, 'entry', 'entries')} in"
        f" {output.count(len(counted.sessions), 'session')}, {counted.n_chars:,} characters"
    )
    if counted.first and counted.last:
        output.line(f"{output.when(counted.first, now)} – {output.when(counted.last, now)}")
    output.line(f"{output.count(counted.n_failed, 'failed tool call')}, {n_hidden:,} hidden parts")
    for title, counts in tables.items():
        if not counts:
            continue
        output.line()
        output.line(output.style(title, output.BOLD))
        for name, number in counts.items():
            output.line(f"  {number:>9,}  {output.safe(name) or '(none)'}")


# --- of how much use it was ---------------------------------------------------------------------


def _show_recall(
    surroundings: Context, project: list[str] | None, since: str | None, *, as_json: bool
) -> None:
    from ...journal.ledger_reader import read_ledger
    from ...journal.recall_statistics import summarize_recall

    filters.refuse_blank("--project", project)
    bad: list[BadLine] = []
    start = filters.moment("--since", since, surroundings)
    records = list(read_ledger(surroundings.root, since=start, failed=bad.append))
    catalog = surroundings.current_catalog()
    names = _project_names(catalog, (getattr(one, "project", "") for one in records), project)
    counted = summarize_recall(records, projects=names)
    title_of = _titles(catalog)
    if as_json:
        output.emit("recall", _recall_fields(counted, title_of, n_bad=len(bad)))
    else:
        _print_recall(counted, title_of)
    _warn_of(bad)


def _warn_of(bad: list[BadLine]) -> None:
    """Name each file that was not read as a whole, once."""
    by_path: dict[str, list[BadLine]] = {}
    for one in bad:
        by_path.setdefault(one.path, []).append(one)
    for path, found in by_path.items():
        n_lines = output.count(len(found), "line")
        if found[0].is_line:
            what = f"{n_lines} that are none of a ledger were not counted"
            output.warn(f"{path}: {what}; the first is at byte {found[0].offset:,}")
        else:
            output.warn(f"{path}: {found[0].what}; not counted")


def _project_names(
    catalog: Catalog, in_ledger: Iterable[str], wanted: list[str] | None
) -> frozenset[str]:
    """The projects that are meant, whether the journal still has entries of them or not."""
    from ...journal.project import find_project

    if not wanted:
        return frozenset()
    known = {*catalog.tally("project"), *in_ledger} - {""}
    return frozenset(find_project(known, one) for one in wanted)


def _titles(catalog: Catalog) -> Callable[[str], str]:
    """What tells a memory's title; "" if it was forgotten meanwhile."""
    return lambda one: next((row.title for row in catalog.by_id(one)), "")


def _recall_fields(
    counted: RecallStatistics, title_of: Callable[[str], str], *, n_bad: int
) -> dict[str, object]:
    def listed(memories: list[MemoryTally]) -> list[dict[str, object]]:
        return [
            {
                "id": f"mem:{one.id}",
                "title": title_of(one.id),
                **_tally_fields(one.tally),
                "last_used": one.last_used,
            }
            for one in memories
        ]

    return {
        "sessions": counted.n_sessions,
        "prompts": counted.n_prompts,
        "briefs": counted.n_briefs,
        **_tally_fields(counted.all),
        "by_event": {event: _tally_fields(one) for event, one in counted.by_event.items()},
        "not_told": dict(counted.not_told),
        "most_used": listed(counted.most_used(N_MEMORIES)),
        "never_used": listed(counted.never_used(N_MEMORIES)),
        "unreadable": n_bad,
    }


def _tally_fields(tally: Tally) -> dict[str, object]:
    return {
        "told": tally.n_told,
        "used": tally.n_used,
        "cited": tally.counts.get("cited", 0),
        "overlap": tally.counts.get("overlap", 0),
        "unused": tally.counts.get("unused", 0),
        "undecided": tally.counts.get("undecided", 0),
        "share_used": None if tally.share_used is None else round(tally.share_used, 4),
    }


_WORDS: Final = {
    "cited": "cited",
    "overlap": "used without a citation",
    "unused": "not used",
    "undecided": "not judged",
}
_OF_WHAT: Final = "(sessions that used it, of those judged)"


def _print_recall(counted: RecallStatistics, title_of: Callable[[str], str]) -> None:
    memories = output.count(counted.all.n_told, "memory", "memories")
    sessions = output.count(counted.n_sessions, "session")
    output.line(f"{memories} told in {sessions}: {_as_text(counted.all)}")
    prompts, briefs = counted.by_event["prompt"], counted.by_event["brief"]
    output.line(f"  for {output.count(counted.n_prompts, 'prompt')}: {_as_text(prompts)}")
    output.line(f"  in {output.count(counted.n_briefs, 'brief')}: {_as_text(briefs)}")
    n_silent = sum(counted.not_told.values())
    output.line(f"nothing told for {output.count(n_silent, 'prompt')}")
    for reason, number in counted.not_told.items():
        output.line(f"  {number:>9,}  {output.safe(reason)}")
    _print_memories("most used", counted.most_used(N_MEMORIES), title_of)
    _print_memories("never used", counted.never_used(N_MEMORIES), title_of)


def _as_text(tally: Tally) -> str:
    fields = _tally_fields(tally)
    parts = ", ".join(f"{fields[one]:,} {word}" for one, word in _WORDS.items() if fields[one])
    share = tally.share_used
    judged = "" if share is None else f"; {share:.0%} of those judged were used"
    return f"{parts or 'none'}{judged}"


def _print_memories(
    heading: str, memories: list[MemoryTally], title_of: Callable[[str], str]
) -> None:
    if not memories:
        return
    output.line()
    output.line(f"{output.style(heading, output.BOLD)} {_OF_WHAT}")
    for one in memories:
        title = output.safe(title_of(one.id)) or "(forgotten)"
        shown = output.shorten(title, output.columns() - 36)
        tally = one.tally
        output.line(f"  {tally.n_used:>5,} of {tally.n_judged:<5,} mem:{one.id}  {shown}")
