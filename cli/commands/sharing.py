"""Journals that are shared with others: added, listed, removed, and given copies of what one knows."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...journal.errors import AmbiguousError, UsageError
from .. import options, output
from ..context import Context

if TYPE_CHECKING:
    from ...journal.entry import Entry
    from ..promote_run import Planned

_YES: Final = ("y", "yes", "예", "네", "ㅛ")  # the last is the key y on a Korean keyboard

_share = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `mem share list` shows it.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(
        _share, name="share", help="Share a journal with others, through any git repository."
    )


@_share.command()
def add(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="Any that git takes, or a folder.")],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Default: as the repository is called.")
    ] = "",
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Never write into it, and send nothing.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Get a journal that others share, and search it with your own; an empty repository becomes one."""
    from ..share_run import add_share, context_of, share_fields

    surroundings: Context = context.obj
    with output.progress("cloning") as progress:
        added = add_share(
            surroundings,
            url,
            name=name,
            is_read_only=read_only,
            interactive=output.is_interactive(),
            progress=progress,
        )
    place = context_of(surroundings, added.share)
    place.update_index()
    if as_json:
        fields = share_fields(place, added.share)
        output.emit("share", {**fields, "is_new": added.is_new})
        return
    access = ", read-only" if read_only else ""
    output.line(f"{added.share.name}: {output.safe(added.url)}{access}")
    output.line(f"  in {added.share.root}")
    if added.is_new:
        output.line("  a journal was made in it, which the next `mem sync` sends")


@_share.command("list")
def list_(context: typer.Context, as_json: options.AsJson = False) -> None:
    """List the shared journals, and how each of them is."""
    from ..share_run import context_of, known_shares, share_fields

    surroundings: Context = context.obj
    shares = known_shares(surroundings).values()
    for share in shares:
        fields = share_fields(context_of(surroundings, share), share)
        if as_json:
            output.emit("share", fields)
        else:
            _print_share(fields)
    if not shares and not as_json:
        output.note("no shared journals; `mem share add URL` adds one")


def _print_share(fields: dict[str, object]) -> None:
    facts = [output.safe(str(fields["url"])) or "no remote"]
    if fields["is_read_only"]:
        facts.append("read-only")
    if isinstance(n_entries := fields["entries"], int):
        facts.append(output.count(n_entries, "entry", "entries"))
    synced = fields["last_synced"]
    facts.append(
        f"synced {datetime.fromisoformat(synced):%Y-%m-%d %H:%M}"
        if isinstance(synced, str)
        else "not synced yet"
    )
    output.line(f"{output.style(str(fields['name']), output.BOLD)}  {' · '.join(facts)}")
    output.line(f"  in {output.safe(str(fields['path']))}")
    if fields["problem"]:
        output.line(output.style(f"  {output.safe(str(fields['problem']))}", output.YELLOW))


