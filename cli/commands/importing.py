"""Past conversations: what can be imported, and importing it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import NotFoundError
from .. import options, output
from ..context import Context

if TYPE_CHECKING:
    from ...hooks.claude_code.discover import ClaudeCodeSource
    from ...hooks.import_state import ImportState
    from ...hooks.importing import (
        AppendReport,
        Filters,
        ImportReport,
        Listing,
        Progress,
        SessionLog,
        Step,
        Transcript,
    )
    from ...hooks.masking import CountingMask
    from ...journal.event import Event, SessionHeader

STATE_FILE = "imports.jsonl"

From = Annotated[
    Path | None,
    typer.Option(
        "--from", metavar="DIR", help="Where the transcripts are, if not in the usual place."
    ),
]
OneProject = Annotated[
    str | None, typer.Option("--project", "-p", metavar="NAME", help="Only this project.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.command("list")(list_)
    app.command("import")(import_)


# --- list ---------------------------------------------------------------------------------------


def list_(
    context: typer.Context,
    project: OneProject = None,
    folder: From = None,
    as_json: options.AsJson = False,
) -> None:
    """List the transcripts that can be imported, the newest first."""
    from ...hooks.importing import list_transcripts

    surroundings: Context = context.obj
    source, _ = _source(surroundings, _folder(surroundings, folder))
    with_subagents = surroundings.settings.capture.sidechains
    listings = [
        one
        for one in list_transcripts(source, _state(surroundings))
        if with_subagents or not one.transcript.is_subagent
    ]
    if project:
        name = _find_project(surroundings, project, (one.peek.project for one in listings))
        listings = [one for one in listings if one.peek.project == name]
    if as_json:
        for one in listings:
            output.emit("transcript", _listing_fields(one))
        return
    _print_table(listings, surroundings)
    _note_unreadable(source)
    if not listings:
        output.note(f"no transcripts in {source.folder}")


def _listing_fields(one: Listing) -> dict[str, object]:
    return {
        "session": one.peek.session,
        "project": one.peek.project,
        "agent": one.transcript.agent,
        "size_bytes": one.transcript.size_bytes,
        "started": one.peek.started,
        "modified": one.transcript.modified,
        "status": one.status,
        "path": one.transcript.path,
    }


def _print_table(listings: Sequence[Listing], surroundings: Context) -> None:
    """A line each; the project takes what room there is."""
    now, zone = surroundings.now, surroundings.reading_zone
    for one in listings:
        started = one.peek.started
        start = f"{started.astimezone(zone):%Y-%m-%d %H:%M}" if started else " " * 16
        cells = (
            f"{one.status:<8}",
            start,
            f"– {output.when(one.transcript.modified, now)}",
            f"{output.size(one.transcript.size_bytes):>8}",
            output.pad(output.shorten(output.safe(one.peek.session), 8), 8),
        )
        left = "  ".join(cells)
        room = max(10, output.columns() - output.width(left) - 2)
        name = output.safe(one.peek.project) or f"({one.transcript.hint})"
        output.line(f"{left}  {_shorten_start(name, room)}")


def _shorten_start(name: str, n_columns: int) -> str:
    """*name* without its beginning if it is too long: a project is known by how it ends."""
    while output.width(name) > n_columns:
        name = "…" + name.lstrip("…")[1:]
    return name


# --- import -------------------------------------------------------------------------------------


def import_(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Transcripts, or folders of them."),
    ] = None,
    project: OneProject = None,
    everything: Annotated[bool, typer.Option("--all", "-a", help="All projects.")] = False,
    session: options.Session = None,
    since: options.Since = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help="At most so many, the newest.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Read again what has not changed; nothing comes twice.")
    ] = False,
    folder: From = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be read.")
    ] = False,
    no_index: Annotated[
        bool, typer.Option("--no-index", help="Leave indexing to the next search.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="A line for each file.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Bring past conversations into the journal; by default those of the current folder's project."""
    from ...hooks.importing import Filters, plan_import

    surroundings: Context = context.obj
    if project and everything:
        raise typer.BadParameter("--project and --all exclude each other")
    places = [_existing(path) for path in files or ()] or [_folder(surroundings, folder)]
    source, mask = _source(surroundings, places[0])
    transcripts = [one for place in places for one in _transcripts(surroundings, source, place)]
    names: tuple[str, ...] = ()
    if project:
        known = (source.peek(one).project for one in transcripts)
        names = (_find_project(surroundings, project, known),)
    elif not (everything or files or session):
        names = (surroundings.project.name,)
    filters = Filters(
        sessions=tuple(session or ()),
        projects=names,
        since=options.moment("--since", since, surroundings),
        include_subagents=bool(files) or surroundings.settings.capture.sidechains,
        force=force,
        limit=limit,
    )
    state = _state(surroundings)
    steps = plan_import(transcripts, state, filters, peek=source.peek, reader=source.reader)
    if verbose:
        _note_steps(steps, dry_run=dry_run)
    if dry_run:
        _print_plan(steps, as_json=as_json)
    else:
        run = _Run(surroundings, source, mask, state, verbose=verbose)
        run.carry_out(steps, filters, with_index=not no_index)
        run.print_report(names, as_json=as_json)
    _note_unreadable(source)


