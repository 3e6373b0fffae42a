"""An index is for its owner alone, and no bytes of another one are ever taken in."""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from pathlib import Path

import pytest

from memjournal.indexer.errors import IndexDamagedError
from memjournal.journal import files
from memjournal.journal.errors import CannotCreateError, LockedError

from .filled import filled
from .world import World

LEAVES_FILES_OPEN = pytest.mark.filterwarnings(  # Whoosh, of files that it cannot read
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_the_index_is_for_its_owner_alone(world: World) -> None:
    filled(world)
    folder = world.index.folder

    def mode() -> int:
        return folder.stat().st_mode & 0o777

    before = os.umask(0)
    try:
        world.update()
        assert mode() == 0o700
        folder.chmod(0o755)  # as older versions made it
        world.update(later_s=1)
    finally:
        os.umask(before)
    assert mode() == 0o700


def test_a_link_in_place_of_the_index_is_not_followed(world: World, tmp_path: Path) -> None:
    filled(world)
    theirs = tmp_path / "theirs"
    (theirs / "faiss").mkdir(parents=True)
    (theirs / "faiss/source.py").write_text("precious", "utf-8")
    world.index.folder.symlink_to(theirs)
    with pytest.raises(CannotCreateError, match="symbolic link"):
        world.update()
    world.index.folder.unlink()
    world.index.folder.mkdir()
    (world.index.folder / "faiss").symlink_to(theirs / "faiss")
    world.update()
    world.check_against_a_rebuild()
    assert (theirs / "faiss/source.py").read_text("utf-8") == "precious"
    assert os.listdir(theirs) == ["faiss"]


class Bomb:
    """A pickle of it makes a folder when it is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self._path),)


def plant(folder: Path, bomb: Bomb) -> None:
    """Let the newest state of the Whoosh index in *folder* be a pickle of *bomb*."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from whoosh.fields import Schema
        from whoosh.filedb.filestore import FileStorage
        from whoosh.index import TOC
    newest = TOC._latest_generation(FileStorage(str(folder)), "terms")
    TOC(Schema(), bomb, newest + 1).write(FileStorage(str(folder)), "terms")


@LEAVES_FILES_OPEN
def test_an_index_that_came_with_the_journal_is_never_opened(world: World, tmp_path: Path) -> None:
    filled(world)
    world.update(later_s=1)  # somebody else's machine: their journal tracks index/
    whoosh, exploded = world.root / "index/whoosh", tmp_path / "exploded"
    plant(whoosh, Bomb(exploded))
    ours = world.open(machine="our machine", lock_timeout_s=0.1)
    for open_ in (ours.open_keyword, ours.open_vectors, ours.verify):
        with pytest.raises(IndexDamagedError, match="it was made on another machine"):
            open_()
    with files.locked(ours.folder / "writer.lock", timeout_s=1):
        with pytest.raises(LockedError):
            ours.update(now_ns=time.time_ns())
        with pytest.raises(LockedError):
            world.search("pool timeout", ours)  # as after an update that failed
    assert not exploded.exists()

    report = ours.update(now_ns=time.time_ns())
    assert report.remarks == [
        f"the {target} index was made on another machine or with another state folder; it was rebuilt"
        for target in ("keyword", "vector")
    ]
    assert world.ask("pool timeout", ours).hits
    assert ours.verify() == []
    assert not exploded.exists()

    plant(whoosh, Bomb(exploded))  # so that it cannot test nothing: our own would be opened
    with contextlib.suppress(IndexDamagedError):
        ours.open_keyword()
    assert exploded.exists()


@LEAVES_FILES_OPEN
def test_a_search_beside_a_foreign_index_rebuilds_it_unread(world: World, tmp_path: Path) -> None:
    filled(world)
    world.update(later_s=1)
    plant(world.root / "index/whoosh", Bomb(tmp_path / "exploded"))
    searcher, answer = world.search("pool timeout", world.open(machine="our machine"))
    assert len(searcher.remarks) == 2
    assert answer.hits and answer.used_vector
    assert not (tmp_path / "exploded").exists()


def test_an_index_cannot_be_made_without_a_token(world: World) -> None:
    with pytest.raises(ValueError, match="token"):
        world.open(machine="")
