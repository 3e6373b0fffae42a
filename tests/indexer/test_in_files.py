"""The text of an entry is the same whether it is cut from its bytes or parsed, or is not given at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.indexer.catalog.entry_filter import EntryFilter
from memjournal.indexer.catalog.row import Row
from memjournal.indexer.text.content import indexed_text
from memjournal.journal import reading

from ..odd_places import a_pipe
from .world import World

FRONTMATTER = st.sampled_from(
    [
        "",
        "---\nkind: fact\ntype: decision\ntags: [환불, db]\nsymbols: [Pool]\n---\n",
        "---\ntitle: 커넥션 풀\nfiles: [src/pool.py]\n---\n",
        "---\ntitle: [broken\n---\n",
        "\ufeff---\r\nid: a7Bc3x\r\n---\r\n",
        "---\n한 줄\n---\n",
    ]
)
LINE = st.sampled_from(
    [
        *(
            "",
            "# 제목",
            "# pool timeout",
            "환불은 두 번 재시도한다",
            "\u1112\u116a\u11ab NFD",
            "---",
        ),
        *(
            "## 09:12:04 user_prompt [mem:a7Bc3x]",
            "\\## escaped",
            "<!-- /mem:a7Bc3x -->",
            "a\u2028b",
        ),
    ]
)
TEXT = st.lists(LINE, max_size=5)
ENDING = st.sampled_from(["", "\n", "\n\n", "\r\n"])


def rows_of(world: World) -> list[Row]:
    with world.catalog() as catalog:
        return catalog.find(EntryFilter(), limit=-1)


def check(world: World) -> None:
    world.update()
    for row in rows_of(world):
        stored = world.index.read(row)
        assert stored is not None
        body = world.index.read_body(row)
        assert body is not None
        assert body == stored.entry.body
        assert indexed_text(row, body) == indexed_text(stored.entry, stored.entry.body)


@given(
    frontmatter=FRONTMATTER,
    lines=TEXT,
    line_end=st.sampled_from(["\n", "\r\n"]),
    ending=ENDING,
    raw=st.sampled_from([b"", b"\xff\xfe", b"\xea\xb0"]),
)
def test_a_file_of_any_form(
    frontmatter: str, lines: list[str], line_end: str, ending: str, raw: bytes
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), "none", vectors=False)
        text = frontmatter + line_end.join(lines) + ending
        world.note("notes/a.md", text.encode("utf-8") + raw)
        check(world)


@given(texts=st.lists(TEXT.map("\n".join), min_size=1, max_size=4), by_hand=TEXT.map("\n".join))
def test_events_of_any_form_with_words_written_between(texts: list[str], by_hand: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), "none", vectors=False)
        world.events(texts)
        world.events(texts, type_="tool_output")
        (path,) = world.paths("sessions")
        with open(world.root / path, "ab") as stream:
            stream.write(f"{by_hand}\n".encode())
        check(world)


def test_of_most_entries_the_text_is_cut_and_nothing_parsed(tmp_path: Path) -> None:
    world = World(tmp_path, "none", vectors=False)
    world.memory("커넥션 풀", "풀이 고갈되면 환불도 멈춘다.")
    world.note("notes/plain.md", "# pool\r\n\r\ntimeout\r\n")
    world.events(["환불은 왜 멈췄나?", "because the pool was empty\n\nand nobody saw it"])
    world.update()
    assert len(rows_of(world)) == 4
    assert all(row.body_start is not None for row in rows_of(world))


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_what_is_no_file_is_not_waited_for_nor_followed(tmp_path: Path, kind: str) -> None:
    world = World(tmp_path / "journal", "none", vectors=False)
    note = world.note("notes/a.md", "# 환불\n\n풀 고갈\n")
    world.events(["세션 환불"])
    session = world.root / world.paths("sessions")[0]
    world.update()
    rows = rows_of(world)
    for path in (note, session):
        outside = tmp_path / path.name
        path.rename(outside)
        {"pipe": a_pipe, "folder": os.mkdir}.get(kind, lambda at, to=outside: at.symlink_to(to))(
            path
        )
    assert [world.index.read_body(row) for row in rows] == [None, None]
    assert [world.index.read(row) for row in rows] == [None, None]
    assert {hit.snippet.text for hit in world.ask("환불").hits} == {""}


def test_of_a_note_that_is_too_large_the_beginning_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_NOTE_BYTES", 1000)
    world = World(tmp_path, "none", vectors=False)
    world.note("notes/large.md", "# 환불\n\n" + "고갈 " * 1000)
    check(world)
    assert [hit.row.path for hit in world.ask("환불").hits] == ["notes/large.md"]


def test_other_bytes_are_never_the_entry(tmp_path: Path) -> None:
    world = World(tmp_path, "none", vectors=False)
    note = world.note("notes/a.md", "# pool\n\n고갈\n")
    gone = world.note("notes/b.md", "# pool\n\ntimeout\n")
    world.update()
    first, second = sorted(rows_of(world), key=lambda row: row.path)
    with open(note, "ab") as stream:
        stream.write("더\n".encode())
    gone.unlink()
    assert world.index.read_body(first) is None  # what is indexed is only its beginning now
    assert world.index.read_body(second) is None
    os.truncate(note, first.length - 1)
    assert world.index.read_body(first) is None
