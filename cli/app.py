"""The ``mem`` command: the one place where errors become text and exit codes."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..journal.errors import MemjournalError
from .commands import adding, importing, indexing, keeping, searching, settings
from .context import Context

log = logging.getLogger("memjournal")

app = typer.Typer(
    name="mem",
    help="A memory for AI coding assistants: Markdown in git, searched by keyword and by meaning.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"memjournal {version('memjournal')}")
        raise typer.Exit


@app.callback()
def prepare(
    context: typer.Context,
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal",
            "-J",
            metavar="DIR",
            help="The journal to use. Default: .memjournal/ here or above, $MEMJOURNAL_HOME, or"
            " ~/memjournal.",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """A memory for AI coding assistants: Markdown in git, searched by keyword and by meaning."""
    context.obj = Context(journal_option=journal)


for group in (searching, adding, importing, keeping, indexing, settings):
    group.register(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``mem`` and return its exit code."""
    try:
        app(args=argv, prog_name="mem")
    except MemjournalError as error:
        print(f"mem: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        _discard_stdout()
        return 0
    except KeyboardInterrupt:
        print("mem: interrupted", file=sys.stderr)
        return 130
    except Exception:
        return _report_bug()
    return 0


def _discard_stdout() -> None:
    """Point stdout at nothing, or Python would complain once more while it ends."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_bug() -> int:
    from .log import write_traceback

    place = write_traceback()
    print(f"mem: this is a bug in memjournal; the details are in {place}", file=sys.stderr)
    return 70  # EX_SOFTWARE, sysexits.h
