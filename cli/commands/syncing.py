"""The same journal on several machines: exchanged by `mem sync`, and what only a person can settle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import FormatError, MemjournalError, NotFoundError, UsageError
from .. import options, output
from ..context import Context

if TYPE_CHECKING:
    from ...journal.git.program import Git
    from ...journal.merging.conflicts import Conflict, Keep
    from ...journal.sync.journal_sync import SyncReport

_SHOWN_LINES = 6  # of each text of a conflict

_remote = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (sync, conflicts, resolve):
        app.command()(command)
    app.command("merge-driver", hidden=True)(merge_driver)
    app.add_typer(
        _remote, name="remote", help="Name the git repository that the journal is synced with."
    )


# --- sync ---------------------------------------------------------------------------------------


def sync(
    context: typer.Context,
    as_json: options.AsJson = False,
) -> None:
    """Exchange the journal, and those that are shared, with their remotes: fetch, merge, push."""
    from ..sync_run import has_remote

    surroundings: Context = context.obj
    shares = _shares(surroundings)
    if not shares or has_remote(surroundings):
        _sync_own(surroundings, as_json=as_json)
    failed = [name for name, share in shares if not _sync_share(name, share, as_json=as_json)]
    if failed:
        raise typer.Exit(MemjournalError.exit_code)


def _shares(surroundings: Context) -> list[tuple[str, Context]]:
    if not surroundings.settings.sharing.journals:
        return []
    from ..shared_search import share_contexts

    return share_contexts(surroundings)


def _sync_share(name: str, share: Context, *, as_json: bool) -> bool:
    """Exchange a shared journal; whether that worked."""
    try:
        _exchange_share(name, share, as_json=as_json)
    except MemjournalError as error:
        output.warn(f"{name}: {error}")
        return False
    return True


def _exchange_share(name: str, share: Context, *, as_json: bool) -> None:
    from ..shared_search import is_read_only
    from ..sync_run import follow_sync, sync_journal

    with output.progress(f"syncing {name}") as progress:
        report = sync_journal(
            share,
            interactive=output.is_interactive(),
            progress=progress,
            is_read_only=is_read_only(share),
        )
    follow_sync(share, report)
    _print_report(name, report, as_json=as_json)


def _sync_own(surroundings: Context, *, as_json: bool) -> None:
    from ..sync_run import follow_sync, sync_journal

    with output.progress("syncing") as progress:
        report = sync_journal(surroundings, interactive=output.is_interactive(), progress=progress)
    follow_sync(surroundings, report)
    _print_report("", report, as_json=as_json)


def _print_report(name: str, report: SyncReport, *, as_json: bool) -> None:
    if as_json:
        fields = {
            "journal": name,
            "received": report.n_received,
            "sent": report.n_sent,
            "paths": report.paths,
            "conflicts": report.conflicts,
            "was_rewritten": report.was_rewritten,
        }
        output.emit("sync", fields)
        return
    parts = [
        f"{output.count(report.n_received, 'commit')} received" if report.n_received else "",
        f"{output.count(report.n_sent, 'commit')} sent" if report.n_sent else "",
        f"{output.count(len(report.paths), 'file')} changed" if report.paths else "",
    ]
    done = ", ".join(filter(None, parts)) or "nothing new on either side"
    output.line(f"{name}: {done}" if name else done)
    if report.was_rewritten:
        output.warn("the remote had lost commits; they are kept, and were given back to it")
    for path in report.conflicts:
        output.line(f"  both versions stand in {output.safe(path)}; `mem conflicts` shows them")


# --- remote -------------------------------------------------------------------------------------


def _git(surroundings: Context) -> Git:
    from ...journal.git.program import Git
    from ...journal.sync.journal_sync import git_folder

    git_folder(surroundings.root)  # or a repository around the journal would be asked
    return Git(surroundings.root, surroundings.environ, interactive=output.is_interactive())


@_remote.command()
def add(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="Any that git takes, or a folder.")],
    sync_now: Annotated[
        bool, typer.Option("--sync/--no-sync", help="Exchange with it at once.")
    ] = True,
) -> None:
    """Sync the journal with this repository from now on; one named before is replaced."""
    from ...journal.git import exchange

    surroundings: Context = context.obj
    git = _git(surroundings)
    before = exchange.remote_url(git)
    exchange.set_remote(git, url)
    try:
        branch = exchange.follow_remote_branch(git)
        _refuse_other_content(git)
    except MemjournalError:
        if before:
            exchange.set_remote(git, before)
        else:
            exchange.remove_remote(git)
        raise
    shown = exchange.without_credentials(url)
    output.line(f"the journal is synced with {output.safe(shown)}, branch {branch}")
    if sync_now:
        _sync_own(surroundings, as_json=False)


def _refuse_other_content(git: Git) -> None:
    """
    Raises:
        FormatError: the remote holds something, and that is no journal: a mistyped address would publish
            this one there.
    """
    from ...journal.git import exchange
    from ...journal.place import MARKER

    theirs = exchange.fetch(git)
    if theirs and not git.run(["ls-tree", "--name-only", theirs, MARKER]):
        where = exchange.without_credentials(exchange.remote_url(git))
        mend = "name an empty repository, or one of a journal"
        raise FormatError("it holds something else than a journal", where=where, mend=mend)


@_remote.command()
def show(context: typer.Context, as_json: options.AsJson = False) -> None:
    """Show the remote, and how far the journal and it are apart as far as is known."""
    from ..sync_run import describe_sync, sync_fields

    surroundings: Context = context.obj
    _git(surroundings)
    fields = sync_fields(surroundings)
    if not fields:
        raise NotFoundError(
            "there is no remote",
            where=str(surroundings.root),
            mend="`mem remote add URL` names one",
        )
    if as_json:
        output.emit("remote", fields)
    else:
        output.line(output.safe(describe_sync(surroundings, fields)))


@_remote.command()
def remove(context: typer.Context) -> None:
    """Sync with nothing any more; journal and remote keep what they have."""
    from ...journal.git import exchange

    git = _git(context.obj)
    if not exchange.remote_url(git):
        raise NotFoundError("there is no remote", where=str(context.obj.root))
    exchange.remove_remote(git)
    output.line("the journal is not synced any more")


# --- conflicts ----------------------------------------------------------------------------------


def conflicts(context: typer.Context, as_json: options.AsJson = False) -> None:
    """List the files in which two versions stand, for only a person can tell which is right."""
    from ..conflict_files import files_with_conflicts

    surroundings: Context = context.obj
    n_files = 0
    for path, found in files_with_conflicts(surroundings.root):
        n_files += 1
        for one in found:
            _print_conflict(path, one, as_json=as_json)
    if not as_json and n_files:
        output.line()
        output.line(
            "settle one with `mem resolve PATH`, or in any editor: the marked lines are text"
        )
    if not n_files:
        output.note("no file holds two versions")


def _print_conflict(path: str, found: Conflict, *, as_json: bool) -> None:
    if as_json:
        output.emit(
            "conflict",
            {
                "path": path,
                "line": found.line,
                "first": {"label": found.first_label, "text": found.first},
                "second": {"label": found.second_label, "text": found.second},
            },
        )
        return
    output.line(output.style(f"{output.safe(path)}:{found.line}", output.CYAN))
    for label, text in ((found.first_label, found.first), (found.second_label, found.second)):
        output.line(f"  {output.style(output.safe(label), output.BOLD)}")
        lines = text.splitlines()
        for line in lines[:_SHOWN_LINES]:
            output.line(f"    {output.safe(line)}")
        if len(lines) > _SHOWN_LINES:
            output.line(f"    … and {len(lines) - _SHOWN_LINES:,} more lines")


def resolve(
    context: typer.Context,
    refs: Annotated[list[str], typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")],
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep", metavar="WHICH", help="first, second or both; without it, your editor opens."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Settle what two machines wrote differently: keep one version, both, or write your own."""
    from ..commit_written import commit_written
    from ..conflict_files import resolve_file
    from ..references import resolve_references

    surroundings: Context = context.obj
    chosen = _as_keep(keep)
    rows = resolve_references(surroundings, surroundings.fresh_catalog(), refs)
    paths = sorted({row.path for row in rows})
    settled = [path for path in paths if resolve_file(surroundings, path, keep=chosen)]
    for path in paths:
        state = "settled" if path in settled else "still holds two versions"
        if as_json:
            output.emit("resolved", {"path": path, "is_settled": path in settled})
        else:
            output.line(f"{output.safe(path)}: {state}")
    if settled:
        surroundings.update_index(wait=False, paths=settled)
        count = output.count(len(settled), "file")
        commit_written(surroundings, settled, f"resolve: {count}")
    if len(settled) < len(paths):
        raise typer.Exit(1)


def _as_keep(text: str | None) -> Keep | None:
    match text:
        case None | "first" | "second" | "both":
            return text
    raise UsageError(f"--keep {text}: there is no such version", mend="first, second or both")


# --- git's own merges ---------------------------------------------------------------------------


def merge_driver(
    context: typer.Context,
    base: Annotated[Path, typer.Argument(help="What both versions come from.")],
    ours: Annotated[Path, typer.Argument(help="Our version, which becomes the merged one.")],
    theirs: Annotated[Path, typer.Argument(help="Their version.")],
    path: Annotated[str, typer.Argument(help="Where the file is in the journal.")],
) -> None:
    """Merge one file for plain git, which `mem init` has told to ask for it."""
    from ..merge_run import merge_for_git

    merge_for_git(context.obj, path, base=base, ours=ours, theirs=theirs)
