"""What git keeps of the journal: who remembered what and when, what it said before, and proof of it."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import MemjournalError, UsageError
from .. import filters, options, output
from ..context import Context

if TYPE_CHECKING:
    from ...journal.git.program import Git
    from ...journal.history.audit import AuditReport, Tampering
    from ...journal.history.blame import BlamedLine
    from ...journal.history.commits import Commit, Extent
    from ...journal.history.entry_history import Version
    from ..entry_versions import EntryVersions

_SHORT = 8
_PLACES = ("sessions", "memories", "notes", "memjournal.toml")
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
    stat: Annotated[
        bool, typer.Option("--stat", help="Also how many files and lines each commit changed.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show who remembered what and when: the journal's commits, or the versions of one memory."""
    surroundings: Context = context.obj
    if ref is not None:
        for version in _versions(surroundings, ref).all[:limit]:
            _print_version(version, surroundings, as_json=as_json)
        return
    from ...journal.history.commits import extents_of, read_commits

    git = _git(surroundings)
    start = filters.moment("--since", since, surroundings)
    arguments = [f"--max-count={limit}", "--extended-regexp"]
    arguments += [f"--since={start.isoformat()}"] if start else []
    arguments += [f"--author={_literal(machine)}"] if machine else []
    arguments += [f"--grep=^Project: {_literal(project.rpartition('/')[2])}$"] if project else []
    commits = read_commits(git, *arguments, "HEAD", "--")
    extents = extents_of(git, commits) if stat else {}
    for commit in commits:
        _print_commit(commit, extents.get(commit.sha), surroundings, as_json=as_json)


def _literal(text: str) -> str:
    """*text* as a regular expression of git's that fits it alone."""
    return re.sub(r"([][.{}()*+?^$|\\])", r"\\\1", text)


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


def _print_commit(
    commit: Commit, extent: Extent | None, surroundings: Context, *, as_json: bool
) -> None:
    if as_json:
        fields = _commit_fields(commit)
        if extent:
            fields |= {"files": extent.n_files, "added": extent.n_added}
            fields["removed"] = extent.n_removed
        output.emit("commit", fields)
        return
    when = output.when(commit.at, surroundings.now)
    sha = output.style(commit.short, output.CYAN)
    maker = output.style(output.safe(commit.maker), output.DIM)
    size = ""
    if extent:
        files = output.count(extent.n_files, "file")
        size = f"  {files}, {extent.n_added:+,} −{extent.n_removed:,} lines"
    output.line(f"{sha}  {when}  {output.safe(commit.subject)}  {maker}{size}")


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
    lines = git.run([*command, "--", *_PLACES]).splitlines()
    untracked = git.run(["ls-files", "--others", "--exclude-standard", "-z", "--", *_PLACES])
    for path in filter(None, untracked.split("\0")):
        lines += _new_file(surroundings, path)
    if not lines:
        output.note("nothing on disk differs from the last commit")
    for line in lines:
        output.line(_coloured(output.safe(line)))


def _new_file(surroundings: Context, path: str) -> list[str]:
    from ...journal import files

    try:
        text = files.read(surroundings.root / path).decode("utf-8", "replace")
    except MemjournalError as error:
        output.warn(str(error))
        return []
    compared = difflib.unified_diff([], text.splitlines(), "nothing", path, lineterm="")
    return list(compared)


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


def audit(
    context: typer.Context,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="REV", help="Only what came after a commit, or a time."),
    ] = None,
    signatures: Annotated[
        bool, typer.Option("--signatures", help="Also name each commit that none proves.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Prove from the history that sessions and ledgers only ever grew; exit code 1 if they did not."""
    from ...journal.git.trees import commit_at
    from ...journal.history.audit import audit as run_audit
    from ...journal.history.witness import seen_heads
    from ..witness import witness_folder

    surroundings: Context = context.obj
    git = _git(surroundings)
    start = since and (commit_at(git, since) or filters.moment("--since", since, surroundings))
    rules = surroundings.redactor.rules
    with output.progress("auditing") as progress:
        report = run_audit(
            git,
            seen=seen_heads(witness_folder(surroundings)),
            since=start or "",
            markers=(rules.marker, rules.private_marker),
            progress=progress,
        )
    for commit, why in report.unproven if signatures else ():
        _print_unproven(commit, why, surroundings, as_json=as_json)
    for one in report.found:
        _print_tampering(one, surroundings, as_json=as_json)
    _print_audit(report, as_json=as_json)
    if report.found:
        raise typer.Exit(1)


def _print_unproven(commit: Commit, why: str, surroundings: Context, *, as_json: bool) -> None:
    if as_json:
        output.emit("unproven", {"what": why, **_commit_fields(commit)})
        return
    origin = f"{commit.short} by {output.safe(commit.maker)}"
    when = output.when(commit.at, surroundings.now)
    output.line(f"{output.style('odd', output.YELLOW)}  {why}  {origin} {when}")


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
                "files": report.n_files,
                "events": report.n_events,
                "found": len(report.found),
                "signed": report.n_signed,
                "unknown_key": report.n_unknown,
                "unsigned": report.n_unsigned,
                "begins_at": report.begins_at or None,
            },
        )
        return
    _print_summary(report)
    if report.begins_at:
        output.note(f"nothing before {report.begins_at[:_SHORT]} was looked at")
    if not report.found:
        output.note(
            "not to be seen from here: a history that was rewritten on every machine before this one"
            " saw it; signed commits prove more"
        )


def _print_summary(report: AuditReport) -> None:
    changes = output.count(report.n_changes, "change")
    files, events = output.count(report.n_files, "file"), output.count(report.n_events, "event")
    commits = output.count(report.n_commits, "commit")
    looked = f"{commits}, {changes} of {files} of sessions and ledgers, {events}"
    if report.found:
        output.line(f"{output.count(len(report.found), 'thing')} found in {looked}")
    else:
        output.line(f"{looked}: they only ever grew")
    signed = f"{report.n_signed:,} signed, {report.n_unsigned:,} not"
    unknown = f", {report.n_unknown:,} by keys that are not known here" if report.n_unknown else ""
    output.line(f"signatures: {signed}{unknown}")
