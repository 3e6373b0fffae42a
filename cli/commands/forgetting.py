"""`mem forget`: out of the files, out of the indexes, and proof of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import MemjournalError, UsageError
from .. import filters, options, output
from ..announcing import announce
from ..commit_written import commit_written
from ..context import Context
from ..references import open_row, resolve_references

if TYPE_CHECKING:
    from ...indexer.catalog.catalog import Catalog
    from ...indexer.catalog.row import Row
    from ...indexer.forgetting import Proof
    from ...journal.reading import Stored
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
    purge: Annotated[
        bool,
        typer.Option("--purge", help="Also take them out of git's history, on every machine."),
    ] = False,
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
    if purge:
        _print_purge_plan(surroundings, rows, as_json=as_json)
    if dry_run or not _is_confirmed(rows, yes=yes, purge=purge):
        return
    if purge:
        _purge(surroundings, rows, as_json=as_json)
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


def _print_purge_plan(surroundings: Context, rows: list[Row], *, as_json: bool) -> None:
    """What else a purge does, which cannot be taken back.

    Raises:
        UnavailableError, StorageError: there is no history, or it cannot be rewritten.
    """
    from ..purge_run import plan_purge

    plan = plan_purge(surroundings, rows)
    if as_json:
        fields = {"commits": plan.n_commits, "first": plan.first or None, "machines": plan.machines}
        output.emit("purge", fields)
        return
    commits = output.count(plan.n_commits, "commit")
    if plan.n_commits:
        output.line(
            f"  history: {commits} from {plan.first[:8]} on get new hashes, and no signature"
        )
    for machine in plan.machines:
        output.line(f"  {output.safe(machine)} takes it out of its history when it syncs next")


def _is_confirmed(rows: list[Row], *, yes: bool, purge: bool) -> bool:
    if yes:
        return True
    if purge:
        return _is_purge_confirmed(rows)
    if not sys.stdin.isatty():
        raise UsageError("forgetting needs a yes", mend="look with --dry-run, then add --yes")
    question = f"Forget {output.count(len(rows), 'entry', 'entries')}? [y/N] "
    print(question, end="", file=sys.stderr, flush=True)  # typer.confirm leaves a blank on stdout
    if sys.stdin.readline().strip().lower() in _YES:
        return True
    output.note("nothing was forgotten")
    return False


def _is_purge_confirmed(rows: list[Row]) -> bool:
    """Ask for more than a key: what is purged is in no history to be restored from."""
    if not sys.stdin.isatty():
        raise UsageError("a purge needs a yes", mend="look with --dry-run, then add --yes")
    question = f"This cannot be undone. Type the number of entries, {len(rows)}, to purge them: "
    print(question, end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().replace(",", "") == str(len(rows)):
        return True
    output.note("nothing was purged")
    return False


def _purge(surroundings: Context, rows: list[Row], *, as_json: bool) -> None:
    """Purge the entries here, at the remote and in exports, and look for them in every object.

    Raises:
        MemjournalError: it could not be done, or something is left.
    """
    from ..exports import purge_exports
    from ..purge_run import prove_purged, purge, send_purge

    stored = [open_row(surroundings, row) for row in rows]
    done = purge(surroundings, rows, stored)
    proof = _prove(surroundings, rows, stored)
    is_sent = send_purge(surroundings)
    changed, failed = purge_exports(surroundings, {str(row.id) for row in rows})
    objects = prove_purged(surroundings, rows, stored)
    if as_json:
        output.emit(
            "purged",
            {
                "ids": [f"mem:{row.id}" for row in rows],
                "is_proven": proof.holds and objects.holds,
                "objects": objects.n_objects,
                "holding": objects.holding,
                "with_words": objects.with_words,
                "is_sent": is_sent,
                "exports": changed,
                "exports_left": failed,
            },
        )
    else:
        _print_proof(surroundings, done, proof, as_json=False, history="")
        looked = f"{output.count(objects.n_objects, 'object')} of the repository"
        output.line(f"  {looked}: {_left(len(objects.holding))}")
        if objects.with_words:
            output.line(
                f"  {len(objects.with_words):,} of them have a line of it, of another entry"
            )
        for path in changed:
            output.line(f"  taken out of the export {output.safe(path)}")
    for path in failed:
        output.warn(f"the export {path} cannot be changed, and may hold it")
    if not objects.holds:
        raise MemjournalError(
            "something of it is still in the repository", where=objects.holding[0]
        )


def _forget(surroundings: Context, rows: list[Row]) -> tuple[list[Forgetting], Proof]:
    """Take the entries out of files and indexes, and look whether they are gone.

    Raises:
        LockedError: the files are changed, the index is busy.
    """
    stored = [open_row(surroundings, row) for row in rows]
    done = surroundings.journal.forget(stored)
    told = announce(surroundings, "forgot", [one for step in done for one in step.ids])
    message = f"forget: {output.count(len(rows), 'entry', 'entries')}"
    commit_written(surroundings, [*(step.path for step in done), *told], message)
    return done, _prove(surroundings, rows, stored)


def _prove(surroundings: Context, rows: list[Row], stored: list[Stored]) -> Proof:
    """Have the indexes follow, and look whether anything of it is found.

    Raises:
        LockedError: the index is busy.
    """
    from ...indexer.forgetting import erase_traces, prove_forgotten
    from ...journal.traces import telling_line
    from ..hook_desk import states_of

    surroundings.follow_files(accept_deletions=True)  # no disk is missing: these were meant to go
    erase_traces(surroundings.index)
    states_of(surroundings, report=output.warn).forget({str(row.id) for row in rows})
    return prove_forgotten(
        surroundings.index,
        docnos={row.docno for row in rows},
        ids={row.id for row in rows},
        lines={telling_line(one.entry) for one in stored},
    )


_STILL_THERE = "git's history still holds the text; so does every clone of it; --purge takes it out"


def _print_proof(
    surroundings: Context,
    done: list[Forgetting],
    proof: Proof,
    *,
    as_json: bool,
    history: str = _STILL_THERE,
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
    if is_in_history and history:
        output.note(history)
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
