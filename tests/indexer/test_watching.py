"""The watcher: whatever happens below a journal's folders is hinted at, and losses are noticed."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memjournal.indexer.living.hints import HintBox, hinted_place
from memjournal.indexer.living.landmarks import look_at, shared_file_system
from memjournal.indexer.living.watching import Watcher

from ..git_by_hand import git

DEADLINE_S = 60.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("sessions", "memories", "notes"):
        (tmp_path / "journal" / name).mkdir(parents=True)
    return tmp_path / "journal"


@pytest.fixture
def watcher(root: Path) -> Iterator[Watcher]:
    watcher = Watcher(root)
    watcher.start()
    assert watcher.wait(DEADLINE_S) and watcher.take().everything
    yield watcher
    watcher.close()


def hinted(watcher: Watcher, *places: str) -> bool:
    """Whether all of *places* are hinted at before the deadline."""
    end = time.monotonic() + DEADLINE_S
    left = set(places)
    while left and time.monotonic() < end:
        if watcher.wait(0.5):
            hints = watcher.take()
            left = set() if hints.everything else left - hints.paths
    return not left


def reason_of(watcher: Watcher, word: str) -> str:
    """The reason with *word* in it for which everything is hinted at before the deadline."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        if watcher.wait(0.5) and word in (reason := watcher.take().reason):
            return reason
    return ""


# --- which places ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("notes/a.md", "notes/a.md"),
        ("notes/a.MD", "notes/a.MD"),
        ("notes/깊은 곳/메모.markdown", "notes/깊은 곳/메모.markdown"),
        ("notes/two\nlines.md", "notes/two\nlines.md"),
        ("notes/a.md~", None),
        ("notes/.a.md.swp", None),
        ("notes/4913", None),
        ("notes/a.tmp", None),
        ("notes/.git/HEAD.md", None),
        ("notes/.obsidian/a.md", None),
        (".git/refs/notes/a.md", None),
        ("index/a.md", None),
        ("a.md", None),
        ("ledger/a.md", None),
        ("notes", None),
        ("", None),
        (os.fsdecode(b"notes/d/\xff.md"), "notes/d"),
    ],
)
def test_only_what_can_hold_entries_is_hinted_at(path: str, place: str | None) -> None:
    assert hinted_place(path, is_folder=False) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("notes", "notes"),
        ("notes/d", "notes/d"),
        ("notes/.d", None),
        ("notes/.d/e", None),
        ("index", None),
        (os.fsdecode(b"notes/\xff"), "notes"),
    ],
)
def test_a_folder_is_hinted_at_as_a_whole(path: str, place: str | None) -> None:
    assert hinted_place(path, is_folder=True) == place


# --- the box --------------------------------------------------------------------------------


def test_hints_wait_until_it_is_quiet() -> None:
    box = HintBox(debounce_s=0.2, max_delay_s=60)
    box.event(["notes/a.md"])
    assert not box.wait(0)
    assert box.wait(DEADLINE_S)
    assert box.take().paths == {"notes/a.md"}
    assert not box.wait(0)


def test_hints_that_never_stop_are_ready_all_the_same() -> None:
    box = HintBox(debounce_s=60, max_delay_s=0.1)
    box.event(["notes/a.md"])
    assert box.wait(DEADLINE_S)


def test_flushed_hints_are_ready_at_once() -> None:
    box = HintBox(debounce_s=60, max_delay_s=60)
    box.flush()
    assert not box.wait(0), "there is nothing to be ready"
    version = box.add(["notes/a.md"])
    assert not box.wait(0)
    box.flush()
    assert box.wait(0)
    assert box.take().version == version


def test_many_events_at_a_stretch_become_a_look_at_everything() -> None:
    box = HintBox(debounce_s=0, max_delay_s=0, burst=10)
    for number in range(9):
        box.event([f"notes/{number}.md"])
    assert not box.take().everything
    for number in range(10):
        box.event([f"notes/{number}.md"])
    hints = box.take()
    assert hints.everything and not hints.paths and hints.reason == "a burst of changes"


def test_events_that_hint_at_nothing_fill_the_queue_too() -> None:
    box = HintBox(debounce_s=0, max_delay_s=0, burst=10)
    for _ in range(10):
        box.event([None])
    assert box.take().everything


