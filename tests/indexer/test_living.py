"""The living index: whatever is done to the files, by whatever program, the next search knows it."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memjournal.indexer.catalog.outbox import TARGETS
from memjournal.indexer.living.bulk import BulkWork
from memjournal.indexer.living.living_index import LivingIndex, LivingOptions, LivingStatus
from memjournal.indexer.search.answer import SearchRequest
from memjournal.indexer.stamps import read_stamp
from memjournal.journal.errors import LockedError, MemjournalError, UnavailableError

from ..waiting import wait_until
from .test_watching import git
from .world import NOW, World

DEADLINE_S = 30.0
PATIENCE_S = 5.0
ENVIRON = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}


class Living:
    """A world whose index is alive."""

    def __init__(self, world: World, **options: Any) -> None:
        self.world, self.root = world, world.root
        self.bugs: list[str] = []
        given = {"clock_ns": time.time_ns, "report_bug": self.report_bug, **options}
        self.index = LivingIndex(world.index, options=LivingOptions(**given))
        self.index.start()

    def report_bug(self) -> None:
        self.bugs.append(traceback.format_exc())

    def close(self) -> None:
        self.index.close()
        assert self.bugs == []

    def titles(self, word: str, *, patience_s: float = PATIENCE_S) -> list[str]:
        """The titles of what has *word*."""
        request = SearchRequest(text=word, now=NOW, by="keyword", limit=50)
        return [hit.row.title for hit in self.index.search(request, patience_s=patience_s).hits]

    def paths(self, word: str) -> list[str]:
        """The files of what has *word*."""
        request = SearchRequest(text=word, now=NOW, by="keyword", limit=50)
        found = self.index.search(request, patience_s=PATIENCE_S).hits
        return sorted(hit.row.path for hit in found)

    def until(self, condition: Callable[[], bool]) -> bool:
        """Whether *condition* comes true before the deadline."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.01)
        return False

    def finds(self, word: str, *paths: str) -> bool:
        """Whether *word* is found in the end, in exactly *paths* if they are given."""
        if paths:
            return self.until(lambda: self.paths(word) == sorted(paths))
        return self.until(lambda: bool(self.paths(word)))

    def loses(self, word: str) -> bool:
        """Whether *word* is not found any more in the end."""
        return self.until(lambda: not self.paths(word))

    def status(self) -> LivingStatus:
        return self.index.status()


@pytest.fixture
def living(world: World) -> Iterator[Living]:
    """With one note, of an old timeout."""
    world.note("notes/a.md", "# old timeout\n\nthe pool was drained\n")
    living = Living(world)
    assert living.finds("timeout", "notes/a.md"), (living.bugs, living.status())
    yield living
    living.close()
    assert living.status().watch.mode == "off"


@contextlib.contextmanager
def alive(world: World, **options: Any) -> Iterator[Living]:
    living = Living(world, **options)
    try:
        yield living
    finally:
        living.close()


# --- every way to save a file ---------------------------------------------------------------

NEW = "# new rollback\n\nthe pool was widened\n"


def in_place(path: Path) -> None:
    path.write_text(NEW)


def truncate_first(path: Path) -> None:
    with open(path, "r+") as stream:
        stream.truncate(0)
        stream.flush()
        stream.write(NEW)


def temporary_and_rename(path: Path) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(NEW)
    os.replace(temporary, path)


def temporary_markdown_and_rename(path: Path) -> None:
    temporary = path.with_name("tmp123.md")
    temporary.write_text(NEW)
    os.replace(temporary, path)


def backup_and_new(path: Path) -> None:
    os.rename(path, f"{path}~")
    path.write_text(NEW)
    os.remove(f"{path}~")


def from_outside(path: Path) -> None:
    outside = path.parents[2] / "draft"
    outside.write_text(NEW)
    os.replace(outside, path)


def delete_and_new(path: Path) -> None:
    path.unlink()
    path.write_text(NEW)


def hard_link(path: Path) -> None:
    outside = path.parents[2] / "draft"
    outside.write_text(NEW)
    path.unlink()
    os.link(outside, path)


def sed(path: Path) -> None:
    subprocess.run(["sed", "-i", "s/old timeout/new rollback/", str(path)], check=True)


