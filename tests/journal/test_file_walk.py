"""A walk goes through real folders in the order of the paths, and names what it could not look into in time."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memjournal.journal.file_walk import FileWalk
from memjournal.journal.reading import JournalFile, kind_of, list_files, stat_file

from ..odd_paths import ODD_PATHS

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere two of these names are one"
)


def make(root: Path, paths: Iterable[str]) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, encoding="utf-8")


def walked(root: Path, *places: str) -> list[str]:
    walk = FileWalk(root, places, suffixes=(".md", ".markdown"))
    return [file[0] for some in walk.files() for file in some]


@given(paths=st.sets(st.sampled_from(ODD_PATHS)))
def test_files_come_in_the_order_of_their_paths_whatever_is_in_their_names(
    tmp_path_factory: pytest.TempPathFactory, paths: set[str]
) -> None:
    root = tmp_path_factory.mktemp("journal")
    make(root, paths)
    assert walked(root, "sessions", "notes", "memories") == sorted(paths)
    found = list_files(root).files
    assert found == tuple(stat_file(root, path) for path in sorted(paths))
    assert [file.kind for file in found] == [kind_of(path) for path in sorted(paths)]


def test_names_that_are_not_utf8_do_not_disturb_the_order(tmp_path: Path) -> None:
    make(tmp_path, ODD_PATHS)
    for name in (b"notes/a\xff/x.md", b"notes/\xed\x9f\xc0/x.md", b"notes/a-\xff.md"):
        place = os.path.join(os.fsencode(tmp_path), name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.close(os.open(place, os.O_CREAT))
    assert walked(tmp_path, "memories", "notes", "sessions") == sorted(ODD_PATHS)
    assert len(list_files(tmp_path).unreadable) == 3


def test_a_place_in_another_one_is_walked_once(tmp_path: Path) -> None:
    make(tmp_path, ["notes/a.md", "notes/a/x.md", "notes/a-b/x.md", "notes/b.md"])
    assert walked(tmp_path, "notes/a/x.md", "notes/a", "notes/a-b", "notes/a/none") == [
        "notes/a-b/x.md",
        "notes/a/x.md",
    ]
    assert walked(tmp_path, "notes/a.md", "notes", "notes/a", "notes") == sorted(
        ["notes/a.md", "notes/a/x.md", "notes/a-b/x.md", "notes/b.md"]
    )


def test_levels_of_folders_are_not_levels_of_calls(tmp_path: Path) -> None:
    deep = "/".join(["notes", *["d"] * 300, "x.md"])
    make(tmp_path, [deep])
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        assert walked(tmp_path, "notes") == [deep]
    finally:
        sys.setrecursionlimit(limit)


def test_a_link_that_took_the_place_of_a_folder_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, ["notes/a/x.md", "elsewhere/secret.md"])
    whole = os.open

    def swapped(path: Path, *arguments: int) -> int:
        if path.name == "a" and not path.is_symlink():  # just after it was seen to be a folder
            (path / "x.md").unlink()
            path.rmdir()
            path.symlink_to(tmp_path / "elsewhere")
        return whole(path, *arguments)

    monkeypatch.setattr(os, "open", swapped)
    walk = FileWalk(tmp_path, ["notes"], suffixes=(".md",))
    assert list(walk.files()) == []
    assert [path for path, _ in walk.unreadable] == ["notes/a"]


WALKED = """
from pathlib import Path
from memjournal.journal.file_walk import FileWalk
walk = FileWalk(Path("."), ["memories", "notes"], suffixes=(".md",))
print([file[0] for some in walk.files() for file in some])
print([path for path, _ in walk.unreadable])
"""


def test_what_cannot_be_looked_into_is_named_and_the_rest_is_found(
    tmp_path: Path, run_bound_by_modes: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, ["memories/m.md", "notes/a.md", "notes/b/x.md", "notes/c.md", "notes/d/x.md"])
    monkeypatch.chdir(tmp_path)
    closed = [tmp_path / "notes/b", tmp_path / "notes/d"]
    for folder in closed:
        folder.chmod(0)
    try:
        said = run_bound_by_modes(WALKED).splitlines()
    finally:
        for folder in closed:
            folder.chmod(0o755)
    assert said == [
        "['memories/m.md', 'notes/a.md', 'notes/c.md']",
        "['notes/b', 'notes/d']",
    ]


def test_a_file_as_it_was_found_is_equal_to_one_with_names() -> None:
    assert JournalFile("notes/a.md", 1, 2, 3) == ("notes/a.md", 1, 2, 3)