def count_waiting(surroundings: Context) -> int:
    """How many transcripts have something that was not imported yet; none of them is opened."""
    from ...hooks.importing import Filters, plan_import

    source, _ = _source(surroundings, _folder(surroundings, None))
    filters = Filters(include_subagents=surroundings.settings.capture.sidechains)
    state = _state(surroundings)
    steps = plan_import(
        source.transcripts(), state, filters, peek=source.peek, reader=source.reader
    )
    return sum(1 for step in steps if not step.skip)


def _existing(path: Path) -> Path:
    if not path.exists():
        raise NotFoundError("no such file", where=str(path))
    return path.absolute()


def _transcripts(
    surroundings: Context, source: ClaudeCodeSource, place: Path
) -> Iterable[Transcript]:
    if place == source.folder:
        return source.transcripts()
    return _source(surroundings, place)[0].transcripts()


def _folder(surroundings: Context, given: Path | None) -> Path:
    """Where Claude Code keeps its transcripts: as asked for, as set, or as its own variable says."""
    if given is not None:
        return _existing(given)
    settings = surroundings.settings
    own = surroundings.environ.get("CLAUDE_CONFIG_DIR", "")
    if own and settings.origin("import.claude_code.folder") == "default":
        return Path(own).expanduser() / "projects"
    return Path(settings.import_claude_code.folder).expanduser()


def _state(surroundings: Context) -> ImportState:
    from ...hooks.import_state import ImportState

    state = ImportState.load(surroundings.index_folder / STATE_FILE)
    if state.trouble:
        output.warn(f"{state.path}: {state.trouble}; transcripts are read once more")
    return state


def _source(surroundings: Context, folder: Path) -> tuple[ClaudeCodeSource, CountingMask]:
    """The reader of Claude Code's transcripts below *folder*, and what counts the secrets in them."""
    from ...hooks.claude_code.discover import ClaudeCodeSource
    from ...hooks.claude_code.options import ReadOptions
    from ...hooks.masking import CountingMask
    from ...hooks.text import Limits

    @cache
    def project_of(cwd: str) -> str:
        from ...journal.project import identify_project

        aliases = dict(surroundings.settings.projects.aliases)
        return identify_project(Path(cwd), home=surroundings.home, aliases=aliases).name

    capture = surroundings.settings.capture
    mask = CountingMask(lambda: surroundings.redactor)
    reading = ReadOptions(
        tz=surroundings.reading_zone,
        project_of=project_of,
        mask=mask,
        limits=Limits(
            characters=capture.tool_output_max_chars, lines=capture.tool_output_max_lines
        ),
        include_sidechains=capture.sidechains,
    )
    return ClaudeCodeSource(folder, reading), mask


def _find_project(surroundings: Context, wanted: str, names: Iterable[str]) -> str:
    from ...journal.project import find_project

    return find_project({*filter(None, names), surroundings.project.name}, wanted)


def _note_unreadable(source: ClaudeCodeSource) -> None:
    for folder in source.unreadable:
        output.warn(f"{folder}: cannot be listed; check owner and mode")


def _note_steps(steps: Sequence[Step], *, dry_run: bool) -> None:
    for step in steps:
        verdict = step.skip or ("would be read" if dry_run else "to be read")
        output.note(f"{step.transcript.path}: {verdict}")


def _print_plan(steps: Sequence[Step], *, as_json: bool) -> None:
    wanted = [step.transcript for step in steps if not step.skip]
    n_bytes = sum(one.size_bytes for one in wanted)
    skipped = _tally(step.skip for step in steps if step.skip)
    if as_json:
        fields = {"n_files": len(wanted), "size_bytes": n_bytes, "skipped_files": skipped}
        output.emit("import_plan", {**fields, "paths": [str(one.path) for one in wanted]})
        return
    output.line(f"would read {output.count(len(wanted), 'transcript')}, {output.size(n_bytes)}")
    if skipped:
        output.line(f"  not read: {_listed(skipped)}")


def _tally(reasons: Iterable[str]) -> dict[str, int]:
    from collections import Counter

    return dict(Counter(reasons).most_common())


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


