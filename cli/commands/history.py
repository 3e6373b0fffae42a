"""What git keeps of the journal: who remembered what and when, what it said before, and proof of it."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import UsageError
from .. import filters, options, output
from ..context import Context

if TYPE_CHECKING:
    from ...journal.git.program import Git
    from ...journal.history.audit import AuditReport, Tampering
    from ...journal.history.blame import BlamedLine
    from ...journal.history.commits import Commit
    from ...journal.history.entry_history import Version
    from ..entry_versions import EntryVersions

_SHORT = 8
_LABEL = {"added": output.GREEN, "forgotten": output.RED, "deleted": output.RED}

Ref = Annotated[str, typer.Argument(metavar="REF", help="mem:a7Bc3x, or a path.")]
OptionalRef = Annotated[
    str | None, typer.Argument(metavar="[REF]", help="mem:a7Bc3x, or a path; without it, all.")
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (log, diff, blame, restore, audit):
        app.command()(command)


# --- log ----------------------------------------------------------------------------------------


def log(
    context: typer.Context,
    ref: OptionalRef = None,
    since: options.Since = None,
    machine: Annotated[
        str | None, typer.Option("--machine", metavar="NAME", help="Only what this one committed.")
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", "-p", metavar="NAME", help="Only of this project.")
    ] = None,
    limit: Limit = 50,
    as_json: options.AsJson = False,
) -> None:
    """Show who remembered what and when: the journal's commits, or the versions of one memory."""
    surroundings: Context = context.obj
    if ref is not None:
        for version in _versions(surroundings, ref).all[:limit]:
            _print_version(version, surroundings, as_json=as_json)
        return
    from ...journal.history.commits import read_commits

    start = filters.moment("--since", since, surroundings)
    arguments = [f"--max-count={limit}", "--fixed-strings"]
    arguments += [f"--since={start.isoformat()}"] if start else []
    arguments += [f"--author={machine}"] if machine else []
    arguments += [f"--grep=Project: {project}"] if project else []
    for commit in read_commits(_git(surroundings), *arguments, "HEAD", "--"):
        _print_commit(commit, surroundings, as_json=as_json)


def _git(surroundings: Context) -> Git:
    from ..entry_versions import open_history

    return open_history(surroundings)


def _versions(surroundings: Context, ref: str) -> EntryVersions:
    from ..entry_versions import find_versions

    return find_versions(surroundings, ref)


def _commit_fields(commit: Commit) -> dict[str, object]:
    return {
        "commit": commit.sha,
        "at": commit.at,
        "machine": commit.machine or commit.author,
        "who": commit.who,
        "subject": commit.subject,
    }


def _print_commit(commit: Commit, surroundings: Context, *, as_json: bool) -> None:
    if as_json:
        output.emit("commit", _commit_fields(commit))
        return
    when = output.when(commit.at, surroundings.now)
    sha = output.style(commit.short, output.CYAN)
    maker = output.style(output.safe(commit.maker), output.DIM)
    output.line(f"{sha}  {when}  {output.safe(commit.subject)}  {maker}")


def _print_version(version: Version, surroundings: Context, *, as_json: bool) -> None:
    commit = version.commit
    if as_json:
        made = _commit_fields(commit) if commit else {"commit": None}
        output.emit("version", {**made, "change": version.change, "path": version.path})
        return
    change = output.style(f"{version.change:<9}", _LABEL.get(version.change, output.YELLOW))
    if commit is None:
        output.line(f"{'on disk':<8}  {change}  not committed yet  {output.safe(version.path)}")
        return
    when = output.when(commit.at, surroundings.now)
    sha = output.style(commit.short, output.CYAN)
    about = f"{when}  {output.safe(commit.subject)}"
    output.line(f"{sha}  {change}  {about}  {output.style(output.safe(commit.maker), output.DIM)}")


# --- diff ---------------------------------------------------------------------------------------


def diff(
    context: typer.Context,
    ref: OptionalRef = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="REV", help="Default: the version before.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="REV", help="Default: the newest version.")
    ] = None,
) -> None:
    """Show how a memory has changed; without one, what on disk is not committed yet."""
    surroundings: Context = context.obj
    if ref is None:
        if from_ or to:
            raise UsageError("--from and --to need a memory", mend="`mem diff mem:ID --from REV`")
        _print_uncommitted(surroundings)
        return
    versions = _versions(surroundings, ref)
    newer = versions.at(to) if to else versions.all[0]
    older = versions.at(from_) if from_ else versions.before(newer)
    lines = _diff(older, newer)
    if not lines:
        output.note("both versions say the same")
    for line in lines:
        output.line(line)


def _print_uncommitted(surroundings: Context) -> None:
    git = _git(surroundings)
    command = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "HEAD"]
    printed = git.run([*command, "--", "sessions", "memories", "notes", "memjournal.toml"])
    if not printed:
        output.note("nothing on disk differs from the last commit")
    for line in printed.splitlines():
        output.line(_coloured(output.safe(line)))


def _diff(older: Version | None, newer: Version) -> list[str]:
    before, after = (_lines(one) for one in (older, newer))
    compared = difflib.unified_diff(before, after, _name(older), _name(newer), lineterm="")
    return [_coloured(output.safe(line)) for line in compared]


def _lines(version: Version | None) -> list[str]:
    data = version.data if version is not None and version.is_there else None
    return (data or b"").decode("utf-8", "replace").splitlines()


