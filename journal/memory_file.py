"""One memory a file: between an ``Entry`` and Markdown with frontmatter.

``parse_memory(render_memory(x)) == x`` for every entry. Any other Markdown file parses too: a note
without frontmatter is an entry whose id follows from its path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final, TypeVar

from . import frontmatter
from .entry import TYPES, Edge, Entry, EntryId, Kind, as_kind, as_privacy, parse_time
from .errors import FrontmatterError
from .frontmatter import Document, parse_document
from .ids import is_id, mint, path_key
from .values import replace

T = TypeVar("T")

_HEADING = re.compile(r"#[ \t]+([^\r\n]*)(\r?\n|\Z)")
_TITLE_LINE = re.compile(r"(?P<mark>\ufeff?[\r\n]*#[ \t]+)[^\r\n]*")
_ID_LINE = re.compile(r"^id:[ \t]*([0-9A-Za-z]{6,64})[ \t]*\r?$", re.MULTILINE)
_CREATED_KEYS: Final = ("created", "created_at", "date", "creation date", "creation_date")
_UPDATED_KEYS: Final = ("updated", "updated_at", "modified", "last_modified")
_KNOWN: Final = frozenset(
    {"id", "kind", "type", "title", "project", "created", "updated", "session", "turn", "agent"}
    | {"tool", "tags", "source", "confidence", "importance", "privacy", "edges", "files", "symbols"}
)
_DAY_IN_PATH: Final = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-/._]?(0[1-9]|1[0-2])[-/._]?(0[1-9]|[12]\d|3[01])(?!\d)"
)
MAX_TITLE_CHARS: Final = 120


def render_memory(entry: Entry) -> str:
    """The whole file of *entry*, ending in a newline.

    Raises:
        ValueError: the title holds a line break; a title is one line.
        FrontmatterError: the fields are too many, too long or too deep to be read back.
    """
    if "\n" in entry.title or "\r" in entry.title:
        raise ValueError("a title is one line")
    block = frontmatter.render_fields(_fields_of(entry))
    if problem := parse_document(f"---\n{block}---\n").problem:
        raise FrontmatterError(f"the entry cannot be written: {problem}", mend="shorten its fields")
    body = f"{entry.body}\n" if entry.body else ""
    if _title_needs_a_field(entry):
        return f"---\n{block}---\n{body}"
    return f"---\n{block}---\n# {entry.title}\n" + (f"\n{body}" if body else "")


def _title_needs_a_field(entry: Entry) -> bool:
    """A title that would not come back from a heading is kept in the frontmatter."""
    return not entry.title or entry.title != entry.title.strip()


def _fields_of(entry: Entry) -> dict[str, object]:
    fields: dict[str, object] = {"id": str(entry.id), "kind": entry.kind, "type": entry.type}
    if _title_needs_a_field(entry):
        fields["title"] = entry.title
    optional: dict[str, object] = {
        "project": entry.project,
        "created": entry.created,
        "updated": entry.updated,
        "session": entry.session,
        "turn": entry.turn,
        "agent": entry.agent,
        "tool": entry.tool,
        "tags": entry.tags,
        "source": entry.source,
        "files": entry.files,
        "symbols": entry.symbols,
        "edges": tuple({edge.relation: edge.target} for edge in entry.edges),
    }
    fields |= {name: value for name, value in optional.items() if value not in ("", None, ())}
    if entry.confidence != 1.0:
        fields["confidence"] = entry.confidence
    if entry.importance != 0.5:
        fields["importance"] = entry.importance
    if entry.privacy != "internal":
        fields["privacy"] = entry.privacy
    return fields | dict(entry.extra)


def parse_memory(text: str, *, path: str, fallback_time: datetime) -> tuple[Entry, str]:
    """The entry that the file at *path* holds, and what is odd about the file ("" if nothing).

    *fallback_time* (the file's modification time) stands in where neither a field nor the path has
    a date. A field of the wrong type is odd, kept in ``extra`` as it is, and never stops the rest
    from being read.
    """
    document = parse_document(text)
    if document.problem:  # what cannot be read as fields is still text that can be found
        whole = document.block + document.closing + document.body
        found = _ID_LINE.search(document.block)  # what cites it must not dangle for a typing error
        fields = {"id": found[1]} if found else {}
        return _entry_from(fields, "", whole, path, fallback_time)[0], document.problem
    if "title" in document.fields:
        title, body = _one_line(document.fields["title"]), document.body.removesuffix("\n")
    else:
        title, body = _split_title(document)
    return _entry_from(document.fields, title, body, path, fallback_time)


def _split_title(document: Document) -> tuple[str, str]:
    """Title and body of a text without a ``title`` field: its first heading, if that stands first."""
    text = document.body.removeprefix("\ufeff")
    found = _HEADING.match(text) or _HEADING.match(text.lstrip("\r\n"))
    if found is None:
        return "", text.removesuffix("\n")
    rest = found.string[found.end() :]
    for blank in ("\r\n", "\n"):
        if rest.startswith(blank):
            rest = rest.removeprefix(blank)
            break
    return found.group(1).strip(), rest.removesuffix("\n")


def replace_title(text: str, title: str) -> str | None:
    """*text* with its first heading saying *title*; None where the title is not in a heading."""
    document = parse_document(text)
    if document.problem or "title" in document.fields:
        return None
    found = _TITLE_LINE.match(document.body)
    if found is None:
        return None
    body = f"{found['mark']}{' '.join(title.split())}{document.body[found.end() :]}"
    return document.opening + document.block + document.closing + body


def _entry_from(
    fields: Mapping[str, object], title: str, body: str, path: str, fallback_time: datetime
) -> tuple[Entry, str]:
    unread: list[str] = []

    def read(name: str, convert: Callable[[object], T | None], default: T) -> T:
        if name not in fields or fields[name] == "":
            return default
        value = convert(fields[name])
        if value is None:
            unread.append(name)
            return default
        return value

    kind, type_ = _kind_and_type(fields)
    given_id = fields.get("id")
    has_id = isinstance(given_id, str) and is_id(given_id)
    used = {"id": given_id if has_id else None, "kind": kind, "type": type_}
    foreign = {name for name in used if fields.get(name, "") not in (used[name], "")}
    created = next((t for k in _CREATED_KEYS if (t := _time(fields.get(k)))), None)
    created = created or _date_in(path) or fallback_time
    updated = next((t for k in _UPDATED_KEYS if (t := _time(fields.get(k)))), None)
    read("created", _time, None)
    read("updated", _time, None)
    entry = Entry(
        id=EntryId(str(given_id)) if has_id else mint(path_key(path)),
        kind=kind,
        type=type_,
        title=title if "title" in fields or title else _title_from(body, path),
        body=body,
        created=created,
        updated=updated,
        project=read("project", _text, ""),
        session=read("session", _text, ""),
        turn=read("turn", _whole, None),
        agent=read("agent", _text, ""),
        tool=read("tool", _text, ""),
        tags=read("tags", _tags, ()),
        source=read("source", _texts, ()),
        confidence=read("confidence", _score, 1.0),
        importance=read("importance", _score, 0.5),
        privacy=read("privacy", lambda value: as_privacy(str(value)), "internal"),
        edges=read("edges", _edges, ()),
        files=read("files", _texts, ()),
        symbols=read("symbols", _texts, ()),
    )
    kept = (fields.keys() - _KNOWN) | foreign | set(unread)
    extra = {name: value for name, value in fields.items() if name in kept}
    problem = "; ".join(f"the field {name!r} cannot be read" for name in unread)
    return replace(entry, extra=extra), problem


def _date_in(path: str) -> datetime | None:
    """The day that a file's path names, as daily notes do: 2026-11-29.md, 2026/11/29.md, 20261129."""
    for year, month, day in reversed(_DAY_IN_PATH.findall(path)):
        if moment := parse_time(f"{year}-{month}-{day}"):
            return moment
    return None


def _title_from(body: str, path: str) -> str:
    """A title for a text that has none: nothing if memjournal wrote it so, else its file's name."""
    return PurePosixPath(path).stem if body.strip() else ""


def _one_line(value: object) -> str:
    """A title field as a title: a block of text or a list becomes one line, no word is lost."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return " ".join(text.split()) if "\n" in text or "\r" in text else text


_LIKELY_KINDS: Final[tuple[Kind, ...]] = ("fact", "summary", "rule")


def _kind_and_type(fields: Mapping[str, object]) -> tuple[Kind, str]:
    type_ = fields.get("type")
    kind = as_kind(str(fields.get("kind", "")))
    if not isinstance(type_, str) or not type_:
        return kind or "fact", TYPES[kind][0] if kind and kind != "fact" else "note"
    fitting: list[Kind] = [one for one in _LIKELY_KINDS if type_ in TYPES[one]]
    return kind or (fitting[0] if fitting else "fact"), type_


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _score(value: object) -> float | None:
    try:
        score = float(str(value))
    except ValueError:
        return None
    return score if 0.0 <= score <= 1.0 else None


def _time(value: object) -> datetime | None:
    return parse_time(value) if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def _tags(value: object) -> tuple[str, ...] | None:
    """A list, or one string in which commas or blanks separate, as note-taking programs write."""
    if isinstance(value, str):
        return tuple(tag.removeprefix("#") for tag in re.split(r"[,\s]+", value) if tag)
    return _texts(value)


def _edges(value: object) -> tuple[Edge, ...] | None:
    if not isinstance(value, list):
        return None
    edges: list[Edge] = []
    for item in value:
        if not isinstance(item, dict):
            return None
        for relation, target in item.items():
            targets = _texts(target)
            if targets is None:
                return None
            edges.extend(Edge(str(relation), one) for one in targets)
    return tuple(edges)