def vim(path: Path, *commands: str) -> None:
    change = ["%s/old timeout/new rollback/", "wq"]
    arguments = [part for command in (*commands, *change) for part in ("-c", command)]
    subprocess.run(
        ["vim", "-N", "-u", "NONE", "-i", "NONE", "-es", *arguments, str(path)],
        check=True,
        stdin=subprocess.DEVNULL,
    )


SAVES: dict[str, Callable[[Path], None]] = {
    "in place": in_place,
    "truncated first": truncate_first,
    "temporary file, renamed": temporary_and_rename,
    "temporary Markdown file, renamed": temporary_markdown_and_rename,
    "old one renamed, new one written": backup_and_new,
    "renamed from outside": from_outside,
    "deleted and written": delete_and_new,
    "hard link": hard_link,
    "sed -i": sed,
    "vim": lambda path: vim(path, "set backupcopy=auto writebackup"),
    "vim, backup copied": lambda path: vim(path, "set backup backupcopy=yes"),
    "vim, backup renamed": lambda path: vim(path, "set backup backupcopy=no"),
    "vim, no backup": lambda path: vim(path, "set nobackup nowritebackup"),
}


@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
def test_however_a_file_is_saved_it_is_found(living: Living, save: Callable[[Path], None]) -> None:
    tool = "sed" if save is sed else "vim" if "vim" in _name_of(save) else ""
    if tool and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    save(living.root / "notes/a.md")
    assert living.finds("rollback", "notes/a.md")
    assert living.loses("timeout")
    assert living.status().n_reconciles == 1, "an event told, not a look at everything"


def _name_of(save: Callable[[Path], None]) -> str:
    return next(name for name, one in SAVES.items() if one is save)


def test_a_file_that_is_saved_again_and_again_is_found_as_it_is_last(living: Living) -> None:
    for number in range(200):
        temporary_and_rename(living.root / "notes/a.md")
        living.world.note("notes/b.md", f"# save number{number}\n")
    assert living.until(lambda: living.titles("save") == ["save number199"])
    assert living.finds("rollback", "notes/a.md")


def test_every_event_of_a_growing_session_is_found(living: Living) -> None:
    for number in range(5):
        living.world.events([f"refund number{number}"])
        assert living.finds(f"number{number}")
    assert len(living.titles("refund")) == 5


# --- moving, copying, removing --------------------------------------------------------------


def test_a_file_moved_within_the_journal_is_found_where_it_is(living: Living) -> None:
    os.rename(living.root / "notes/a.md", living.root / "memories/b.md")
    assert living.finds("timeout", "memories/b.md")


def test_a_file_moved_in_from_outside_is_found(living: Living) -> None:
    living.world.note("draft.md", "# refund queue\n")
    os.rename(living.root / "draft.md", living.root / "notes/b.md")
    assert living.finds("refund", "notes/b.md")


def test_a_file_moved_out_is_not_found(living: Living) -> None:
    living.world.note("notes/b.md", "# refund queue\n")
    assert living.finds("refund")
    os.rename(living.root / "notes/b.md", living.root / "b.md")
    assert living.loses("refund")


def test_a_file_that_is_deleted_is_not_found(living: Living) -> None:
    living.world.note("notes/b.md", "# refund queue\n")
    assert living.finds("refund")
    (living.root / "notes/b.md").unlink()
    assert living.loses("refund")


def test_a_folder_that_is_copied_in_is_found(living: Living, tmp_path: Path) -> None:
    for number in range(30):
        living.world.note(f"../more/deep/{number}.md", f"# refund {number}\n")
    subprocess.run(["cp", "-r", tmp_path / "more", living.root / "notes/copied"], check=True)
    assert living.finds("refund", *(f"notes/copied/deep/{number}.md" for number in range(30)))


def test_a_folder_that_is_moved_in_is_found(living: Living, tmp_path: Path) -> None:
    living.world.note("../more/deep/b.md", "# refund\n")
    os.rename(tmp_path / "more", living.root / "notes/moved")
    assert living.finds("refund", "notes/moved/deep/b.md")


