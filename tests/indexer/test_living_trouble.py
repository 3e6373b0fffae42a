"""What goes wrong while the index lives is over when its cause is: nothing that was saved meanwhile is missed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memjournal.indexer.living import writer
from memjournal.indexer.upkeep.growth import WINDOW_BYTES

from .crashing import WITHOUT_RIGHTS, can_give_up_rights
from .programs import program
from .test_living import DEADLINE_S, Living, alive
from .world import World

# --- what stands in the way for a while -----------------------------------------------------


@contextlib.contextmanager
def a_file_for_the_folder(folder: Path) -> Iterator[None]:
    away = folder.with_name("away")
    folder.rename(away)
    folder.write_text("in the way")
    yield
    folder.unlink()
    away.rename(folder)


@contextlib.contextmanager
def a_folder_for_each_file(folder: Path) -> Iterator[None]:
    """Of what is in the folder, nothing can be opened."""
    away = folder.with_name(f"{folder.name}-away")
    shutil.copytree(folder, away)
    for path in folder.iterdir():
        path.unlink()
        path.mkdir()
    yield
    shutil.rmtree(folder)
    away.rename(folder)


@contextlib.contextmanager
def nothing_at_all(folder: Path) -> Iterator[None]:
    away = folder.with_name(f"{folder.name}-away")
    folder.rename(away)
    yield
    if folder.exists():
        shutil.rmtree(away)
    else:
        away.rename(folder)


@pytest.fixture
def living(world: World) -> Iterator[Living]:
    world.note("notes/a.md", "# old timeout\n")
    world.note("notes/지울 것.md", "# 지울 invoice\n")
    with alive(world) as made:
        assert made.finds("timeout") and made.finds("invoice")
        yield made


@pytest.mark.parametrize(
    ("part", "trouble"),
    [
        ("index", a_file_for_the_folder),
        ("index", nothing_at_all),
        ("index/whoosh", a_folder_for_each_file),
        ("index/whoosh", nothing_at_all),
        ("index/faiss", a_folder_for_each_file),
        ("index/faiss", nothing_at_all),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_was_saved_while_the_index_could_not_be_written_is_found_afterwards(
    living: Living, part: str, trouble: Callable[[Path], contextlib.AbstractContextManager[None]]
) -> None:
    with trouble(living.root / part):
        living.world.note("notes/a.md", "# new rollback\n")
        living.world.note("notes/b.md", "# 환불 queue\n")
        (living.root / "notes/지울 것.md").unlink()
        living.index.refresh(None, patience_s=DEADLINE_S)  # it fails, or mends it
    assert living.finds("rollback", "notes/a.md")
    assert living.finds("환불", "notes/b.md")
    assert living.loses("timeout") and living.loses("invoice")
    assert living.until(lambda: not living.status().failure)
    assert living.index.refresh(None, patience_s=DEADLINE_S)
    assert living.world.open().verify() == []


@pytest.mark.parametrize("part", ["index", "index/catalog.sqlite"])
def test_an_older_copy_that_is_put_back_is_not_searched_as_it_is(living: Living, part: str) -> None:
    place = living.root / part
    copy = living.root / "copy"
    (shutil.copytree if place.is_dir() else shutil.copy)(place, copy)
    living.world.note("notes/new.md", "# 환불 queue\n")
    assert living.finds("환불", "notes/new.md")
    if place.is_dir():
        shutil.rmtree(place)
        shutil.copytree(copy, place)
    else:
        copy.replace(place)
    assert living.finds("환불", "notes/new.md")
    assert living.index.refresh(None, patience_s=DEADLINE_S)
    assert living.world.open().verify() == []


READ_ONLY = """
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.living.living_index import LivingIndex, LivingOptions
import json, os, traceback
sys.path.insert(0, sys.argv[3])
from waiting import wait_until
living = LivingIndex(open_index(), options=LivingOptions(clock_ns=time.time_ns, report_bug=traceback.print_exc))
living.start()
def found(word):
    request = SearchRequest(text=word, by="keyword", now=datetime.now(UTC))
    return [hit.row.path for hit in living.search(request, patience_s=1.0).hits]
wait_until(lambda: not living.status().behind and living.status().n_reconciles)
places = [root / "index", *(path for path in (root / "index").rglob("*"))]
modes = {path: path.stat().st_mode for path in places}
for path in places:
    path.chmod(0o500 if path.is_dir() else 0o400)
