"""``mem index``: bring the index up to date, rebuild it, or prove that it is right."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import FormatError, UsageError
from .. import output
from ..context import Context

if TYPE_CHECKING:
    from ...indexer.upkeep.report import UpdateReport


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command("index")(index)


def index(
    context: typer.Context,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build everything from the files, from nothing.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every file and compare it with the index.")
    ] = False,
    accept_deletions: Annotated[
        bool,
        typer.Option("--accept-deletions", help="Follow even if most files are gone at once."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Bring the index up to date. It can be deleted at any time; the files are the memory."""
    if rebuild and verify:
        raise UsageError("--rebuild and --verify do not go together", mend="rebuild, then verify")
    surroundings: Context = context.obj
    if verify:
        _verify(surroundings, as_json=as_json)
        return
    report = _follow(surroundings, rebuild=rebuild, accept_deletions=accept_deletions)
    with contextlib.closing(surroundings.index.read_catalog()) as catalog:
        n_entries = sum(catalog.tally("kind").values())
    change = report.change
    if as_json:
        output.emit(
            "index",
            {
                "entries": n_entries,
                "added": change.n_added,
                "changed": change.n_changed,
                "removed": change.n_removed,
                "files_read": report.n_files,
                "vectors": not report.no_vectors,
                "remarks": report.remarks,
                "unreadable": [{"path": one.path, "what": one.what} for one in report.failures],
            },
        )
        return
    for remark in report.remarks:
        output.warn(remark)
    for failure in report.failures:
        output.warn(f"{failure.path}: {failure.what}")
    output.line(
        f"{output.count(n_entries, 'entry', 'entries')} indexed: {change.n_added:,} new,"
        f" {change.n_changed:,} changed, {change.n_removed:,} gone"
    )
    if report.no_vectors:
        output.line(f"by keyword only: {report.no_vectors}")


def _follow(surroundings: Context, *, rebuild: bool, accept_deletions: bool) -> UpdateReport:
    """Follow the files, those whose growth was taken on trust as well."""
    index, now_ns = surroundings.index, surroundings.now_ns
    with output.progress("indexing") as progress:
        if rebuild:
            return index.rebuild(now_ns=now_ns, progress=progress, say=output.warn)
        report = index.update(
            now_ns=now_ns,
            accept_deletions=accept_deletions,
            progress=progress,
            say=output.warn,
        )
        report.add(index.prove(now_ns=now_ns, progress=progress, say=output.warn))
    return report


def _verify(surroundings: Context, *, as_json: bool) -> None:
    wrong = surroundings.index.verify()
    if as_json:
        output.emit("verification", {"ok": not wrong, "wrong": wrong})
    else:
        for line in wrong:
            output.line(line)
        output.line("the index agrees with the files" if not wrong else "")
    if wrong:
        raise FormatError(
            f"the index differs in {output.count(len(wrong), 'place')}",
            mend="`mem index` follows the files, `mem index --rebuild` starts anew",
        )
