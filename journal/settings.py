"""Settings: the layers that their values are read from.

A later layer wins over an earlier one: default, the user's config.toml, the journal's
memjournal.toml, the environment, the command line. A journal travels by git and is therefore not
trusted: it cannot set what runs a command or leaves its folder, and it can add to the lists and
tables of the other layers but take nothing from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, cast

from .errors import SettingsError
from .setting import Setting, Value, check_value, parse_value, to_toml
from .setting_groups import (
    DEFINITIONS,
    Capture,
    Daemon,
    Embedding,
    General,
    ImportClaudeCode,
    Index,
    JournalSettings,
    Privacy,
    Projects,
    Recall,
    Search,
    Sharing,
    Sync,
)
from .toml_file import read_toml, remove_key, replace_key

JOURNAL_FILE: Final = "memjournal.toml"


_TABLES: Final = frozenset(
    name[:dot] for name in DEFINITIONS for dot, char in enumerate(name) if char == "."
)


class Settings:
    """The value of every setting and where it came from."""

    def __init__(
        self,
        values: Mapping[str, Value],
        origins: Mapping[str, tuple[str, ...]],
        warnings: tuple[str, ...],
    ) -> None:
        defaults = {name: cast(Value, each.default) for name, each in DEFINITIONS.items()}
        self.values: Final = MappingProxyType({**defaults, **values})
        self.origins: Final = MappingProxyType(dict(origins))  # of what is not a default
        self.warnings: Final = warnings  # keys that were ignored, one line each
        self.journal: Final = JournalSettings(self.values)
        self.projects: Final = Projects(self.values)
        self.sync: Final = Sync(self.values)
        self.sharing: Final = Sharing(self.values)
        self.capture: Final = Capture(self.values)
        self.recall: Final = Recall(self.values)
        self.privacy: Final = Privacy(self.values)
        self.embedding: Final = Embedding(self.values)
        self.index: Final = Index(self.values)
        self.search: Final = Search(self.values)
        self.daemon: Final = Daemon(self.values)
        self.import_claude_code: Final = ImportClaudeCode(self.values)
        self.general: Final = General(self.values)

    @property
    def editor(self) -> str:
        return self.general.editor

    @property
    def words_by_project(self) -> dict[str, tuple[str, ...]]:
        """``privacy.project_words``, taken apart."""
        listed = self.privacy.project_words.items()
        return {
            project: tuple(filter(None, map(str.strip, words.split(","))))
            for project, words in listed
        }

    def value(self, name: str) -> Value:
        """The value of the setting with that dotted name.

        Raises:
            SettingsError: there is no such setting.
        """
        return self.values[find_definition(name).name]

    def origin(self, name: str) -> str:
        """Where a value came from; several places, when it adds up, in the order of the layers.

        ``default``, ``user: PATH``, ``journal: memjournal.toml``, ``environment: VARIABLE`` or
        ``command line``.

        Raises:
            SettingsError: there is no such setting.
        """
        return ", ".join(self.origins.get(find_definition(name).name, ("default",)))


DEFAULTS: Final = Settings({}, {}, ())


def find_definition(name: str) -> Setting[object]:
    """The setting with that dotted name.

    Raises:
        SettingsError: there is none; the closest name is offered.
    """
    try:
        return DEFINITIONS[name]
    except KeyError:
        raise SettingsError(f"there is no setting {name}", mend=_suggestion(name)) from None


def load_settings(
    *,
    user_file: Path | None,
    journal_file: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, str] = MappingProxyType({}),
) -> Settings:
    """Read all layers. A file that does not exist is an empty layer, as is an empty variable.

    Raises:
        SettingsError: a file is not TOML, or a value is not what its setting allows.
    """
    reading = _Reading()
    if user_file is not None:
        reading.add_file(user_file, origin=f"user: {user_file}")
    if journal_file is not None:
        reading.add_file(journal_file, origin=f"journal: {journal_file.name}", trusted=False)
    for setting in DEFINITIONS.values():
        if text := environ.get(setting.environment):
            value = parse_value(setting, text, where=setting.environment)
            reading.add(setting, value, origin=f"environment: {setting.environment}")
    for name, text in overrides.items():
        setting = find_definition(name)
        reading.add(setting, parse_value(setting, text, where="command line"), "command line")
    return reading.finish()


def set_setting(file: Path, name: str, value_text: str) -> None:
    """Set one setting in a file, which is made if need be; comments and layout are kept.

    ``projects.aliases.NAME`` sets one line of the table, and whatever dots are in NAME belong to it.

    Raises:
        SettingsError: no such setting, not a value of it, not for this file, or a broken file.
        StorageError: the disk refused; the file is as it was.
    """
    setting, item = _find_item(name)
    if item:
        value = check_value(setting, {item: value_text}, where=name)
    else:
        value = parse_value(setting, value_text, where=name)
    if file.name == JOURNAL_FILE and (fault := _distrust(setting, value)):
        raise SettingsError(f"{name} cannot be set here: {fault}", where=str(file))
    raw = to_toml(value)
    replace_key(file, _keys(setting, item), raw[item] if item and isinstance(raw, dict) else raw)


def unset_setting(file: Path, name: str) -> bool:
    """Take one setting out of a file; whether it was there.

    Raises:
        SettingsError: no such setting, or a broken file.
        StorageError: the disk refused; the file is as it was.
    """
    return remove_key(file, _keys(*_find_item(name)))


def _find_item(name: str) -> tuple[Setting[object], str]:
    """The setting, and the key in its table if *name* goes on after the setting's own name."""
    for setting in DEFINITIONS.values():
        item = name.removeprefix(setting.name + ".")
        if setting.kind == "table" and item not in ("", name):
            return setting, item
    return find_definition(name), ""


