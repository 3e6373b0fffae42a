"""`mem forget`: out of the files, out of the indexes, and proof of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import MemjournalError, UsageError
from .. import filters, options, output
from ..commit_written import commit_written
from ..context import Context
from ..references import open_row, resolve_references

if TYPE_CHECKING:
    from ...indexer.catalog.catalog import Catalog
    from ...indexer.catalog.row import Row
    from ...indexer.forgetting import Proof
    from ...journal.store import Forgetting
    from ...journal.traces import Traces

_YES = ("y", "yes", "예", "네", "ㅛ")  # the last is the key y on a Korean keyboard
_SHOWN = 20  # rows and files listed before "and more"

Refs = Annotated[list[str] | None, typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")]


def forget(
    context: typer.Context,
    refs: Refs = None,
    session: options.Session = None,
    project: options.Project = None,
    since: options.Since = None,
    before: Annotated[
        str | None, typer.Option("--before", metavar="WHEN", help="Older than this; as --since.")
    ] = None,
    query: Annotated[
        str, typer.Option("--query", metavar="TEXT", help="What contains these very words.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Take memories out of files and indexes, and prove that they are found no more."""
    surroundings: Context = context.obj
    if not (refs or session or project or since or before or query.strip()):
        raise typer.BadParameter("say what to forget: ids, --session, --since, --before or --query")
    filters.refuse_blank("--query", [query] if query else None)
    catalog = surroundings.current_catalog() if dry_run else surroundings.fresh_catalog()
    rows = _select(
        surroundings,
        catalog,
        refs,
        session=session,
        project=project,
        since=since,
        before=before,
        query=query,
    )
    if not rows:
        output.note("nothing fits: nothing to forget")
        return
    _print_plan(surroundings, rows, dry_run=dry_run, as_json=as_json)
    if dry_run or not _is_confirmed(rows, yes=yes):
        return
    done, proof = _forget(surroundings, rows)
    _print_proof(surroundings, done, proof, as_json=as_json)


def _select(
    surroundings: Context,
    catalog: Catalog,
    refs: list[str] | None,
    *,
    session: list[str] | None,
    project: list[str] | None,
    since: str | None,
    before: str | None,
    query: str,
) -> list[Row]:
    """The entries that are named, and those that pass all of the filters."""
    chosen = {row.docno: row for row in resolve_references(surroundings, catalog, refs or ())}
    if session or project or since or before or query:
        wanted = filters.make_filter(
            surroundings, catalog, projects=project, sessions=session, since=since, before=before
        )
        fitting = catalog.find(wanted, limit=1 << 31, newest_first=False)
        if query:
            places = _places_of(surroundings, query)
            fitting = [row for row in fitting if (row.path, row.offset) in places]
        chosen |= {row.docno: row for row in fitting}
    return list(chosen.values())


def _places_of(surroundings: Context, query: str) -> set[tuple[str, int]]:
    """Where entries that contain the words stand. Not ranked search: what goes must be plain to see."""
    from ...journal.traces import entries_containing

    return {(one.path, one.offset) for one in entries_containing(surroundings.root, query)}


def _print_plan(surroundings: Context, rows: list[Row], *, dry_run: bool, as_json: bool) -> None:
    from ..present import print_rows

    if as_json:
        if dry_run:
            print_rows(rows, surroundings, as_json=True)
        return
    n_files = len({row.path for row in rows})
    verb = "would forget" if dry_run else "to forget:"
    output.line(
        f"{verb} {output.count(len(rows), 'entry', 'entries')} in {output.count(n_files, 'file')}"
    )
    print_rows(rows[:_SHOWN], surroundings, as_json=False)
    if len(rows) > _SHOWN:
        output.line(f"  … and {len(rows) - _SHOWN:,} more")
    for path in list(dict.fromkeys(row.path for row in rows))[:_SHOWN]:
        what = "loses these entries" if path.startswith("sessions/") else "is deleted"
        output.line(f"  {path} {what}")


