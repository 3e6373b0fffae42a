"""What is in the way is blamed, and not what would be in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memjournal.journal.obstacle import find_obstacle, kind_at

from ..odd_places import a_folder, a_loop, a_pipe, a_socket


def a_file(place: Path) -> None:
    place.write_text("x")


@pytest.mark.parametrize(
    ("make", "kind"),
    [(a_file, "a file"), (a_pipe, "a pipe"), (a_socket, "a socket"), (a_loop, "a link")],
)
def test_it_is_named_wherever_above_it_stands(
    tmp_path: Path, make: Callable[[Path], None], kind: str
) -> None:
    place = tmp_path / "state"
    make(place)
    for folder in (place, place / "run", place / "run" / "more"):
        obstacle = find_obstacle(folder)
        assert obstacle is not None
        assert str(obstacle) == f"{place}: there is {kind} where a folder is needed; move it away"


def test_folders_links_to_them_and_what_is_not_there_are_none(tmp_path: Path) -> None:
    a_folder(tmp_path / "folder")
    (tmp_path / "link").symlink_to("folder")
    for name in ("folder", "link", "link/new", "new/newer"):
        assert find_obstacle(tmp_path / name) is None
    assert (kind_at(tmp_path / "folder"), kind_at(tmp_path / "new")) == ("a folder", "")
