"""The journal that is meant is found from any folder, and a closed folder on the way is no hindrance."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memjournal.journal.errors import NoJournalError, StorageError
from memjournal.journal.place import MARKER, PROJECT_FOLDER, find_journal, require_journal

from ..odd_places import a_folder, a_loop, a_pipe, a_socket, an_endless_device


def make(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / MARKER).write_text("")
    return folder


def test_the_nearest_one_counts_and_else_the_default(tmp_path: Path) -> None:
    default = make(tmp_path / "default")
    own = make(tmp_path / "work" / "shop" / PROJECT_FOLDER)
    inside = tmp_path / "work" / "shop" / "src"
    inside.mkdir()
    assert find_journal(inside, default=default) == own
    assert find_journal(own, default=default) == own
    assert find_journal(tmp_path / "work", default=default) == default
    with pytest.raises(NoJournalError, match="make one with `mem init"):
        find_journal(inside.parents[1], default=tmp_path / "none")


@pytest.mark.parametrize(
    ("obstruct", "kind"),
    [
        (a_pipe, "a pipe"),
        (a_folder, "a folder"),
        (a_socket, "a socket"),
        (a_loop, "a link that leads to no file"),
        (an_endless_device, "a link that leads to no file"),
    ],
)
def test_what_stands_in_the_place_of_its_file_is_named(
    tmp_path: Path, obstruct: Callable[[Path], None], kind: str
) -> None:
    default = make(tmp_path / "default")
    own = tmp_path / "shop" / PROJECT_FOLDER
    own.mkdir(parents=True)
    obstruct(own / MARKER)
    for find in (
        lambda: find_journal(own.parent, default=default),  # not the default: it is not meant
        lambda: find_journal(tmp_path, default=own),
        lambda: require_journal(own),
    ):
        with pytest.raises(NoJournalError) as raised:
            find()
        assert str(raised.value) == (
            f"{own / MARKER}: there is {kind} where the journal's file should be; move it away;"
            f" `mem init {own}` makes the file"
        )


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may look everywhere")
def test_a_folder_that_may_not_be_looked_into_is_passed_by(tmp_path: Path) -> None:
    default, closed = make(tmp_path / "default"), tmp_path / "closed"
    (closed / "below").mkdir(parents=True)
    closed.chmod(0)
    try:
        assert find_journal(closed / "below", default=default) == default
        with pytest.raises(StorageError):
            require_journal(closed / "below")
    finally:
        closed.chmod(0o700)


def test_what_cannot_be_told_is_an_error_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = make(tmp_path / "default")
    is_file = Path.is_file

    def refuse(path: Path) -> bool:
        if "closed" in path.parts:
            raise PermissionError(13, "Permission denied")
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refuse)
    assert find_journal(tmp_path / "closed", default=default) == default
    with pytest.raises(StorageError):
        require_journal(tmp_path / "closed")
