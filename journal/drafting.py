"""From what a person typed to an entry that can be stored: its title, its kind, its references.

The whole text is redacted before it is cut into title and body, so that a private part that begins
in the one and ends in the other is never let through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from .entry import TYPES, Entry, EntryId, Kind, as_kind
from .errors import FormatError, UsageError
from .ids import find_citations
from .memory_file import MAX_TITLE_CHARS, parse_memory
from .redaction import Redactor

WRITTEN_KINDS: Final[tuple[Kind, ...]] = ("fact", "rule")
"""What a person writes; the other kinds are derived."""

WRITTEN_TYPES: Final = tuple(
    dict.fromkeys(type_ for kind in WRITTEN_KINDS for type_ in TYPES[kind])
)
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(?P<title>.+?)[ \t]*#*[ \t]*")
_OF_A_BLOCK: Final = re.compile(r"(?:[-*+>|]|\d+[.)])(?:\s|$)|```|~~~|\t|    ")
_FORM_COMMENT: Final = re.compile(r"<!-- mem: .*?-->[ \t]*\n?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was said about a new memory beside its text."""

    title: str = ""
    kind: str = ""
    type: str = "note"
    project: str = ""
    tags: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    confidence: float = 1.0
    importance: float = 0.5
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry without an id yet, and how much of the text was hidden."""

    entry: Entry
    n_hidden: int


def kind_of_type(type_: str, kind: str) -> Kind:
    """The kind that a person's entry of *type_* is; *kind* decides between two, the plainer if not said.

    Raises:
        UsageError: there is no such type, or it is not of the kind that was said.
    """
    fitting: list[Kind] = [one for one in WRITTEN_KINDS if type_ in TYPES[one]]
    if not fitting:
        raise UsageError(f"there is no type {type_!r}", mend=f"use {', '.join(WRITTEN_TYPES)}")
    if kind:
        chosen = as_kind(kind)
        if chosen is None or chosen not in fitting:
            raise UsageError(f"{type_!r} is no type of {kind!r}", mend=f"it is a {fitting[0]}")
        return chosen
    return fitting[0]


def draft_entry(text: str, wishes: Wishes, *, redactor: Redactor, now: datetime) -> Draft:
    """A memory with the words of *text*.

    Raises:
        UsageError: the type is not one, or there is no text.
        FormatError: it holds what no text file can.
    """
    _check_text(text)
    hidden = redactor.redact(text)
    title, body = split_title(hidden.text)
    n_hidden = hidden.n_hidden
    if wishes.title:
        given = redactor.redact(wishes.title)
        n_hidden += given.n_hidden
        title, body = " ".join(given.text.split()), hidden.text.strip("\r\n")
    if not title and not body.strip():
        raise UsageError("there is nothing to remember", mend='give a text: mem add "…"')
    if n_hidden and not _is_anything_left(f"{title}\n{body}", redactor):
        raise UsageError(
            "all of it is private or a secret: nothing of it can be written",
            mend="say what may be remembered outside of the private part",
        )
    return Draft(
        Entry(
            id=EntryId(""),
            kind=kind_of_type(wishes.type, wishes.kind),
            type=wishes.type,
            title=title,
            body=body,
            created=now.replace(microsecond=0),
            project=wishes.project,
            tags=clean_tags(wishes.tags),
            source=clean_references(wishes.source),
            files=wishes.files,
            confidence=wishes.confidence,
            importance=wishes.importance,
            extra=wishes.extra,
        ),
        n_hidden,
    )


def _is_anything_left(text: str, redactor: Redactor) -> bool:
    """Whether *text* says more than that something was hidden."""
    for marker in (redactor.rules.marker, redactor.rules.private_marker):
        text = text.replace(marker, "") if marker else text
    return any(map(str.isalnum, text))


def draft_from_form(
    text: str, wishes: Wishes, *, redactor: Redactor, now: datetime
) -> Draft | None:
    """The memory that a filled-in form holds; None when it was left empty.

    Raises:
        FormatError: the lines between the two ``---`` cannot be read.
        UsageError: the type is not one.
    """
    hidden = redactor.redact(_FORM_COMMENT.sub("", text))
    read, problem = parse_memory(hidden.text, path="", fallback_time=now)
    if problem:
        raise FormatError(problem)
    if not read.title.strip() and not read.body.strip():
        return None
    filled = Wishes(
        title=read.title,
        kind=wishes.kind if read.type == wishes.type else "",
        type=read.type,
        project=read.project,
        tags=read.tags,
        source=read.source,
        files=read.files or wishes.files,
        confidence=wishes.confidence if read.confidence == 1.0 else read.confidence,
        importance=wishes.importance if read.importance == 0.5 else read.importance,
        extra=read.extra,
    )
    draft = draft_entry(read.body, filled, redactor=redactor, now=now)
    return Draft(draft.entry, draft.n_hidden + hidden.n_private + hidden.n_secrets)


def split_title(text: str) -> tuple[str, str]:
    """Title and body of a text. A first line that stands alone is the title; one that belongs to a
    paragraph, list or code block is copied from there."""
    lines = text.strip("\r\n").splitlines()
    if not lines:
        return "", ""
    first, rest = lines[0], lines[1:]
    heading = _HEADING.fullmatch(first)
    stands_alone = heading or not rest or not rest[0].strip()
    name = " ".join((heading["title"] if heading else first).split())
    if stands_alone and len(name) <= MAX_TITLE_CHARS and not _OF_A_BLOCK.match(first):
        return name, "\n".join(rest).strip("\r\n")
    line = next(
        (line for line in lines if line.strip() and not line.startswith(("```", "~~~"))), ""
    )
    name = " ".join(re.sub(r"^\s*(?:[-*+>|#]+|\d+[.)])\s+", "", line).split())
    if len(name) > MAX_TITLE_CHARS:
        name = name[: MAX_TITLE_CHARS - 1].rstrip() + "…"
    return name, "\n".join(lines)


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags without their ``#``, each once."""
    parts = (part for tag in tags for part in tag.split(","))
    return tuple(dict.fromkeys(filter(None, (part.strip().lstrip("#").strip() for part in parts))))


def clean_references(texts: Iterable[str]) -> tuple[str, ...]:
    """Citations in the one form ``mem:ID``; anything else, such as a path or an address, as it is."""
    cleaned: list[str] = []
    for text in texts:
        cited = find_citations(text)
        cleaned += [f"mem:{one}" for one in cited] or [text.strip()]
    return tuple(dict.fromkeys(filter(None, cleaned)))


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError(
            "the text is not UTF-8", mend="convert it, or save it as UTF-8"
        ) from error
    if "\0" in text:
        raise FormatError("the text holds a NUL character", mend="is it a text at all?")
