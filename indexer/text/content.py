"""Which words of an entry are indexed: the one answer for keywords, vectors and snippets.

Field data: tool output was two thirds of all events and 0.2 % of what was ever used. So what a tool
read is found by its call alone; what it *did*, and above all how it failed, is found by its words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Protocol

CONTENT_VERSION: Final = "2"

READING_TOOLS: Final = frozenset(
    {"Read", "Grep", "Glob", "LS", "ToolSearch", "WebFetch", "WebSearch", "NotebookRead"}
    | {"Skill", "EnterPlanMode", "TodoRead", "TaskOutput", "BashOutput"}
)
"""Tools that only look; requirements: their output is never a memory."""

DECIDING_TOOLS: Final = frozenset({"AskUserQuestion", "ExitPlanMode", "Task", "Agent"})
"""Tools whose result holds what was decided or found out; embedded as a whole."""

_SILENT_MARKERS: Final = frozenset({"compaction"})
MAX_EMBEDDED_CHARS: Final = 200_000  # 150 pages; what follows is still found by its words


@dataclass(frozen=True, slots=True)
class IndexedText:
    """The texts of one entry as the indexes see them."""

    title: str  # of keywords; counts double
    body: str
    heading: str  # of vectors: stands above every chunk
    embedded: str  # cut into chunks; no vector where both are ""


class Indexable(Protocol):
    """What is known of an entry beside its text; a protocol, as ``text/`` knows no rows."""

    @property
    def kind(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def failed(self) -> bool: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def symbols(self) -> tuple[str, ...]: ...
    @property
    def files(self) -> tuple[str, ...]: ...


def indexed_text(entry: Indexable, body: str) -> IndexedText:
    """What is indexed of *entry*, whose text is *body*."""
    names = " ".join((*entry.tags, *entry.symbols, *map(_name, entry.files)))
    if entry.kind != "event":
        title = " ".join(filter(None, (entry.title, names)))
        return IndexedText(title, body, entry.title, body[:MAX_EMBEDDED_CHARS])
    if entry.type == "session_marker":
        if entry.tool in _SILENT_MARKERS:
            return IndexedText("", "", "", "")
        if entry.tool == "title":
            return IndexedText(body, "", body, "")
        return IndexedText(names, body, "", body[:MAX_EMBEDDED_CHARS])
    if entry.type != "tool_output":
        return IndexedText(names, body, "", body[:MAX_EMBEDDED_CHARS])
    if entry.tool in DECIDING_TOOLS:
        return IndexedText(names, body, "", body[:MAX_EMBEDDED_CHARS])
    call = " ".join(filter(None, (entry.title, names)))
    if entry.tool in READING_TOOLS and not entry.failed:
        return IndexedText(call, "", entry.title, "")
    outcome = "failed " if entry.failed else ""
    return IndexedText(names, body, f"{outcome}{entry.title}", "")


def _name(path: str) -> str:
    return PurePosixPath(path).name
