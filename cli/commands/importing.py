"""Past conversations: what can be imported, and importing it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import NotFoundError
from ...journal.place import MARKER
from .. import options, output
from ..context import Context
from ..filters import moment

if TYPE_CHECKING:
    from ...hooks.claude_code.discover import ClaudeCodeSource
    from ...hooks.import_state import ImportState
    from ...hooks.importing import Filters, ListedTranscript, Step
    from ...hooks.masking import CountingMask
    from ...hooks.source import Transcript

STATE_FILE = "imports.jsonl"
_PROJECT_COLUMNS = 20  # what a project's name should have at least

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
            output.emit("transcript", _fields_of(one))
        return
    _print_table(listings, surroundings)
    _note_unreadable(source)
    if not listings:
        output.note(f"no transcripts in {source.folder}")


def _fields_of(one: ListedTranscript) -> dict[str, object]:
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


def _print_table(listings: Sequence[ListedTranscript], surroundings: Context) -> None:
    """A line each; the project takes the room that is left, and dates give way to it."""
    now, zone, n_columns = surroundings.now, surroundings.reading_zone, output.columns()
    for one in listings:
        started = one.peek.started
        cells = [
            f"{one.status:<8}",
            f"{started.astimezone(zone):%Y-%m-%d %H:%M}" if started else " " * 16,
            f"– {output.when(one.transcript.modified, now)}",
            f"{output.size(one.transcript.size_bytes):>8}",
            output.pad(output.shorten(output.safe(one.peek.session), 9), 9),
        ]
        while len(cells) > 2 and _room(cells, n_columns) < _PROJECT_COLUMNS:
            del cells[-3 if len(cells) > 3 else 1]
        name = output.safe(one.peek.project) or f"({one.transcript.hint})"
        output.line("  ".join((*cells, _shorten_start(name, _room(cells, n_columns)))))


def _room(cells: Sequence[str], n_columns: int) -> int:
    """The columns that *cells*, two blanks after each, leave."""
    return n_columns - sum(output.width(cell) + 2 for cell in cells)


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
    from ..import_run import ImportRun

    surroundings: Context = context.obj
    if project and everything:
        raise typer.BadParameter("--project and --all exclude each other")
    places = [_existing(path) for path in files or ()] or [_folder(surroundings, folder)]
    source, mask = _source(surroundings, places[0])
    transcripts = [one for place in places for one in _transcripts(surroundings, source, place)]
    if project:
        known = (source.peek(one).project for one in transcripts)
        names = [_find_project(surroundings, project, known)]
    else:
        names = [] if everything or files or session else [surroundings.project.name]
    filters = Filters(
        sessions=tuple(session or ()),
        projects=tuple(names),
        since=moment("--since", since, surroundings),
        include_subagents=bool(files) or surroundings.settings.capture.sidechains,
        force=force,
        limit=limit,
    )
    state = _state(surroundings)
    steps = plan_import(transcripts, state, filters, source=source)
    if verbose:
        _note_steps(steps, dry_run=dry_run)
    _note_unreadable(source)
    if dry_run:
        _print_plan(steps, as_json=as_json)
        return
    run = ImportRun(surroundings, source, mask, state, verbose=verbose)
    run.carry_out(steps, filters, with_index=not no_index)
    run.print_report(names, as_json=as_json)
    if not (force or verbose or as_json or since or source.unreadable or state.trouble):
        _remember(surroundings, source, places, transcripts, state, filters)


def _remember(
    surroundings: Context,
    source: ClaudeCodeSource,
    places: Sequence[Path],
    transcripts: Sequence[Transcript],
    state: ImportState,
    filters: Filters,
) -> None:
    """Note what this command would say if it were repeated now, if it would then do nothing."""
    from ...hooks.importing import plan_import
    from ..import_run import nothing_new
    from ..repeat import remember

    steps = plan_import(transcripts, state, filters, source=source)
    skipped = _tally(step.skip for step in steps)
    if "" in skipped or "another project" in skipped or surroundings.settings.warnings:
        return
    deciding = (surroundings.user_file, surroundings.root / MARKER, *places)
    remember(
        surroundings.arguments,
        nothing_new(skipped),
        paths=[str(path) for path in (*deciding, *(one.path for one in transcripts))],
        folders=[str(place) for place in places if place.is_dir()],
        written=str(state.path),
        now_ns=surroundings.now_ns,
    )


def count_waiting(surroundings: Context) -> int:
    """How many transcripts have something that was not imported yet; none of them is opened."""
    from ...hooks.importing import Filters, plan_import

    source, _ = _source(surroundings, _folder(surroundings, None))
    filters = Filters(include_subagents=surroundings.settings.capture.sidechains)
    state = _state(surroundings)
    steps = plan_import(source.transcripts(), state, filters, source=source)
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
        return surroundings.expanded(own) / "projects"
    return surroundings.expanded(settings.import_claude_code.folder)


def _state(surroundings: Context) -> ImportState:
    from ...hooks.import_state import ImportState

    def is_clean(text: str) -> bool:
        return surroundings.redactor.redact(text).text == text

    state = ImportState.load(surroundings.index_folder / STATE_FILE, may_keep=is_clean)
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
        return surroundings.project_of(cwd).name

    capture = surroundings.settings.capture
    mask = CountingMask(lambda: surroundings.redactor)
    reading = ReadOptions(
        tz=surroundings.reading_zone,
        project_of=project_of,
        mask=mask,
        make_redactor=lambda: surroundings.redactor,
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
    from ..import_run import listed

    wanted = [step.transcript for step in steps if not step.skip]
    n_bytes = sum(one.size_bytes for one in wanted)
    skipped = _tally(step.skip for step in steps if step.skip)
    if as_json:
        fields = {"n_files": len(wanted), "size_bytes": n_bytes, "skipped_files": skipped}
        output.emit("import_plan", {**fields, "paths": [str(one.path) for one in wanted]})
        return
    output.line(f"would read {output.count(len(wanted), 'transcript')}, {output.size(n_bytes)}")
    if skipped:
        output.line(f"  not read: {listed(skipped)}")


def _tally(reasons: Iterable[str]) -> dict[str, int]:
    from collections import Counter

    return dict(Counter(reasons).most_common())
