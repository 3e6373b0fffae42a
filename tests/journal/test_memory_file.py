"""A memory file gives back what was written; any other Markdown file gives all of its words."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import assume, example, given

from memjournal.journal.entry import Edge, Entry, EntryId
from memjournal.journal.errors import FrontmatterError
from memjournal.journal.frontmatter import parse_document
from memjournal.journal.ids import mint, path_key
from memjournal.journal.memory_file import parse_memory, render_memory

from .strategies import entries, texts

NOON = datetime(2026, 11, 30, 12, tzinfo=timezone(timedelta(hours=9)))
PLAIN = Entry(id=EntryId("a7Bc3x"), kind="fact", type="note", title="t", body="b", created=NOON)


def parse(text: str) -> tuple[Entry, str]:
    return parse_memory(text, path="notes/인증 메모.md", fallback_time=NOON)


@given(entries())
def test_an_entry_survives_the_trip_through_markdown(entry: Entry) -> None:
    assert parse(render_memory(entry)) == (entry, "")


@given(texts)
@example("---\nid: a7Bc3x\nid: k2Jd8f\n---\nbody\n")
@example("\ufeff---\n\tx: y\n---\n")
@example("---\na rule, words\n---\n# and no frontmatter\n")
def test_every_word_of_a_text_without_fields_is_in_title_or_body(text: str) -> None:
    assume(not parse_document(text).fields)
    entry, _ = parse(text)
    assert re.findall(r"\w+", text) == re.findall(r"\w+", f"{heading_of(text, entry)}{entry.body}")


def heading_of(text: str, entry: Entry) -> str:
    """The title, if it is a heading of the text rather than the file's name."""
    return "" if entry.title == "인증 메모" and entry.title not in text else f"{entry.title}\n"


def test_what_memjournal_writes_reads_well() -> None:
    entry = Entry(
        id=EntryId("a7Bc3x"),
        kind="fact",
        type="decision",
        project="github.com/acme/shop",
        title="세션 토큰은 Redis 대신 서명 쿠키로",
        body="서버를 무상태로 두기 위해.",
        created=NOON,
        tags=("auth", "session"),
        source=("mem:k2Jd8f",),
        confidence=0.86,
        edges=(Edge("supersedes", "mem:Qw81zD"),),
    )
    assert render_memory(entry) == (
        "---\n"
        "id: a7Bc3x\n"
        "kind: fact\n"
        "type: decision\n"
        "project: github.com/acme/shop\n"
        "created: 2026-11-30T12:00:00+09:00\n"
        "tags: [auth, session]\n"
        "source: [mem:k2Jd8f]\n"
        "edges:\n"
        "  - supersedes: mem:Qw81zD\n"
        "confidence: 0.86\n"
        "---\n"
        "# 세션 토큰은 Redis 대신 서명 쿠키로\n"
        "\n"
        "서버를 무상태로 두기 위해.\n"
    )


