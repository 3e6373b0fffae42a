"""Making a journal, and seeing how it is: everything here but `init` only reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from ...journal.errors import LockedError, MemjournalError
from .. import options, output
from ..context import Context
from ..new_journal import commit_first, configure_git, journal_texts
from .checking import doctor
from .statistics import stats

if TYPE_CHECKING:
    from ...journal.layout import Missing
    from ...journal.reading import Oddity

Projects = options.Project


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (init, status, stats, export, doctor):
        app.command()(command)


# --- init ---------------------------------------------------------------------------------------


def init(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="Default: ~/memjournal.")
    ] = None,
    use_git: Annotated[
        bool | None,
        typer.Option(
            "--git/--no-git", help="A git repository of its own; by default unless in one."
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a journal, or what is missing of one; what is there stays as it is."""
    from ...journal import git
    from ...journal.layout import find_missing, make_missing, surrounding_repository
    from ...journal.place import MARKER

    surroundings: Context = context.obj
    given = folder or surroundings.journal_option or surroundings.default_root
    root = given.expanduser().absolute()
    missing = find_missing(root, journal_texts(root))
    written = make_missing(root, missing)
    outer = surrounding_repository(root)
    has_own = git.is_repository(root)
    wants_git = use_git if use_git is not None else outer is None
    environ = surroundings.environ
    makes_git = wants_git and not has_own and git.is_installed(environ)
    if makes_git:
        git.create_repository(root, environ=environ)
    if git.is_repository(root) and git.is_installed(environ) and use_git is not False:
        configure_git(root, environ)
        commit_first(surroundings, root, written if not makes_git else list(journal_texts(root)))
    is_repository = git.is_repository(root)
    if as_json:
        fields = {"path": root, "made_folders": missing.folders, "written": written}
        output.emit("journal", {**fields, "is_repository": is_repository})
    elif missing or makes_git:
        _print_made(root, missing, written)
    else:
        output.line(f"the journal {root} is complete; nothing was changed")
    if not is_repository:
        _note_no_history(root, outer, wants_git=wants_git)
    if not as_json and MARKER in missing.files:
        _print_next(root, surroundings)


def _print_made(root: Path, missing: Missing, written: list[str]) -> None:
    from ...journal.place import MARKER

    output.line(f"{'made' if MARKER in missing.files else 'mended'} the journal {root}")
    for name in (*(f"{name}/" for name in missing.folders), *written):
        output.line(f"  {name}")


def _note_no_history(root: Path, outer: Path | None, *, wants_git: bool) -> None:
    """Say why the journal is no repository; nothing where that was asked for."""
    if wants_git:
        output.note(
            "git is not installed: there is no history until you install it and run this again"
        )
    elif outer is not None:
        output.note(
            f"inside the repository {outer}: memjournal never commits there; to keep the journal out"
            f" of it, add {root.relative_to(outer).as_posix()}/ to its .gitignore"
        )


def _print_next(root: Path, surroundings: Context) -> None:
    from ...journal.place import PROJECT_FOLDER

    is_found = root == surroundings.default_root.absolute() or any(
        folder == root or folder / PROJECT_FOLDER == root
        for folder in (surroundings.cwd, *surroundings.cwd.parents)
    )
    mem = "mem" if is_found else f"mem --journal {root}"
    output.line()
    output.line("next:")
    output.line(f"  {mem} import --all        # past conversations")
    output.line(f'  {mem} add "Use signed cookies"')
    output.line(f'  {mem} search "cookies"')


# --- status -------------------------------------------------------------------------------------


def status(context: typer.Context, as_json: options.AsJson = False) -> None:
    """Show where the journal is, what it holds, and how far its index follows."""
    surroundings: Context = context.obj
    fields = _status_fields(surroundings)
    if as_json:
        output.emit("status", fields)
        return
    for name, value in fields.items():
        text = _as_text(name, value)
        if text:
            output.line(f"{name.replace('_', ' '):<14} {text}")


def _status_fields(surroundings: Context) -> dict[str, object]:
    from ...journal.disk import sizes

    return {
        "journal": str(surroundings.root),
        "project": surroundings.project.name,
        "git": _git_state(surroundings),
        "sync": _sync_state(surroundings),
        **_catalog_fields(surroundings),
        "vectors": _vector_state(surroundings),
        "daemon": _daemon_state(surroundings),
        "to_import": _n_to_import(surroundings),
        "size_bytes": sizes(surroundings.root),
    }


def _catalog_fields(surroundings: Context) -> dict[str, object]:
    """What the catalog tells; of one that another process is writing, only that."""
    from ...indexer.catalog.entry_filter import EntryFilter

    try:
        catalog = surroundings.current_catalog()
        return {
            "entries": catalog.count(EntryFilter()),
            "sessions": sum(1 for name in catalog.tally("session") if name),
            "projects": sum(1 for name in catalog.tally("project") if name),
            "oddities": len(catalog.oddities()),
            "index": _index_state(surroundings),
        }
    except LockedError:
        unknown = dict.fromkeys(("entries", "sessions", "projects", "oddities"))
        return {**unknown, "index": "busy: another process is writing it"}


