"""What a tool read is found by its call, what it did by its words, and a compaction by nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memjournal.indexer.text.content import MAX_EMBEDDED_CHARS, IndexedText
from memjournal.indexer.text.content import indexed_text as indexed_text_of
from memjournal.journal.entry import Entry, EntryId


def entry(**more: object) -> Entry:
    fields: dict[str, object] = {
        "id": EntryId("aaaaaa"),
        "kind": "event",
        "type": "user_prompt",
        "title": "the call",
        "body": "the words",
        "created": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Entry(**{**fields, **more})  # type: ignore[arg-type]  # test helper


def indexed_text(entry: Entry) -> IndexedText:
    return indexed_text_of(entry, entry.body)


def test_a_memory_is_found_by_title_names_and_text() -> None:
    found = indexed_text(
        entry(kind="fact", type="note", tags=("db",), symbols=("Pool",), files=("src/a/pool.py",))
    )
    assert found == IndexedText("the call db Pool pool.py", "the words", "the call", "the words")


def test_a_prompt_has_no_title_of_its_own() -> None:
    assert indexed_text(entry()) == IndexedText("", "the words", "", "the words")


@pytest.mark.parametrize("tool", ["Read", "Grep", "WebFetch"])
def test_what_was_read_is_found_by_its_call(tool: str) -> None:
    found = indexed_text(entry(type="tool_output", tool=tool, files=("src/a.py",)))
    assert found == IndexedText("the call a.py", "", "the call", "")


@pytest.mark.parametrize("outcome", ["error", "interrupted"])
def test_a_failure_is_found_by_its_words(outcome: str) -> None:
    found = indexed_text(entry(type="tool_output", tool="Read", extra={"outcome": outcome}))
    assert found == IndexedText("", "the words", "failed the call", "")


def test_what_a_tool_did_is_found_by_its_words_and_embedded_by_its_call() -> None:
    found = indexed_text(entry(type="tool_output", tool="Bash"))
    assert found == IndexedText("", "the words", "the call", "")


def test_what_was_decided_is_embedded_as_a_whole() -> None:
    assert indexed_text(entry(type="tool_output", tool="ExitPlanMode")).embedded == "the words"


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("compaction", IndexedText("", "", "", "")),
        ("title", IndexedText("the words", "", "the words", "")),
        ("resume", IndexedText("", "the words", "", "the words")),
    ],
)
def test_markers(tool: str, expected: IndexedText) -> None:
    assert indexed_text(entry(type="session_marker", tool=tool)) == expected


def test_a_very_long_text_is_embedded_up_to_a_limit_and_indexed_whole() -> None:
    found = indexed_text(entry(kind="fact", type="note", body="x" * (MAX_EMBEDDED_CHARS + 9)))
    assert (len(found.embedded), len(found.body)) == (MAX_EMBEDDED_CHARS, MAX_EMBEDDED_CHARS + 9)