def _keys(setting: Setting[object], item: str) -> tuple[str, ...]:
    return (*setting.name.split("."), *([item] if item else []))


class _Reading:
    """Settings while the layers are laid over each other, lowest first."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}
        self.origins: dict[str, tuple[str, ...]] = {}
        self.warnings: list[str] = []

    def add_file(self, file: Path, origin: str, *, trusted: bool = True) -> None:
        if not trusted:
            _refuse_way_out(file)
        for name, raw in _flatten(read_toml(file), where=str(file)):
            setting = DEFINITIONS.get(name)
            if setting is None:
                hint = _suggestion(name)
                self.warnings.append(f"{file}: unknown setting {name}; {hint}")
                continue
            value = check_value(setting, raw, where=str(file))
            changes_nothing = value == self.values.get(name, setting.default)
            fault = "" if trusted else _distrust(setting, value)
            if fault and (setting.user_only or not changes_nothing):
                self.warnings.append(f"{file}: {name} is ignored: {fault}")
                continue
            self.add(setting, value, origin)

    def add(self, setting: Setting[object], value: Value, origin: str) -> None:
        name = setting.name
        match self.values.get(name), value:
            case tuple() as old, tuple() as new if setting.adds_up:
                self.values[name] = tuple(dict.fromkeys(old + new))
            case Mapping() as old, Mapping() as new if setting.adds_up:
                self.values[name] = MappingProxyType({**old, **new})
            case _:
                self.values[name] = value
                self.origins[name] = (origin,)
                return
        self.origins[name] += (origin,)

    def finish(self) -> Settings:
        settings = Settings(self.values, self.origins, tuple(self.warnings))
        if settings.index.chunk_overlap_tokens * 2 > settings.index.chunk_tokens:
            raise SettingsError(
                "index.chunk_overlap_tokens must be at most half of index.chunk_tokens, "
                f"which is {settings.index.chunk_tokens}",
                where=settings.origin("index.chunk_overlap_tokens"),
            )
        return settings


def _refuse_way_out(file: Path) -> None:
    """Nothing, if *file* stands where its name says, or in the same folder.

    Raises:
        SettingsError: it is a link that leads elsewhere.
    """
    if file.is_symlink() and file.resolve().parent != file.parent.resolve():
        what = "a link that leads out of the journal"
        raise SettingsError(what, where=str(file), mend="put a file in its place")


def _distrust(setting: Setting[object], value: Value) -> str:
    """Why a journal may not set this to *value*, or ""."""
    if setting.user_only:
        return "only your own config.toml or the environment may set it"
    if setting.journal_choices and value not in setting.journal_choices:
        return f"a journal may only say {' or '.join(setting.journal_choices)}"
    return ""


def _flatten(
    table: Mapping[str, object], *, where: str, prefix: str = ""
) -> Iterator[tuple[str, object]]:
    """Dotted names and raw values; a table that is not ours is one unknown name."""
    for key, raw in table.items():
        name = prefix + key
        if name not in _TABLES:
            yield name, raw
        elif isinstance(raw, dict):
            yield from _flatten(raw, where=where, prefix=name + ".")
        else:
            raise SettingsError(f"{name} must be a table", where=where, mend=f"write [{name}]")


def _suggestion(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, DEFINITIONS, n=1, cutoff=0.75) or [
        each for each in DEFINITIONS if each.endswith("." + name)
    ]
    return f"did you mean {close[0]}?" if close else "`mem config list` shows all of them"