def test_a_folder_that_is_renamed_is_found_under_its_new_name(living: Living) -> None:
    living.world.note("notes/one/deep/b.md", "# refund\n")
    assert living.finds("refund")
    os.rename(living.root / "notes/one", living.root / "notes/둘")
    assert living.finds("refund", "notes/둘/deep/b.md")
    living.world.note("notes/둘/deep/c.md", "# invoice\n")
    assert living.finds("invoice", "notes/둘/deep/c.md")


def test_what_is_written_into_a_folder_that_was_moved_out_is_not_found(
    living: Living, tmp_path: Path
) -> None:
    living.world.note("notes/one/b.md", "# refund\n")
    assert living.finds("refund")
    os.rename(living.root / "notes/one", tmp_path / "one")
    (tmp_path / "one/b.md").write_text("# invoice\n")
    (tmp_path / "one/c.md").write_text("# invoice\n")
    assert living.loses("refund")
    living.world.note("notes/one/d.md", "# webhook\n")
    assert living.finds("webhook", "notes/one/d.md")
    assert living.paths("invoice") == []


def test_what_is_written_into_folders_made_just_before_is_found(living: Living) -> None:
    paths = [f"notes/{number}/deep/er/b.md" for number in range(20)]
    for path in paths:
        living.world.note(path, "# refund\n")
    assert living.finds("refund", *paths)


def test_the_first_note_of_a_folder_of_the_journal_is_found_at_once(living: Living) -> None:
    """Before the folder is watched: a clone has no notes/, for git keeps no empty folders."""
    shutil.rmtree(living.root / "memories")
    assert living.until(lambda: living.status().watch.n_restarts == 1)
    living.world.note("memories/첫.md", "# 첫 refund\n")
    assert living.titles("refund") == ["첫 refund"]


def test_a_folder_that_is_removed_is_not_found(living: Living) -> None:
    living.world.note("notes/one/deep/b.md", "# refund\n")
    assert living.finds("refund")
    shutil.rmtree(living.root / "notes/one")
    assert living.loses("refund")


@pytest.mark.parametrize(
    "name",
    [
        "메모.md",
        unicodedata.normalize("NFD", "메모.md"),
        "two\nlines.md",
        "sp ace'\"$(x).md",
        "x" * 252 + ".md",
        "UPPER.MD",
        "a.markdown",
    ],
    ids=["Korean", "NFD", "newline", "quotes", "long", "upper case", "markdown"],
)
def test_any_name_is_found(living: Living, name: str) -> None:
    if "\n" in name and sys.platform == "win32":
        pytest.skip("no such names there")
    if len(os.fsencode(name)) > 255:
        pytest.skip("the name is too long here")
    living.world.note(f"notes/{name}", "# refund queue\n\n환불 대기열\n")
    assert living.until(lambda: len(living.paths("환불")) == 1)


def test_korean_is_found_as_english_is(living: Living) -> None:
    living.world.note("notes/커넥션.md", "# 커넥션 풀 고갈\n\n동시 주문에서 누수가 났다\n")
    assert living.finds("누수", "notes/커넥션.md")
    living.world.note("notes/커넥션.md", "# 커넥션 풀\n\n고쳤다\n")
    assert living.loses("누수")


# --- git ------------------------------------------------------------------------------------


@pytest.fixture
def repository(world: World) -> World:
    """Two branches: *other* has 2,000 files more, and one that differs."""
    world.index = world.open(git_environ=ENVIRON)
    world.note("notes/a.md", "# old timeout\n")
    git(world.root, "init", "-q", "-b", "main")
    (world.root / ".gitignore").write_text("index/\n")
    git(world.root, "add", ".")
    git(world.root, "commit", "-qm", "one")
    git(world.root, "checkout", "-qb", "other")
    for number in range(2_000):
        world.note(f"notes/{number % 10}/{number}.md", f"# refund number{number}\n")
    world.note("notes/a.md", "# new rollback\n")
    git(world.root, "add", ".")
    git(world.root, "commit", "-qm", "two")
    git(world.root, "checkout", "-q", "main")
    return world


def test_a_checkout_of_a_branch_with_thousands_of_files_is_followed_there_and_back(
    repository: World,
) -> None:
    with alive(repository) as living:
        assert living.finds("timeout")
        git(living.root, "checkout", "-q", "other")
        assert living.finds("rollback")
        for number in (0, 999, 1_999):
            assert living.finds(f"number{number}")
        with repository.catalog() as catalog:
            assert catalog.n_files() == 2_001
        git(living.root, "checkout", "-q", "main")
        assert living.finds("timeout")
        assert living.loses("refund")
        assert living.status().n_withheld == 0


