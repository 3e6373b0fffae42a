"""Whatever a person types for an entry, it is that entry, or a clear no."""

from __future__ import annotations

import shutil
import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from memjournal.indexer.search.resolve import resolve
from memjournal.journal.entry import EntryId
from memjournal.journal.errors import AmbiguousError, NotFoundError, UsageError

from .world import World


@pytest.fixture
def filled(world: World) -> World:
    for entry_id, name in (("abcdef", "a"), ("abcxyz", "b"), ("Zzzzzz1", "deep/er/c")):
        world.note(f"notes/{name}.md", f"---\nid: {entry_id}\n---\n# {name}\n")
    world.note("notes/회의 록.md", "커넥션")
    world.update()
    return world


def titles(world: World, *texts: str, cwd: Path | None = None) -> list[str]:
    with world.catalog() as catalog:
        return [row.title for row in resolve(catalog, texts, root=world.root, cwd=cwd or Path("/"))]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "abcdef",
            "mem:abcdef",
            "[mem:abcdef]",
            "  [mem:abcdef] ",
            "MEM:abcdef",
            "mem:abcd",
            "abcd",
        ),
        *("see [mem:abcdef] there", "notes/a.md", "a.md", "./notes/../notes/a.md"),
    ],
)
def test_every_form_names_the_entry(filled: World, text: str) -> None:
    assert titles(filled, text) == ["a"]


def test_several_are_given_in_their_order_and_each_once(filled: World) -> None:
    assert titles(filled, "Zzzzzz1", "[mem:abcxyz] and [mem:abcdef]", "abcdef") == [
        *("deep/er/c", "b", "a")
    ]


@pytest.mark.parametrize("text", ["c.md", "../er/c.md", "er/c.md"])
def test_a_path_is_seen_from_the_folder_one_is_in(filled: World, text: str) -> None:
    cwd = filled.root / "notes/deep" / ("" if text.startswith("er") else "er")
    assert titles(filled, text, cwd=cwd) == ["deep/er/c"]
    assert titles(filled, str(filled.root / "notes/deep/er/c.md")) == ["deep/er/c"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_path_may_be_typed_in_either_form(filled: World, form: Literal["NFC", "NFD"]) -> None:
    path = unicodedata.normalize("NFD", "notes/색인.md")
    filled.note(path, "색인")
    filled.update()
    assert titles(filled, unicodedata.normalize(form, "notes/색인.md")) == [Path(path).stem]
    assert titles(filled, unicodedata.normalize(form, "notes/회의 록.md")) == ["회의 록"]


def test_a_journal_behind_a_link_is_the_same_journal(filled: World, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(filled.root)
    assert titles(filled, str(tmp_path / "link/notes/a.md")) == ["a"]
    assert titles(filled, "a.md", cwd=tmp_path / "link/notes") == ["a"]


def test_an_id_in_two_files_gives_both(filled: World) -> None:
    shutil.copy(filled.root / "notes/a.md", filled.root / "notes/copy.md")
    filled.update()
    assert titles(filled, "abcdef") == ["a", "a"]
    assert titles(filled, "abcde") == ["a", "a"]


def test_an_id_that_an_entry_had_before_still_names_it(filled: World) -> None:
    filled.note("notes/new.md", "---\nid: abcdefQ1\naliases: [mem:oldold, abcdef]\n---\n# new\n")
    filled.note("notes/one.md", "---\nid: yyyyyy\naliases: Former\n---\n# one\n")
    filled.update()
    assert titles(filled, "mem:oldold", "Former") == ["new", "one"]
    assert titles(filled, "abcdef") == ["a"]  # it belongs to another entry now
    assert filled.ask("see [mem:oldold]").hits[0].row.title == "new"
    (filled.root / "notes/a.md").unlink()
    filled.update()
    assert titles(filled, "abcdef") == ["new"]
    with filled.catalog() as catalog:
        assert catalog.has_id("oldold") and not catalog.has_id("oldol")
    filled.note("notes/new.md", "---\nid: abcdefQ1\n---\n# new\n")
    filled.update()
    with pytest.raises(NotFoundError):
        titles(filled, "oldold")


@pytest.mark.parametrize(
    "aliases", ["", "{a: b}", "[[1], 2, '', 가나다라마바, a b c d]", "7", "no"]
)
def test_aliases_of_any_kind_do_no_harm(filled: World, aliases: str) -> None:
    filled.note("notes/new.md", f"---\nid: abcdefQ1\naliases: {aliases}\n---\n# new\n")
    filled.update()
    assert titles(filled, "abcdefQ1") == ["new"]


def test_a_beginning_of_several_is_ambiguous_and_lists_them(filled: World) -> None:
    with pytest.raises(AmbiguousError, match=r"fits 2 entries: mem:abcdef \(a\), mem:abcxyz \(b\)"):
        titles(filled, "abc")


@pytest.mark.parametrize(
    "text",
    ["a", "Z", "zzzzzz1", "abcdefg", "notes", "notes/gone.md", "../outside.md", "/etc/passwd"]
    + ["~nobody-by-that-name/x.md", "no\0where.md", "x" * 5_000, "%", "_", "a' OR 1=1 --"],
)
def test_what_names_nothing_is_said_to(filled: World, text: str) -> None:
    with pytest.raises(NotFoundError):
        titles(filled, text)


def test_one_letter_is_too_little(filled: World) -> None:
    with pytest.raises(NotFoundError, match="at least 2 letters"):
        titles(filled, "Z")


@pytest.mark.parametrize("text", ["", "  ", "mem:", "mem:a-b", "[]"])
def test_what_is_no_reference_is_refused(filled: World, text: str) -> None:
    with pytest.raises(UsageError):
        titles(filled, text)


def test_an_id_wins_over_a_file_of_that_name(world: World) -> None:
    world.note("notes/abcdef", "no Markdown")
    world.note("notes/x.md", f"---\nid: {EntryId('abcdef')}\n---\n# by id\n")
    world.update()
    assert titles(world, "abcdef") == ["by id"]