def _as_text(name: str, value: object) -> str:
    match name, value:
        case "size_bytes", dict():
            total = sum(value.values())
            parts = ", ".join(f"{folder} {output.size(n)}" for folder, n in value.items())
            return f"{output.size(total)} ({parts})"
        case "to_import", int():
            return f"{value:,} transcripts; see `mem list`" if value else ""
        case "oddities", int():
            return f"{value:,}; see `mem doctor`" if value else ""
        case _, int():
            return f"{value:,}"
        case _, None:
            return "unknown while the index is busy"
    return output.safe(str(value))


def _git_state(surroundings: Context) -> str:
    from ...journal import git
    from ...journal.layout import surrounding_repository

    root = surroundings.root
    if not git.is_repository(root):
        outer = surrounding_repository(root)
        return f"none of its own; inside {outer}" if outer else "not a repository"
    try:
        state = git.read_state(root, environ=surroundings.environ)
    except MemjournalError as error:
        return error.what
    changed = f"{state.n_uncommitted:,} uncommitted" if state.n_uncommitted else "clean"
    return ", ".join(filter(None, (state.branch or "no branch", changed, state.last_commit)))


def _sync_state(surroundings: Context) -> str:
    """How the journal stands to its remote; "" where it has none."""
    from ..sync_run import describe_sync, sync_fields

    try:
        return describe_sync(surroundings, sync_fields(surroundings))
    except MemjournalError as error:
        return error.what


def _index_state(surroundings: Context) -> str:
    from ...indexer.health import check_index

    texts = []
    for finding in check_index(surroundings.index):
        is_index = finding.check == "index"
        n_files = _n_to_read(surroundings) if is_index else 0
        if n_files:
            texts.append(f"{output.count(n_files, 'file')} will be read by the next command")
        if finding.verdict == "wrong" or (not n_files and (is_index or finding.verdict != "ok")):
            texts.append(finding.what)
    return "; ".join(texts)


def _n_to_read(surroundings: Context) -> int:
    """How many files have changed since the index was brought up to date; 0 if there is none."""
    import contextlib

    from ...indexer.errors import IndexDamagedError, NoIndexError
    from ...indexer.upkeep.reconcile import plan_update

    try:
        with contextlib.closing(surroundings.index.read_catalog()) as catalog:
            plan, _ = plan_update(catalog, surroundings.root)
    except (NoIndexError, IndexDamagedError):
        return 0
    return len(plan.changed) + len(plan.removed)


def _vector_state(surroundings: Context) -> str:
    from ...indexer.health import check_vectors

    return check_vectors(surroundings.index).what


def _daemon_state(surroundings: Context) -> str:
    from .daemon import check_daemon

    return check_daemon(surroundings).what


def _n_to_import(surroundings: Context) -> int:
    from .importing import count_waiting

    return count_waiting(surroundings)


# --- export -------------------------------------------------------------------------------------


def export(
    context: typer.Context,
    project: Projects = None,
    session: options.Session = None,
    target: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Default, and -: stdout.")
    ] = None,
) -> None:
    """Write whole entries as JSON Lines, straight from the files; everything, or what is asked for."""
    from ...journal.project import find_project

    surroundings: Context = context.obj
    names: set[str] = set()
    if project:
        known = surroundings.current_catalog().tally("project")
        names = {find_project(known, one) for one in project}
    failures: list[Oddity] = []
    lines = _export_lines(surroundings.root, names, session or [], failed=failures.append)
    if target is None or str(target) == "-":
        sys.stdout.writelines(lines)
    else:
        from ..exports import note_export

        n_written = _write_lines(lines, target)
        note_export(surroundings, target)
        output.note(f"{output.count(n_written, 'entry', 'entries')} written to {target}")
    for one in failures:
        output.warn(f"{one.path}: {one.what}; not exported")
    if failures:
        raise typer.Exit(1)


def _export_lines(
    root: Path, projects: set[str], sessions: list[str], *, failed: Callable[[Oddity], None]
) -> Iterator[str]:
    from ...journal.export import all_entries, entry_fields

    for stored in all_entries(root, failed=failed):
        entry = stored.entry
        if projects and entry.project not in projects:
            continue
        if sessions and not entry.session.startswith(tuple(sessions)):
            continue
        fields = {"object": "entry", **entry_fields(entry, stored.path)}
        yield output.json_line(fields) + "\n"


def _write_lines(lines: Iterable[str], path: Path) -> int:
    """Write *lines* to a new file; how many there were.

    Raises:
        CannotCreateError, StorageError: it cannot be written there.
    """
    from ...journal.files import as_storage_error

    n_lines = 0
    try:
        with _open_new(path) as stream:
            for line in lines:
                stream.write(line)
                n_lines += 1
    except OSError as error:
        raise as_storage_error(error, path) from error
    return n_lines


def _open_new(path: Path) -> TextIO:
    """A file that only its owner can read: it holds what the journal holds.

    Raises:
        CannotCreateError, StorageError: it cannot be written there.
    """
    import os

    from ...journal.files import as_storage_error

    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise as_storage_error(error, path) from error
    return open(fd, "w", encoding="utf-8", newline="")
