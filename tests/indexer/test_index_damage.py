"""However an update ends, and whatever a disk makes of an index, the next one mends it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memjournal.indexer.catalog.catalog import Catalog
from memjournal.indexer.catalog.outbox import MAX_ATTEMPTS, Outbox, Target
from memjournal.indexer.errors import NoIndexError
from memjournal.indexer.keywords.index import KeywordIndex
from memjournal.indexer.parts import IndexParts
from memjournal.indexer.upkeep import deriving
from memjournal.indexer.vectors.index import VectorIndex

from .filled import filled
from .programs import program
from .world import DAMAGES, QUERIES, World

LEAVES_FILES_OPEN = pytest.mark.filterwarnings(  # Whoosh, of files that it cannot read
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


# Updates that end in the middle


Method = Callable[..., object]


class Crash(Exception):
    """What no part of the index expects."""


@contextlib.contextmanager
def crash_at(method: Method, owner: type, *, after: bool) -> Iterator[list[str]]:
    """Let the first call of a method be the last; yields what was met."""
    met: list[str] = []

    def broken(*arguments: object, **more: object) -> None:
        met.append(method.__qualname__)
        if after:
            method(*arguments, **more)
        raise Crash

    setattr(owner, method.__name__, broken)
    try:
        yield met
    finally:
        setattr(owner, method.__name__, method)


COMMIT_POINTS: dict[Method, type] = {
    Catalog.apply: Catalog,
    Outbox.note_all: Outbox,
    Outbox.settle: Outbox,
    KeywordIndex.apply: KeywordIndex,
    VectorIndex.apply: VectorIndex,
    VectorIndex.save: VectorIndex,
    IndexParts.start_anew: IndexParts,
}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("method", COMMIT_POINTS, ids=lambda method: method.__qualname__)
def test_a_crash_at_each_commit_point_leaves_work_and_no_wrong_answer(
    world: World, method: Method, after: bool
) -> None:
    """What a kill there leaves is in ``test_equivalence``; here an error ends the update."""
    filled(world)
    world.update()
    world.memory("order refund", "결제 환불")
    (world.root / world.paths("memories")[0]).unlink()
    if method in (Outbox.note_all, IndexParts.start_anew):
        shutil.rmtree(world.root / "index/whoosh")
    with crash_at(method, COMMIT_POINTS[method], after=after) as met, pytest.raises(Crash):
        world.update()
    assert met  # so that it cannot test nothing

    world.index = world.open()
    world.update()
    world.check_against_a_rebuild()


# Damage


def parts_of_the_index(world: World) -> list[str]:
    folder = world.root / "index"
    found = [p for p in folder.rglob("*") if p.is_file()]
    return sorted(p.relative_to(folder).as_posix() for p in found if "LOCK" not in p.name)


@LEAVES_FILES_OPEN
@pytest.mark.parametrize("damage", ["emptied", "cut in half", "noise", "gone"])
def test_any_damage_to_the_index_is_mended_by_itself(world: World, damage: str) -> None:
    filled(world)
    world.update()
    whole = world.answers()
    shutil.copytree(world.root / "index", world.root / "whole")
    n_mended = 0
    for name in parts_of_the_index(world):
        target = world.root / "index" / name
        if damage == "gone":
            target.unlink()
        else:
            target.write_bytes(DAMAGES[damage](target.read_bytes()))
        world.index = world.open()
        remarks = list(world.update().remarks)
        searcher, answer = world.search(QUERIES[0])
        remarks += searcher.remarks
        assert [(h.row.id, round(h.score, 6)) for h in answer.hits] == [
            (entry_id, score) for entry_id, _, score in whole[0]
        ][:10], name
        assert world.answers() == whole, name
        assert world.index.verify() == [], name
        n_mended += bool(remarks)
        shutil.rmtree(world.root / "index")
        shutil.copytree(world.root / "whole", world.root / "index")
    assert n_mended >= 8


def test_without_an_index_there_is_one_error(world: World) -> None:
    filled(world)
    for ask in (world.index.verify, world.index.read_catalog):
        with pytest.raises(NoIndexError, match="run `mem index`"):
            ask()
    assert not world.index.folder.exists()


# What is wrong is named


READ = """
from memjournal.journal.errors import MemjournalError
index = open_index()
(row,) = index.read_catalog().by_path(sys.argv[3])
for act in (index.read, index.line_of):
    try:
        print(type(act(row)).__name__)
    except MemjournalError as error:
        print(error.exit_code, error)
