"""Every setting, defined once: its default, what it is for, and which values it takes.

Definitions are descriptors and not dataclass fields because hooks pay for this import: making
nine dataclasses takes 4 ms, these classes 0.1 ms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from .setting import Group, Setting


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


class Sync(Group):
    prefix = "sync"
    interval_minutes = Setting(
        5.0,
        "Minutes between syncs that the daemon makes where there is a remote; 0 is never.",
        low=0,
        high=525_600,
    )


def _access_fault(access: str) -> str:
    return "" if access in ("read-write", "read-only") else "must be read-write or read-only"


class Sharing(Group):
    prefix = "sharing"
    journals: Setting[Mapping[str, str]] = Setting(
        MappingProxyType({}),
        "Shared journals, which `mem share` sets: the name on the left, read-write or read-only on the right.",
        check=_access_fault,
        user_only=True,  # a journal that came by git must not have others searched
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
    skip_projects: Setting[tuple[str, ...]] = Setting(
        (),
        "Projects of which hooks keep and tell nothing; * stands for any part of a name.",
        check=_blank_fault,
        adds_up=True,
    )


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
    project_words: Setting[Mapping[str, str]] = Setting(
        MappingProxyType({}),
        "The same for one project: its name on the left, the words on the right, commas between.",
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
        "all",
        "What is searched: all projects and shared journals, only the project you are in, or only what is shared.",
        choices=("all", "project", "shared"),
        journal_choices=("project",),  # it may narrow what you search, and never widen it
    )


class Daemon(Group):
    prefix = "daemon"
    autostart = Setting(
        "auto",
        "Start a daemon for later: auto is by commands on a terminal and by hooks, always by all, or never.",
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
    Sync,
    Sharing,
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