@pytest.mark.parametrize("title", ["one\ntwo", "one\rtwo"])
def test_a_title_of_two_lines_is_refused(title: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        render_memory(replace(PLAIN, title=title))


@pytest.mark.parametrize(
    "fields",
    [
        {"files": tuple(f"src/module_{n}/file.py" for n in range(4000))},
        {"edges": (Edge("r" * 2000, "mem:a7Bc3x"),)},
        {"extra": {"a": {"b": {"c": {"d": {"e": {"f": {"g": "deep"}}}}}}}},
    ],
    ids=["too many", "key too long", "too deep"],
)
def test_fields_that_could_not_be_read_back_are_never_written(fields: dict[str, Any]) -> None:
    with pytest.raises(FrontmatterError, match="cannot be written"):
        render_memory(replace(PLAIN, **fields))


def test_a_note_without_frontmatter_is_named_by_its_path_and_first_heading() -> None:
    entry, problem = parse("# 인증 메모\n\n토큰은 쿠키에\n")
    assert (entry.id, entry.title, entry.body) == (
        mint(path_key("notes/인증 메모.md")),
        "인증 메모",
        "토큰은 쿠키에",
    )
    assert (entry.kind, entry.type, entry.created, problem) == ("fact", "note", NOON, "")


def test_a_note_without_a_heading_is_called_as_its_file() -> None:
    assert parse("just words\n")[0].title == "인증 메모"


def test_another_programs_id_is_kept_beside_ours() -> None:
    entry, _ = parse("---\nid: 2024-01-01/note\n---\nx\n")
    assert entry.id == mint(path_key("notes/인증 메모.md"))
    assert entry.extra == {"id": "2024-01-01/note"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("created", "yesterday"),
        ("updated", "2024-13-45"),
        ("confidence", "very"),
        ("confidence", "nan"),
        ("turn", "-1"),
        ("turn", "²"),
        ("privacy", "secret"),
        ("edges", "none"),
        ("tags", "{a: b}"),
        ("project", "[a, b]"),
        ("files", "[[a]]"),
    ],
)
def test_a_field_of_the_wrong_type_is_named_and_kept(field: str, value: str) -> None:
    entry, problem = parse(f"---\n{field}: {value}\ntags2: [x]\n---\nbody\n")
    assert problem == f"the field {field!r} cannot be read"
    assert set(entry.extra) == {field, "tags2"}
    assert entry.body == "body"


@pytest.mark.parametrize("field", ["kind: recipe", "kind: [a]", "type: {a: b}"])
def test_a_kind_or_type_of_somebody_else_is_kept(field: str) -> None:
    entry, _ = parse(f"---\n{field}\n---\nbody\n")
    assert (entry.kind, entry.type) == ("fact", "note")
    assert list(entry.extra) == [field.partition(":")[0]]


def test_broken_frontmatter_is_text_and_does_not_take_the_id() -> None:
    entry, problem = parse("---\nid: a7Bc3x\ntitle: fix: the bug\n---\n# Heading\nbody\n")
    assert "line 3" in problem
    assert entry.id == "a7Bc3x"
    assert "fix: the bug" in entry.body and "Heading" in entry.body


def test_a_title_in_several_lines_is_one_line() -> None:
    assert parse("---\ntitle: |\n  two\n  lines\n---\nx\n")[0].title == "two lines"


@pytest.mark.parametrize(
    "tags", ["auth, session", "auth session", "[auth, session]", "'#auth #session'"]
)
def test_tags_are_read_as_other_programs_write_them(tags: str) -> None:
    assert parse(f"---\ntags: {tags}\n---\n")[0].tags == ("auth", "session")


@pytest.mark.parametrize("key", ["created", "created_at", "date", "creation date"])
def test_a_date_under_any_usual_name_is_the_entrys(key: str) -> None:
    assert parse(f"---\n{key}: 2024-03-04\n---\n")[0].created == datetime(2024, 3, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("notes/2026-11-29.md", "2026-11-29"),
        ("notes/회의록-2026-11-12.md", "2026-11-12"),
        ("notes/일지/2026/11-29.md", "2026-11-29"),
        ("notes/20261129 아침.md", "2026-11-29"),
        ("notes/2024/archive-2026.01.02-b.md", "2026-01-02"),
        ("notes/2026-13-40.md", ""),
        ("notes/120261129.md", ""),
        ("notes/2026-02-30.md", ""),
    ],
)
def test_a_note_is_of_the_day_that_its_path_names(path: str, day: str) -> None:
    modified = datetime(2020, 1, 1, tzinfo=UTC)
    entry, _ = parse_memory("some words\n", path=path, fallback_time=modified)
    assert entry.created == (datetime.fromisoformat(f"{day}T00:00Z") if day else modified)
    dated, _ = parse_memory("---\ndate: 2001-01-01\n---\nx\n", path=path, fallback_time=modified)
    assert dated.created.year == 2001
