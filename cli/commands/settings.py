"""`mem config`: every setting, its value, and where that comes from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import MemjournalError, NoJournalError, NotFoundError
from ...journal.setting_groups import DEFINITIONS
from ...journal.settings import (
    JOURNAL_FILE,
    find_definition,
    load_settings,
    set_setting,
    unset_setting,
)
from .. import options, output
from ..context import Context
from ..text_command import TextCommand

if TYPE_CHECKING:
    from ...journal.settings import Settings

InUser = Annotated[bool, typer.Option("--user", help="In your own config.toml (the default).")]
InJournal = Annotated[
    bool, typer.Option("--journal-file", help="In the journal's memjournal.toml.")
]
Key = Annotated[str, typer.Argument(metavar="KEY", help="A dotted name, such as search.limit.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Read and change settings; see docs/configuration.md.",
    )
    group.command("get")(get)
    group.command("set", cls=TextCommand)(set_)
    group.command("unset")(unset)
    group.command("list")(list_)
    group.command("path")(path)
    app.add_typer(group, name="config")


def get(context: typer.Context, key: Key, as_json: options.AsJson = False) -> None:
    """Print the value of one setting."""
    from ...journal.setting import format_value

    name = find_definition(key).name
    settings = _settings(context.obj)
    if as_json:
        output.emit("setting", _fields(settings, name))
    else:
        output.line(format_value(settings.value(name)))


def set_(
    context: typer.Context,
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="A list is a TOML array.")],
    in_user: InUser = False,
    in_journal: InJournal = False,
    as_json: options.AsJson = False,
) -> None:
    """Change one setting; comments and layout of the file are kept."""
    surroundings: Context = context.obj
    file = _file(surroundings, in_user, in_journal)
    set_setting(file, key, value)
    _tell(surroundings, key, file, as_json=as_json)


def unset(
    context: typer.Context,
    key: Key,
    in_user: InUser = False,
    in_journal: InJournal = False,
    as_json: options.AsJson = False,
) -> None:
    """Take one setting out of a file, so that the next layer below counts."""
    surroundings: Context = context.obj
    file = _file(surroundings, in_user, in_journal)
    if not unset_setting(file, key):
        raise NotFoundError(
            f"{key} is not set there", where=str(file), mend="`mem config list` shows where it is"
        )
    _tell(surroundings, key, file, as_json=as_json)


def list_(context: typer.Context, as_json: options.AsJson = False) -> None:
    """Show every setting, its value and where that comes from."""
    from ...journal.setting import format_value

    settings = _settings(context.obj)
    width = max(map(len, DEFINITIONS))
    for name in DEFINITIONS:
        if as_json:
            output.emit("setting", _fields(settings, name))
            continue
        origin = settings.origin(name)
        text = output.safe(format_value(settings.value(name)).replace("\n", "\\n")) or '""'
        line = f"{name:<{width}}  {text}"
        is_default = origin == "default"
        note = "" if is_default else output.style(f"  ({origin})", output.DIM)
        output.line((line if is_default else output.style(line, output.BOLD)) + note)


def path(context: typer.Context, as_json: options.AsJson = False) -> None:
    """Print which files settings are read from, the ones that win last."""
    surroundings: Context = context.obj
    places = [("user", surroundings.user_file)]
    if (journal_file := _journal_file(surroundings)) is not None:
        places.append(("journal", journal_file))
    for layer, file in places:
        if as_json:
            output.emit("settings_file", {"layer": layer, "path": file, "exists": file.exists()})
        else:
            output.line(f"{layer:<8} {file}{'' if file.exists() else '  (none yet)'}")


def _journal_file(surroundings: Context) -> Path | None:
    try:
        return surroundings.root / JOURNAL_FILE
    except NoJournalError:
        if surroundings.journal_option is not None:
            raise
        return None


def _settings(surroundings: Context) -> Settings:
    """The settings as they count here, with or without a journal."""
    settings = load_settings(
        user_file=surroundings.user_file,
        journal_file=_journal_file(surroundings),
        environ=surroundings.environ,
        overrides=surroundings.overrides,
    )
    for warning in settings.warnings:
        output.warn(warning)
    return settings


def _file(surroundings: Context, in_user: bool, in_journal: bool) -> Path:
    if in_user and in_journal:
        raise typer.BadParameter("--user and --journal-file exclude each other")
    return surroundings.root / JOURNAL_FILE if in_journal else surroundings.user_file


def _fields(settings: Settings, name: str) -> dict[str, object]:
    from ...journal.setting import to_toml

    setting = DEFINITIONS[name]
    return {
        "name": name,
        "value": to_toml(settings.value(name)),
        "default": to_toml(setting.default),  # type: ignore[arg-type]  # a default is a Value
        "origin": settings.origin(name),
        "allowed": setting.allowed,
        "help": setting.help,
    }


def _tell(surroundings: Context, key: str, file: Path, *, as_json: bool) -> None:
    """Say what counts now: another layer may win over the file that was changed."""
    from ...journal.setting import format_value

    try:
        settings = _settings(surroundings)
    except MemjournalError as error:
        output.warn(f"{file} was changed, but the settings cannot be read yet: {error}")
        return
    name = next((one for one in DEFINITIONS if key == one or key.startswith(f"{one}.")), key)
    if as_json:
        output.emit("setting", _fields(settings, name))
        return
    value = output.safe(format_value(settings.value(name)))
    output.line(f"{name} = {value}  ({settings.origin(name)})")
