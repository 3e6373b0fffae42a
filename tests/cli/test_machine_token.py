"""The token of this machine is kept where it can be, and nothing in its place holds a command up."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memjournal.cli import output
from memjournal.cli.machine_token import machine_token

from ..odd_places import a_folder, a_pipe
from .conftest import World

KEPT_NOT = "an index cannot be kept for the next run"


def a_link(place: Path) -> None:
    place.symlink_to(place.with_name("token"))
    place.with_name("token").write_text("f" * 64 + "\n")


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What people are warned of."""
    warnings: list[str] = []
    monkeypatch.setattr(output, "warn", warnings.append)
    return warnings


def test_it_stays_the_same_and_is_for_its_user_alone(tmp_path: Path, said: list[str]) -> None:
    path = tmp_path / "state" / "machine-id"
    token = machine_token(path)
    assert len(token) == 64
    assert machine_token(path) == token
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    assert said == []


@pytest.mark.parametrize("damage", [b"", b"short\n", b"\xff" * 64 + b"\n", b"0" * 10_000])
def test_one_that_is_damaged_is_made_anew(tmp_path: Path, said: list[str], damage: bytes) -> None:
    path = tmp_path / "machine-id"
    path.write_bytes(damage)
    token = machine_token(path)
    assert path.read_text() == f"{token}\n"
    assert said == []


@pytest.mark.parametrize("replace", [a_pipe, a_folder, a_link], ids=lambda one: one.__name__)
def test_what_is_no_file_in_its_place_is_named_and_left(
    tmp_path: Path, said: list[str], replace: Callable[[Path], None]
) -> None:
    path = tmp_path / "machine-id"
    replace(path)
    mode = path.lstat().st_mode
    assert machine_token(path) != machine_token(path)  # each run has one of its own
    assert path.lstat().st_mode == mode
    assert said == [f"{KEPT_NOT}: {path}: not a file; remove what is in its place"] * 2


def test_with_a_pipe_in_its_place_a_search_is_answered(world: World) -> None:
    world.init()
    world.set_env(XDG_STATE_HOME=str(world.home / "state"))
    world.add("커넥션 풀이 고갈되었다")
    (token,) = (world.home / "state").rglob("machine-id")
    token.unlink()
    a_pipe(token)
    ran = world.ok("search", "커넥션 풀")
    assert "고갈되었다" in ran.out
    assert KEPT_NOT in ran.err