(root / "notes/new.md").write_text("# 환불 대기열", "utf-8")
(root / "notes/a.md").unlink()
wait_until(lambda: living.status().failure)
failure, meanwhile = living.status().failure, [found("timeout"), found("환불")]
for path, mode in modes.items():
    path.chmod(mode)
wait_until(lambda: found("환불") and not found("timeout"))
after = living.status().failure
living.close()
print(json.dumps({"failure": failure, "meanwhile": meanwhile, "after": after}))
"""


@pytest.mark.skipif(os.name == "nt", reason="modes stop nobody there")
def test_what_was_saved_while_the_index_was_read_only_is_found_afterwards(world: World) -> None:
    if not can_give_up_rights():
        pytest.skip("root cannot give up its rights here")
    world.note("notes/a.md", "# old timeout\n")
    prefix = WITHOUT_RIGHTS if os.geteuid() == 0 else ()
    command = [*prefix, *program(world, READ_ONLY, str(Path(__file__).parents[1]))]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["failure"], told
    assert told["meanwhile"] == [["notes/a.md"], []]
    assert told["after"] == ""


def test_after_an_error_that_nobody_foresaw_everything_is_looked_at(world: World) -> None:
    world.note("notes/a.md", "# old timeout\n")
    update, n_errors = world.index.update, 0

    def failing(**given: Any) -> Any:
        nonlocal n_errors
        if given.get("only") and n_errors < 2:
            n_errors += 1
            raise ZeroDivisionError
        return update(**given)

    with alive(world) as living:
        assert living.finds("timeout")
        world.index.update = failing  # type: ignore[method-assign]  # stands for a bug
        n_before = living.status().n_reconciles
        world.note("notes/b.md", "# 환불 queue\n")
        assert living.finds("환불", "notes/b.md")
        assert n_errors and living.status().n_reconciles > n_before
        assert "ZeroDivisionError" in living.bugs[0]
        assert living.until(lambda: not living.status().failure)
        living.bugs.clear()


# --- a session that grows and is edited -----------------------------------------------------


@pytest.fixture
def session(world: World) -> Path:
    """The file of a session that is longer than what is compared when it grows."""
    filler = "배포와 롤백 이야기가 이어진다 " * 40
    world.events([f"old timeout {number} {filler}" for number in range(200)])
    (path,) = world.paths("sessions")
    assert (world.root / path).stat().st_size > WINDOW_BYTES + 30_000
    return world.root / path


EDITS = {
    "of the same length": (b"old timeout 3 ", b"new invoice 3 "),
    "longer": (b"old timeout 3 ", "새로 쓴 invoice 이야기 ".encode()),
    "shorter": (b"old timeout 3 ", b"invoice "),
    "within what is compared": (b"old timeout 198 ", b"new invoice 198 "),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edit_further_up_in_a_session_that_grew_is_found_when_it_is_quiet(
    world: World, session: Path, edit: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_IDLE_BEFORE_PROOF_S", 0.2)
    with alive(world) as living:
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        data = session.read_bytes()
        assert data.count(edit[0]) == 1
        session.write_bytes(data.replace(*edit))
        world.events(["세션이 자랐다 webhook"])
        assert living.index.refresh(
            [session.relative_to(world.root).as_posix()], patience_s=DEADLINE_S
        )
        assert len(living.titles("webhook", patience_s=0)) == 1
        assert living.until(lambda: len(living.titles("invoice")) == 1)
        assert living.world.open().verify() == []


def test_an_edit_further_up_is_found_at_once_when_everything_is_proven_beside_it(
    world: World, session: Path
) -> None:
    """As ``mem index`` does."""
    with alive(world) as living:
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        session.write_bytes(session.read_bytes().replace(*EDITS["of the same length"]))
        world.events(["세션이 자랐다 webhook"])
        other = world.open()
        other.update(now_ns=time.time_ns())
        other.prove(now_ns=time.time_ns())
        assert len(living.titles("invoice")) == 1
        assert other.verify() == []


def test_growth_is_proven_by_a_look_at_everything_although_other_files_never_rest(
    world: World, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that was quiet for its minute is read whole then, however busy the rest is."""
    monkeypatch.setattr(writer, "_IDLE_BEFORE_PROOF_S", 3_600.0)  # stands for saves elsewhere
    with alive(world, clock_ns=lambda: time.time_ns() + 120 * 10**9) as living:
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        session.write_bytes(session.read_bytes().replace(*EDITS["of the same length"]))
        world.events(["세션이 자랐다 webhook"])
        assert living.finds("webhook")
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        assert len(living.titles("invoice")) == 1
