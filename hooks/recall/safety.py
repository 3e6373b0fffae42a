"""Whether a memory may be told, and what of it: the last look before a line is put in front of an assistant.

Redaction and screening look at what is read, so that neither marks of Markdown nor the borders between a title,
a body and the facts around them can take an order or a secret apart. The invariant: a line that is told passes
both as it stands, and is of an entry that passes screening whole, beyond what of it is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ...journal.entry import TYPES, Entry
from ...journal.redaction import Redactor
from ...journal.screening import FLAGGED, is_threatening, screen
from .fence import strip_fences

_MAX_NAME: Final = 60  # characters of a path or a project's name: a judgement
_NO_NAME: Final = re.compile(r"[^\w./@:+~#, -]")
_KNOWN_TYPES: Final = frozenset(type_ for types in TYPES.values() for type_ in types)


def may_be_told(entry: Entry) -> bool:
    """Whether nothing in *entry*, wherever it stands in it, gives orders, and no mark says so."""
    marks = entry.extra.get(FLAGGED)
    ids = marks.split(",") if isinstance(marks, str) else list(_texts_in(marks)) if marks else []
    if is_threatening(filter(None, map(str.strip, ids))):
        return False
    return not gives_orders("\n".join(_texts_of(entry)))


def gives_orders(text: str) -> bool:
    """Whether *text* is kept from the assistant."""
    return is_threatening(screen(text))


def label_of(type_: str) -> str:
    """*type_*, if it is one that a memory can have; "" for what somebody made up."""
    return type_ if type_ in _KNOWN_TYPES else ""


def safe_quote(text: str, redactor: Redactor) -> str:
    """*text* on one line as it may be told; "" where it gives orders."""
    quote = " ".join(strip_fences(redactor.redact(text).text).split())
    return "" if gives_orders(quote) else quote


def safe_name(text: str, redactor: Redactor) -> str:
    """The name of a project or a file on one line, shortened; "…" for one that may not be told."""
    if not text:
        return ""
    spaced = re.sub(r"[\W_]+", " ", text)
    if redactor.redact(text).text != text or gives_orders(text) or gives_orders(spaced):
        return "…"
    name = " ".join(_NO_NAME.sub("", text).split())
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME // 2]}…{name[-_MAX_NAME // 2 :]}"


def may_stand(line: str, redactor: Redactor) -> bool:
    """Whether a finished line says nothing secret and gives no orders, taken as a whole."""
    return redactor.redact(line).text == line and not gives_orders(line)


def _texts_of(entry: Entry) -> Iterator[str]:
    yield from (entry.title, entry.body, entry.type, entry.project, entry.tool, entry.agent)
    yield from (*entry.tags, *entry.source, *entry.files, *entry.symbols)
    for edge in entry.edges:
        yield from (edge.relation, edge.target)
    yield from _texts_in({name: one for name, one in entry.extra.items() if name != FLAGGED})


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for one in value:
            yield from _texts_in(one)
    else:
        yield str(value)