@pytest.mark.parametrize("place", ["work tree", "folder"])
def test_a_checkout_is_followed_in_an_added_work_tree_and_in_a_folder_of_a_repository(
    world: World, tmp_path: Path, place: str
) -> None:
    top = tmp_path / "project"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    (top / ".gitignore").write_text("index/\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "none")
    if place == "work tree":
        git(top, "worktree", "add", "-q", str(tmp_path / "added"), "-b", "added")
        top = tmp_path / "added"
    world.root = top if place == "work tree" else top / ".memjournal"
    for name in ("sessions", "memories", "notes"):
        (world.root / name).mkdir(parents=True)
    world.index = world.open(git_environ=ENVIRON)
    git(top, "checkout", "-qb", "other")
    for number in range(30):
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "thirty")
    with alive(world) as living:
        assert living.finds("number29")
        git(top, "checkout", "-q", "added" if place == "work tree" else "main")
        assert living.loses("refund")
        assert living.status().n_withheld == 0


def test_a_pull_is_followed(world: World, tmp_path: Path) -> None:
    world.note("notes/a.md", "# old timeout\n")
    git(world.root, "init", "-q", "-b", "main")
    git(world.root, "add", "notes")
    git(world.root, "commit", "-qm", "one")
    git(tmp_path, "clone", "-q", str(world.root), "theirs")
    (tmp_path / "theirs/notes/a.md").write_text("# new rollback\n")
    (tmp_path / "theirs/notes/b.md").write_text("# refund queue\n")
    git(tmp_path / "theirs", "add", ".")
    git(tmp_path / "theirs", "commit", "-qm", "two")
    with alive(world) as living:
        assert living.finds("timeout")
        git(living.root, "pull", "-q", str(tmp_path / "theirs"), "main")
        assert living.finds("rollback", "notes/a.md")
        assert living.finds("refund", "notes/b.md")
        assert living.loses("timeout")


# --- much at once ---------------------------------------------------------------------------


def test_of_a_burst_of_ten_thousand_saves_none_is_lost(living: Living) -> None:
    for number in range(10_000):
        temporary = living.root / f"notes/.{number}"
        temporary.write_text(f"# refund number{number}\n")
        os.replace(temporary, living.root / f"notes/{number}.md")

    def n_files() -> int:
        with living.world.catalog() as catalog:
            return catalog.n_files()

    assert living.until(lambda: n_files() == 10_001)
    for number in (0, 5_000, 9_999):
        assert living.finds(f"number{number}", f"notes/{number}.md")
    assert living.until(lambda: living.status().behind == 0)
    living.world.note("notes/last.md", "# webhook\n")
    assert living.finds("webhook", "notes/last.md")


def test_many_search_while_one_writes(living: Living) -> None:
    stop = threading.Event()
    folders = [living.world.index.folder_of(target) for target in TARGETS]
    stamps = [read_stamp(folder) for folder in folders]

    def keep_asking() -> int:
        n_asked = 0
        while not stop.is_set():
            assert living.titles("timeout", patience_s=0.05) == ["old timeout"]
            n_asked += 1
        return n_asked

    with ThreadPoolExecutor(6) as pool:
        asking = [pool.submit(keep_asking) for _ in range(6)]
        try:
            for number in range(40):
                living.world.note(f"notes/more{number}.md", f"# refund number{number}\n")
                assert living.finds(f"number{number}")
        finally:
            stop.set()
        assert all(one.result() > 0 for one in asking)
    assert [read_stamp(folder) for folder in folders] == stamps  # neither was built anew
    assert living.world.index.verify() == []


