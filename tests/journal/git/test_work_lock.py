"""What a git leaves behind that was killed with its process is cleared away by the next; nothing else is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memjournal.journal.errors import LockedError
from memjournal.journal.git.work_lock import working

from ...git_by_hand import git

_WORKER = """
import sys, time
from pathlib import Path
from memjournal.journal.git.work_lock import working
root = Path(sys.argv[1])
with working(root / ".git/ours.lock-file", git_folder=root / ".git", timeout_s=5):
    for name in sys.argv[2:]:
        path = root / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    print("at work", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    return tmp_path


def killed_worker(root: Path, *locks: str) -> None:
    command = [sys.executable, "-c", _WORKER, str(root), *locks]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"at work\n"
        worker.send_signal(signal.SIGKILL)


def enter(root: Path) -> None:
    with working(root / ".git/ours.lock-file", git_folder=root / ".git", timeout_s=1):
        pass


LEFT = ("index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/remotes/origin/main.lock")


def test_locks_of_a_killed_process_are_cleared_away(root: Path) -> None:
    killed_worker(root, *LEFT)
    enter(root)
    assert [name for name in LEFT if (root / ".git" / name).exists()] == []


def test_a_lock_is_left_alone_where_nobody_was_killed(root: Path) -> None:
    enter(root)
    (root / ".git/index.lock").touch()
    enter(root)
    assert (root / ".git/index.lock").exists()


def test_a_lock_that_is_older_than_the_killed_process_is_left_alone(root: Path) -> None:
    old = root / ".git/index.lock"
    old.touch()
    os.utime(old, (time.time() - 3600, time.time() - 3600))
    killed_worker(root, "HEAD.lock")
    enter(root)
    assert old.exists()
    assert not (root / ".git/HEAD.lock").exists()


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="the system does not tell")
def test_a_git_that_is_at_work_keeps_its_lock(root: Path) -> None:
    killed_worker(root, "index.lock")
    asleep = ["git", "-c", "alias.wait=!sleep 600", "wait"]
    with subprocess.Popen(asleep, cwd=root, start_new_session=True) as running:
        enter(root)
        assert (root / ".git/index.lock").exists()
        os.killpg(running.pid, signal.SIGKILL)
    enter(root)


def test_one_at_a_time(root: Path) -> None:
    lock, folder = root / ".git/ours.lock-file", root / ".git"
    with (
        working(lock, git_folder=folder, timeout_s=1),
        pytest.raises(LockedError),
        working(lock, git_folder=folder, timeout_s=0.1),
    ):
        pass