def test_what_is_put_back_is_not_lost() -> None:
    box = HintBox(debounce_s=0, max_delay_s=0)
    box.add(["notes/a.md"])
    hints = box.take()
    version = box.add(["notes/b.md"])
    box.put_back(hints)
    again = box.take()
    assert again.paths == {"notes/a.md", "notes/b.md"}
    assert again.version == version


def test_everything_takes_in_what_was_hinted_before_and_after() -> None:
    box = HintBox(debounce_s=0, max_delay_s=0)
    box.add(["notes/a.md"])
    box.add_everything("the queue overflowed")
    box.add(["notes/b.md"])
    hints = box.take()
    assert hints.everything and not hints.paths and hints.reason == "the queue overflowed"


def test_nobody_waits_for_a_look_that_nothing_hints_at() -> None:
    box = HintBox(debounce_s=60, max_delay_s=60)
    box.suggest_everything("it was time")
    assert box.version == 0
    assert box.wait(0)
    assert box.take().everything


def test_whoever_waits_can_be_woken() -> None:
    box = HintBox(debounce_s=60, max_delay_s=60)
    threading.Timer(0.05, box.wake).start()
    started = time.monotonic()
    assert not box.wait(DEADLINE_S)
    assert time.monotonic() - started < DEADLINE_S


# --- landmarks ------------------------------------------------------------------------------


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    (root / "notes/a.md").write_text("one")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    return root


def _differs(root: Path, *arguments: str) -> bool:
    before = look_at(root).head
    git(root, *arguments)
    return look_at(root).head != before


def test_a_checkout_pull_or_reset_is_seen_and_a_commit_is_not(repository: Path) -> None:
    assert _differs(repository, "checkout", "-qb", "other")
    (repository / "notes/b.md").write_text("two")
    assert not _differs(repository, "add", ".")
    assert not _differs(repository, "commit", "-qm", "two")
    assert _differs(repository, "checkout", "-q", "main")
    assert _differs(repository, "merge", "-q", "other")
    assert _differs(repository, "reset", "-q", "--hard", "HEAD~1")


def test_without_a_log_of_head_a_checkout_is_seen_all_the_same(repository: Path) -> None:
    git(repository, "branch", "other")
    shutil.rmtree(repository / ".git/logs")
    git(repository, "config", "core.logAllRefUpdates", "false")
    assert _differs(repository, "checkout", "-q", "other")


def test_a_work_tree_has_a_head_of_its_own(repository: Path, tmp_path: Path) -> None:
    added = tmp_path / "added"
    git(repository, "worktree", "add", "-qb", "other", str(added))
    before = look_at(repository).head
    assert _differs(added, "checkout", "-qb", "third")
    assert look_at(repository).head == before


def test_a_journal_inside_a_repository_sees_its_head(tmp_path: Path) -> None:
    (tmp_path / "project/.memjournal/notes").mkdir(parents=True)
    (tmp_path / "project/a.md").write_text("one")
    git(tmp_path / "project", "init", "-q")
    git(tmp_path / "project", "add", ".")
    git(tmp_path / "project", "commit", "-qm", "one")
    before = look_at(tmp_path / "project/.memjournal").head
    git(tmp_path / "project", "checkout", "-qb", "other")
    assert look_at(tmp_path / "project/.memjournal").head != before


def test_a_journal_that_is_not_there_has_no_landmarks(tmp_path: Path) -> None:
    seen = look_at(tmp_path / "nowhere")
    assert seen.root is None and not seen.trouble and not seen.folders


def test_a_symbolic_link_is_no_folder_of_a_journal(root: Path, tmp_path: Path) -> None:
    (root / "notes").rmdir()
    (root / "notes").symlink_to(tmp_path)
    assert set(look_at(root).folders) == {"sessions", "memories"}


