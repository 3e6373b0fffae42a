"""Every word in a journal's files is found, at its place, and nothing odd stops the reading."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.entry import Entry, EntryId
from memjournal.journal.reading import (
    MAX_NOTE_BYTES,
    JournalFile,
    Oddity,
    Stored,
    list_files,
    read_at,
    read_entries,
    stat_file,
)
from memjournal.journal.session_file import render_event, render_forgotten, render_header

from ..odd_places import a_pipe
from .strategies import texts
from .test_session_file import GOOD, edited
from .world import HEADER, World, make_event

SAMPLES = Path(__file__).parent / "samples"
SAMPLE_NOTES = sorted(path.name for path in SAMPLES.glob("*.md") if path.name != "README.md")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def words_of(entry: Entry) -> set[str]:
    """All that can be found of an entry."""
    return set(words(" ".join(str(getattr(entry, name)) for name in Entry.__slots__)))


# Notes


@pytest.mark.parametrize("name", SAMPLE_NOTES)
def test_every_word_of_a_note_of_somebody_is_read(world: World, name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    world.write(f"notes/{name}", data)
    (stored,) = world.stored(f"notes/{name}")
    assert stored.raw == data
    missing = set(words(data.decode("utf-8-sig"))) - words_of(stored.entry)
    assert missing <= {"tags"}  # the name of a field that we know is not a word of the entry
    assert bool(world.oddities(f"notes/{name}")) == (name == "tab-in-frontmatter.md")


def test_the_samples_are_there() -> None:
    assert len(SAMPLE_NOTES) == 5


BROKEN = {
    "tab": "---\na:\n\tb: 1\n---\n본문 tab\n",
    "duplicate": "---\na: 1\na: 2\n---\n본문 duplicate\n",
    "colon": "---\ntitle: fix: it\n---\n본문 colon\n",
    "at": "---\nwho: @me\n---\n본문 at\n",
    "bracket": "---\na: [1\n---\n본문 bracket\n",
    "unclosed": "---\nnever closed\n\n본문\n",
    "rule": "---\nwords\n---\n본문\n",
    "crlf": "\ufeff---\r\na: 1\r\n---\r\n# 제목\r\n\r\n본문\r\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_word_of_a_broken_note_is_read(world: World, name: str) -> None:
    world.write("notes/x.md", BROKEN[name])
    (stored,) = world.stored("notes/x.md")
    assert set(words(BROKEN[name])) <= words_of(stored.entry)


def test_bytes_that_are_not_utf8_are_named_with_their_line(world: World) -> None:
    world.write("notes/x.md", "# 제목\n\n".encode() + "문자".encode("cp949") + b"\nand words\n")
    ((place, what),) = [
        (one.path, one.what) for one in world.read("notes/x.md") if isinstance(one, Oddity)
    ]
    assert (place, "not UTF-8" in what) == ("notes/x.md:3", True)
    assert world.stored("notes/x.md")[0].entry.body.endswith("and words")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", "# x".encode("utf-16")])
def test_what_is_no_text_is_named_and_passed_over(world: World, data: bytes) -> None:
    world.write("notes/x.md", data)
    assert world.read("notes/x.md") == [Oddity("notes/x.md", "not a text file; it is not indexed")]


def test_a_memory_that_quotes_a_nul_is_read(world: World) -> None:
    created = world.journal.create(draft(body="a \0 b"))
    assert [one.entry for one in world.stored(created.path)] == [created.entry]


def draft(**more: object) -> Entry:
    given = {"kind": "fact", "type": "note", "title": "제목", "body": "본문"}
    return Entry(id=EntryId(""), created=HEADER.started, **{**given, **more})  # type: ignore[arg-type]  # test helper


@pytest.mark.parametrize("mtime_ns", [0, -(10**18), 2**62, 10**30, -(10**30)])
def test_any_time_of_a_file_will_do(world: World, mtime_ns: int) -> None:
    world.write("notes/x.md", "words")
    (stored,) = read_entries(world.root, JournalFile("notes/x.md", 5, mtime_ns))
    assert isinstance(stored, Stored)


def test_a_line_of_50_megabytes_is_read(world: World) -> None:
    text = "---\ntitle: big\n---\n" + "긴 줄 " * (50 * 1024 * 1024 // 8)
    world.write("notes/x.md", text)
    (stored,) = world.stored("notes/x.md")
    assert len(stored.entry.body) == len(text) - len("---\ntitle: big\n---\n")


def test_a_session_with_a_line_of_50_megabytes_is_read(world: World) -> None:
    text = "긴 줄 " * (50 * 1024 * 1024 // 8)
    record = render_event(make_event("k0", text), EntryId("a7Bc3x"))
    world.write("sessions/2026/11/30/shop--0f6d0c0e.md", render_header(HEADER).encode() + record)
    (stored,) = world.stored()
    assert (len(stored.entry.body), len(stored.entry.title)) == (len(text), 100)


def test_of_a_larger_file_the_beginning_is_read(world: World) -> None:
    path = world.write("notes/x.md", "가" * (MAX_NOTE_BYTES // 3 + 10))
    assert path.stat().st_size > MAX_NOTE_BYTES
    (what,) = world.oddities("notes/x.md")
    assert "larger than 64 MiB" in what
    assert set(world.stored("notes/x.md")[0].entry.body) == {"가"}


# Sessions


@given(st.one_of(edited(), st.binary(), texts.map(str.encode)))
def test_any_session_file_is_read_and_each_entry_stands_at_its_place(
    new_world: Callable[[], World], data: bytes
) -> None:
    world = new_world()
    world.write("sessions/2026/11/30/shop--0f6d0c0e.md", data)
    path = "sessions/2026/11/30/shop--0f6d0c0e.md"
    for stored in world.stored():
        assert data[stored.offset : stored.offset + stored.length] == stored.raw
        assert read_at(world.root, path, stored.offset, stored.length, 0) == stored


@pytest.mark.parametrize(
    "words",
    ["손으로 쓴 메모\n", "## 14:00 standup\n\n- 할 일\n", "# 제목\nwords", "<!-- mem:zzzzzz -->\n"],
)
@pytest.mark.parametrize("place", range(5))
def test_words_that_a_person_adds_between_records_are_an_entry(
    world: World, words: str, place: int
) -> None:
    parts = GOOD.split(b"\n## ")
    edge = len(b"\n## ".join(parts[: place + 1])) + 1
    world.write(
        "sessions/2026/11/30/shop--0f6d0c0e.md", GOOD[:edge] + words.encode() + b"\n" + GOOD[edge:]
    )
    added = [one.entry for one in world.stored() if one.entry.kind == "fact"]
    assert [one.body.strip("\n") for one in added] == [words.strip("\n")]
    assert (added[0].session, added[0].project) == (HEADER.session, HEADER.project)
    assert world.keys() == ["k0", "k1", "k2", "k3"]
    assert world.oddities() == []


@pytest.mark.parametrize("change", [b"\xef\xbb\xbf", b""])
def test_a_header_is_not_an_entry(world: World, change: bytes) -> None:
    for data in (GOOD, GOOD.replace(b"\n", b"\r\n")):
        world.write("sessions/2026/11/30/shop--0f6d0c0e.md", change + data)
        assert [one.entry.kind for one in world.stored()] == ["event"] * 4
        assert {one.entry.session for one in world.stored()} == {HEADER.session}


def test_a_session_file_without_header_is_odd_and_keeps_every_word(world: World) -> None:
    world.write("sessions/2026/11/30/shop--0f6d0c0e.md", "# My title\n\nwords\n")
    assert world.oddities() == ["the session has no start time"]
    assert world.stored()[0].entry.body == "# My title\n\nwords"


def test_nothing_is_read_where_something_else_stands_now(world: World) -> None:
    world.append(make_event("k0"), make_event("k1"))
    first, second = world.stored()
    path = first.path
    world.journal.forget([first])
    assert read_at(world.root, path, first.offset, first.length, 0) is None
    assert read_at(world.root, path, second.offset, second.length, 0) is None
    data = world.path.read_bytes()
    forgotten = data.index(render_forgotten(first.entry.id, ["k0"]))
    length = len(render_forgotten(first.entry.id, ["k0"]))
    assert read_at(world.root, path, forgotten, length, 0) is None
    assert read_at(world.root, path, 0, 10**6, 0) is None
    assert read_at(world.root, path, 0, len(data), 0) is None
    assert read_at(world.root, path, forgotten, len(data) - forgotten, 0) is None


# Listing


def paths(world: World) -> list[str]:
    return [file.path for file in list_files(world.root).files]


def test_all_markdown_below_the_three_folders_is_listed_in_order(world: World) -> None:
    for path in (
        "notes/b.md",
        "notes/a/z.MD",
        "notes/a.markdown",
        "memories/p/한글.md",
        "README.md",
    ):
        world.write(path, "x")
    for path in (
        "notes/x.txt",
        "notes/.hidden.md",
        "notes/.git/x.md",
        "index/x.md",
        "sessions/s.md",
    ):
        world.write(path, "x")
    assert paths(world) == sorted(
        ["memories/p/한글.md", "notes/a.markdown", "notes/a/z.MD", "notes/b.md", "sessions/s.md"]
    )
    assert [file.kind for file in list_files(world.root).files] == [
        "memory",
        *["note"] * 3,
        "session",
    ]


def test_an_empty_journal_has_no_files(world: World) -> None:
    assert list_files(world.root / "none") == list_files(world.root)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_links_are_named_and_not_followed(
    world: World, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("secret", encoding="utf-8")
    world.write("notes/real.md", "x")
    (world.root / "notes/loop").symlink_to(world.root / "notes")
    (world.root / "notes/out.md").symlink_to(outside / "secret.md")
    (world.root / "notes/dangling.md").symlink_to(outside / "none.md")
    (world.root / "memories").symlink_to(outside)
    listing = list_files(world.root)
    assert [file.path for file in listing.files] == ["notes/real.md"]
    assert [one.path for one in listing.skipped] == [
        "memories",
        "notes/dangling.md",
        "notes/loop",
        "notes/out.md",
    ]
    assert listing.unreadable == ()
    assert stat_file(world.root, "notes/out.md") is None


def test_a_pipe_is_not_waited_for(world: World) -> None:
    (world.root / "notes").mkdir()
    a_pipe(world.root / "notes/pipe.md")
    listing = list_files(world.root)
    assert (listing.files, [one.what for one in listing.skipped]) == ((), ["a pipe, not read"])
    assert stat_file(world.root, "notes/pipe.md") is None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not allow such names")
def test_names_that_are_not_utf8_are_named_and_can_be_printed(world: World) -> None:
    notes = world.write("notes/ok.md", "x").parent
    for name in (b"bad-\xff.md", b"link-\xff.md", b"folder-\xff"):
        place = os.path.join(os.fsencode(notes), name)
        if name.startswith(b"link"):
            os.symlink(b"ok.md", place)
        elif name.startswith(b"folder"):
            os.mkdir(place)
            Path(os.fsdecode(place), "in.md").write_text("x", encoding="utf-8")
        else:
            Path(os.fsdecode(place)).write_text("x", encoding="utf-8")
    listing = list_files(world.root)
    assert paths(world) == ["notes/ok.md"]
    named = [one.path for one in (*listing.unreadable, *listing.skipped)]
    assert sorted(named) == ["notes/bad-?.md", "notes/folder-?/in.md", "notes/link-?.md"]


LOCKED_OUT = """
from pathlib import Path
from memjournal.journal.reading import list_files, read_entries
listing = list_files(Path("."))
print([file.path for file in listing.files])
print([(one.path, one.what) for one in listing.unreadable])
for file in listing.files:
    try:
        print(len(list(read_entries(Path("."), file))))
    except PermissionError:
        print("not allowed")
"""


def test_a_folder_that_may_not_be_read_is_listed_as_such(
    world: World, run_bound_by_modes: Callable[..., str]
) -> None:
    world.write("notes/open.md", "x")
    world.write("notes/secret.md", "x").chmod(0)
    closed = world.write("notes/closed/in.md", "x").parent
    closed.chmod(0)
    try:
        said = run_bound_by_modes(LOCKED_OUT).splitlines()
    finally:
        closed.chmod(0o755)
    assert said == [
        "['notes/open.md', 'notes/secret.md']",
        "[('notes/closed', 'permission denied')]",
        "1",
        "not allowed",
    ]