"""


@pytest.mark.skipif(os.name == "nt", reason="modes stop nobody there")
def test_a_file_that_may_not_be_read_is_said_to_be_so(world: World) -> None:
    prefix: list[str] = []
    if os.geteuid() == 0:
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        if (
            shutil.which("setpriv") is None
            or subprocess.run([*prefix, "true"], check=False).returncode
        ):
            pytest.skip("root cannot give up its rights here")
    path = world.memory("refund", "환불")
    world.update()
    (world.root / path).chmod(0)
    command = [*prefix, *program(world, READ, path)]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    refused = f"74 {world.root / path}: permission denied; check owner and mode"
    assert done.stdout.splitlines() == [refused, refused]
    (world.root / path).unlink()
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert done.stdout.splitlines() == ["NoneType", f"66 {world.root / path}: no such file"]


def test_verify_names_what_is_wrong(world: World) -> None:
    path = world.memory("refund", "환불")
    world.note("notes/a.md", "pool")
    world.update()
    with contextlib.closing(Catalog(world.index.catalog_path, write=True)) as catalog:
        (row,) = catalog.by_path(path)
    world.index.open_keyword().apply([], replaced=[row.docno])
    vectors = world.index.open_vectors()
    assert vectors is not None
    vectors.apply([], replaced=[row.docno])
    vectors.save()
    world.note("notes/a.md", "a pool")
    (world.root / "notes/b.md").write_text("new", "utf-8")
    assert world.index.verify() == [
        "notes/a.md: differs from the index",
        "notes/b.md: differs from the index",
        "keyword index: other entries than in the catalog",
        f"vector index: mem:{row.id} is missing",
    ]


@pytest.mark.parametrize("target", ["keyword", "vector"])
def test_an_older_copy_of_an_index_is_built_anew(
    world: World, target: Target, tmp_path: Path
) -> None:
    note = world.note("notes/a.md", "# old invoice\n")
    world.update()
    folder = world.index.folder_of(target)
    shutil.copytree(folder, tmp_path / "copy")
    note.write_text("# new 환불\n", "utf-8")
    world.note("notes/b.md", "# 커넥션 pool\n")
    world.update()
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "copy", folder)
    index = world.open()
    report = index.update(now_ns=time.time_ns())
    assert any("rebuilt" in remark for remark in report.remarks)
    assert [hit.row.path for hit in world.ask("환불", index, by="keyword").hits] == ["notes/a.md"]
    assert world.ask("invoice", index, by="keyword").hits == ()
    assert index.verify() == []


def test_what_cannot_be_indexed_is_tried_a_few_times_and_then_named(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.memory("refund", "환불")
    monkeypatch.setattr(deriving, "read_body", lambda *_: None)
    for attempts in range(1, MAX_ATTEMPTS + 1):
        world.update()
        with contextlib.closing(Catalog(world.index.catalog_path, write=True)) as catalog:
            assert catalog.outbox.count("keyword") == (attempts < MAX_ATTEMPTS)
    with world.catalog() as catalog:
        assert {target for target, _, _ in catalog.quarantined()} == {"keyword", "vector"}
    monkeypatch.undo()
    assert world.index.verify() != []
    path = world.root / world.paths("memories")[0]
    path.write_text(path.read_text("utf-8") + "more\n", "utf-8")  # a change is a new chance
    world.update()
    world.check_against_a_rebuild()