def _name(version: Version | None) -> str:
    if version is None:
        return "nothing"
    return f"{version.commit.short if version.commit else 'on disk'}  {version.path}"


def _coloured(line: str) -> str:
    if line.startswith(("---", "+++")):
        return output.style(line, output.BOLD)
    colours = {"+": output.GREEN, "-": output.RED, "@": output.CYAN}
    return output.style(line, colours[line[0]]) if line[:1] in colours else line


# --- blame --------------------------------------------------------------------------------------


def blame(context: typer.Context, ref: Ref, as_json: options.AsJson = False) -> None:
    """Show of each line of a memory who wrote it, on which machine, and when."""
    from ...journal.history.blame import blame_lines

    surroundings: Context = context.obj
    versions = _versions(surroundings, ref)
    place = versions.place_now()
    for line in blame_lines(_git(surroundings), place.path, first=place.first, last=place.last):
        _print_blamed(line, surroundings, as_json=as_json)


def _print_blamed(line: BlamedLine, surroundings: Context, *, as_json: bool) -> None:
    if as_json:
        fields = {"commit": line.commit or None, "at": line.at, "machine": line.author}
        output.emit("blame", {**fields, "who": line.who, "line": line.number, "text": line.text})
        return
    sha = output.style(line.commit[:_SHORT] or f"{'on disk':<{_SHORT}}", output.CYAN)
    when = f"{line.at.astimezone(surroundings.now.tzinfo):%Y-%m-%d}"
    maker = output.pad(output.shorten(output.safe(line.maker), 26), 26)
    output.line(f"{sha} {when} {output.style(maker, output.DIM)} {output.safe(line.text)}")


# --- restore ------------------------------------------------------------------------------------


def restore(
    context: typer.Context,
    ref: Ref,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="REV", help="A commit, or a time. Default: the version before."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would change.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Bring an earlier version of a memory back, or one that was deleted or forgotten."""
    from ..entry_versions import restore_version

    surroundings: Context = context.obj
    versions = _versions(surroundings, ref)
    chosen = versions.at(at) if at else versions.last_other()
    lines = _diff(versions.all[0], chosen)
    if not as_json:
        for line in lines:
            output.line(line)
    if not lines:
        output.note("it says that already: nothing was changed")
        return
    if dry_run:
        return
    paths = restore_version(surroundings, versions, chosen)
    commit = chosen.commit.sha if chosen.commit else None
    if as_json:
        output.emit(
            "restored", {"id": f"mem:{versions.entry_id}", "commit": commit, "paths": paths}
        )
    else:
        output.note(f"restored in {', '.join(map(output.safe, paths))}")


# --- audit --------------------------------------------------------------------------------------


def audit(context: typer.Context, as_json: options.AsJson = False) -> None:
    """Prove from the history that sessions and ledgers only ever grew; exit code 1 if they did not."""
    from ...journal.history.audit import audit as run_audit
    from ...journal.history.witness import seen_heads
    from ..witness import witness_folder

    surroundings: Context = context.obj
    git = _git(surroundings)
    seen = seen_heads(witness_folder(surroundings))
    with output.progress("auditing") as progress:
        report = run_audit(git, seen=seen, progress=progress)
    for one in report.found:
        _print_tampering(one, surroundings, as_json=as_json)
    _print_audit(report, as_json=as_json)
    if report.found:
        raise typer.Exit(1)


def _print_tampering(one: Tampering, surroundings: Context, *, as_json: bool) -> None:
    commit = one.commit
    entry_id = f"mem:{one.entry_id}" if one.entry_id else ""
    if as_json:
        made = _commit_fields(commit) if commit else {"commit": None}
        fields = {"what": one.what, "path": one.path, "line": one.line, "id": entry_id or None}
        output.emit("tampering", {**fields, **made})
        return
    place = f"{output.safe(one.path)}:{one.line}" if one.path else ""
    origin = "not committed"
    if commit:
        when = output.when(commit.at, surroundings.now)
        origin = f"in {commit.short} by {output.safe(commit.maker)} {when}"
    elif not one.path:
        origin = ""
    parts = filter(None, (place, entry_id, one.what, origin))
    output.line(f"{output.style('tampered', output.RED)}  {'  '.join(parts)}")


def _print_audit(report: AuditReport, *, as_json: bool) -> None:
    if as_json:
        output.emit(
            "audit",
            {
                "commits": report.n_commits,
                "changes": report.n_changes,
                "found": len(report.found),
                "signed": report.n_signed,
                "unknown_key": report.n_unknown,
                "unsigned": report.n_unsigned,
                "begins_at": report.begins_at or None,
            },
        )
        return
    changes = output.count(report.n_changes, "change")
    looked = f"{output.count(report.n_commits, 'commit')}, {changes} of sessions and ledgers"
    if report.found:
        output.line(f"{output.count(len(report.found), 'thing')} found in {looked}")
    else:
        output.line(f"{looked}: they only ever grew")
    signed = f"{report.n_signed:,} signed, {report.n_unsigned:,} not"
    unknown = f", {report.n_unknown:,} by keys that are not known here" if report.n_unknown else ""
    output.line(f"signatures: {signed}{unknown}")
    if report.begins_at:
        output.note(
            f"the history before {report.begins_at[:_SHORT]} is not here, and was not looked at"
        )
