"""A machine's name stays, is a folder's name everywhere, and gives nothing of the machine away."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memjournal.cli.machine_name import FILE_NAME, machine_name, name_kept_at
from memjournal.cli.user_folders import state_folder
from memjournal.journal.ledger import Ledger

from ..odd_places import a_folder, a_pipe
from .conftest import World

HOME = Path("/home/kim")


def a_link(place: Path) -> None:
    place.symlink_to(place.with_name("elsewhere"))


def name_at(path: Path, host: str = "Kims-MacBook.local") -> str:
    return name_kept_at(path, host=lambda: host, home=HOME)


def test_it_stays_when_the_host_is_called_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "state" / FILE_NAME
    name = name_at(path)
    assert re.fullmatch(r"kims-macbook-[0-9a-f]{6}", name)
    assert name_at(path, host="other") == name


def test_two_machines_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    assert name_at(tmp_path / "one") != name_at(tmp_path / "other")


@pytest.mark.parametrize(
    ("host", "start"),
    [
        ("", "machine"),
        ("김의 컴퓨터", "machine"),
        ("CON", "con"),
        ("Büro_PC #2", "buro-pc-2"),
        ("..", "machine"),
        ("-x-", "x"),
        ("a" * 200, "a" * 24),
        ("h\udce9\n\0/", "h"),
        ("ip-10-0-0-1.ec2.internal", "ip-10-0-0-1"),
    ],
)
def test_any_host_gives_a_name_that_is_a_folder_everywhere(
    tmp_path: Path, host: str, start: str
) -> None:
    name = name_at(tmp_path / FILE_NAME, host=host)
    assert re.fullmatch(f"{start}-[0-9a-f]{{6}}", name)
    Ledger(tmp_path, machine=name, redact=str)


@pytest.mark.parametrize("damage", [b"", b"Host\n", b"host-1", b"\xff\n", b"../x\n", b"a" * 9000])
def test_one_that_is_damaged_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(damage)
    name = name_at(path)
    assert path.read_text() == f"{name}\n"
    assert name_at(path) == name


@pytest.mark.parametrize("replace", [a_pipe, a_folder, a_link], ids=lambda one: one.__name__)
def test_where_it_cannot_be_kept_it_follows_from_host_and_home(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    path = tmp_path / FILE_NAME
    replace(path)
    mode = path.lstat().st_mode
    name = name_at(path)
    assert name == name_at(path) != name_kept_at(path, host=lambda: "other", home=HOME)
    assert name != name_kept_at(path, host=lambda: "Kims-MacBook.local", home=Path("/home/lee"))
    assert path.lstat().st_mode == mode


def test_those_that_make_it_at_the_same_time_agree(tmp_path: Path) -> None:
    names: list[str] = []
    threads = [
        threading.Thread(target=lambda: names.append(name_at(tmp_path / FILE_NAME)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names) == 8 and len(set(names)) == 1


def test_it_is_kept_beside_the_token_and_is_no_part_of_it(world: World) -> None:
    world.init()
    world.add("기억")
    name = machine_name(world.home)
    token = (state_folder() / "machine-id").read_text()
    assert name.rpartition("-")[2] not in token
    path = state_folder() / FILE_NAME
    assert path.read_text() == f"{name}\n"
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
