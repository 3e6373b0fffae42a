"""A file is all old or all new, has one writer at a time, and an error says how to mend it."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memjournal.journal import files
from memjournal.journal.errors import (
    CannotCreateError,
    LockedError,
    NotFoundError,
    StorageError,
)

from ..odd_places import a_folder, a_pipe

NO_FILE = "not a file; remove what is in its place"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_replacing_makes_the_file_and_its_folders(tmp_path: Path) -> None:
    files.replace(tmp_path / "a/b/c.md", "한글".encode())
    assert files.read(tmp_path / "a/b/c.md") == "한글".encode()
    assert names(tmp_path / "a/b") == ["c.md"]


@pytest.mark.skipif(os.name == "nt", reason="there are no modes there")
@pytest.mark.parametrize("mode", [0o644, 0o664, 0o400, 0o755])
def test_replacing_keeps_the_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(mode)
    files.replace(path, b"new")
    assert (path.stat().st_mode & 0o777, path.read_bytes()) == (mode, b"new")


@pytest.mark.skipif(os.name == "nt", reason="there are no modes there")
def test_what_is_new_is_for_its_owner_alone(tmp_path: Path) -> None:
    files.replace(tmp_path / "a.md", b"x")
    with files.locked(tmp_path / "b.md", timeout_s=1):
        pass
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


@pytest.mark.parametrize("replace", [a_pipe, a_folder], ids=lambda one: one.__name__)
def test_what_is_no_file_is_not_waited_for_and_told_from_nothing(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    path = tmp_path / "상태.json"
    with pytest.raises(NotFoundError):
        files.read(path)
    replace(path)
    with pytest.raises(StorageError, match=f"상태.json: {NO_FILE}"):
        files.read(path)
    with pytest.raises(CannotCreateError, match=f"상태.json: {NO_FILE}"):
        files.locked(path, timeout_s=0).__enter__()


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no such sockets")
def test_a_socket_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket has about 100 bytes
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("lock")
        with pytest.raises(CannotCreateError, match=NO_FILE):
            files.locked(Path("lock"), timeout_s=0).__enter__()


def test_a_link_is_told_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for _ in range(2):
        with pytest.raises(StorageError, match=f"link: {NO_FILE}"):
            files.read(tmp_path / "link")
        (tmp_path / "file").write_bytes(b"x")
    assert files.read(tmp_path / "file") == b"x"


def test_a_lock_is_waited_for_as_long_as_it_is_worth_it(tmp_path: Path) -> None:
    path = tmp_path / "자물쇠"
    asked = iter([True, True, True, False])
    with files.locked(path, timeout_s=1):
        with (
            pytest.raises(LockedError, match="another process has been writing to it for 0.6 s"),
            files.locked(path, timeout_s=0.15, wait_on=lambda: next(asked)),
        ):
            pass
        assert list(asked) == []
    with files.locked(path, timeout_s=0, wait_on=lambda: False):  # nobody has it: none is asked
        pass


def test_who_gives_up_says_what_it_was_told_to_say(tmp_path: Path) -> None:
    path = tmp_path / "자물쇠"
    with files.locked(path, timeout_s=1):
        for timeout_s, said in ((0, "0 s"), (0.1, "0.1 s")):
            with pytest.raises(LockedError, match=f"writing to it for {said}; try again"):
                files.locked(path, timeout_s=timeout_s).__enter__()
        with pytest.raises(LockedError, match=r"자물쇠: it stands still; look at it$"):
            files.locked(path, timeout_s=0, what="it stands still", mend="look at it").__enter__()


@pytest.mark.skipif(os.name == "nt", reason="names are counted otherwise there")
def test_a_name_as_long_as_names_can_be_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / ("가" * 84 + ".md")
    files.replace(path, b"old")
    files.replace(path, b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(CannotCreateError, match="the name is too long; use a shorter one"):
        files.replace(tmp_path / ("가" * 86 + ".md"), b"x")
    assert names(tmp_path) == [path.name]


def test_a_replacement_that_the_disk_refuses_leaves_the_old(mounted: Callable[..., Path]) -> None:
    path = mounted("size=64k") / "a.md"
    files.replace(path, b"old")
    with pytest.raises(StorageError, match="the disk is full; free some space, then retry"):
        files.replace(path, b"x" * 100_000)
    assert path.read_bytes() == b"old"
    assert names(path.parent) == ["a.md"]


def test_an_append_that_the_disk_refuses_leaves_the_old(mounted: Callable[..., Path]) -> None:
    path = mounted("size=64k") / "a.md"
    with files.locked(path, timeout_s=1) as fd:
        files.append(fd, b"old", path)
        with pytest.raises(StorageError, match="the disk is full"):
            files.append(fd, b"x" * 100_000, path)
    assert path.read_bytes() == b"old"


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    for act in (
        lambda path: files.replace(path, b"x"),
        lambda path: files.locked(path, timeout_s=1).__enter__(),
    ):
        with pytest.raises(CannotCreateError, match="something else is in the way"):
            act(tmp_path / "a/b.md")


def test_reading_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such file"):
        files.read(tmp_path / "none.md")
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(StorageError, match="Not a directory"):
        files.read(tmp_path / "file" / "below.md")


def test_removing_twice_is_removing_once(tmp_path: Path) -> None:
    files.replace(tmp_path / "a/b.md", b"x")
    for _ in range(2):
        files.remove(tmp_path / "a/b.md")
    files.remove(tmp_path / "none/b.md")
    assert names(tmp_path / "a") == []


@pytest.mark.parametrize(
    ("number", "exit_code"),
    [
        (errno.ENOSPC, 74),
        (errno.EROFS, 74),
        (errno.EACCES, 74),
        (errno.EIO, 74),
        (errno.ENOTDIR, 73),
        (errno.ENAMETOOLONG, 73),
    ],
)
def test_every_refusal_says_where_and_how_to_mend_it(number: int, exit_code: int) -> None:
    error = files.as_storage_error(OSError(number, os.strerror(number)), "notes/a.md")
    assert error.exit_code == exit_code
    assert str(error).startswith("notes/a.md: ") and "; " in str(error)


# Locks


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    n_inside, most = 0, 0

    def work() -> None:
        nonlocal n_inside, most
        for _ in range(20):
            with files.locked(path, timeout_s=30) as fd:
                n_inside += 1
                most = max(most, n_inside)
                files.append(fd, b"x", path)
                n_inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, path.stat().st_size) == (1, 80)


HOLDER = """
import sys
from pathlib import Path
from memjournal.journal import files
with files.locked(Path(sys.argv[1]), timeout_s=5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links cannot be told from files there")
def test_a_lock_is_not_made_where_a_link_leads(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (tmp_path / "writer.lock").symlink_to(outside)
    with (
        pytest.raises(CannotCreateError, match="it is a link"),
        files.locked(tmp_path / "writer.lock", timeout_s=0),
    ):
        pass
    assert not outside.exists()


def test_a_lock_dies_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    command = [sys.executable, "-P", "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(LockedError), files.locked(path, timeout_s=0.02):
            pass
        holder.kill()
        holder.wait()
        with files.locked(path, timeout_s=5):
            pass


def test_a_file_replaced_while_waiting_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    waiting = threading.Event()

    def append() -> None:
        waiting.set()
        with files.locked(path, timeout_s=30) as fd:
            files.append(fd, b"appended", path)

    with files.locked(path, timeout_s=1):
        thread = threading.Thread(target=append)
        thread.start()
        assert waiting.wait(30)
        files.replace(path, b"replaced, ")
    thread.join()
    assert path.read_bytes() == b"replaced, appended"