_UPDATE = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.indexer.world import World
World(Path(sys.argv[2]), sys.argv[3]).update()
"""


def test_much_work_is_done_by_another_process(world: World) -> None:
    repository = str(Path(__file__).parents[2])
    command = (sys.executable, "-c", _UPDATE, repository, str(world.root), world.options.model)
    for number in range(30):
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
    updates: list[int] = []
    original = world.index.update

    def update(**given: Any) -> Any:
        report = original(**given)
        updates.append(report.n_files)
        return report

    world.index.update = update  # type: ignore[method-assign]  # to see which process read them
    with alive(world, bulk_command=command, bulk_from=20) as living:
        assert living.until(lambda: updates == [0] and not living.status().doing)
        assert living.finds("number29", "notes/29.md")
        living.world.note("notes/a.md", "# old timeout\n")
        assert living.finds("timeout")
        assert updates[-1] == 1


def test_without_vectors_there_is_no_work_that_never_ends(world: World) -> None:
    world.index = world.open(vectors=False)
    for number in range(30):
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
    command = (sys.executable, "-c", "raise SystemExit(1)")
    world.update(later_s=1)
    with alive(world, bulk_command=command, bulk_from=20) as living:
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        assert living.finds("number29")
        assert living.status().failure == ""


def test_files_that_are_gone_at_once_are_kept_and_said(world: World) -> None:
    for number in range(30):
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
    with alive(world) as living:
        assert living.finds("number29")
        shutil.rmtree(living.root / "notes")
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        assert living.until(lambda: living.status().n_withheld == 30)
        assert len(living.titles("refund")) == 30


def test_what_lasts_is_said_until_it_is_mended_and_no_longer(world: World) -> None:
    for number in range(30):
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
    with alive(world) as living:
        assert living.finds("number29")
        shutil.move(living.root / "notes", living.root.parent / "away")
        living.titles("refund")
        assert living.until(lambda: living.status().n_withheld == 30)
        (said,) = living.index.take_remarks()
        assert said.startswith("30 indexed files are gone at once") and "--accept" in said
        assert living.index.take_remarks() == (said,)
        assert living.status().remarks == (said,)
        shutil.rmtree(living.root / "notes", ignore_errors=True)
        shutil.move(living.root.parent / "away", living.root / "notes")
        assert len(living.titles("refund")) == 30
        assert living.index.take_remarks() == ()


def test_a_deletion_that_another_process_accepted_is_not_said_any_more(world: World) -> None:
    for number in range(30):
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
    with alive(world) as living:
        assert living.finds("number29")
        shutil.rmtree(living.root / "notes")
        living.titles("refund")
        assert living.until(lambda: living.status().n_withheld == 30)
        world.open().update(now_ns=time.time_ns(), accept_deletions=True)
        assert living.titles("refund", patience_s=DEADLINE_S) == []
        assert living.index.take_remarks() == ()


def test_a_name_that_is_not_utf8_is_said_once_and_stays_in_the_status(living: Living) -> None:
    try:
        (living.root / "notes").joinpath(os.fsdecode(b"\xff.md")).write_text("# refund\n")
    except OSError:
        pytest.skip("this file system refuses such names")
    assert living.until(lambda: bool(living.status().unreadable))
    (said,) = living.index.take_remarks()
    assert "not UTF-8" in said
    assert living.index.refresh(None, patience_s=DEADLINE_S)
    assert living.index.take_remarks() == ()
    assert len(living.status().unreadable) == 1


def test_a_file_that_has_changed_and_cannot_be_read_is_said_until_it_can(living: Living) -> None:
    note = living.root / "notes/a.md"
    note.write_text(NEW)
    note.chmod(0)
    try:
        if os.access(note, os.R_OK):
            pytest.skip("whoever runs this may read everything")
        for _ in range(2):
            assert living.titles("timeout") == ["old timeout"]
            (said,) = living.index.take_remarks()
            assert said.startswith("notes/a.md: permission denied")
    finally:
        note.chmod(0o600)
    assert living.titles("rollback") == ["new rollback"]  # though no event tells of a mode
    assert living.index.take_remarks() == ()


def test_what_was_mended_is_said_once(living: Living) -> None:
    (living.root / "index/whoosh/stamp").unlink()
    assert living.index.refresh(None, patience_s=DEADLINE_S)
    assert living.titles("timeout") == ["old timeout"]
    said = living.index.take_remarks()
    assert said and all("rebuilt" in one for one in said)
    assert living.index.take_remarks() == ()


def test_what_a_process_of_its_own_remarks_is_passed_on(world: World) -> None:
    world.note("notes/a.md", "# old timeout\n")
    script = 'print(\'{"remarks": ["색인을 다시 만들었다"]}\')'
    with alive(world, bulk_command=(sys.executable, "-c", script), bulk_from=1) as living:
        assert living.until(lambda: bool(living.status().remarks))
        assert living.index.take_remarks() == ("색인을 다시 만들었다",)


def test_where_nothing_waits_nobody_waits(living: Living) -> None:
    assert living.titles("timeout")
    assert living.index.refresh((), patience_s=0)


def test_until_there_is_an_index_a_search_says_that_it_is_being_built(world: World) -> None:
    world.note("notes/a.md", "# old timeout\n")
    command = (sys.executable, "-c", "import time; time.sleep(600)")
    with alive(world, bulk_command=command, bulk_from=1) as living:
        assert living.until(lambda: bool(living.status().behind))

        def is_built() -> bool:
            try:
                living.titles("timeout", patience_s=0)
            except LockedError as error:
                return "being built" not in str(error)
            except MemjournalError:
                return True
            return True

        assert living.until(lambda: not is_built())


def test_a_process_that_fails_is_named_and_tried_again(world: World) -> None:
    world.note("notes/a.md", "# old timeout\n")
    attempts = world.root.parent / "attempts"
    script = f"open({str(attempts)!r}, 'a').write('x'); raise SystemExit('mem: no room')"
    with alive(world, bulk_command=(sys.executable, "-c", script), bulk_from=1) as living:
        assert living.until(lambda: attempts.exists() and attempts.read_text() >= "xx")
        assert living.status().failure == "indexing in a process of its own failed: no room"


_HOLD = """
import sys, threading
from memjournal.indexer.living.bulk import BulkWork
bulk = BulkWork([sys.executable, "-c", "import os, time; print(os.getpid(), flush=True,"
    " file=open(%r, 'w')); time.sleep(600)" % sys.argv[1]])
