"""What leaves a journal when an entry is copied into a shared one: its words, and no trace of whose they were.

An entry knows its session, its machine's folders, the assistant that was used, and whatever else its author put
into its frontmatter. Only what is named here is copied; all else stays, and is named in what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ..drafting import split_title
from ..entry import Edge, Entry, EntryId, Kind
from ..errors import UsageError
from ..ids import content_key, find_citations, is_id, mint
from ..redaction import Redactor
from ..screening import FLAGGED, screen
from ..values import replace

RELATION: Final = "promoted_from"
_PRIVATE: Final = ("private", "masked")
_AS_MEMORY: Final[dict[str, str]] = {"tool_output": "tool_observation"}  # what an event becomes
_LEADS_OUT: Final = re.compile(r"[/\\~]|[A-Za-z]:|[a-z][a-z+.-]*:|(?:.*[/\\])?\.\.(?:[/\\]|$)")
_OF_A_MACHINE: Final = ("local/", "root/")  # of names of projects that are no repository's


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """An entry as it would stand in a shared journal, without an id, and what a person should know of it."""

    draft: Entry
    left_out: tuple[str, ...]  # what of the entry stays behind, by the names of its fields
    n_hidden: int  # private parts and secrets that would have left
    flagged: tuple[str, ...]  # what in it is threatening, as `screening` names it


def plan_promotion(entry: Entry, *, redactor: Redactor) -> Promotion:
    """What of *entry* would leave; *redactor* hides what either journal hides.

    Raises:
        UsageError: it is private, has no words, or none that may be said.
    """
    _refuse_private(entry)
    kept = _without_traces(entry)
    draft, n_hidden = _redacted(kept, redactor)
    draft = replace(draft, edges=(*draft.edges, *_edge_to(entry, draft)))
    if not _says_something(draft, redactor):
        raise UsageError(
            f"nothing of {entry.citation} may be said", mend="write down what may: mem add …"
        )
    texts = (draft.title, draft.body, draft.project, *draft.tags, *draft.files, *draft.symbols)
    return Promotion(
        draft=draft,
        left_out=tuple(_left_out(entry, kept)),
        n_hidden=n_hidden,
        flagged=screen("\n".join(texts)),
    )


def promoted_from(entry: Entry, entry_id: str) -> bool:
    """Whether *entry* of a shared journal was copied from the one with that id."""
    return Edge(RELATION, f"mem:{entry_id}") in entry.edges


def _refuse_private(entry: Entry) -> None:
    if entry.privacy in _PRIVATE:
        raise UsageError(
            f"{entry.citation} is {entry.privacy}: it stays in this journal",
            mend=f"if it may be told, `mem edit mem:{entry.id} --set privacy=internal` says so",
        )
    if entry.type == "session_marker":
        raise UsageError(
            f"{entry.citation} only marks a place in a session", mend="promote what was said there"
        )


def _without_traces(entry: Entry) -> Entry:
    """*entry* as a memory of anybody's: its sources are citations, its files those of the project."""
    kind: Kind = "fact" if entry.kind == "event" else entry.kind
    type_ = _AS_MEMORY.get(entry.type, "note") if entry.kind == "event" else entry.type
    title, body = entry.title, entry.body
    if not title.strip():
        title, body = split_title(body)
    return Entry(
        id=EntryId(""),
        kind=kind,
        type=type_,
        title=title,
        body=body,
        created=entry.created,
        project=_project_of(entry.project),
        tags=entry.tags,
        source=_citations(entry.source),
        confidence=entry.confidence,
        importance=entry.importance,
        privacy=entry.privacy,
        edges=tuple(edge for edge in entry.edges if is_id(edge.target.removeprefix("mem:"))),
        files=tuple(file for file in entry.files if not _LEADS_OUT.match(file)),
        symbols=entry.symbols,
    )


def _edge_to(entry: Entry, draft: Entry) -> tuple[Edge, ...]:
    """What says where *draft* is from; nothing where its words, and so its id, are those of *entry*."""
    key = content_key(draft.kind, draft.type, draft.project, draft.title, draft.body)
    return () if mint(key) == entry.id else (Edge(RELATION, f"mem:{entry.id}"),)


def _project_of(name: str) -> str:
    """A project's name; of one that is named by its folder on a machine, the last part."""
    return name.rsplit("/", 1)[-1] if name.startswith(_OF_A_MACHINE) else name


def _citations(sources: Iterable[str]) -> tuple[str, ...]:
    """What of *sources* is an entry, as ``mem:ID``."""
    found: list[str] = []
    for source in sources:
        bare = source.strip().removeprefix("mem:")
        cited = [bare] if bare != source.strip() and is_id(bare) else find_citations(source)
        found += [f"mem:{one}" for one in cited]
    return tuple(dict.fromkeys(found))


def _redacted(entry: Entry, redactor: Redactor) -> tuple[Entry, int]:
    n_hidden = 0

    def redact(text: str) -> str:
        nonlocal n_hidden
        hidden = redactor.redact(text)
        n_hidden += hidden.n_hidden
        return hidden.text

    def redact_all(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(redact, texts))

    whole = replace(
        entry,
        title=" ".join(redact(entry.title).split()),
        body=redact(entry.body),
        project=redact(entry.project),
        tags=redact_all(entry.tags),
        files=redact_all(entry.files),
        symbols=redact_all(entry.symbols),
        edges=tuple(Edge(redact(one.relation), one.target) for one in entry.edges),
    )
    return whole, n_hidden


def _says_something(entry: Entry, redactor: Redactor) -> bool:
    text = f"{entry.title}\n{entry.body}"
    for marker in (redactor.rules.marker, redactor.rules.private_marker):
        text = text.replace(marker, "") if marker else text
    return any(map(str.isalnum, text))


def _left_out(entry: Entry, kept: Entry) -> Iterable[str]:
    """The fields of *entry* of which something is not in *kept*."""
    for name in ("session", "turn", "agent", "tool"):
        if getattr(entry, name) not in ("", None):
            yield name
    if entry.project != kept.project:
        yield "project"
    for name, before, after in (
        ("source", entry.source, kept.source),
        ("files", entry.files, kept.files),
        ("edges", entry.edges, kept.edges),
    ):
        if set(before) - set(after):
            yield name
    yield from (str(name) for name in entry.extra if name != FLAGGED)