@_share.command()
def remove(
    context: typer.Context,
    name: Name,
    delete_files: Annotated[
        bool, typer.Option("--delete-files", help="Delete its folder on this machine as well.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Even what was not sent to its remote.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Search a shared journal no more; the others keep it, and its folder stays unless told otherwise."""
    from ..share_run import remove_share, share_named

    surroundings: Context = context.obj
    share = share_named(surroundings, name)
    remove_share(surroundings, share, deletes_files=delete_files, accepts_loss=yes)
    if as_json:
        fields = {"name": name, "path": share.root, "files_deleted": delete_files}
        output.emit("share_removed", fields)
    elif delete_files:
        output.line(f"{name} was removed, with its folder {share.root}")
    else:
        output.line(f"{name} was removed; its files are still in {share.root}")


@_share.command()
def promote(
    context: typer.Context,
    ref: Annotated[str, typer.Argument(metavar="REF", help="mem:a7Bc3x, or any unique prefix.")],
    to: Annotated[
        str, typer.Option("--to", metavar="NAME", help="The shared journal; default: the only one.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would leave.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Copy a memory into a shared journal: its words, without session, machine, paths and secrets."""
    from .. import promote_run

    surroundings: Context = context.obj
    planned = promote_run.plan(surroundings, _entry_of(surroundings, ref), to=to)
    if planned.there_as is not None:
        _tell(planned, str(planned.there_as.id), planned.path, state="there", as_json=as_json)
        return
    if not as_json:
        _print_plan(planned)
    if dry_run:
        _tell(planned, "", "", state="planned", as_json=as_json)
        return
    if not _is_confirmed(planned, yes=yes):
        return
    entry, path, is_new = promote_run.write(planned)
    _tell(planned, str(entry.id), path, state="new" if is_new else "there", as_json=as_json)


def _entry_of(surroundings: Context, ref: str) -> Entry:
    """The one entry of the journal in use that *ref* names.

    Raises:
        NotFoundError, AmbiguousError: it names nothing, or several.
    """
    from ..references import open_row, resolve_references

    rows = resolve_references(surroundings, surroundings.fresh_catalog(), [ref])
    if len(rows) > 1:
        listed = ", ".join(f"mem:{row.id} ({row.path})" for row in rows[:5])
        raise AmbiguousError(f"{ref!r} names {len(rows)} entries: {listed}", mend="give one")
    return open_row(surroundings, rows[0]).entry


def _print_plan(planned: Planned) -> None:
    """Show what would leave, and what would not."""
    draft = planned.promotion.draft
    output.line(f"into [{planned.name}]: {output.style(output.safe(draft.title), output.BOLD)}")
    facts = [
        draft.type,
        f"{draft.created:%Y-%m-%d %H:%M}",
        draft.project,
        " ".join(f"#{tag}" for tag in draft.tags),
        ", ".join(draft.files),
        f"from {', '.join(draft.source)}" if draft.source else "",
    ]
    output.line(output.style(output.safe(" · ".join(filter(None, facts))), output.DIM))
    output.line()
    output.line(output.safe(draft.body).rstrip("\n") or "(nothing but a title)")
    output.line()
    if planned.promotion.left_out:
        output.line(f"stays here: {output.safe(', '.join(planned.promotion.left_out))}")
    if planned.promotion.n_hidden:
        hidden = output.count(
            planned.promotion.n_hidden, "secret or private part", "secrets or private parts"
        )
        output.line(f"hidden: {hidden}")
    if planned.promotion.flagged:
        flagged = f"⚠ flagged: {', '.join(planned.promotion.flagged)}"
        output.line(output.style(flagged, output.YELLOW))


def _is_confirmed(planned: Planned, *, yes: bool) -> bool:
    if yes:
        return True
    if planned.promotion.flagged:
        raise UsageError(
            "it holds what would give an assistant orders: " + ", ".join(planned.promotion.flagged),
            mend="read it, and add --yes if others are to have it",
        )
    if not sys.stdin.isatty():
        raise UsageError("promoting needs a yes", mend="look with --dry-run, then add --yes")
    question = f"Copy this into {planned.name}? [y/N] "
    print(question, end="", file=sys.stderr, flush=True)  # typer.confirm leaves a blank on stdout
    if sys.stdin.readline().strip().lower() in _YES:
        return True
    output.note("nothing was copied")
    return False


def _tell(planned: Planned, entry_id: str, path: str, *, state: str, as_json: bool) -> None:
    """Say what became of it: *state* is planned, new or there."""
    promotion = planned.promotion
    if as_json:
        output.emit(
            "promoted",
            {
                "of": f"mem:{planned.original.id}",
                "journal": planned.name,
                "state": state,
                "id": f"mem:{entry_id}" if entry_id else "",
                "path": path,
                "title": promotion.draft.title,
                "left_out": promotion.left_out,
                "n_hidden": promotion.n_hidden,
                "flagged": promotion.flagged,
            },
        )
    elif state == "planned":
        output.note("nothing was copied: this was a dry run")
    else:
        output.line(f"{output.style(f'[mem:{entry_id}]', output.CYAN)} [{planned.name}] {path}")
        if state == "there":
            output.note("already there: nothing was copied")
        else:
            output.note("`mem sync` sends it to the others")