bulk.run()
"""


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return not Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except (ProcessLookupError, FileNotFoundError):
        return False


def _wait_for_pid(path: Path) -> int:
    wait_until(lambda: path.exists() and path.read_text().strip())
    return int(path.read_text())


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_a_process_of_its_own_ends_when_this_one_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(tmp_path / "pid")]) as holder:
        pid = _wait_for_pid(tmp_path / "pid")
        assert _is_running(pid)
        holder.send_signal(signal.SIGKILL)
    wait_until(lambda: not _is_running(pid))


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_a_process_of_its_own_ends_when_it_is_closed(tmp_path: Path) -> None:
    hold = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))"
    bulk = BulkWork([sys.executable, "-c", f"{hold}; time.sleep(600)"])
    runner = threading.Thread(target=bulk.run)
    runner.start()
    pid = _wait_for_pid(tmp_path / "pid")
    bulk.close()
    wait_until(lambda: not _is_running(pid))
    runner.join(DEADLINE_S)
    assert not runner.is_alive()
    bulk.run()  # closed: it does nothing


# --- what stands in the way -----------------------------------------------------------------


def test_while_another_process_writes_searches_go_on(living: Living) -> None:
    with living.world.open().locked():
        living.world.note("notes/b.md", "# refund queue\n")
        assert living.until(lambda: bool(living.status().failure))
        assert living.titles("timeout") == ["old timeout"]
        assert living.titles("refund") == []
        assert living.status().behind > 0
    assert living.finds("refund")
    assert living.until(lambda: not living.status().failure)


def test_what_another_process_indexed_is_found(living: Living) -> None:
    with living.world.open().locked():  # the living index is kept from doing it itself
        living.world.note("notes/b.md", "# refund queue\n")
        assert living.until(lambda: bool(living.status().failure))
    living.world.open().update(now_ns=time.time_ns())
    assert living.finds("refund")


def test_an_index_that_is_deleted_is_built_again(living: Living) -> None:
    shutil.rmtree(living.root / "index")
    assert living.index.refresh(None, patience_s=DEADLINE_S)
    assert living.finds("timeout")


def test_an_index_that_is_damaged_is_mended(living: Living) -> None:
    for path in (living.root / "index/whoosh").iterdir():
        if path.name != "stamp" and path.suffix != ".toc":
            path.unlink()  # what is open is mapped into memory, and must not be cut
            path.write_bytes(b"")
    living.world.note("notes/b.md", "# refund queue\n")
    assert living.finds("refund")
    assert living.finds("timeout")


def test_a_catalog_that_is_damaged_is_mended(living: Living) -> None:
    (living.root / "index/catalog.sqlite").write_bytes(b"noise" * 1_000)

    def is_found() -> bool:
        try:
            return bool(living.paths("timeout"))
        except MemjournalError:
            return False

    assert living.until(is_found)


def test_a_folder_that_cannot_be_read_is_not_taken_for_empty(living: Living) -> None:
    living.world.note("notes/one/b.md", "# refund queue\n")
    assert living.finds("refund")
    (living.root / "notes/one").chmod(0)
    try:
        if os.access(living.root / "notes/one", os.R_OK):
            pytest.skip("whoever runs this may read everything")
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        assert [oddity.path for oddity in living.status().unreadable] == ["notes/one"]
        assert living.titles("refund") == ["refund queue"]
    finally:
        (living.root / "notes/one").chmod(0o700)


def test_a_journal_that_is_away_is_not_taken_for_empty(living: Living) -> None:
    away = living.root.with_name("away")
    os.rename(living.root, away)
    assert living.until(lambda: bool(living.status().watch.gone))
    living.index.refresh(None, patience_s=0)
    living.root.mkdir()  # the mount point of a disk that was unmounted
    for name in ("sessions", "memories", "notes"):
        (living.root / name).mkdir()
    assert living.until(lambda: living.index.is_gone)
    shutil.rmtree(living.root)
    os.rename(away, living.root)
    assert living.until(lambda: not living.index.is_gone)
    living.world.note("notes/b.md", "# refund queue\n")
    assert living.finds("refund")
    assert living.titles("timeout") == ["old timeout"]


def test_a_folder_with_a_file_in_its_place_does_not_stop_the_rest(living: Living) -> None:
    shutil.rmtree(living.root / "sessions")
    (living.root / "sessions").write_text("in the way")
    living.world.note("notes/b.md", "# refund queue\n")
    assert living.finds("refund")


def test_without_watches_a_search_looks_for_itself(world: World) -> None:
    world.note("notes/a.md", "# old timeout\n")
    with alive(world, force_polling=True) as living:
        assert living.status().watch.mode == "polling"
        assert living.finds("timeout")
        living.world.note("notes/b.md", "# refund queue\n")
        assert living.titles("refund") == ["refund queue"]
        (living.root / "notes/b.md").unlink()
        assert living.titles("refund") == []


def n_files(world: World) -> int:
    """How many files the catalog knows; 0 without one."""
    try:
        with world.catalog() as catalog:
            return catalog.n_files()
    except MemjournalError:
        return 0


def test_without_watches_the_files_are_followed_unasked(world: World) -> None:
    with alive(world, force_polling=True, poll_every_s=0.1) as living:
        living.world.note("notes/b.md", "# refund queue\n")
        assert living.until(lambda: n_files(world) == 1)


def test_what_no_event_told_is_found_in_time(world: World) -> None:
    world.note("notes/a.md", "# old timeout\n")
    with alive(world, reconcile_every_s=0.2) as living:
        assert living.finds("timeout")
        living.index._watcher._unwatch()
        living.world.note("notes/b.md", "# refund queue\n")
        assert living.finds("refund")


@pytest.mark.parametrize("is_there_first", [True, False])
def test_a_file_that_changes_once_more_within_a_tick_of_its_clock_is_found(
    world: World, is_there_first: bool
) -> None:
    """Its size and time are the same then, and no event tells of it: it was read too soon after it was written."""
    now_ns = time.time_ns()
    written_ns = now_ns - 10_000_000

    def write(text: str) -> None:
        path = world.note("notes/b.md", text)
        os.utime(path, ns=(written_ns, written_ns))

    if is_there_first:
        write("# refund queue\n")
    with alive(world, clock_ns=lambda: now_ns) as living:
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        if not is_there_first:
            write("# refund queue\n")
        assert living.finds("refund", "notes/b.md")
        assert living.index.refresh(["notes/b.md"], patience_s=DEADLINE_S)  # no hint is left behind
        living.index._watcher._unwatch()
        write("# reward queue\n")
        assert living.finds("reward", "notes/b.md") and living.loses("refund")
        now_ns += 1_000_000_000  # by now it cannot change without a sign
        assert living.until(lambda: not unsettled(world))


def unsettled(world: World) -> list[str]:
    with world.catalog() as catalog:
        return catalog.unsettled(limit=10)


# --- asking for it --------------------------------------------------------------------------


def test_a_search_knows_what_was_hinted_at_before_it(world: World) -> None:
    with alive(world, debounce_s=3_600, max_delay_s=3_600) as living:
        assert living.index.refresh(None, patience_s=DEADLINE_S)
        path = world.memory("refund queue")
        assert living.index.refresh([path], patience_s=DEADLINE_S)
        assert living.titles("refund", patience_s=0) == ["refund queue"]
        world.note("notes/b.md", "# invoice\n")
        assert living.until(lambda: living.titles("invoice", patience_s=1.0) == ["invoice"])


def test_a_refresh_of_some_files_removes_no_other(living: Living) -> None:
    for number in range(5):
        living.world.note(f"notes/{number}.md", "# refund queue\n")
    assert living.finds("refund", *(f"notes/{number}.md" for number in range(5)))
    assert living.index.refresh(["notes/0.md"], patience_s=DEADLINE_S)
    assert living.index.refresh(["memories"], patience_s=DEADLINE_S)
    assert len(living.titles("refund")) == 5


def test_paths_that_are_none_are_left_alone(living: Living) -> None:
    paths = ["../outside.md", "/etc/passwd", "index/catalog.sqlite", "", "notes/none.md"]
    assert living.index.refresh(paths, patience_s=DEADLINE_S)
    assert living.titles("timeout") == ["old timeout"]


def test_a_refresh_that_takes_too_long_says_so(living: Living) -> None:
    with living.world.open().locked():
        living.world.note("notes/b.md", "# refund queue\n")
        assert not living.index.refresh(["notes/b.md"], patience_s=0.05)


def test_a_session_that_grew_is_proven_when_it_is_quiet(
    living: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memjournal.indexer.living.writer._IDLE_BEFORE_PROOF_S", 0.1)
    living.world.events([f"refund number{number}" for number in range(50)])
    assert living.finds("number49")
    living.world.events(["invoice"])
    assert living.finds("invoice")

    def is_proven() -> bool:
        with living.world.catalog() as catalog:
            return not catalog.unproven()

    assert living.until(is_proven)


# --- the end --------------------------------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_nothing_is_left_after_close(world: World) -> None:
    def live(number: int) -> None:
        world.index = world.open()  # what is mapped into memory belongs to the index
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
        with alive(world) as living:
            assert living.finds(f"number{number}")
        world.index = world.open()

    live(0)  # what is loaded once stays
    threads, files = set(threading.enumerate()), open_files()
    for number in range(1, 4):
        live(number)
    assert set(threading.enumerate()) == threads
    assert open_files() == files


def open_files() -> list[str]:
    """The descriptors of this process, without those of what is only waiting to be cleared away."""
    gc.collect()
    return sorted(os.listdir("/proc/self/fd"))


def test_what_is_closed_says_so(world: World) -> None:
    with alive(world) as living:
        pass
    with pytest.raises(UnavailableError, match="closed"):
        living.titles("timeout", patience_s=0)


def test_it_can_be_closed_at_any_moment_and_twice(world: World) -> None:
    for number in range(200):
        world.note(f"notes/{number}.md", f"# refund number{number}\n")
    living = Living(world)
    living.index.close()
    living.index.close()
    world.update()
    world.check_against_a_rebuild(["refund number199"])


def test_after_any_of_this_the_index_is_as_a_rebuild_would_make_it(living: Living) -> None:
    living.world.note("notes/one/b.md", "# refund queue\n")
    living.world.events(["webhook signature", "환불 지연"])
    living.world.memory("캐시 색인")
    sed(living.root / "notes/a.md")
    os.rename(living.root / "notes/one", living.root / "memories/one")
    assert living.finds("refund", "memories/one/b.md")
    assert living.finds("rollback")
    assert living.index.refresh(None, patience_s=DEADLINE_S)
    living.world.check_against_a_rebuild()
