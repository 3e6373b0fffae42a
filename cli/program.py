"""The ``mem`` command line, put together: global options and the commands of each group."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from .version import VERSION

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "searching": ("search", "timeline", "show", "source", "history"),
    "recalling": ("recall",),
    "adding": ("add", "edit", "forget"),
    "syncing": ("sync", "remote", "conflicts", "resolve", "merge-driver"),
    "history": ("log", "diff", "blame", "restore", "audit"),
    "sharing": ("share",),
    "importing": ("list", "import"),
    "keeping": ("init", "status", "stats", "export", "doctor"),
    "indexing": ("index",),
    "settings": ("config",),
    "daemon": ("daemon",),
    "hooks": ("hooks",),
}
"""The module of each command: only the one that is asked for is loaded, for start-up is counted."""

_registered: Final[set[str]] = set()

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
        print(f"memjournal {VERSION}")
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
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting for this run (repeatable)."),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """A memory for AI coding assistants: Markdown in git, searched by keyword and by meaning."""
    from .context import Context

    overrides = dict(_split_setting(text) for text in settings or ())
    context.obj = Context(
        journal_option=journal, arguments=tuple(context.obj or ()), overrides=overrides
    )
    context.call_on_close(context.obj.close)


def _split_setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--set")
    return name.strip(), value


def register_commands(arguments: Sequence[str]) -> None:
    """Add the command that *arguments* ask for; every one where that is not plain to see."""
    words = [word for word in arguments if not word.startswith("-")]
    asked = [group for group, commands in GROUPS.items() if set(commands).intersection(words)]
    is_completing = "_MEM_COMPLETE" in os.environ
    for group in asked if len(asked) == 1 and not is_completing else GROUPS:
        if group not in _registered:  # a process may run several commands, as tests do
            _registered.add(group)
            import_module(f".commands.{group}", __package__).register(app)
