"""Settings: one definition each, and the layers they are read from.

A later layer wins over an earlier one: default, the user's config.toml, the journal's
memjournal.toml, the environment, the command line. A journal travels by git and is therefore not
trusted: it cannot set what runs a command or leaves its folder, and it can add to the lists and
tables of the other layers but take nothing from them.

Definitions are descriptors and not dataclass fields because hooks pay for this import: making
nine dataclasses takes 4 ms, these classes 0.1 ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, cast

from .errors import SettingsError
from .setting import Group, Setting, Value, check_value, parse_value, to_toml
from .toml_file import read_toml, remove_key, replace_key

JOURNAL_FILE: Final = "memjournal.toml"


def _time_zone_fault(name: str) -> str:
    if name == "local":
        return ""
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo("UTC")
    except LookupError:  # no database on this machine, as on plain Windows: cannot tell
        return ""
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return 'must be "local" or an IANA name such as Asia/Seoul'
    return ""


def _pattern_fault(pattern: str) -> str:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a questionable pattern is the user's to judge
            matches_nothing = re.compile(pattern).match("")
    except (re.error, OverflowError, RecursionError) as error:
        return f"has a pattern that is not a regular expression ({error})"
    return "has a pattern that matches the empty text" if matches_nothing else ""


def _blank_fault(text: str) -> str:
    return "" if text.strip() else "must not have a blank text in it"


def _marker_fault(text: str) -> str:
    if text.isprintable() and len(text) <= 40:
        return ""
    return "must be one line of at most 40 characters"


def _variable_fault(name: str) -> str:
    if re.fullmatch(r"[A-Z_][A-Z0-9_]{0,63}", name) or not name:
        return ""
    return "must be the name of an environment variable, in capitals, and never the key itself"


def _url_fault(url: str) -> str:
    if not url or re.fullmatch(r"https?://[^\s@?#]+", url):
        return ""
    return "must be an address that begins with https:// or http://, without a name or key in it"


class JournalSettings(Group):
    prefix = "journal"
    timezone = Setting(
        "local",
        "Time zone of dates and headings: local, or an IANA name such as Asia/Seoul.",
        check=_time_zone_fault,
    )
    commit = Setting(True, "Commit to git after commands that write.")
    lock_timeout_s = Setting(
        10.0,
        "Seconds to wait for a process that is writing; mem index: for one that does not get on.",
        low=0,
        high=600,
    )


class Projects(Group):
    prefix = "projects"
    aliases: Setting[Mapping[str, str]] = Setting(
        MappingProxyType({}),
        "Other names of a project: the other name on the left, the project's on the right.",
        check=_blank_fault,
        adds_up=True,
    )


class Capture(Group):
    prefix = "capture"
    enabled = Setting(True, "Write down what assistants tell through their hooks.")
    tools: Setting[Literal["outcomes", "all", "none"]] = Setting(
        "outcomes",
        "Tool calls that hooks write down: outcomes are failures, tests, releases and choices; or all, or none.",
        choices=("outcomes", "all", "none"),
    )
    tool_output_max_chars = Setting(
        10_000, "Characters kept of a tool's output: half from its start, half from its end.", low=0
    )
    tool_output_max_lines = Setting(100, "Lines kept of a tool's output, likewise.", low=0)
    sidechains = Setting(False, "Also keep what sub-agents said among themselves.")


class Recall(Group):
    prefix = "recall"
    enabled = Setting(True, "Tell assistants, through their hooks, what the journal knows.")
    brief_tokens = Setting(1_500, "Tokens told when a session starts, at most.", low=0, high=2_000)
    prompt_tokens = Setting(800, "Tokens told with a prompt, at most.", low=0, high=2_000)


class Privacy(Group):
    prefix = "privacy"
    marker = Setting("[REDACTED]", "Stands where a secret was.", check=_marker_fault)
    private_marker = Setting("[PRIVATE]", "Stands where a private part was.", check=_marker_fault)
    preserve_lines = Setting(False, "Keep the line breaks of a private part.")
    patterns: Setting[tuple[str, ...]] = Setting(
        (),
        "Regular expressions of further secrets; every layer adds to them.",
        check=_pattern_fault,
        adds_up=True,
        user_only=True,  # one that is made to take for ever would stop every write
    )
    words: Setting[tuple[str, ...]] = Setting(
        (),
        "Words and names that are never stored; every layer adds to them.",
        check=_blank_fault,
        adds_up=True,
    )


class Embedding(Group):
    prefix = "embedding"
    enabled = Setting(True, "Search by meaning as well as by keyword.")
    model = Setting(
        "memjournal-static-v1",
        "The model that came with memjournal; or e5, from the extra of that name; or openai:NAME, of the"
        " service at embedding.url; or a model2vec model: a folder with its whole path, or NAME/NAME on"
        " a hub, which is downloaded.",
        check=_blank_fault,
        user_only=True,
    )
    # Of these a journal sets none: together they decide who reads its texts, and with which key.
    url = Setting(
        "",
        "Where the embedding service is, such as http://localhost:11434/v1; texts are sent there.",
        check=_url_fault,
        user_only=True,
    )
    key_variable = Setting(
        "",
        "The environment variable that holds the service's key; never the key itself.",
        check=_variable_fault,
        user_only=True,
    )
    plain_http = Setting(
        False, "Send texts unencrypted to a service on another machine.", user_only=True
    )
    query_prefix = Setting("", "What the service's model wants before a question.", user_only=True)
    passage_prefix = Setting(
        "", "What the service's model wants before a text that may answer one.", user_only=True
    )
    dimensions = Setting(
        0,
        "Dimensions to ask of the service's model, where it lets one choose; 0 leaves it to the model.",
        low=0,
        high=16_384,
        user_only=True,
    )
    batch_size = Setting(
        64, "Texts in one request to the service.", low=1, high=2048, user_only=True
    )
    timeout_s = Setting(
        30.0,
        "Seconds to wait for one answer of the service; a search waits 5 at most.",
        low=0.1,
        high=600,
        user_only=True,
    )

    @property
    def is_service(self) -> bool:
        """Whether the model is one of the service at ``url``."""
        return self.model.startswith("openai:")


class Index(Group):
    prefix = "index"
    chunk_tokens = Setting(320, "Tokens in one piece of a long entry.", low=50, high=8192)
    chunk_overlap_tokens = Setting(
        40, "Tokens that neighbouring pieces share; at most half of index.chunk_tokens.", low=0
    )


class Search(Group):
    prefix = "search"
    limit = Setting(10, "Results of a search.", low=1, high=1000)
    min_score = Setting(0.0, "Leave out results that score less.", low=0, high=1)
    mmr_lambda = Setting(
        0.7, "Relevance against variety: 1 is relevance alone, 0 variety alone.", low=0, high=1
    )
    half_life_days = Setting(
        30.0, "Days after which the bonus for a recent entry has halved.", low=0.01
    )
    scope = Setting(
        "all", "Search all projects, or only the one you are in.", choices=("all", "project")
    )


class Daemon(Group):
    prefix = "daemon"
    autostart = Setting(
        "auto",
        "Start a daemon for later commands: auto is by commands on a terminal, always by all, or never.",
        choices=("auto", "always", "never"),
        user_only=True,
    )
    idle_minutes = Setting(
        480,
        "Minutes without a question after which the daemon ends; 0 is never.",
        low=0,
        high=525_600,
        user_only=True,
    )


class ImportClaudeCode(Group):
    prefix = "import.claude_code"
    folder = Setting(
        "~/.claude/projects", "Where Claude Code keeps its transcripts.", user_only=True
    )


class General(Group):
    editor = Setting(
        "", "Command that opens a file; when empty, $VISUAL or $EDITOR.", user_only=True
    )


GROUPS: Final[tuple[type[Group], ...]] = (
    JournalSettings,
    Projects,
    Capture,
    Recall,
    Privacy,
    Embedding,
    Index,
    Search,
    Daemon,
    ImportClaudeCode,
    General,
)
DEFINITIONS: Final[Mapping[str, Setting[object]]] = {
    setting.name: setting
    for group in GROUPS
    for setting in vars(group).values()
    if isinstance(setting, Setting)
}
"""Every setting by its name, in the order of the documentation."""

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
    if file.name == JOURNAL_FILE and (fault := _distrust(setting)):
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
        for name, raw in _flatten(read_toml(file), where=str(file)):
            setting = DEFINITIONS.get(name)
            if setting is None:
                hint = _suggestion(name)
                self.warnings.append(f"{file}: unknown setting {name}; {hint}")
                continue
            value = check_value(setting, raw, where=str(file))
            if not trusted and (fault := _distrust(setting)):
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


def _distrust(setting: Setting[object]) -> str:
    """Why a journal may not set this, or ""."""
    if setting.user_only:
        return "only your own config.toml or the environment may set it"
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
