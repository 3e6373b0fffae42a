"""The merge of a memory, or of any Markdown file: its fields one by one, its body by lines.

What says when it was changed decides which side is the newer; which machine merges, never.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from ..entry import parse_time
from ..frontmatter import Document, parse_document
from .fields import Fields, merge_fields
from .lines import LineMerger, MergedText, changed_newline, merge_lines, plain_ends

_CODEC: Final = ("utf-8", "surrogateescape")
_HEADING: Final = re.compile(r"\ufeff?[\r\n]*#[ \t]+[^\r\n]*")
_TIMES: Final = ("updated", "created")


@dataclass(frozen=True, slots=True)
class Text:
    """One side: its bytes, what it is called, and when its commit was made."""

    data: bytes
    label: str
    time: datetime


def merge_memories(
    base: bytes | None, first: Text, second: Text, *, diff: LineMerger
) -> MergedText:
    """What holds both; where their bodies contradict each other, both texts, the earlier commit's first."""
    newline = changed_newline(base or b"", first.data, second.data)
    plain = _merge_plain(
        None if base is None else plain_ends(base),
        replace(first, data=plain_ends(first.data)),
        replace(second, data=plain_ends(second.data)),
        diff=diff,
    )
    return replace(plain, data=plain.data.replace(b"\n", newline))


def _merge_plain(base: bytes | None, first: Text, second: Text, *, diff: LineMerger) -> MergedText:
    labels = (first.label, second.label)
    documents = [parse_document(_text(data)) for data in (base or b"", first.data, second.data)]
    before, one, other = documents
    if any(document.problem for document in documents):
        return merge_lines(base, first.data, second.data, diff=diff, labels=labels)
    newer, older = one, other
    if _age(one, first) < _age(other, second):
        newer, older = other, one
    try:
        block = merge_fields(
            Fields(before.fields, before.block) if base is not None else None,
            Fields(newer.fields, newer.block),
            Fields(older.fields, older.block),
        )
    except ValueError:
        return merge_lines(base, first.data, second.data, diff=diff, labels=labels)
    bodies = _with_one_title(before, one, other, newer)
    came_from, *texts = (document.body.encode(*_CODEC) for document in bodies)
    body = merge_lines(None if base is None else came_from, *texts, diff=diff, labels=labels)
    frame = newer if newer.opening else older
    merged = replace(frame, block=block, body="").render() if frame.opening else ""
    return MergedText(merged.encode(*_CODEC) + body.data, body.n_conflicts)


def _text(data: bytes) -> str:
    return data.decode(*_CODEC)


def _age(document: Document, side: Text) -> tuple[datetime, datetime, bytes]:
    """Later is newer: by what the file says of itself, then by its commit, then anything that is certain."""
    said = next(
        (t for name in _TIMES if (t := parse_time(str(document.fields.get(name, ""))))), None
    )
    return said or side.time, side.time, side.data


def _with_one_title(
    before: Document, one: Document, other: Document, newer: Document
) -> tuple[Document, Document, Document]:
    """All with the same first heading, if both have changed theirs: a title is one, and the newer's."""
    titles = [_HEADING.match(document.body) for document in (before, one, other)]
    was, is_one, is_other = (found.group() if found else None for found in titles)
    if is_one is None or is_other is None or is_one == is_other or was in (is_one, is_other):
        return before, one, other
    title = is_one if newer is one else is_other

    def titled(document: Document, found: re.Match[str] | None) -> Document:
        rest = document.body[found.end() :] if found else "\n\n" + document.body
        return replace(document, body=title + rest)

    if not before.body:
        return before, titled(one, titles[1]), titled(other, titles[2])
    return titled(before, titles[0]), titled(one, titles[1]), titled(other, titles[2])
