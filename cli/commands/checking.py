"""`mem doctor`: what is odd, what is wrong, and how to mend it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import LockedError, MemjournalError
from .. import options, output
from ..commit_written import commit_written
from ..context import Context

if TYPE_CHECKING:
    from ...journal.health import Finding, Survey

_SHOWN = 20  # places of one finding listed before "and more"
_LOG_LINES = 100

_COLOURS = {"ok": output.GREEN, "odd": output.YELLOW, "wrong": output.RED}


def doctor(
    context: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what can be mended without loss.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Also compare every file with the index; slow.")
    ] = False,
    show_log: Annotated[bool, typer.Option("--log", help="Only show the end of the log.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Check journal, index and machine; exit code 1 when something is wrong."""
    surroundings: Context = context.obj
    if show_log:
        _print_log()
        return
    n_wrong = 0
    for finding in _check(surroundings, fix=fix, verify=verify):
        n_wrong += finding.verdict == "wrong"
        _print(finding, as_json=as_json)
    if n_wrong:
        output.note(f"{output.count(n_wrong, 'thing is', 'things are')} wrong")
        raise typer.Exit(1)


def _print_log() -> None:
    from ..log import log_paths, read_log_tail

    is_empty = True
    for path in log_paths():  # what one of them could not take is in the other
        try:
            lines = read_log_tail(path, n_lines=_LOG_LINES)
        except MemjournalError as error:
            output.warn(str(error))
            continue
        if lines:
            is_empty = False
            output.note(f"{path}:")
        for line in lines:
            output.line(output.safe(line))
    if is_empty:
        output.note("the log is empty")


def _check(surroundings: Context, *, fix: bool, verify: bool) -> Iterator[Finding]:
    from ...indexer.health import check_index, check_vectors, verify_index
    from ...journal.health import Finding, findings_of, missing_folders, survey_files
    from ..machine import check_machine
    from .daemon import check_daemon
    from .hooks import check_hooks

    root = surroundings.root
    yield from check_machine(root)
    yield _check_settings(surroundings)
    yield _check_git_locks(surroundings)
    yield _check_merging(surroundings, fix=fix)
    yield missing_folders(root)
    with output.progress("checking") as progress:
        survey = survey_files(root, surroundings.redactor, progress=progress)
    if fix and (done := _mend(surroundings, survey)):
        yield Finding("mended", "ok", f"{len(done):,} files", places=tuple(done))
        survey = survey_files(root, surroundings.redactor)
    yield from findings_of(survey)
    try:
        yield from check_index(surroundings.index)
    except LockedError:
        yield Finding("index", "odd", "busy: another process is writing it", "look again later")
    yield check_vectors(surroundings.index)
    yield check_daemon(surroundings)
    yield check_hooks(surroundings)
    if verify:
        yield verify_index(surroundings.index)
    yield _check_log()


def _check_settings(surroundings: Context) -> Finding:
    from ...journal.health import Finding

    try:
        warnings = surroundings.settings.warnings
    except MemjournalError as error:
        return Finding("settings", "wrong", str(error))
    if warnings:
        return Finding("settings", "odd", "some are ignored", "", warnings)
    return Finding("settings", "ok", "all are known")


def _check_git_locks(surroundings: Context) -> Finding:
    """Whether a git that was killed has left a lock behind, for which nothing can be committed."""
    from ...journal import git
    from ...journal.health import Finding

    root, environ = surroundings.root, surroundings.environ
    left: list[LockedError] = []
    if git.is_repository(root) and git.is_installed(environ):
        try:
            left = list(git.old_locks(root, environ=environ, now=surroundings.now))
        except MemjournalError as error:
            return Finding("git locks", "odd", error.what, error.mend)
    if left:
        places = tuple(f"{one.where}: {one.what}" for one in left)
        return Finding("git locks", "wrong", "nothing can be committed", left[0].mend, places)
    return Finding("git locks", "ok", "none is old")


def _check_merging(surroundings: Context, *, fix: bool) -> Finding:
    """Whether plain git, run by hand, merges the journal as `mem sync` does."""
    from ...journal import git
    from ...journal.git.configuring import configure, lacking_settings
    from ...journal.health import Finding
    from ..daemon_link import program_command

    root, environ = surroundings.root, surroundings.environ
    if not git.is_repository(root) or not git.is_installed(environ):
        return Finding("merge drivers", "ok", "there is no repository to merge")
    try:
        program = git.Git(root, environ)
        lacking = lacking_settings(program, program_command())
        if lacking and fix:
            configure(program, lacking)
            return Finding("merge drivers", "ok", "installed now")
    except MemjournalError as error:
        return Finding("merge drivers", "odd", error.what, error.mend)
    if lacking:
        what = "plain git does not know how to merge a journal; `mem sync` does"
        return Finding("merge drivers", "odd", what, "`mem doctor --fix` tells it", tuple(lacking))
    return Finding("merge drivers", "ok", "installed")


def _check_log() -> Finding:
    from ...journal.health import Finding
    from ...journal.obstacle import kind_at
    from ..log import log_paths

    kinds = {path: kind for path in log_paths() if (kind := kind_at(path))}
    in_the_way = tuple(f"{path}: {kind}" for path, kind in kinds.items() if kind != "a file")
    if in_the_way:
        return Finding("log", "wrong", "something else is in its place", "remove it", in_the_way)
    if kinds:
        return Finding("log", "odd", "something failed before", "`mem doctor --log` shows it")
    return Finding("log", "ok", "empty")


def _mend(surroundings: Context, survey: Survey) -> list[str]:
    """Put torn records aside and give new ids; the files that were changed."""
    from ...journal.health import plan_new_ids
    from ...journal.mending import give_new_id, quarantine_torn

    root, timeout_s = surroundings.root, surroundings.settings.journal.lock_timeout_s
    done: list[str] = []
    aside: list[str] = []
    for path in survey.torn:
        aside.append(quarantine_torn(root, path, lock_timeout_s=timeout_s))
        done.append(path)
    catalog = surroundings.current_catalog()
    for change in plan_new_ids(survey.ids, is_taken=catalog.has_id):
        try:
            give_new_id(surroundings.journal, change)
        except MemjournalError as error:
            output.warn(f"{change.path}: {error}")
        else:
            done.append(change.path)
    if done:
        surroundings.update_index()
        message = f"doctor: mend {output.count(len(done), 'file')}"
        commit_written(surroundings, [*done, *aside], message)
    return done


def _print(finding: Finding, *, as_json: bool) -> None:
    if as_json:
        fields = {"check": finding.check, "verdict": finding.verdict, "what": finding.what}
        output.emit("finding", {**fields, "mend": finding.mend, "places": finding.places})
        return
    verdict = output.style(f"{finding.verdict:<5}", _COLOURS[finding.verdict])
    mend = f"; {finding.mend}" if finding.mend and finding.verdict != "ok" else ""
    output.line(f"{verdict}  {finding.check}: {output.safe(finding.what)}{mend}")
    for place in finding.places[:_SHOWN]:
        output.line(f"         {output.safe(place)}")
    if len(finding.places) > _SHOWN:
        output.line(f"         … and {len(finding.places) - _SHOWN:,} more")
