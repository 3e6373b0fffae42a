"""The daemon of a journal: started, stopped, looked at, and installed as a service."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import LockedError, MemjournalError
from .. import options, output
from ..context import Context

if TYPE_CHECKING:
    from ...indexer.daemon.ending import Ending
    from ...indexer.daemon.process import DaemonOptions
    from ...indexer.daemon.server import Method
    from ...indexer.living.living_index import LivingIndex
    from ...journal.health import Finding
    from ..service import Service

_START_S = 60.0
_STOP_S = 10.0
_NOT_RUNNING = 3  # as init scripts say it, LSB 5.0
_RUN_AGAIN = LockedError.exit_code  # whatever keeps the daemon running starts another

_LABELS = {"resident_bytes": "memory", "cpu_s": "CPU time"}  # without their units, for people

_daemon = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    app.add_typer(
        _daemon,
        name="daemon",
        help="Keep the index warm and current, so that a search need not open it.",
    )


@_daemon.command()
def start(context: typer.Context) -> None:
    """Start the daemon in the background, and wait until it answers."""
    from ...indexer.daemon.lifecycle import wait_for_daemon
    from ...indexer.health import find_index_obstacle
    from ..daemon_link import launch_of

    surroundings: Context = context.obj
    if obstacle := find_index_obstacle(surroundings.index):
        raise obstacle  # it would run, and have no index to answer from
    launch = launch_of(surroundings)
    client = wait_for_daemon(launch, timeout_s=_START_S, now_ns=surroundings.now_ns)
    with contextlib.closing(client):
        output.line(f"the daemon runs as process {client.state.pid}")


@_daemon.command()
def stop(context: typer.Context) -> None:
    """Stop the daemon, by force if it does not answer."""
    from ...indexer.daemon.lifecycle import end_daemon
    from ..daemon_link import place_of

    was_there = end_daemon(place_of(context.obj), patience_s=_STOP_S)
    output.line("the daemon was stopped" if was_there else "the daemon was not running")


@_daemon.command()
def status(context: typer.Context, as_json: options.AsJson = False) -> None:
    """Show whether the daemon runs and how its index is; exit code 3 when it does not run."""
    fields = daemon_fields(context.obj)
    if as_json:
        output.emit("daemon", fields)
    else:
        for name, value in fields.items():
            if text := _as_text(name, value):  # what is empty is as it should be
                output.line(f"{_LABELS.get(name, name.replace('_', ' ')):<14} {text}")
    if not fields["running"]:
        raise typer.Exit(_NOT_RUNNING)


def daemon_fields(surroundings: Context) -> dict[str, object]:
    """What is known of the daemon; ``running`` is false, and ``problem`` says why, if none answers."""
    from ...indexer.daemon.client import DaemonClient
    from ..daemon_link import place_of

    place = place_of(surroundings)
    state = place.read_state()
    if state is None or not place.is_private():
        starting = {"problem": "it is just starting or ending"} if place.is_held() else {}
        return {"running": False, **starting}
    try:
        with contextlib.closing(DaemonClient.open(place, state)) as client:
            told = dict(client.status())
    except MemjournalError as error:
        return {"running": False, **({"problem": str(error)} if place.is_held() else {})}
    return {"running": True, **told, **_index_fields(surroundings)}


def check_daemon(surroundings: Context) -> Finding:
    """How the daemon is, in a line; that there is none is nothing odd."""
    from ...journal.health import Finding

    fields = daemon_fields(surroundings)
    if problem := fields.get("problem"):
        return Finding("daemon", "odd", str(problem), "`mem daemon stop` ends it")
    if not fields["running"]:
        return Finding("daemon", "ok", "not running")
    what = f"runs as process {fields.get('pid')}, watching: {fields.get('watching')}"
    if failure := fields.get("failure"):
        return Finding("daemon", "odd", f"{what}; the index does not follow: {failure}")
    if reason := fields.get("watch_reason"):
        return Finding("daemon", "odd", f"{what} ({reason})")
    return Finding("daemon", "ok", what)


def _index_fields(surroundings: Context) -> dict[str, object]:
    """What there is to search in; unknown while another process writes it."""
    from ...indexer.catalog.outbox import TARGETS

    try:
        with contextlib.closing(surroundings.index.read_catalog()) as catalog:
            return {
                "entries": sum(catalog.tally("kind").values()),
                "pending": sum(catalog.outbox.count(target) for target in TARGETS),
                "quarantined": len(catalog.quarantined()),
            }
    except MemjournalError:
        return {"entries": None, "pending": None, "quarantined": None}


def _as_text(name: str, value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() if name.endswith("bytes"):
            return output.size(value)
        case float() if name.endswith("_s"):
            return f"{value:,.1f} s"
        case int():
            return str(value) if name == "pid" else f"{value:,}"
        case None:
            return "unknown"
        case list():
            return "; ".join(_as_text(name, one) for one in value)
        case {"path": path, "what": what}:
            return output.safe(f"{path}: {what}")
    return output.safe(str(value))


@_daemon.command()
def run(
    context: typer.Context,
    detached: Annotated[
        bool, typer.Option("--detached", hidden=True, help="As `mem daemon start` runs it.")
    ] = False,
    tcp: Annotated[
        bool, typer.Option("--tcp", help="Listen on loopback with a token, not on a Unix socket.")
    ] = False,
) -> None:
    """Be the daemon, here, until it is stopped."""
    from ...indexer.daemon.ending import Ending
    from ...indexer.daemon.process import run_daemon
    from ..daemon_link import place_of

    surroundings: Context = context.obj
    place = place_of(surroundings)
    if detached:
        from ..daemon_log import DaemonLog, write_to

        write_to(DaemonLog(place.folder / f"{place.name}.log"))
    os.umask(0o077)
    ending = Ending()
    _end_on_signals(ending)
    end = run_daemon(
        place,
        _daemon_options(surroundings, tcp=tcp, on_demand=detached),
        open_living=lambda: _open_living(surroundings),
        ending=ending,
        report_bug=lambda: _report_bug(surroundings),
        note=lambda text: output.note(f"the daemon of {surroundings.root} {text}"),
        add_methods=lambda living, held: _hook_methods(surroundings, living, held),
    )
    if end is None:
        raise LockedError(
            "another process is its daemon",
            where=str(surroundings.root),
            mend="`mem daemon stop` ends it",
        )
    output.note(f"the daemon of {surroundings.root} ended: {end.reason}")
    if end.wants_another:
        raise typer.Exit(_RUN_AGAIN)


def _end_on_signals(ending: Ending) -> None:
    from ...indexer.daemon.ending import End

    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            reason = End(f"it was told to by {name}")
            signal.signal(getattr(signal, name), lambda *_, end=reason: ending.ask(end))


def _daemon_options(surroundings: Context, *, tcp: bool, on_demand: bool) -> DaemonOptions:
    from ...indexer.daemon.process import DaemonOptions
    from ...journal.settings import JOURNAL_FILE
    from ..version import VERSION

    return DaemonOptions(
        version=VERSION,
        started=surroundings.now.isoformat(timespec="seconds"),
        mark=surroundings.index_mark,
        idle_s=surroundings.settings.daemon.idle_minutes * 60.0,
        settings_files=(surroundings.user_file, surroundings.root / JOURNAL_FILE),
        on_demand=on_demand,
        transport="tcp" if tcp else None,
        closing_s=15.0,
    )


def _report_bug(surroundings: Context) -> None:
    """Log the exception that is being handled, but not into a journal that is gone: it would be back."""
    from ..log import write_traceback

    if surroundings.root.is_dir():
        write_traceback()
    output.warn("something failed in the daemon; see `mem doctor --log`")


def _open_living(surroundings: Context) -> LivingIndex:
    from ...indexer.living.living_index import LivingIndex, LivingOptions
    from ..daemon_link import command_of

    options = LivingOptions(
        clock_ns=lambda: surroundings.now_ns,
        bulk_command=command_of(surroundings, "index", "--json"),
        report_bug=lambda: _report_bug(surroundings),
    )
    return LivingIndex(surroundings.index, options=options)


def _hook_methods(
    surroundings: Context, living: LivingIndex, held: contextlib.ExitStack
) -> Mapping[str, Method]:
    from ..background_sync import BackgroundSync
    from ..committing import Committer
    from ..hook_method import HookMethod

    def report_bug() -> None:
        _report_bug(surroundings)

    sync = BackgroundSync(
        surroundings,
        follow=lambda paths: living.refresh(paths, patience_s=0.0),
        report_bug=report_bug,
    )
    committer = Committer(surroundings, report_bug=report_bug, committed=sync.note_commit)
    held.callback(committer.close)
    held.callback(sync.close)
    committer.start()
    sync.start()
    return {"hook": HookMethod(surroundings, living, written=committer.note)}


@_daemon.command()
def install(
    context: typer.Context,
    print_only: Annotated[
        bool, typer.Option("--print", help="Only show the file, and where it would be.")
    ] = False,
) -> None:
    """Have the daemon started with each session: a systemd user unit or a launchd agent."""
    from ...indexer.daemon.lifecycle import end_daemon
    from .. import service
    from ..daemon_link import place_of

    surroundings: Context = context.obj
    described = _service(surroundings)
    if print_only:
        output.note(str(described.path))
        sys.stdout.write(described.text)
        return
    end_daemon(place_of(surroundings), patience_s=_STOP_S)  # the manager's takes its place
    is_running = service.install(described, environ=surroundings.environ)
    output.line(f"written: {described.path}")
    if is_running:
        output.line("it is started now, and with each session")
        return
    output.note("nothing here could start it; when you are logged in, run:")
    for command in described.enable:
        output.note(f"  {' '.join(command)}")


@_daemon.command()
def uninstall(
    context: typer.Context,
    print_only: Annotated[
        bool, typer.Option("--print", help="Only show which file would be removed.")
    ] = False,
) -> None:
    """Take back what install did; the daemon is ended, and starts on demand again."""
    from .. import service

    surroundings: Context = context.obj
    described = _service(surroundings)
    if print_only:
        output.line(str(described.path))
    elif service.uninstall(described, environ=surroundings.environ):
        output.line(f"removed: {described.path}")
    else:
        output.line("it was not installed")


def _service(surroundings: Context) -> Service:
    from ..daemon_link import command_of, place_of
    from ..service import describe_service

    return describe_service(
        command_of(surroundings, "--set", "daemon.idle_minutes=0", "daemon", "run"),
        name=place_of(surroundings).name,
        journal=surroundings.root,
        home=surroundings.home,
        environ=surroundings.environ,
    )