class _Sink:
    """The journal as an import sees it; remembers which files were written."""

    def __init__(self, surroundings: Context) -> None:
        self._surroundings = surroundings
        self.paths: list[str] = []
        self.projects: list[str] = []

    def open_session(self, header: SessionHeader) -> SessionLog:
        return _Log(self, header)

    def open(self, header: SessionHeader) -> tuple[SessionLog, str]:
        """The journal's own log, and where it is."""
        journal = self._surroundings.journal
        log = journal.open_session(header)
        return log, log.path.relative_to(journal.root).as_posix()


class _Log:
    def __init__(self, sink: _Sink, header: SessionHeader) -> None:
        self._sink, self._project = sink, header.project
        self._log, self._path = sink.open(header)

    def known_keys(self) -> set[str]:
        return self._log.known_keys()

    def append(self, events: Sequence[Event]) -> AppendReport:
        report = self._log.append(events)
        if report.n_written:
            self._sink.paths += [self._path] * (self._path not in self._sink.paths[-1:])
            if self._project and self._project not in self._sink.projects:
                self._sink.projects.append(self._project)
        return report


class _Run:
    """One import: carried out, indexed, committed, reported."""

    def __init__(
        self,
        surroundings: Context,
        source: ClaudeCodeSource,
        mask: CountingMask,
        state: ImportState,
        *,
        verbose: bool,
    ) -> None:
        from ...hooks.importing import ImportReport

        self.report: ImportReport = ImportReport()
        self._surroundings, self._source, self._mask = surroundings, source, mask
        self._state, self._verbose = state, verbose

    def carry_out(self, steps: Sequence[Step], filters: Filters, *, with_index: bool) -> None:
        """Read what is to be read; what was written is committed even if the run is broken off."""
        from ...hooks.importing import run_import

        sink = _Sink(self._surroundings)
        try:
            run = run_import(
                steps,
                self._source,
                sink,
                state=self._state,
                report=self.report,
                since=filters.since,
            )
            self._show(run)
            if self.report.n_written and with_index:
                self._surroundings.update_index()
        finally:
            if sink.paths:
                self._surroundings.commit(sink.paths, self._message(sink.projects))

    def _show(self, run: Iterator[Progress]) -> None:
        n_done, n_before = 0, 0
        with output.progress("importing", in_bytes=True) as show:
            for step in run:
                show(step.transcript.session[:8], step.n_bytes_done, step.n_bytes)
                if step.n_files_done > n_done and self._verbose:
                    n_new = self.report.n_written - n_before
                    output.note(f"{step.transcript.path}: {output.count(n_new, 'new event')}")
                if step.n_files_done > n_done:
                    n_done, n_before = step.n_files_done, self.report.n_written

    def _message(self, projects: Sequence[str]) -> str:
        report = self.report
        counts = (
            output.count(report.n_sessions, "session"),
            output.count(report.n_written, "event"),
        )
        names = ", ".join("/".join(name.split("/")[-2:]) for name in projects)
        message = f"import: {', '.join(counts)}" + (f" ({names})" if names else "")
        return message if len(message) <= 72 else output.shorten(message, 72)

    def print_report(self, names: Sequence[str], *, as_json: bool) -> None:
        """Say what came in, what did not, and why; a transcript that failed sets the exit code."""
        if as_json:
            output.emit("import", self._fields())
        else:
            self._print(names)
        if self.report.errors:
            raise typer.Exit(1)

    def _fields(self) -> dict[str, object]:
        report = self.report
        return {
            "n_files": report.n_files,
            "n_sessions": report.n_sessions,
            "n_written": report.n_written,
            "n_known": report.n_known,
            "n_private": report.n_private,
            "n_secrets": report.n_secrets + self._mask.n_hidden,
            "events": dict(report.events),
            "skipped_records": dict(report.skipped),
            "skipped_files": dict(report.skipped_files),
            "errors": [{"path": str(one.path), "what": one.what} for one in report.errors],
        }

    def _print(self, names: Sequence[str]) -> None:
        report = self.report
        if not report.n_written and not report.errors:
            output.line("nothing new")
        else:
            n_sessions = output.count(report.n_sessions, "session")
            output.line(f"imported {output.count(report.n_written, 'event')} of {n_sessions}")
        n_secrets = report.n_secrets + self._mask.n_hidden
        hidden = {"secrets": n_secrets, "private parts": report.n_private}
        for label, counts in (
            ("events", dict(report.events.most_common())),
            ("known already", {"events and records": report.n_known}),
            ("hidden", hidden),
            ("records skipped", dict(report.skipped.most_common())),
            ("files skipped", dict(report.skipped_files.most_common())),
        ):
            if shown := {name: number for name, number in counts.items() if number}:
                output.line(f"  {label}: {_listed(shown)}")
        for error in report.errors:
            output.warn(f"{error.path}: {error.what}")
        if names and not report.n_files and report.skipped_files["another project"]:
            output.note(f"only {names[0]} was asked for; `mem import --all` takes all projects")