@pytest.mark.parametrize(
    ("kind", "expected"), [("nfs4", "nfs4"), ("fuse.sshfs", "fuse.sshfs"), ("ext4", "")]
)
def test_a_file_system_that_others_change_is_known(
    tmp_path: Path, kind: str, expected: str
) -> None:
    mounts = tmp_path / "mountinfo"
    there = str(tmp_path / "my disk").replace(" ", "\\040")
    mounts.write_text(
        "22 1 259:1 / / rw,relatime - ext4 /dev/vda rw\n"
        f"99 22 0:44 / {there} rw shared:1 - {kind} host:/export rw\n"
    )
    assert shared_file_system(tmp_path / "my disk" / "journal", mounts) == expected
    assert shared_file_system(tmp_path / "my disks", mounts) == ""


def test_where_mounts_are_not_told_none_is_feared(tmp_path: Path) -> None:
    assert shared_file_system(tmp_path, tmp_path / "none") == ""


# --- the watch ------------------------------------------------------------------------------


def test_a_file_that_is_renamed_in_from_outside_is_hinted_at(
    watcher: Watcher, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("one")
    os.rename(tmp_path / "a.md", watcher.root / "notes/a.md")
    assert hinted(watcher, "notes/a.md")


def test_both_names_of_a_renamed_folder_are_hinted_at(watcher: Watcher) -> None:
    (watcher.root / "notes/a").mkdir()
    assert hinted(watcher, "notes/a")
    os.rename(watcher.root / "notes/a", watcher.root / "notes/b")
    assert hinted(watcher, "notes/a", "notes/b")


def test_what_is_written_into_folders_made_just_before_is_hinted_at(watcher: Watcher) -> None:
    paths = [f"memories/{month}/deep/er/a.md" for month in range(40)]
    for path in paths:
        (watcher.root / path).parent.mkdir(parents=True)
        (watcher.root / path).write_text("one")
    assert hinted(watcher, *paths)


@pytest.mark.parametrize("name", ["메모.md", "\u1106\u1166\u1106\u1169.md", "two\nlines.md"])
def test_names_are_hinted_at_as_they_are_on_disk(watcher: Watcher, name: str) -> None:
    (watcher.root / "notes" / name).write_text("one")
    (there,) = os.listdir(watcher.root / "notes")
    assert hinted(watcher, f"notes/{there}")


def test_a_folder_of_the_journal_that_appears_later_is_watched(tmp_path: Path) -> None:
    watcher = Watcher(tmp_path)
    watcher.start()
    assert watcher.wait(DEADLINE_S) and watcher.take().everything
    (tmp_path / "notes").mkdir()
    assert "came" in reason_of(watcher, "came")
    (tmp_path / "notes/a.md").write_text("one")
    assert hinted(watcher, "notes/a.md")
    watcher.close()


def test_a_folder_of_the_journal_that_is_replaced_is_watched_anew(watcher: Watcher) -> None:
    os.rename(watcher.root / "notes", watcher.root / "old")
    (watcher.root / "notes").mkdir()
    assert reason_of(watcher, "replaced")
    (watcher.root / "notes/a.md").write_text("one")
    assert hinted(watcher, "notes/a.md")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how many are watched")
def test_the_watch_of_a_folder_that_was_moved_away_is_given_up(
    watcher: Watcher, tmp_path: Path
) -> None:
    (watcher.root / "notes/sub").mkdir()
    assert hinted(watcher, "notes/sub")
    os.rename(watcher.root / "notes/sub", tmp_path / "sub")
    assert reason_of(watcher, "left over")
    (tmp_path / "sub/a.md").write_text("one")
    os.rename(tmp_path / "sub", watcher.root / "notes/sub")
    assert hinted(watcher, "notes/sub")
    (watcher.root / "notes/sub/b.md").write_text("two")
    assert hinted(watcher, "notes/sub/b.md")


def test_a_checkout_hints_at_everything(repository: Path) -> None:
    git(repository, "branch", "other")
    watcher = Watcher(repository)
    watcher.start()
    assert watcher.wait(DEADLINE_S) and watcher.take()
    git(repository, "checkout", "-q", "other")
    assert reason_of(watcher, "git")
    watcher.close()


def test_what_watchdog_only_logs_hints_at_everything(
    watcher: Watcher, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed")
    assert reason_of(watcher, "lost")
    assert watcher.status().n_lost == 1


def test_a_watch_that_broke_down_is_begun_again(watcher: Watcher) -> None:
    watcher._observer.stop()
    assert reason_of(watcher, "broke down")
    (watcher.root / "notes/a.md").write_text("one")
    assert hinted(watcher, "notes/a.md")
    assert watcher.status().n_restarts == 1


def test_without_watches_it_says_that_it_is_polling(root: Path) -> None:
    watcher = Watcher(root, force_polling=True)
    watcher.start()
    assert watcher.status().mode == "polling" and watcher.status().reason
    assert watcher.wait(DEADLINE_S) and watcher.take().everything
    watcher.close()
    assert watcher.status().mode == "off"


def comes_true(watcher: Watcher, condition: Callable[[], bool]) -> bool:
    """Whether *condition* holds in the end, while *watcher* looks around as its reader makes it."""
    end = time.monotonic() + DEADLINE_S
    while not condition() and time.monotonic() < end:
        watcher.wait(0.2)
        watcher.take()
    return condition()


def test_a_journal_that_is_removed_is_gone(watcher: Watcher) -> None:
    shutil.rmtree(watcher.root)
    assert comes_true(watcher, lambda: bool(watcher.status().gone))
    assert not watcher.is_gone, "it may be back in a moment"
    assert comes_true(watcher, lambda: watcher.is_gone)


def test_a_journal_that_another_folder_replaced_is_gone(watcher: Watcher, tmp_path: Path) -> None:
    os.rename(watcher.root, tmp_path / "elsewhere")
    shutil.copytree(tmp_path / "elsewhere", watcher.root)
    assert comes_true(watcher, lambda: watcher.is_gone)


def test_a_journal_that_was_away_for_a_moment_is_looked_at_again(
    watcher: Watcher, tmp_path: Path
) -> None:
    os.rename(watcher.root, tmp_path / "elsewhere")
    assert comes_true(watcher, lambda: bool(watcher.status().gone))
    (tmp_path / "elsewhere/notes/a.md").write_text("one")
    os.rename(tmp_path / "elsewhere", watcher.root)
    assert reason_of(watcher, "back")
    assert not watcher.is_gone and not watcher.status().gone


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_nothing_is_left_after_close(root: Path) -> None:
    threads, files = set(threading.enumerate()), sorted(os.listdir("/proc/self/fd"))
    handlers = list(logging.getLogger("watchdog").handlers)
    for _ in range(3):
        watcher = Watcher(root)
        watcher.start()
        (root / "notes/a.md").write_text("one")
        assert hinted(watcher, "notes/a.md")
        watcher.close()
    assert set(threading.enumerate()) == threads
    assert sorted(os.listdir("/proc/self/fd")) == files
    assert logging.getLogger("watchdog").handlers == handlers


# --- too few watches ------------------------------------------------------------------------

_WATCH = """
import sys, time
from pathlib import Path
from memjournal.indexer.living.watching import Watcher

def fewer_files():
    import os, resource
    there = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (there, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

root, limit = Path(sys.argv[1]), sys.argv[2]
watcher = Watcher(root)
if limit == "files":
    fewer_files()
watcher.start()
end = time.monotonic() + 20
while watcher.status().mode != "polling" and time.monotonic() < end:
    watcher.wait(0.5)
    watcher.take()
print(watcher.status().mode, watcher.status().reason, sep=": ")
watcher.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_without_descriptors_it_polls_and_says_why(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WATCH, str(root), "files"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("polling: "), done.stderr
    assert len(done.stdout.strip()) > len("polling: ")


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
@pytest.mark.parametrize("n_watches", [1, 5], ids=["for no folder", "for some folders"])
def test_when_watches_run_out_it_polls_and_says_so(root: Path, n_watches: int) -> None:
    for number in range(10):
        (root / f"notes/{number}").mkdir()
    command = f'echo {n_watches} > /proc/sys/user/max_inotify_watches && exec "$@"'
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", command, "sh"]
        + [sys.executable, "-c", _WATCH, str(root), "watches"],
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout and ("unshare" in done.stderr or "sh:" in done.stderr):
        pytest.skip("no user namespace can be made here")
    assert done.stdout.startswith("polling: "), done.stderr