def _is_confirmed(rows: list[Row], *, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("forgetting needs a yes", mend="look with --dry-run, then add --yes")
    question = f"Forget {output.count(len(rows), 'entry', 'entries')}? [y/N] "
    print(question, end="", file=sys.stderr, flush=True)  # typer.confirm leaves a blank on stdout
    if sys.stdin.readline().strip().lower() in _YES:
        return True
    output.note("nothing was forgotten")
    return False


def _forget(surroundings: Context, rows: list[Row]) -> tuple[list[Forgetting], Proof]:
    """Take the entries out of files and indexes, and look whether they are gone.

    Raises:
        LockedError: the files are changed, the index is busy.
    """
    from ...indexer.forgetting import erase_traces, prove_forgotten
    from ...journal.traces import telling_line
    from ..hook_desk import states_of

    stored = [open_row(surroundings, row) for row in rows]
    done = surroundings.journal.forget(stored)
    told = _announce(surroundings, done)
    message = f"forget: {output.count(len(rows), 'entry', 'entries')}"
    commit_written(surroundings, [*(step.path for step in done), *told], message)
    surroundings.follow_files(accept_deletions=True)  # no disk is missing: these were meant to go
    erase_traces(surroundings.index)
    states_of(surroundings, report=output.warn).forget({str(row.id) for row in rows})
    proof = prove_forgotten(
        surroundings.index,
        docnos={row.docno for row in rows},
        ids={row.id for row in rows},
        lines={telling_line(one.entry) for one in stored},
    )
    return done, proof


def _announce(surroundings: Context, done: list[Forgetting]) -> list[str]:
    """Tell the other machines, where there may be any, that these were taken away on purpose; the paths
    of what was written."""
    from ...journal.announcements import announce
    from ...journal.git import is_repository

    ids = [one for step in done for one in step.ids]
    if not ids or not is_repository(surroundings.root):
        return []
    path = announce(
        surroundings.root,
        machine=surroundings.machine,
        kind="forgot",
        ids=ids,
        at=surroundings.now,
        lock_timeout_s=surroundings.settings.journal.lock_timeout_s,
    )
    return [path]


def _print_proof(
    surroundings: Context, done: list[Forgetting], proof: Proof, *, as_json: bool
) -> None:
    ids = [f"mem:{one}" for step in done for one in step.ids]
    is_in_history = _is_in_history(surroundings, [step.path for step in done])
    traces = proof.traces
    if as_json:
        fields = {"ids": ids, "paths": [step.path for step in done], "is_proven": proof.holds}
        left = {
            "catalog": proof.n_catalog,
            "keyword": proof.n_keyword,
            "vector": proof.n_vector,
            "records": traces.records,
            "index_files": traces.index,
            "unread_files": traces.unread,
        }
        also = {"cited_in": traces.citations, "same_words_in": traces.words}
        output.emit("forgotten", {**fields, "left": left, **also, "git_history": is_in_history})
    else:
        output.line(f"forgot {output.count(len(ids), 'entry', 'entries')}; looked for them again:")
        vector = "there are no vectors" if proof.n_vector is None else _left(proof.n_vector)
        output.line(f"  catalog        {_left(proof.n_catalog)}")
        output.line(f"  keyword index  {_left(proof.n_keyword)}")
        output.line(f"  vector index   {vector}")
        output.line(f"  files          {', '.join((*traces.records, *traces.index)) or _left(0)}")
        for path in traces.unread[:_SHOWN]:
            output.line(f"  cannot be read, and may hold it: {output.safe(path)}")
        for path in traces.citations[:_SHOWN]:
            output.line(f"  still cited in {path}")
        for path in traces.words[:_SHOWN]:
            output.line(f"  another entry has the same words: {path}")
    if is_in_history:
        output.note("git's history still holds the text; so does every clone of it")
    if not proof.holds:
        raise _no_proof(traces)


def _no_proof(traces: Traces) -> MemjournalError:
    """Why nothing is proven."""
    if traces.unread and not (traces.records or traces.index):
        return MemjournalError(
            "not everything could be looked through",
            where=traces.unread[0],
            mend="check owner and mode, and look there yourself",
        )
    return MemjournalError("something of it is still there", mend="run `mem doctor --verify`")


def _is_in_history(surroundings: Context, paths: list[str]) -> bool:
    """Whether git may still hold what was taken out of *paths*; yes where that cannot be told."""
    from ...journal.git import is_repository, were_committed

    if not is_repository(surroundings.root):
        return False
    try:
        return were_committed(surroundings.root, paths, environ=surroundings.environ)
    except MemjournalError:
        return True


def _left(number: int) -> str:
    return f"{number:,} left" if number else "nothing left"
